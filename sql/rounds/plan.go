package rounds

import (
	"context"
	"time"

	"isochron/sql/bind"
	"isochron/sql/comparing"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/table"
	"isochron/txn"
)

// Plan is a compiled query.
type Plan struct {
	Query *bind.Query
	block *block
}

// Field describes a column of the result.
type Field struct {
	Name   string
	Type   expr.Type
	Source *bind.Source // whose column it is, if it is just that; else nil
	Column int          // of the source's table
}

// Compile compiles a query.
func Compile(c *expr.Context, q *bind.Query) (*Plan, error) {
	b, err := (&compiler{c: c}).block(q, nil)
	if err != nil {
		return nil, err
	}
	return &Plan{q, b}, nil
}

// Fields are the columns of the result.
func (p *Plan) Fields() []Field {
	out := make([]Field, len(p.Query.Items))
	for i, item := range p.Query.Items {
		out[i] = Field{Name: item.Name, Type: p.block.list.program.Type(i), Column: -1}
		if item.Source != nil && item.Source.Table != nil && !p.Query.Grouped {
			out[i].Source, out[i].Column = item.Source, item.Column
		}
	}
	return out
}

// Columns are the positions of the columns that are read, if the only source is a table.
func (p *Plan) Columns() []int {
	if p.block.leaf == nil {
		return nil
	}
	return p.block.leaf.columns
}

// Found is the number of rows that the last execution would have returned without a limit, if its rows have been read to the
// end; false: it returned them all, or did not count them.
func (p *Plan) Found() (int64, bool) { return p.block.found, p.Query.CountAll && p.Query.Count != nil }

// OneTable reports whether the plan reads one table, in one access.
func (p *Plan) OneTable() bool { return p.block.leaf != nil && len(p.Query.Subqueries) == 0 }

// Reader reads the rows of an access in the statement's transaction.
type Reader interface {
	Read(ctx context.Context, a *table.Access, lock txn.Lock, wait txn.Wait, columns []int) ([][]expr.Value, error)
}

// PieceReader is a Reader that reads in pieces what one round does not carry. The first is read at once. ordered: the rows come
// in the order of the access's index.
type PieceReader interface {
	ReadPieces(ctx context.Context, a *table.Access, lock txn.Lock, wait txn.Wait, columns []int, ordered bool) (exec.Source, error)
}

// VirtualReader is a Reader that reads virtual tables too.
type VirtualReader interface {
	ReadVirtual(ctx context.Context, v *bind.Virtual, lock txn.Lock, wait txn.Wait) (exec.Source, error)
}

// run is one execution of a plan.
type run struct {
	ctx    context.Context
	now    comparing.Clock
	c      *expr.Context
	reader Reader
	memory exec.Memory
	held   int64            // charged for what is kept until the end
	clock  func() time.Time // not nil: what each table's reads do is noted
	done   map[*leaf]*Done
	// results are the rows of subqueries that refer to nothing outside; kept, of derived tables within subqueries that do.
	results map[*applied]*result
	kept    map[*block][][]expr.Value
	lookups map[*joinNode]*lookup
	first   map[*leaf]*first // reads that have begun before their turn
	common  map[*bind.CTE]*exec.Shared
	order   []*exec.Shared // of common: each reads those before it only
	rounds  map[*bind.CTE][][]expr.Value
}

// Execute executes the plan; now is the time of the statement.
func (p *Plan) Execute(ctx context.Context, now comparing.Clock, c *expr.Context, reader Reader, m exec.Memory) (exec.Source, error) {
	r := &run{ctx: ctx, now: now, c: c, reader: reader, memory: m}
	if len(p.Query.Marks) > 0 {
		return p.locked(r)
	}
	if err := r.beginFirst(p); err != nil {
		r.close()
		return nil, err
	}
	from, err := p.block.open(r, nil)
	if err != nil {
		r.close()
		return nil, err
	}
	if p.OneTable() {
		return from, nil
	}
	return &ending{from, r}, nil
}

// ending closes a run after its rows.
type ending struct {
	exec.Source
	run *run
}

func (e *ending) Close() {
	e.Source.Close()
	e.run.close()
}

// keep charges for what is kept until the end of the run.
func (r *run) keep(bytes int64) error {
	if r.memory == nil {
		return nil
	}
	if err := r.memory.Charge(bytes); err != nil {
		return err
	}
	r.held += bytes
	return nil
}

func (r *run) close() {
	for _, f := range r.first {
		f.from.Close()
	}
	r.first = nil
	for i := len(r.order) - 1; i >= 0; i-- {
		r.order[i].Close()
	}
	if r.memory != nil && r.held > 0 {
		r.memory.Release(r.held)
	}
	r.held, r.order = 0, nil
}

// all are all rows of a source, which is closed; they are kept until the end of the run.
func (r *run) all(from exec.Source) (out [][]expr.Value, err error) {
	defer from.Close()
	for {
		rows, err := from.Next(r.ctx)
		if err != nil || rows == nil {
			return out, err
		}
		bytes := int64(0)
		for _, row := range rows {
			bytes += exec.SizeOf(row)
		}
		if err := r.keep(bytes); err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
}
