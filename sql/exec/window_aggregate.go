package exec

import (
	"context"

	"isochron/sql/expr"
)

// remover is an accumulator from which rows can be taken away that were added.
type remover interface {
	// remove takes a row away; false: it cannot, and the state is as before.
	remove(row []expr.Value) bool
}

// windowAggregate is an aggregate over the rows of a frame. Rows that come into the frame are added; if rows have left it
// they are removed or, where that is not exact, the aggregate of the frame is computed anew.
type windowAggregate struct {
	fold     *folding
	frame    *frame
	account  account
	state    accumulator // nil: none has been started
	from, to int         // its rows
	result   expr.Value
	known    bool // result is that of the rows
	added    int  // rows added since the context was looked at
}

func newWindowAggregate(c *expr.Context, w *Window, f *WindowFunction, m Memory) windowFunction {
	fold := newFolding(c, f.Aggregate)
	slides := f.Frame.From.Kind != UnboundedPreceding
	if k := f.Aggregate.Kind; slides && (k == Min || k == Max) {
		return &windowExtreme{
			fold: fold, frame: newFrame(w, f.Frame), account: account{memory: m},
			encoder: newEncoder([]Key{{At: f.Aggregate.Args[0], Type: fold.out}}),
		}
	}
	return &windowAggregate{fold: fold, frame: newFrame(w, f.Frame), account: account{memory: m}}
}

func (a *windowAggregate) value(ctx context.Context, p *partition, i int) (expr.Value, error) {
	from, to, err := a.frame.of(p, i)
	if err != nil {
		return expr.Null, err
	}
	if a.known && from == a.from && to == a.to {
		return a.result, nil
	}
	a.known = false
	if !a.remove(p, from, to) {
		if err := a.restart(from); err != nil {
			return expr.Null, err
		}
	}
	for ; a.to < to; a.to++ {
		if a.added++; a.added%BatchMax == 0 {
			if err := cancelled(ctx); err != nil {
				return expr.Null, err
			}
		}
		if err := a.state.add(p.at(a.to)); err != nil {
			return expr.Null, err
		}
	}
	v, err := a.state.result()
	if err != nil {
		return expr.Null, err
	}
	a.result, a.known = clone(v), true
	return a.result, a.account.settle()
}

// remove takes away the rows before from; false: the rows of a frame cannot be made of those that were added.
func (a *windowAggregate) remove(p *partition, from, to int) bool {
	if a.state == nil || from < a.from || to < a.to {
		return false
	}
	if from == a.from {
		return true
	}
	r, ok := a.state.(remover)
	if !ok || from-a.from > to-from {
		return false
	}
	for ; a.from < from; a.from++ {
		if a.from >= a.to || !r.remove(p.at(a.from)) {
			return false
		}
	}
	return true
}

// restart starts anew before a row.
func (a *windowAggregate) restart(from int) error {
	a.account.due = -a.account.held
	a.state, a.from, a.to = a.fold.start(&a.account), from, from
	return a.account.add(stateBytes)
}

func (a *windowAggregate) reset() {
	a.state, a.known, a.result = nil, false, expr.Null
	a.frame.reset()
}

func (a *windowAggregate) close() { a.account.close() }

func (n *rowCount) remove([]expr.Value) bool { *n--; return true }

func (v *valueCount) remove(row []expr.Value) bool {
	for _, at := range v.args {
		if row[at].IsNull() {
			return true
		}
	}
	v.n--
	return true
}

func (s *exactSum) remove(row []expr.Value) bool {
	v := row[s.Args[0]]
	if v.IsNull() {
		return true
	}
	n, ok := scaled(s.numbers.text(v), s.scale)
	sum := s.small - n
	if !ok || n != 0 && (sum < s.small) != (n > 0) {
		return false
	}
	s.small = sum
	s.count--
	return true
}
