package rounds

import (
	"context"

	"isochron/sql/exec"
	"isochron/sql/expr"
)

// A query with SKIP LOCKED locks the rows that it returns and no others: it finds them without locks, then locks those of its
// result, and is executed again if one of them was changed or locked meanwhile.

// lockTries bounds how often such a query is executed, because other transactions were quicker.
const lockTries = 50

// RowLocker is a Reader that locks rows which it has read before without locks.
type RowLocker interface {
	// LockRows locks rows by their marks; false: one of them is locked by another transaction now, or not as it was.
	LockRows(ctx context.Context, marks []expr.Value) (bool, error)
}

// locked executes a query whose rows are locked when they are found.
func (p *Plan) locked(r *run) (exec.Source, error) {
	locker, ok := r.reader.(RowLocker)
	if !ok {
		return nil, &expr.Unsupported{What: "SKIP LOCKED"}
	}
	for range lockTries {
		from, err := p.block.open(r, nil)
		if err != nil {
			r.close()
			return nil, err
		}
		rows, err := r.all(from)
		if err != nil {
			r.close()
			return nil, err
		}
		ok, err := locker.LockRows(r.ctx, p.block.marksOf(rows))
		if err != nil {
			r.close()
			return nil, err
		}
		if ok {
			return &ending{exec.Rows(rows), r}, nil
		}
		r.close()
		*r = run{ctx: r.ctx, now: r.now, c: r.c, reader: r.reader, memory: r.memory}
	}
	r.close()
	return nil, expr.NewError(1205, "HY000", "Lock wait timeout exceeded; try restarting transaction (other transactions keep changing the rows that it would lock)")
}

// marksOf are the marks of all rows that a result is made of, each once.
func (b *block) marksOf(rows [][]expr.Value) (out []expr.Value) {
	known := map[string]bool{}
	for _, row := range rows {
		for _, mark := range row[b.marks : b.marks+len(b.query.Marks)] {
			if mark.IsNull() || known[mark.RawStr()] {
				continue
			}
			known[mark.RawStr()] = true
			out = append(out, mark)
		}
	}
	return out
}
