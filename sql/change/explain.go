package change

import (
	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/comparing"
	"isochron/sql/expr"
	"isochron/sql/rounds"
)

// Check is a round that reads unique keys.
type Check struct {
	Table *catalog.Descriptor
	Moved bool // only the keys that rows get
	None  bool // the table has none: there is no round
	// Owners: if an index has one of the keys, the rows behind it are read in one round more.
	Owners bool
}

// Steps are the reads of an execution with the present values, but for those of Checks and of foreign keys.
func (p *Plan) Steps(now comparing.Clock, c *expr.Context) (list []rounds.Step, err error) {
	switch {
	case p.query != nil:
		list, err = p.query.Steps(now, c)
	case p.rows != nil:
		var step rounds.Step
		step, err = p.rows.Step(now, c)
		list = append(list, step)
	}
	if err != nil {
		return nil, err
	}
	for _, v := range p.beside() {
		more, err := v.Steps(now, c)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// beside are the expressions with subqueries beside the row.
func (p *Plan) beside() (out []*rounds.Value) {
	add := func(s *source) {
		if s.is == queried {
			out = append(out, s.beside)
		}
	}
	for _, row := range p.values {
		for i := range row {
			add(&row[i])
		}
	}
	for _, part := range append([]*Plan{p}, p.parts...) {
		for _, list := range [][]assignment{part.sets, part.duplicate} {
			for i := range list {
				add(&list[i].from)
			}
		}
	}
	if p.returned != nil {
		out = append(out, p.returned.items)
	}
	return out
}

// Checks are the reads of unique keys.
func (p *Plan) Checks() (out []Check) {
	if p.inserts() {
		unique := !p.Table.Keyless()
		for _, x := range p.Table.Indexes {
			unique = unique || x.Unique
		}
		return []Check{{Table: p.Table, None: !unique, Owners: (p.Kind == bind.Replaces || len(p.duplicate) > 0) && len(p.Table.Indexes) > 0}}
	}
	for _, part := range append([]*Plan{p}, p.parts...) {
		if part.moves {
			out = append(out, Check{Table: part.Table, Moved: true})
		}
	}
	return out
}
