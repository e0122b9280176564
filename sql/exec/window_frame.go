package exec

import (
	"bytes"
	"strconv"

	"isochron/sql/expr"
)

// Frame are the rows that a function looks at for one row: those from one bound to another, both included.
type Frame struct {
	Unit     FrameUnit
	From, To Bound
}

// FrameUnit is how a bound's distance from the row is counted.
type FrameUnit uint8

// The units of MySQL.
const (
	ByRows  FrameUnit = iota
	ByRange           // by the value of the order's key; peers are in the frame together
)

// Bound is one end of a frame.
type Bound struct {
	Kind BoundKind
	// Rows is of Preceding and Following by ROWS: the column with the number of rows, the same in all rows. NULL, a negative
	// or fractional number is error 3586.
	Rows int
	// At is of Preceding and Following by RANGE: the column with the order key's value minus or plus the distance. Where the
	// key is not NULL and this is, the frame has no bound but NULLs of the key.
	At   int
	Type expr.Type // of At; Joinable with that of the order key
}

// BoundKind is the kind of a bound.
type BoundKind uint8

// The kinds of bounds.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// frame computes a Frame for one row after the other.
type frame struct {
	window   *Window
	from, to edge
	unit     FrameUnit
}

// edge computes a bound.
type edge struct {
	Bound
	encoder
	isTo      bool
	key       column // the order key, by RANGE with a distance
	bound     column // At
	at        int    // the row found last, where the search for the next one begins
	rows      int    // by ROWS: the distance
	known     bool   // rows has been read
	value     []byte // scratch: At's key
	candidate []byte // scratch: the key of a row
}

func newFrame(w *Window, f Frame) *frame {
	return &frame{window: w, unit: f.Unit, from: newEdge(w, f.Unit, f.From, false), to: newEdge(w, f.Unit, f.To, true)}
}

func newEdge(w *Window, unit FrameUnit, b Bound, isTo bool) edge {
	e := edge{Bound: b, isTo: isTo}
	if unit == ByRange && (b.Kind == Preceding || b.Kind == Following) {
		key := w.Order[0]
		e.key, e.bound, _ = joinColumns(key.Type, b.Type)
		e.key.at, e.bound.at = key.At, b.At
		e.key.invert, e.bound.invert = key.Descending, key.Descending
	}
	return e
}

func (f *frame) reset() { f.from.at, f.to.at = 0, 0 }

// of are the rows of the frame for row i, which is at hand: from one up to, and without, another.
func (f *frame) of(p *partition, i int) (from, to int, err error) {
	if f.unit == ByRange {
		from, to = f.from.byRange(p), f.to.byRange(p)
	} else {
		if from, err = f.from.byRows(f.window, p, i); err != nil {
			return 0, 0, err
		}
		if to, err = f.to.byRows(f.window, p, i); err != nil {
			return 0, 0, err
		}
	}
	return from, max(from, to), nil
}

// byRows is the row of an edge by ROWS: the first one of the frame, or the one behind its last.
func (e *edge) byRows(w *Window, p *partition, i int) (int, error) {
	if e.Kind == UnboundedPreceding {
		return 0, nil
	}
	if e.Kind == UnboundedFollowing {
		return p.size(), nil
	}
	if e.Kind != CurrentRow && !e.known {
		n, ok := countOf(p.current[e.Rows])
		if !ok {
			return 0, w.boundError()
		}
		e.rows, e.known = n, true
	}
	if e.isTo {
		i++
	}
	if e.Kind == Preceding {
		return max(i-e.rows, 0), nil
	}
	return min(i+e.rows, p.size()), nil
}

// countMax is the largest number of rows that is counted; a partition has fewer.
const countMax = 1 << 40

// countOf is a value as a number of rows; false: it is NULL, negative, or no integer.
func countOf(v expr.Value) (int, bool) {
	if v.IsNull() {
		return 0, false
	}
	n, err := strconv.ParseUint(string(v.Raw()), 10, 64)
	return int(min(n, countMax)), err == nil
}

// byRange is the row of an edge by RANGE.
func (e *edge) byRange(p *partition) int {
	switch e.Kind {
	case UnboundedPreceding:
		return 0
	case UnboundedFollowing:
		return p.size()
	case CurrentRow:
		if e.isTo {
			return p.peersTo()
		}
		return p.peersFrom()
	}
	row := p.current
	bound := row[e.bound.at]
	e.value = e.encoder.value(e.value[:0], &e.bound, bound)
	after := e.isTo
	if bound.IsNull() && !row[e.key.at].IsNull() { // no bound but the NULLs, which stand first, or last if descending
		switch {
		case e.isTo && !e.key.invert:
			return p.size()
		case !e.isTo && e.key.invert:
			return 0
		}
		after = !e.isTo
	}
	e.seek(p, after)
	return e.at
}

// seek finds the first row whose key is not less than value or, with after, is greater.
func (e *edge) seek(p *partition, after bool) {
	for e.at > 0 && !e.before(p, e.at-1, after) {
		e.at--
	}
	for e.at < p.size() && e.before(p, e.at, after) {
		e.at++
	}
}

// before reports whether row i stands before the one that is sought.
func (e *edge) before(p *partition, i int, after bool) bool {
	e.candidate = e.encoder.value(e.candidate[:0], &e.key, p.at(i)[e.key.at])
	c := bytes.Compare(e.candidate, e.value)
	return c < 0 || c == 0 && after
}
