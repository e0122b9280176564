package change

import (
	"slices"

	"isochron/sql/bind"
	"isochron/sql/expr"
	"isochron/sql/store"
	"isochron/sql/table"
)

// fresh is a row that is to be inserted.
type fresh struct {
	row       []any
	values    []expr.Value // as expressions see it
	generated uint64       // the number that it was given; 0: it has its own
	beyond    []expr.Value // what ON DUPLICATE KEY UPDATE refers to of the query
}

func (r *run) insert() error {
	if err := r.allGiven(); err != nil {
		return err
	}
	r.ofRow(0)
	list, failed := r.freshRows()
	for from := 0; from < len(list); from += claimMax {
		if err := r.addAll(list[from:min(from+claimMax, len(list))], from); err != nil {
			return err
		}
	}
	if r.out.Generated == 0 && r.copied && (r.query == nil || len(r.duplicate) == 0) {
		r.out.InsertID = answered(r.last)
	}
	return failed
}

// claimMax bounds the rows whose unique keys are read in one round.
const claimMax = 10_000

// addAll writes rows, of which the first has a number, from 0.
func (r *run) addAll(list []fresh, first int) error {
	rows := make([][]any, len(list))
	for i, f := range list {
		rows[i] = f.row
	}
	if err := r.writer.Claim(r.ctx, rows, r.Kind == bind.Replaces || len(r.duplicate) > 0); err != nil {
		return err
	}
	if err := r.foreseeInsert(list); err != nil {
		return err
	}
	for i := range list {
		r.target.Row = first + i + 1
		if err := r.add(&list[i]); err != nil {
			return err
		}
		r.ofRow(first + i + 1)
	}
	return nil
}

// allGiven reports the columns that get no value and have no default, once for all rows.
func (r *run) allGiven() error {
	for pos, c := range r.columns {
		if pos == r.counter || r.computed[pos] || r.defaults[pos].is != none || slices.Contains(r.Columns, pos) {
			continue
		}
		if _, err := r.target.NoDefault(c); err != nil {
			return err
		}
	}
	return nil
}

// freshRows computes the rows, up to the first that cannot be.
func (r *run) freshRows() (list []fresh, failed error) {
	if r.query != nil {
		return r.queriedRows()
	}
	for i := range r.values {
		if i%1024 == 0 && r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		f, passes, err := r.freshRow(r.values[i], i+1)
		if err != nil {
			return list, err
		}
		if passes {
			list = append(list, f)
		}
	}
	return list, nil
}

// freshRow computes a row with its number, which counts from 1; passes is false if it does not pass the checks, under IGNORE.
func (r *run) freshRow(given []source, number int) (f fresh, passes bool, err error) {
	r.target.Row = number
	f, err = r.fresh(given)
	if err == nil {
		passes, err = r.passes(f.row)
	}
	if passes && err == nil {
		err = r.number(&f)
	}
	r.ofRow(number)
	if err == nil {
		err = r.Memory.Charge(rowOverhead + int64(len(f.row))*store.ValueBytes)
	}
	if passes {
		r.out.Matched++
	}
	return f, passes, err
}

// fresh computes a row but for its number: the values that are given, the defaults of the others, the generated columns.
func (r *run) fresh(given []source) (f fresh, err error) {
	f.row = make([]any, len(r.columns))
	if r.sees() {
		if f.values, err = r.before(f.row); err != nil {
			return f, err
		}
	}
	later := make([]bool, len(r.columns)) // what follows from other columns
	for i, pos := range r.Columns {
		switch s := &given[i]; {
		case r.computed[pos]:
			continue
		case s.is == byDefault && len(r.defaults[pos].uses) > 0:
			later[pos] = true
			continue
		case pos == r.counter:
			f.row[pos], err = r.counterValue(s, f.values)
		case s.is == itself:
			f.row[pos], err = r.defaultOf(pos, false, f.row)
		default:
			f.row[pos], err = r.stored(pos, s, f.values, f.row)
		}
		if err != nil {
			return f, err
		}
		if err := r.show(&f, pos); err != nil {
			return f, err
		}
	}
	for pos := range r.columns {
		switch {
		case r.computed[pos], pos == r.counter:
		case slices.Contains(r.Columns, pos):
		case len(r.defaults[pos].uses) > 0:
			later[pos] = true
		default:
			if err := r.takeDefault(&f, pos); err != nil {
				return f, err
			}
		}
	}
	for pos, is := range later {
		if is {
			if err := r.takeDefault(&f, pos); err != nil {
				return f, err
			}
		}
	}
	return f, r.completeFresh(&f)
}

