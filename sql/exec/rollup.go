package exec

import (
	"bytes"
	"context"

	"isochron/sql/expr"
)

// rollup computes GROUP BY ... WITH ROLLUP over rows sorted by the keys. Level n has the rows that agree in the first n
// keys with the row at hand; when one of those changes, the level yields its row, the deeper levels before it.
type rollup struct {
	in      input // a sort
	keys    []Key
	folds   []*folding
	encoder *encoder
	levels  []level
	current [][]byte     // the keys of the row at hand, by column
	next    [][]byte     // those of the row after it
	values  []expr.Value // of the row at hand, in its keys' columns
	batch   [][]expr.Value
	states  states
	out     output
	open    bool // there is a row at hand
}

// level is what is held of one group for a number of keys.
type level struct {
	account account
	states  []accumulator
}

func newRollup(from Source, keys []Key, folds []*folding, m Memory) Source {
	r := &rollup{
		in: input{from: Sort(from, keys, 0, m)}, keys: keys, folds: folds, encoder: newEncoder(keys),
		levels: make([]level, len(keys)+1), current: make([][]byte, len(keys)), next: make([][]byte, len(keys)), values: make([]expr.Value, len(keys)),
	}
	for i := range r.levels {
		r.levels[i].account.memory = m
	}
	return r
}

func (r *rollup) Next(ctx context.Context) ([][]expr.Value, error) {
	r.out.rows = r.out.rows[:0]
	for len(r.out.rows) == 0 || len(r.out.rows)+len(r.levels) <= BatchMax {
		if len(r.batch) == 0 {
			rows, err := r.in.next(ctx)
			if err != nil {
				return nil, err
			}
			if rows == nil {
				return r.finish()
			}
			if err := r.settle(); err != nil {
				return nil, r.in.fail(err)
			}
			r.batch = rows
		}
		if err := r.take(r.batch[0]); err != nil {
			return nil, r.in.fail(err)
		}
		r.batch = r.batch[1:]
	}
	return r.out.batch(), nil
}

// finish yields the rows of all levels, once.
func (r *rollup) finish() ([][]expr.Value, error) {
	if r.open {
		r.open = false
		if err := r.yield(0); err != nil {
			return nil, r.in.fail(err)
		}
	}
	return r.out.batch(), nil
}

// take adds a row to the groups of all levels, after yielding those that it does not belong to.
func (r *rollup) take(row []expr.Value) error {
	first := 0 // the first level that the row opens
	same := r.agree(row)
	if r.open {
		first = same + 1
		if err := r.yield(first); err != nil {
			return err
		}
	}
	r.open = true
	r.current, r.next = r.next, r.current
	if first < len(r.levels) {
		for i, k := range r.keys { // all of them: equal values may differ in their letters
			r.values[i] = row[k.At]
		}
	}
	for n := first; n < len(r.levels); n++ {
		l := &r.levels[n]
		l.states = r.states.start(r.folds, &l.account)
		if err := l.account.add(int64(stateBytes * (1 + len(r.folds)))); err != nil {
			return err
		}
	}
	for n := range r.levels {
		for _, s := range r.levels[n].states {
			if err := s.add(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// agree is the number of first keys in which a row agrees with the row at hand.
func (r *rollup) agree(row []expr.Value) int {
	same, equal := 0, r.open
	for i := range r.encoder.columns {
		c := &r.encoder.columns[i]
		r.next[i] = r.encoder.value(r.next[i][:0], c, row[c.at])
		if equal = equal && bytes.Equal(r.next[i], r.current[i]); equal {
			same++
		}
	}
	return same
}

// yield puts the rows of the levels from the deepest to the given one, and frees them.
func (r *rollup) yield(to int) error {
	for n := len(r.levels) - 1; n >= to; n-- {
		for i := n; i < len(r.values); i++ {
			r.values[i] = expr.Null
		}
		l := &r.levels[n]
		if err := r.out.put(r.values, l.states, len(r.keys)-n, 64); err != nil {
			return err
		}
		l.states = nil
		l.account.close()
	}
	return nil
}

// settle charges what the levels hold.
func (r *rollup) settle() error {
	for n := range r.levels {
		if err := r.levels[n].account.settle(); err != nil {
			return err
		}
	}
	return nil
}

func (r *rollup) Close() {
	for n := range r.levels {
		r.levels[n].account.close()
	}
	r.levels, r.batch = nil, nil
	r.in.close()
}
