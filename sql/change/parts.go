package change

import (
	"slices"

	"isochron/sql/bind"
	"isochron/sql/expr"
	"isochron/sql/table"
	"isochron/txn"
)

// An UPDATE or DELETE of several tables, or with subqueries, reads all that it needs by one query: of each of its targets the
// row's key and stored bytes, and the values that its assignments refer to. Then each target is changed, one after the other: a
// row of it once, by the first row of the query that has it.

// compileParts compiles an UPDATE or DELETE by a query.
func (p *Plan) compileParts(c *expr.Context) (err error) {
	p.pure = false
	if p.query, err = p.statement.Query(p.Query); err != nil {
		return err
	}
	row := p.query.Items()
	for _, t := range p.Targets {
		part := &Plan{
			Change:  &bind.Change{Kind: p.Kind, Ignore: p.Ignore, Table: t.Table, Query: p.Query, Sets: t.Sets},
			counter: t.Table.AutoIncrement(), statement: p.statement, row: row, snapshot: p.snapshot,
		}
		if err := part.tableColumns(); err != nil {
			return err
		}
		if p.Kind == bind.Updates {
			if err := part.compilePart(c, t); err != nil {
				return err
			}
		}
		if err := part.relate(c); err != nil {
			return err
		}
		p.parts = append(p.parts, part)
	}
	return nil
}

// compilePart compiles the assignments of a target.
func (p *Plan) compilePart(c *expr.Context, t *bind.Target) (err error) {
	if err := p.compileDefinition(c); err != nil {
		return err
	}
	if err := p.compileDefaults(c); err != nil {
		return err
	}
	at := func(column int) int { return p.row.At(bind.Ref{Row: bind.OfSources, At: t.First + column}) }
	if p.sets, err = p.assignmentsFrom(c, p.row.Columns(), p.Sets, t.First, at); err != nil {
		return err
	}
	p.moves = p.movesKeys()
	return nil
}

// changeParts changes the rows of the query.
func (r *run) changeParts() error {
	rows, err := r.gathered()
	if err != nil {
		return err
	}
	now := map[uint64]map[txn.Key]current{} // by the tables that are targets twice
	for i, part := range r.parts {
		if r.isTwice(part) && now[part.Table.ID()] == nil {
			now[part.Table.ID()] = map[txn.Key]current{}
		}
		f := r.foundOf(r.Targets[i], rows, now[part.Table.ID()])
		if err := r.changePart(part, f, now[part.Table.ID()]); err != nil {
			return err
		}
	}
	return nil
}

// current is what a row of a table is that was changed by another target before.
type current struct {
	stored []byte // nil: it is deleted
}

// becomes notes what a row is now, for other targets; nil: it is deleted.
func (r *run) becomes(key txn.Key, row []any) (err error) {
	if r.now == nil {
		return nil
	}
	c := current{}
	if row != nil {
		c.stored, err = r.Table.EncodeRow(row)
	}
	r.now[key] = c
	return err
}

// isTwice reports whether the table of a part is that of another, too.
func (r *run) isTwice(part *Plan) bool {
	return slices.ContainsFunc(r.parts, func(o *Plan) bool { return o != part && o.Table.ID() == part.Table.ID() })
}

// foundOf are the different rows of a target, in the order of the query's.
func (r *run) foundOf(t *bind.Target, rows [][]expr.Value, now map[txn.Key]current) (f found) {
	taken := make(map[txn.Key]struct{}, len(rows))
	for _, row := range rows {
		if row[t.Key].IsNull() {
			continue // of an outer join
		}
		h := table.Held{Key: txn.Key(row[t.Key].Raw()), Stored: row[t.Stored].Raw()}
		if _, ok := taken[h.Key]; ok {
			continue
		}
		taken[h.Key] = struct{}{}
		if c, ok := now[h.Key]; ok {
			if h.Stored = c.stored; h.Stored == nil {
				continue
			}
		}
		if len(r.parts) > 1 {
			row = slices.Clone(row) // assignments to it are its target's
		}
		f.held, f.values = append(f.held, h), append(f.values, row)
	}
	return f
}

// changePart changes the rows of a target.
func (r *run) changePart(part *Plan, f found, now map[txn.Key]current) error {
	sub := *r
	sub.Plan, sub.writer = part, table.NewWriter(r.Store, part.Table, r.Tx)
	sub.cached, sub.known, sub.scratch = make([]any, len(part.columns)), make([]bool, len(part.columns)), nil
	sub.now = now
	part.returned = r.returned
	part.begin(r.Context)
	sub.enforce()
	err := sub.refresh(&f)
	if err != nil {
		return err
	}
	if part.Kind == bind.Updates {
		err = sub.updateFound(f)
	} else {
		err = sub.deleteFound(f)
	}
	r.out, r.seen, r.warned = sub.out, sub.seen, sub.warned
	return err
}
