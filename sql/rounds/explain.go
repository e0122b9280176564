package rounds

import (
	"context"
	"slices"
	"time"

	"isochron/sql/access"
	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/comparing"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/table"
	"isochron/txn"
)

// Step is a read of a plan. Steps follow each other as they are executed.
type Step struct {
	Source  *bind.Source
	Columns []int
	Lock    txn.Lock
	Wait    txn.Wait
	Changed bool // the statement changes its rows
	// Choice is how the rows are read; nil of a read of nothing, and of a lookup.
	Choice *access.Choice
	Lookup bool
	Index  *catalog.IndexInfo // of a lookup: by which the rows are looked up for the keys of a batch of rows
	// Batch: it is executed for each batch of rows of the query around it.
	Batch bool
	// Together: it begins in the round of the first step that does so.
	Together bool
	Done     Done
	leaf     *leaf
}

// Done is what a read did when the plan was executed.
type Done struct {
	Reads, Rounds int
	Rows, Bytes   int64
	Time          time.Duration
}

// Analyze executes the plan to its end, and returns its reads with what they did, and how many rows it returned. clock is
// asked before and after each read.
func (p *Plan) Analyze(ctx context.Context, now comparing.Clock, c *expr.Context, reader Reader, m exec.Memory, clock func() time.Time) (steps []Step, rows int64, err error) {
	if steps, err = p.Steps(now, c); err != nil {
		return nil, 0, err
	}
	r := &run{ctx: ctx, now: now, c: c, reader: reader, memory: m, clock: clock, done: map[*leaf]*Done{}}
	defer r.close()
	if err := r.beginFirst(p); err != nil {
		return nil, 0, err
	}
	from, err := p.block.open(r, nil)
	if err != nil {
		return nil, 0, err
	}
	defer from.Close()
	for {
		batch, err := from.Next(ctx)
		if err != nil {
			return nil, 0, err
		}
		if batch == nil {
			break
		}
		rows += int64(len(batch))
	}
	for i := range steps {
		if d := r.done[steps[i].leaf]; d != nil {
			steps[i].Done = *d
		}
	}
	return steps, rows, nil
}

// watched reads, and notes what the read did.
func (r *run) watched(ctx context.Context, l *leaf, a *access.Choice) ([][]expr.Value, error) {
	began := r.clock()
	rows, err := r.reader.Read(ctx, a.Access, l.lock, l.wait, l.columns)
	r.noteRead(l, a, began).note(rows)
	return rows, err
}

// noteRead notes a read that has begun.
func (r *run) noteRead(l *leaf, a *access.Choice, began time.Time) *Done {
	return r.noteRounds(l, a.Rounds(table.Mode{Lock: l.lock, Wait: l.wait}, l.columns), began)
}

func (r *run) noteRounds(l *leaf, rounds int, began time.Time) *Done {
	d := r.done[l]
	if d == nil {
		d = &Done{}
		r.done[l] = d
	}
	d.Reads, d.Rounds = d.Reads+1, d.Rounds+rounds
	d.Time += r.clock().Sub(began)
	return d
}

// note notes rows that were read.
func (d *Done) note(rows [][]expr.Value) {
	d.Rows += int64(len(rows))
	for _, row := range rows {
		for _, v := range row {
			d.Bytes += int64(v.Len())
		}
	}
}

// watchedRows notes the rows that come of a read, and the time of its pieces.
type watchedRows struct {
	exec.Source
	clock func() time.Time
	done  *Done
}

func (w *watchedRows) Next(ctx context.Context) ([][]expr.Value, error) {
	began := w.clock()
	rows, err := w.Source.Next(ctx)
	w.done.Time += w.clock().Sub(began)
	w.done.note(rows)
	return rows, err
}