// takeDefault gives a column of a row its default.
func (r *run) takeDefault(f *fresh, pos int) (err error) {
	if f.row[pos], err = r.defaultOf(pos, false, f.row); err != nil {
		return err
	}
	return r.show(f, pos)
}

// completeFresh computes the generated columns.
func (r *run) completeFresh(f *fresh) error {
	if err := r.complete(f.row); err != nil {
		return err
	}
	for _, g := range r.generated {
		if err := r.show(f, g.column); err != nil {
			return err
		}
	}
	return nil
}

// counterValue is what is given for the AUTO_INCREMENT column; nil: NULL or DEFAULT, which ask for a number.
func (r *run) counterValue(s *source, row []expr.Value) (any, error) {
	switch s.is {
	case byDefault:
		return nil, nil
	case itself:
		return r.columns[r.counter].Zero(), nil
	}
	v, err := r.value(s, row)
	if err != nil || v.IsNull() {
		return nil, err
	}
	return r.target.Store(r.columns[r.counter], v)
}

// before are the values that expressions see before the row has its own: the defaults.
func (r *run) before(row []any) ([]expr.Value, error) {
	values := make([]expr.Value, 2*len(r.columns))
	for i := range values {
		values[i] = expr.Null
	}
	for _, pos := range r.uses {
		var v any
		if s := &r.defaults[pos]; s.is != none {
			var err error
			if v, err = r.defaultOf(pos, false, row); err != nil {
				return nil, err
			}
		} else if c := r.columns[pos]; !c.Nullable {
			v = c.Zero()
		}
		var err error
		if values[pos], err = r.Table.TextOf(pos, v); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// show has expressions see a value of the row.
func (r *run) show(f *fresh, pos int) (err error) {
	if f.values != nil && slices.Contains(r.uses, pos) {
		f.values[pos], err = r.Table.TextOf(pos, f.row[pos])
	}
	return err
}

// number gives the row its number.
func (r *run) number(f *fresh) error {
	if r.counter < 0 {
		return nil
	}
	v := f.row[r.counter]
	if v != nil && (counted(v) > 0 || r.KeepsZero || !isZero(v)) {
		if !r.mayLeaveOut() {
			r.chosen = max(r.chosen, counted(v))
		}
		return nil
	}
	if r.chosen > 0 { // by a row before it
		if err := r.Store.Sequences.Bump(r.ctx, r.Table.ID(), r.chosen); err != nil {
			return err
		}
		r.chosen = 0
	}
	n, err := r.nextNumber()
	if err != nil {
		return err
	}
	return r.numbered(f, n)
}

// mayLeaveOut reports whether a row that has the key of another is not inserted, without an error: a number of its own does not
// count then.
func (r *run) mayLeaveOut() bool { return r.Ignore || len(r.duplicate) > 0 }

// overtaken gives a row another number, if a row before it was inserted with a number of its own that is as high.
func (r *run) overtaken(f *fresh) error {
	if f.generated == 0 || f.generated > r.highest {
		return nil
	}
	n, err := r.nextNumber()
	if err != nil {
		return err
	}
	return r.numbered(f, n)
}

// nextNumber is the next number of the sequence.
func (r *run) nextNumber() (n uint64, err error) {
	if len(r.Given) > 0 {
		n, r.Given = r.Given[0], r.Given[1:]
	} else if n, err = r.Store.Sequences.Next(r.ctx, r.Table.ID()); err != nil {
		return 0, err
	}
	r.out.Given = append(r.out.Given, n)
	return n, nil
}

// numbered gives a row a number.
func (r *run) numbered(f *fresh, n uint64) (err error) {
	if f.row[r.counter], err = r.target.Store(r.columns[r.counter], expr.Uint(n)); err != nil {
		return err
	}
	f.generated = counted(f.row[r.counter])
	if err := r.show(f, r.counter); err != nil {
		return err
	}
	return r.completeFresh(f)
}

// reuse gives a row the least number that a row before it was given and did not use, and leaves its own to those behind it.
func (r *run) reuse(f *fresh) error {
	if f.generated == 0 || len(r.unused) == 0 {
		return nil
	}
	n := r.unused[0]
	r.unused = append(r.unused[1:], f.generated)
	return r.numbered(f, n)
}

// release leaves the number of a row that was not inserted to those behind it.
func (r *run) release(f *fresh) {
	if f.generated > 0 {
		r.unused = append(r.unused, f.generated)
		slices.Sort(r.unused)
	}
}

// surpass drops the numbers that a row with its own has gone beyond.
func (r *run) surpass(row []any) {
	own := counted(row[r.counter])
	r.unused = slices.DeleteFunc(r.unused, func(n uint64) bool { return n <= own })
}

func isZero(v any) bool {
	switch n := v.(type) {
	case int64:
		return n == 0
	case uint64:
		return n == 0
	case float64:
		return n == 0
	case float32:
		return n == 0
	}
	return false
}

// add writes a row, or does what the statement does where one has its key.
func (r *run) add(f *fresh) error {
	if err := r.overtaken(f); err != nil {
		return err
	}
	if err := r.reuse(f); err != nil {
		return err
	}
	if r.counter >= 0 {
		r.last = f.row[r.counter]
	}
	for {
		conflict, skipped, err := r.whole(func() (*table.Conflict, error) { return r.insertRow(f.row) })
		if err != nil {
			return err
		}
		if skipped {
			r.release(f)
			return nil
		}
		if conflict == nil {
			return r.added(f)
		}
		switch {
		case r.Kind == bind.Replaces:
			done, err := r.replace(f, conflict)
			if done || err != nil {
				return err
			}
		case len(r.duplicate) > 0:
			r.release(f)
			return r.updateExisting(f, conflict)
		default:
			r.release(f)
			return r.duplicated(conflict)
		}
	}
}

// added counts a row that was inserted.
func (r *run) added(f *fresh) error {
	r.out.Changed++
	if err := r.give(f.row); err != nil {
		return err
	}
	if r.counter < 0 {
		return nil
	}
	r.copied = true
	if f.generated > 0 {
		if r.out.Generated == 0 {
			r.out.Generated, r.out.InsertID = f.generated, f.generated
		}
		return nil
	}
	r.surpass(f.row)
	if r.mayLeaveOut() {
		r.highest = max(r.highest, counted(f.row[r.counter]))
	}
	return r.bump(f.row)
}

// replace makes room for a row; done: it was written in the place of the one that has its key.
func (r *run) replace(f *fresh, c *table.Conflict) (done bool, err error) {
	old, err := r.Table.DecodeRow(c.Row.Stored)
	if err != nil {
		return false, err
	}
	if !r.writer.Last(c.Index) || r.referred && !r.Unchecked {
		r.out.Updated++
		return false, r.deleteRow(c.Row.Key, old)
	}
	same, err := r.same(old, f.row)
	if err != nil {
		return false, err
	}
	if !same {
		if other, err := r.updateRow(c.Row.Key, old, f.row); err != nil || other != nil {
			if other != nil {
				err = r.duplicated(other)
			}
			return true, err
		}
		r.out.Updated++
	}
	return true, r.added(f)
}

// besideFresh are the values that expressions of ON DUPLICATE KEY UPDATE see.
func (r *run) besideFresh(f *fresh, old []any) ([]expr.Value, error) {
	n := len(r.columns)
	values := make([]expr.Value, 2*n, 2*n+len(f.beyond))
	for i := range values {
		values[i] = expr.Null
	}
	values = append(values, f.beyond...)
	for _, pos := range r.uses {
		var err error
		if values[pos], err = r.Table.TextOf(pos, old[pos]); err != nil {
			return nil, err
		}
		if values[n+pos], err = r.Table.TextOf(pos, f.row[pos]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// updateExisting is ON DUPLICATE KEY UPDATE of the row that has the key.
func (r *run) updateExisting(f *fresh, c *table.Conflict) error {
	old, err := r.Table.DecodeRow(c.Row.Stored)
	if err != nil {
		return err
	}
	values, err := r.besideFresh(f, old)
	if err != nil {
		return err
	}
	row := slices.Clone(old)
	r.updates = true
	err = r.assign(r.duplicate, row, values)
	if r.updates = false; err != nil {
		return err
	}
	if passes, err := r.passes(row); err != nil || !passes {
		return err
	}
	r.out.Touched++
	same, err := r.same(old, row)
	if err != nil {
		return err
	}
	if r.counter >= 0 {
		r.copied, r.last = r.copied || !same, row[r.counter]
	}
	if same {
		return r.give(row)
	}
	if err := r.stamp(r.duplicate, row); err != nil {
		return err
	}
	other, skipped, err := r.whole(func() (*table.Conflict, error) { return r.updateRow(c.Row.Key, old, row) })
	if err != nil || skipped {
		return err
	}
	if other != nil {
		return r.duplicated(other)
	}
	r.out.Updated++
	if err := r.give(row); err != nil {
		return err
	}
	if r.counter >= 0 && assigns(r.duplicate, r.counter) {
		r.surpass(row)
		return r.bump(row)
	}
	return nil
}
