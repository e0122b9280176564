package exec

import (
	"context"

	"isochron/sql/expr"
)

// Step is the recursive part of a common table expression: a source of the rows that follow from those of the round before.
type Step func(ctx context.Context, rows [][]expr.Value) (Source, error)

// Recursive yields the rows of base, then those of step over the rows of the round before, until a round has none. With
// distinct, rows whose first columns, of the types, are equal to those of a row before are left out. A round beyond
// mostRounds is error 3636. It holds the rows of two rounds, and with distinct a key a row.
//
// The rows given to step are valid until the source that it returned is closed, which is before the next step.
func Recursive(base Source, step Step, types []expr.Type, distinct bool, mostRounds int, m Memory) Source {
	r := &recursive{in: input{from: base}, open: true, step: step, most: mostRounds, account: account{memory: m}}
	if distinct {
		r.seen = newSet(typesAt(nil, types))
	}
	return r
}

type recursive struct {
	in       input // of the round at hand
	open     bool  // and it has not been closed
	step     Step
	most     int
	round    int  // steps begun
	seen     *set // nil: equal rows are yielded
	account  account
	rows     [][]expr.Value // of the round at hand so far
	size     int64          // charged for them
	previous int64          // charged for those of the round before
	kept     [][]expr.Value
}

func (r *recursive) Next(ctx context.Context) ([][]expr.Value, error) {
	for {
		rows, err := r.in.next(ctx)
		if err != nil {
			return nil, err
		}
		if rows == nil {
			if more, err := r.advance(ctx); !more {
				return nil, err
			}
			continue
		}
		if err := r.take(rows); err != nil {
			return nil, r.in.fail(err)
		}
		if len(r.kept) > 0 {
			return r.kept, nil
		}
	}
}

// take holds the rows of a batch that are new.
func (r *recursive) take(rows [][]expr.Value) error {
	r.kept = r.kept[:0]
	for _, row := range rows {
		if r.seen != nil {
			if isNew, err := r.seen.add(row, &r.account); err != nil {
				return err
			} else if !isNew {
				continue
			}
		}
		r.kept = append(r.kept, row)
		size := sizeOf(row)
		r.size += size
		if err := r.account.add(size); err != nil {
			return err
		}
	}
	r.rows = append(r.rows, r.kept...)
	return r.account.settle()
}

// advance begins the next round; false: there is none.
func (r *recursive) advance(ctx context.Context) (bool, error) {
	if r.open {
		r.open = false
		r.in.close()
	}
	if len(r.rows) == 0 {
		return false, nil
	}
	if r.round++; r.round > r.most {
		return false, r.in.fail(expr.NewError(3636, "HY000",
			"Recursive query aborted after %d iterations. Try increasing @@cte_max_recursion_depth to a larger value.", r.round))
	}
	r.account.due -= r.previous
	r.previous, r.size = r.size, 0
	rows := r.rows
	r.rows = nil
	from, err := r.step(ctx, rows)
	if err != nil {
		return false, r.in.fail(err)
	}
	r.in, r.open = input{from: from}, true
	return true, nil
}

func (r *recursive) Close() {
	r.rows, r.kept, r.seen = nil, nil, nil
	if r.open {
		r.open = false
		r.in.close()
	}
	r.account.close()
}