// Choose is the access that Execute would read, of a plan over one table; nil: it reads nothing.
func (p *Plan) Choose(now comparing.Clock, c *expr.Context) (*access.Choice, error) {
	p.block.begin(c)
	offset, count, err := p.block.window()
	if err != nil || p.block.leaf == nil {
		return nil, err
	}
	return p.block.choose(&run{now: now, c: c}, offset, count)
}

// Steps are the reads of the plan for the present values. What depends on values that are read is not known before: a
// condition by a subquery bounds no read here.
func (p *Plan) Steps(now comparing.Clock, c *expr.Context) ([]Step, error) {
	first := p.firstReads(now, c)
	x := &explainer{run: &run{now: now, c: c}, common: map[*shared]bool{}}
	x.block(p.block, false)
	for i := range x.steps {
		x.steps[i].Together = slices.Contains(first.leaves, x.steps[i].leaf)
	}
	return x.steps, x.err
}

// explainer gathers the steps of a plan.
type explainer struct {
	run    *run
	steps  []Step
	common map[*shared]bool // that have been visited
	err    error
}

func (x *explainer) block(b *block, batch bool) {
	b.begin(x.run.c)
	offset, count, err := b.window()
	if err != nil {
		x.err = err
		return
	}
	if b.leaf != nil {
		choice, err := b.choose(x.run, offset, count)
		if err != nil {
			x.err = err
			return
		}
		for _, s := range b.late {
			x.before(s)
		}
		x.add(b.leaf, choice, batch)
	} else if b.from != nil {
		x.node(b.from, batch)
	}
	for _, s := range b.late {
		x.step(s)
	}
	x.step(b.input)
	x.step(b.having)
	for _, w := range b.windows {
		x.step(w.input)
	}
	x.step(b.list)
}

func (x *explainer) add(l *leaf, choice *access.Choice, batch bool) {
	x.steps = append(x.steps, Step{Source: l.source, Columns: l.columns, Lock: l.lock, Wait: l.wait, Changed: l.changed, Choice: choice, Batch: batch, leaf: l})
}

// before visits the subqueries that bound a read, which are executed before it.
func (x *explainer) before(s *step) {
	for _, a := range s.subqueries {
		if a.bounds {
			x.block(a.block, false)
		}
	}
}

// step visits the subqueries of a step.
func (x *explainer) step(s *step) {
	if s == nil {
		return
	}
	for _, a := range s.subqueries {
		if !a.bounds {
			x.block(a.block, a.block.lateral)
		}
	}
}

func (x *explainer) node(n node, batch bool) {
	switch n := n.(type) {
	case leafNode:
		n.leaf.begin(x.run.c)
		w, err := n.leaf.wanted(x.run)
		if err != nil {
			x.err = err
			return
		}
		var choice *access.Choice
		if !n.leaf.closed {
			if choice, x.err = access.Choose(x.run.now, n.leaf.source.Table, w); x.err != nil {
				return
			}
		}
		x.add(n.leaf, choice, batch)
	case *filterNode:
		x.node(n.from, batch)
		x.step(n.step)
	case *extendNode:
		x.node(n.from, batch)
		x.step(n.step)
	case *blockNode:
		x.block(n.block, batch && n.block.lateral)
	case *joinNode:
		x.node(n.left, batch)
		if n.lateral != nil {
			x.block(n.lateral.block, true)
		} else if n.index != nil {
			l := n.leaf
			x.steps = append(x.steps, Step{Source: l.source, Columns: l.columns, Lock: l.lock, Wait: l.wait, Changed: l.changed, Lookup: true, Index: n.index, Batch: batch, leaf: l})
		} else {
			x.node(n.right, batch && n.leaf == nil)
		}
	case *appliedJoin:
		x.node(n.left, batch)
		x.node(n.pairs, batch)
	case *setNode:
		x.node(n.left, batch)
		x.node(n.right, batch)
	case sharedNode:
		if x.common[n.of] {
			return
		}
		x.common[n.of] = true
		x.block(n.of.base, false)
		if n.of.step != nil {
			x.block(n.of.step, true)
		}
	}
}
