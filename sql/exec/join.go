package exec

import (
	"context"

	"isochron/sql/expr"
)

// JoinKind is what a join yields of the rows of the left side.
type JoinKind uint8

// The kinds of joins.
const (
	InnerJoin JoinKind = iota
	LeftJoin           // a left row without a match has NULLs as the right's columns
	SemiJoin           // left rows with a match, once, with the left's columns only
	AntiJoin           // left rows without a match, with the left's columns only
)

// JoinKey is a pair of columns that must be equal for two rows to match. The types must be Joinable.
type JoinKey struct {
	Left, Right int // positions in the left and in the right row
	Type        expr.Type
	RightType   expr.Type
	NullSafe    bool // NULL matches NULL, as in <=>; otherwise it matches nothing
}

// JoinSpec says which rows of two sides match.
type JoinSpec struct {
	Kind  JoinKind
	Keys  []JoinKey     // hashed; none: each pair of rows is looked at
	On    *expr.Program // what must be true besides, over left ++ right; nil: nothing
	Width int           // columns of the right side
}

// Join joins each row of the left with the rows of the right that match it. Left rows come in their order, the matches of
// one in the order of the right. It holds a hash table of the right's rows; the rows themselves are the Inner's. Rows that
// are Gathered and do not fit in memory go to files, if Memory has them, and with keys those of the left do, too.
//
// The right side is read after the first batch of the left, and not at all if the left is empty. If it is known to be
// empty, an inner or semi join takes no more of the left.
func Join(left Source, right Inner, spec JoinSpec, m Memory) Source {
	return &join{
		in: input{from: left}, right: right, kind: spec.Kind,
		table: newJoinTable(spec.Keys, m), pairs: pairs{on: spec.On, width: spec.Width}, at: noRow,
	}
}

type join struct {
	in      input
	right   Inner
	kind    JoinKind
	table   *joinTable
	lasting bool           // the table has all rows of the right
	sorted  *sortedJoin    // joins if the rows of the right do not fit in memory; nil: they do
	batch   [][]expr.Value // left rows still to be joined
	at      int32          // the next row of the right for batch[0], if it is open
	open    bool           // batch[0] has been looked up
	matched bool           // batch[0] has had a match
	looked  int            // pairs looked at since the context was
	pairs   pairs
	out     [][]expr.Value
}

func (j *join) Next(ctx context.Context) ([][]expr.Value, error) {
	if err := j.in.check(ctx); err != nil {
		return nil, err
	}
	j.out = j.out[:0]
	for len(j.out) == 0 {
		if len(j.batch) == 0 && j.sorted == nil {
			if err := j.advance(ctx); err != nil {
				return nil, err
			}
		}
		if j.sorted != nil {
			if err := j.yieldSorted(); err != nil || len(j.out) == 0 {
				return nil, err
			}
			break
		}
		if len(j.batch) == 0 {
			return nil, nil
		}
		if err := j.run(ctx); err != nil {
			return nil, j.in.fail(err)
		}
	}
	return j.out, nil
}

// advance takes the next batch of the left, and the rows of the right for it.
func (j *join) advance(ctx context.Context) error {
	if j.lasting && j.table.rowCount() == 0 && (j.kind == InnerJoin || j.kind == SemiJoin) {
		j.in.ended = true
	}
	rows, err := j.in.next(ctx)
	if rows == nil {
		return err
	}
	j.batch = rows
	if j.lasting {
		return nil
	}
	if g, ok := j.right.(*gathered); ok {
		err = j.gather(ctx, g)
	} else {
		err = j.lookUp(ctx)
	}
	if err != nil {
		return j.in.fail(err)
	}
	return nil
}

// lookUp takes the rows of the right for the batch.
func (j *join) lookUp(ctx context.Context) error {
	right, lasting, err := j.right.RowsFor(ctx, j.batch)
	if err != nil {
		return err
	}
	j.lasting = lasting
	return j.table.build(ctx, right)
}

// run joins rows of the batch until the output is full or the batch ends.
func (j *join) run(ctx context.Context) error {
	for len(j.batch) > 0 && len(j.out) < BatchMax {
		if !j.open {
			j.open, j.matched, j.at = true, false, j.table.first(j.batch[0])
			j.pairs.left(j.batch[0])
		}
		done, err := j.match(ctx)
		if err != nil {
			return err
		}
		if done {
			j.open, j.batch = false, j.batch[1:]
		}
	}
	return nil
}

// match joins the row at hand; false: the output is full and it has more matches.
func (j *join) match(ctx context.Context) (done bool, err error) {
	for ; j.at != noRow; j.at = j.table.next(j.at) {
		if len(j.out) == BatchMax {
			return false, nil
		}
		if j.looked++; j.looked%BatchMax == 0 {
			if err := cancelled(ctx); err != nil {
				return false, err
			}
		}
		right, err := j.table.row(j.at)
		if err != nil {
			return false, err
		}
		ok, err := j.pairs.match(right)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		j.matched = true
		if j.kind == SemiJoin || j.kind == AntiJoin {
			break
		}
		j.out = append(j.out, j.pairs.joined(right))
	}
	switch {
	case j.kind == LeftJoin && !j.matched:
		if len(j.out) == BatchMax {
			return false, nil
		}
		j.out = append(j.out, j.pairs.joined(nil))
	case j.kind == SemiJoin && j.matched, j.kind == AntiJoin && !j.matched:
		j.out = append(j.out, j.batch[0])
	}
	return true, nil
}

func (j *join) Close() {
	j.batch, j.out = nil, nil
	j.table.close()
	if j.sorted != nil {
		j.sorted.close()
	}
	j.in.close()
	j.right.Close()
}

// pairs are the pairs of one left row with rows of the right.
type pairs struct {
	on    *expr.Program
	width int          // columns of the right
	row   []expr.Value // the left row
	both  []expr.Value // scratch: left ++ right, for on
	slab  slab
	made  int // rows yielded
}

// left takes the left row.
func (p *pairs) left(row []expr.Value) {
	p.row = row
	if p.on != nil {
		p.both = append(p.both[:0], row...)
	}
}

// match reports whether the pair with a row of the right fulfils the condition.
func (p *pairs) match(right []expr.Value) (bool, error) {
	if p.on == nil {
		return true, nil
	}
	p.both = append(p.both[:len(p.row)], right...)
	return p.on.True(p.both)
}

// joined is left ++ right as a row of its own; nil: NULLs.
func (p *pairs) joined(right []expr.Value) []expr.Value {
	p.made++
	out := append(p.slab.row(len(p.row)+p.width, p.made), p.row...)
	if right != nil {
		return append(out, right...)
	}
	for range p.width {
		out = append(out, expr.Null)
	}
	return out
}
