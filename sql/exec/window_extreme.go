package exec

import (
	"bytes"
	"context"

	"isochron/sql/expr"
)

// windowExtreme is MIN or MAX over the rows of a frame. It holds the rows of the frame that are its extreme or will be when
// those before them have left it: of MIN, each is less than all before it in the frame are.
type windowExtreme struct {
	fold     *folding
	frame    *frame
	account  account
	encoder  *encoder
	from, to int          // the rows of the frame
	list     []extremeRow // in their order
	of       int          // the row that result is of, if known
	known    bool
	result   expr.Value
	added    int // rows added since the context was looked at
	buffer   []byte
}

// extremeRow is a row with the key of its value.
type extremeRow struct {
	at  int
	key []byte
}

// extremeBytes is what a row occupies besides its key.
const extremeBytes = 32

func (x *windowExtreme) value(ctx context.Context, p *partition, i int) (expr.Value, error) {
	from, to, err := x.frame.of(p, i)
	if err != nil {
		return expr.Null, err
	}
	if from < x.from || to < x.to {
		x.clear()
	}
	x.from, x.to = from, max(x.to, from)
	x.drop(from)
	for ; x.to < to; x.to++ {
		if x.added++; x.added%BatchMax == 0 {
			if err := cancelled(ctx); err != nil {
				return expr.Null, err
			}
		}
		if err := x.add(p.at(x.to), x.to); err != nil {
			return expr.Null, err
		}
	}
	if len(x.list) == 0 {
		return expr.Null, x.account.settle()
	}
	if first := x.list[0].at; !x.known || x.of != first {
		if x.result, err = x.compute(p.at(first)); err != nil {
			return expr.Null, err
		}
		x.of, x.known = first, true
	}
	return x.result, x.account.settle()
}

// compute is the function of one row.
func (x *windowExtreme) compute(row []expr.Value) (expr.Value, error) {
	var unbound account // the state is of one value, and gone with this
	state := x.fold.start(&unbound)
	if err := state.add(row); err != nil {
		return expr.Null, err
	}
	return state.result()
}

// drop drops the rows that have left the frame.
func (x *windowExtreme) drop(from int) {
	n := 0
	for n < len(x.list) && x.list[n].at < from {
		x.account.due -= extremeBytes + int64(len(x.list[n].key))
		n++
	}
	x.list = x.list[n:]
}

// add adds a row that has come into the frame, in place of those before it that it is beyond.
func (x *windowExtreme) add(row []expr.Value, at int) error {
	if row[x.fold.Args[0]].IsNull() {
		return nil
	}
	x.buffer = x.encoder.append(x.buffer[:0], row)
	n := len(x.list)
	for n > 0 && x.beyond(x.buffer, x.list[n-1].key) {
		n--
		x.account.due -= extremeBytes + int64(len(x.list[n].key))
	}
	x.list = append(x.list[:n], extremeRow{at, bytes.Clone(x.buffer)})
	return x.account.add(extremeBytes + int64(len(x.buffer)))
}

// beyond reports whether a key is less than another, of MAX greater.
func (x *windowExtreme) beyond(a, b []byte) bool {
	c := bytes.Compare(a, b)
	return c != 0 && c < 0 == (x.fold.Kind == Min)
}

func (x *windowExtreme) clear() {
	x.drop(x.to)
	x.list, x.from, x.to, x.known = nil, 0, 0, false
}

func (x *windowExtreme) reset() {
	x.clear()
	x.frame.reset()
}

func (x *windowExtreme) close() {
	x.list = nil
	x.account.close()
}
