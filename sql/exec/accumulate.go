package exec

import "isochron/sql/expr"

// accumulator is the state of an aggregate for one group.
type accumulator interface {
	// add takes a row of the group.
	add(row []expr.Value) error
	// result is the aggregate of the rows so far. It is valid until the next add.
	result() (expr.Value, error)
}

// folding is an aggregate of a running statement: it starts the accumulators of its groups.
type folding struct {
	Aggregate
	context *expr.Context
	out     expr.Type
	start   func(a *account) accumulator
	buffer  []byte
}

// stateBytes is what an accumulator occupies at least.
const stateBytes = 96

func newFolding(c *expr.Context, a Aggregate) *folding {
	f := &folding{Aggregate: a, context: c, out: a.Type(c)}
	start := f.starter()
	if a.Distinct && !f.ownDistinct() {
		keys := typesAt(a.Args, a.Types)
		inner := start
		start = func(a *account) accumulator {
			return &distinctRows{seen: newSet(keys), account: a, inner: inner(a)}
		}
	}
	f.start = start
	return f
}

// ownDistinct reports whether the aggregate leaves out equal values itself, or need not.
func (f *folding) ownDistinct() bool {
	switch f.Kind {
	case Min, Max, AnyValue, BitAnd, BitOr:
		return true
	case Sum, Avg:
		_, _, exact := exactType(f.Types[0])
		return !exact
	}
	return false
}

// starter is the function that starts an accumulator, of all rows.
func (f *folding) starter() func(*account) accumulator {
	switch f.Kind {
	case CountRows:
		var p pool[rowCount]
		return func(*account) accumulator { return p.get() }
	case Count:
		var p pool[valueCount]
		return func(*account) accumulator { return p.take(valueCount{args: f.Args}) }
	case Sum, Avg:
		return f.startSum()
	case Min, Max:
		return f.startExtreme()
	case AnyValue:
		var p pool[firstValue]
		return func(a *account) accumulator { return p.take(firstValue{at: f.Args[0], account: a}) }
	case GroupConcat:
		return f.startConcat()
	case BitAnd, BitOr, BitXor:
		return f.startBits()
	case JSONArray:
		return func(a *account) accumulator { return &jsonArray{folding: f, account: a} }
	case JSONObject:
		return func(a *account) accumulator {
			return &jsonObject{folding: f, account: a, members: map[string]expr.Value{}}
		}
	}
	var p pool[spread]
	return func(*account) accumulator { return p.take(spread{folding: f}) }
}

// pool hands out values from allocations that grow with their number.
type pool[T any] struct {
	free []T
	next int
}

func (p *pool[T]) get() *T {
	if len(p.free) == 0 {
		p.next = min(2*p.next+1, 256)
		p.free = make([]T, p.next)
	}
	out := &p.free[0]
	p.free = p.free[1:]
	return out
}

func (p *pool[T]) take(v T) *T {
	out := p.get()
	*out = v
	return out
}

// distinctRows adds only rows whose arguments are not all equal to those of a row before.
type distinctRows struct {
	seen    *set
	account *account
	inner   accumulator
}

func (d *distinctRows) add(row []expr.Value) error {
	isNew, err := d.seen.add(row, d.account)
	if err != nil || !isNew {
		return err
	}
	return d.inner.add(row)
}

func (d *distinctRows) result() (expr.Value, error) { return d.inner.result() }

// rowCount is COUNT(*).
type rowCount int64

func (n *rowCount) add([]expr.Value) error      { *n++; return nil }
func (n *rowCount) result() (expr.Value, error) { return expr.Int(int64(*n)), nil }

// valueCount is COUNT of arguments.
type valueCount struct {
	args []int
	n    int64
}

func (v *valueCount) add(row []expr.Value) error {
	for _, at := range v.args {
		if row[at].IsNull() {
			return nil
		}
	}
	v.n++
	return nil
}

func (v *valueCount) result() (expr.Value, error) { return expr.Int(v.n), nil }

// firstValue is ANY_VALUE.
type firstValue struct {
	at      int
	account *account
	value   expr.Value
	any     bool
}

func (f *firstValue) add(row []expr.Value) error {
	if f.any {
		return nil
	}
	f.any, f.value = true, clone(row[f.at])
	return f.account.add(int64(f.value.Len()))
}

func (f *firstValue) result() (expr.Value, error) { return f.value, nil }
