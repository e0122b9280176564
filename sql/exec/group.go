package exec

import (
	"context"

	"isochron/sql/expr"
)

// Group gathers rows whose keys are equal and computes aggregates over each group. A row of the output has the keys, the
// aggregates, and how many of the keys are rolled up, an integer. Without keys there is one row, also for no input.
//
// Groups come in the order of their first rows. With rollup they are sorted by the keys, and behind the groups that agree
// in their first keys stands one with the rest of the keys NULL. It holds one row and the aggregates' states a group; with
// rollup all rows. Rows of groups that do not fit in memory are sorted in files, if Memory has them.
func Group(c *expr.Context, from Source, keys []Key, aggregates []Aggregate, rollup bool, m Memory) Source {
	folds := make([]*folding, len(aggregates))
	for i, a := range aggregates {
		folds[i] = newFolding(c, a)
	}
	if rollup && len(keys) > 0 {
		return newRollup(from, keys, folds, m)
	}
	g := &grouping{
		in: input{from: from}, account: account{memory: m}, files: filesOf(m), keys: keys, folds: folds,
		encoder: newEncoder(keys), index: map[string]*group{},
	}
	if len(keys) == 0 {
		g.files = nil // one group is not sorted
	}
	return g
}

// grouping finds the group of a row by a map.
type grouping struct {
	in      input
	account account
	files   *SpillFiles   // nil: there are none
	reserve int64         // charged and not used
	sorted  *sortedGroups // nil: all groups so far are in memory
	count   uint64        // of rows that were sorted
	keys    []Key
	folds   []*folding
	encoder *encoder
	index   map[string]*group
	list    []*group // in the order of their first rows; those that have been yielded are cut off
	groups  pool[group]
	values  slab
	states  states
	buffer  []byte
	out     output
	filled  bool
}

// group is what is held of a group.
type group struct {
	keys   []expr.Value
	states []accumulator
}

func (g *grouping) Next(ctx context.Context) ([][]expr.Value, error) {
	if !g.filled {
		if err := g.fill(ctx); err != nil {
			return nil, err
		}
	}
	if err := cancelled(ctx); err != nil {
		return nil, g.in.fail(err)
	}
	if g.in.err != nil {
		return nil, g.in.err
	}
	g.out.rows = g.out.rows[:0]
	for len(g.list) > 0 && len(g.out.rows) < BatchMax {
		if err := g.out.put(g.list[0].keys, g.list[0].states, 0, len(g.list)); err != nil {
			return nil, g.in.fail(err)
		}
		g.list = g.list[1:]
	}
	if len(g.out.rows) > 0 || g.sorted == nil {
		return g.out.batch(), nil
	}
	g.account.close()
	rows, err := g.sorted.next(ctx, g)
	if err != nil {
		return nil, g.in.fail(err)
	}
	g.out.rows = rows
	return g.out.batch(), nil
}

// fill takes all rows.
func (g *grouping) fill(ctx context.Context) error {
	g.reserve = g.reserved()
	if err := g.account.add(g.reserve); err != nil {
		return g.in.fail(err)
	}
	for {
		rows, err := g.in.next(ctx)
		if err != nil {
			return err
		}
		if rows == nil {
			break
		}
		for _, row := range rows {
			if err := g.take(row); err != nil {
				return g.in.fail(err)
			}
		}
		if err := g.settle(); err != nil {
			return g.in.fail(err)
		}
	}
	if len(g.keys) == 0 && len(g.list) == 0 {
		if _, err := g.open(nil); err != nil {
			return g.in.fail(err)
		}
	}
	g.filled, g.index = true, nil
	return nil
}

func (g *grouping) settle() error {
	if g.sorted != nil {
		if err := g.sorted.rows.settle(); err != nil {
			return err
		}
	}
	return g.relieve(g.account.settle())
}

// take adds a row to its group.
func (g *grouping) take(row []expr.Value) error {
	g.buffer = digest(g.encoder.append(g.buffer[:0], row))
	of, ok := g.index[string(g.buffer)]
	if !ok {
		if g.sorted != nil {
			g.count++
			return g.sorted.rows.add(g.buffer, g.count, row)
		}
		var err error
		if of, err = g.open(row); err != nil {
			return err
		}
		g.index[string(g.buffer)] = of
	}
	for _, s := range of.states {
		if err := s.add(row); err != nil {
			return err
		}
	}
	return nil
}

// open opens a group with its first row.
func (g *grouping) open(row []expr.Value) (*group, error) {
	of := g.groups.get()
	of.keys = g.values.row(len(g.keys), 64)
	for _, k := range g.keys {
		of.keys = append(of.keys, clone(row[k.At]))
	}
	of.states = g.states.start(g.folds, &g.account)
	g.list = append(g.list, of)
	size := sizeOf(of.keys) + int64(len(g.buffer)+mapBytes+stateBytes*(1+len(g.folds)))
	return of, g.relieve(g.account.add(size))
}

// states hands out the slices of groups' accumulators from a larger allocation.
type states struct{ free []accumulator }

// start starts the accumulators of a group.
func (s *states) start(folds []*folding, a *account) []accumulator {
	n := len(folds)
	if len(s.free) < n {
		s.free = make([]accumulator, 64*n)
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	for i, f := range folds {
		out[i] = f.start(a)
	}
	return out
}

func (g *grouping) Close() {
	g.index, g.list = nil, nil
	if g.sorted != nil {
		g.sorted.close()
	}
	g.account.close()
	g.in.close()
}

// output makes rows of groups.
type output struct {
	rows   [][]expr.Value
	values slab
	levels []expr.Value // the numbers of keys that are rolled up, as values
}

// put adds the row of a group. more: so many rows will follow, this one included.
func (o *output) put(keys []expr.Value, states []accumulator, rolledUp, more int) error {
	row := append(o.values.row(len(keys)+len(states)+1, more), keys...)
	for _, s := range states {
		v, err := s.result()
		if err != nil {
			return err
		}
		row = append(row, v)
	}
	for len(o.levels) <= rolledUp {
		o.levels = append(o.levels, expr.Int(int64(len(o.levels))))
	}
	o.rows = append(o.rows, append(row, o.levels[rolledUp]))
	return nil
}

// batch is what has been put, nil if there is nothing.
func (o *output) batch() [][]expr.Value {
	if len(o.rows) == 0 {
		return nil
	}
	return o.rows
}
