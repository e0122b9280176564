package change

import (
	"slices"

	"isochron/sql/expr"
	"isochron/sql/table"
	"isochron/txn"
)

// found are the rows that an UPDATE or DELETE changes.
type found struct {
	held   []table.Held
	values [][]expr.Value // in the order of rows.Columns
}

// rowOverhead is what a row takes besides its bytes.
const rowOverhead = 256

// find reads the rows.
func (r *run) find() (f found, err error) {
	choice, err := r.choose()
	if err != nil || choice == nil {
		return f, err
	}
	held, err := choice.access.FetchHeld(r.ctx, r.Tx, table.Mode{ForWrite: true})
	if err != nil {
		return f, err
	}
	bytes := int64(0)
	for _, h := range held {
		bytes += int64(2*len(h.Stored)) + rowOverhead
	}
	if err := r.Memory.Charge(bytes); err != nil {
		return f, err
	}
	columns := r.rows.Columns()
	layout, into := r.Table.ValueLayout(r.Table.Primary, columns, false)
	memory := make([]expr.Value, len(held)*len(columns))
	values := make([][]expr.Value, len(held))
	for i, h := range held {
		values[i] = memory[i*len(columns) : (i+1)*len(columns) : (i+1)*len(columns)]
		if err := layout.Values(h.Stored, into, values[i]); err != nil {
			return f, err
		}
	}
	picked, err := r.rows.Pick(r.ctx, values, choice.ordered, choice.decided, r.Memory)
	if err == nil {
		err = r.checked()
	}
	for _, i := range picked {
		f.held, f.values = append(f.held, held[i]), append(f.values, values[i])
	}
	return f, err
}

// choose is the access to the rows; nil: there are none.
func (r *run) choose() (*chosen, error) {
	if r.found != nil {
		if err := r.rows.Begin(r.Context); err != nil {
			return nil, err
		}
		return r.found, r.checked()
	}
	access, ordered, decided, err := r.rows.Choose(r.Clock, r.Context)
	if err == nil {
		err = r.checked()
	}
	if err != nil || access == nil {
		return nil, err
	}
	return &chosen{access, ordered, decided}, nil
}

// changed is a row before and after an UPDATE.
type changed struct {
	number   int // of the row, from 1
	held     table.Held
	old, row []any
}

func (r *run) update() error {
	f, err := r.find()
	if err != nil {
		return err
	}
	return r.updateFound(f)
}

// updateFound updates rows that were read.
func (r *run) updateFound(f found) error {
	r.ofRow(0)
	list, failed := r.compute(f)
	if r.moves {
		if err := r.claimMoved(list); err != nil {
			return err
		}
	}
	if err := r.foreseeUpdate(list); err != nil {
		return err
	}
	for _, c := range list {
		if err := r.write(c); err != nil {
			return err
		}
		r.ofRow(c.number)
	}
	return failed
}

// compute computes the rows that change, up to the first that cannot be.
func (r *run) compute(f found) (list []changed, failed error) {
	for i, h := range f.held {
		if i%1024 == 0 && r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		r.out.Matched++
		r.target.Row = r.out.Matched
		old, err := r.Table.DecodeRow(h.Stored)
		if err != nil {
			return list, err
		}
		row := slices.Clone(old)
		if err := r.assign(r.sets, row, f.values[i]); err != nil {
			return list, err
		}
		r.ofRow(i + 1)
		same, err := r.same(old, row)
		if err != nil {
			return list, err
		}
		if same {
			continue
		}
		if err := r.stamp(r.sets, row); err != nil {
			return list, err
		}
		passes, err := r.passes(row)
		r.ofRow(i + 1)
		if err != nil {
			return list, err
		}
		if !passes {
			r.out.Matched--
			continue
		}
		list = append(list, changed{i + 1, h, old, row})
	}
	return list, nil
}

func (r *run) claimMoved(list []changed) error {
	held, old, rows := make([]table.Held, len(list)), make([][]any, len(list)), make([][]any, len(list))
	for i, c := range list {
		held[i], old[i], rows[i] = c.held, c.old, c.row
	}
	return r.writer.ClaimMoved(r.ctx, held, old, rows)
}

func (r *run) write(c changed) error {
	conflict, skipped, err := r.whole(func() (*table.Conflict, error) { return r.updateRow(c.held.Key, c.old, c.row) })
	if err != nil || skipped {
		return err
	}
	if conflict != nil {
		return r.duplicated(conflict)
	}
	r.out.Changed++
	if err := r.becomes(c.held.Key, c.row); err != nil {
		return err
	}
	if r.counter >= 0 && assigns(r.sets, r.counter) {
		return r.bump(c.row)
	}
	return nil
}

func (r *run) delete() error {
	f, err := r.find()
	if err != nil {
		return err
	}
	return r.deleteFound(f)
}

// deleteFound deletes rows that were read.
func (r *run) deleteFound(f found) (err error) {
	rows := make([][]any, len(f.held))
	for i, h := range f.held {
		if rows[i], err = r.Table.DecodeRow(h.Stored); err != nil {
			return err
		}
	}
	if err := r.foreseeDelete(f.held, rows); err != nil {
		return err
	}
	most, limited, err := r.rows.Count()
	if err != nil {
		return err
	}
	for i, h := range f.held {
		if limited && uint64(r.out.Changed) >= most {
			break
		}
		if err := r.remove(h.Key, rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a row, which an action of one before it may have deleted or changed.
func (r *run) remove(key txn.Key, row []any) error {
	row, err := r.present(key, row)
	if err != nil || row == nil {
		return err
	}
	_, skipped, err := r.whole(func() (*table.Conflict, error) { return nil, r.deleteRow(key, row) })
	if err != nil || skipped {
		return err
	}
	r.out.Matched++
	r.out.Changed++
	if err := r.give(row); err != nil {
		return err
	}
	return r.becomes(key, nil)
}
