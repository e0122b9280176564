package exec

import (
	"bytes"
	"context"

	"isochron/sql/expr"
)

// sortedGroups are the rows of groups for which there was no memory when their first rows came. They are sorted by their
// keys, so that one group is open at a time; its row is then sorted back into the order of the first rows.
type sortedGroups struct {
	rows    numberedSorter
	out     numberedSorter
	account account // of the open group
	merged  bool
}

// freeze opens no more groups: rows of others are sorted.
func (g *grouping) freeze() {
	m := g.account.memory
	g.sorted = &sortedGroups{rows: newNumberedSorter(m), out: newNumberedSorter(m), account: account{memory: m}}
	g.account.due -= g.reserve
	g.reserve = 0
}

// relieve opens no more groups if Memory refused more, or they are the operator's share. The states of those that are open
// may grow, for which it gives up its reserve.
func (g *grouping) relieve(refused error) error {
	if g.files == nil || g.sorted != nil || refused == nil && !g.account.full(g.files) {
		return refused
	}
	g.freeze()
	return g.account.settle()
}

// reserved is what is charged from the beginning where there are files: for what is due when Memory refuses more, and for
// rows to be sorted.
func (g *grouping) reserved() int64 {
	if g.files == nil {
		return 0
	}
	return min(g.files.Share/4, 2*chargeFrom)
}

// next is the next batch of groups.
func (s *sortedGroups) next(ctx context.Context, g *grouping) ([][]expr.Value, error) {
	if !s.merged {
		s.merged = true
		if err := s.merge(ctx, g); err != nil {
			return nil, err
		}
	}
	return s.out.batch(g.out.rows[:0], BatchMax)
}

// merge computes all groups.
func (s *sortedGroups) merge(ctx context.Context, g *grouping) error {
	if err := s.rows.finish(ctx); err != nil {
		return err
	}
	open := openGroup{of: s, grouping: g}
	for looked := 0; ; looked++ {
		if looked%BatchMax == 0 {
			if err := cancelled(ctx); err != nil {
				return err
			}
			if err := s.account.settle(); err != nil {
				return err
			}
		}
		key, number, row, err := s.rows.next()
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		if !open.any || !bytes.Equal(key, open.key) {
			if err := open.end(); err != nil {
				return err
			}
			open.begin(key, number, row)
		}
		for _, state := range open.states {
			if err := state.add(row); err != nil {
				return err
			}
		}
	}
	if err := open.end(); err != nil {
		return err
	}
	s.rows.close()
	s.account.close()
	return s.out.finish(ctx)
}

// openGroup is the group whose rows are being read.
type openGroup struct {
	of       *sortedGroups
	grouping *grouping
	any      bool // there is one
	key      []byte
	number   uint64       // of its first row
	row      []expr.Value // its first row
	keys     []expr.Value // scratch
	states   []accumulator
}

func (o *openGroup) begin(key []byte, number uint64, row []expr.Value) {
	o.any, o.key, o.number, o.row = true, key, number, row
	o.states = o.grouping.states.start(o.grouping.folds, &o.of.account)
}

// end gives the group's row to the output.
func (o *openGroup) end() error {
	if !o.any {
		return nil
	}
	o.keys = o.keys[:0]
	for _, k := range o.grouping.keys {
		o.keys = append(o.keys, o.row[k.At])
	}
	out := &o.grouping.out
	out.rows = out.rows[:0]
	if err := out.put(o.keys, o.states, 0, BatchMax); err != nil {
		return err
	}
	o.of.account.due = -o.of.account.held
	return o.of.out.add(nil, o.number, out.rows[0])
}

func (s *sortedGroups) close() {
	s.rows.close()
	s.out.close()
	s.account.close()
}
