package table

import (
	"isochron/routing"
	"isochron/sql/catalog"
)

// Interval is the values of a column between two cuts.
type Interval struct{ Low, High Cut }

// Cut is a place in the order of a column's values.
type Cut struct {
	At    CutAt
	Value any // as the column has it, a text of a beginning
}

// CutAt is the kind of a cut.
type CutAt uint8

// The kinds of cut.
const (
	BelowNull      CutAt = iota // below everything
	AboveNull                   // below all values
	Below                       // below a value
	Above                       // above a value
	BelowBeginning              // below all texts that begin with a value
	AboveBeginning              // above them
	AboveAll
)

// Everything is the interval of all values and NULL.
var Everything = Interval{Cut{At: BelowNull}, Cut{At: AboveAll}}

// Null is the interval of NULL.
var Null = Interval{Cut{At: BelowNull}, Cut{At: AboveNull}}

// One is the interval of one value.
func One(v any) Interval { return Interval{Cut{Below, v}, Cut{Above, v}} }

func (i Interval) onlyNull() bool { return i.Low.At == BelowNull && i.High.At == AboveNull }

// beyond is above the key form of every value.
const beyond = "\xff"

type rangeBuilder struct {
	a        *Access
	r        []Interval
	equal    []byte      // key form of the columns with one value
	values   map[int]any // those values, by position in the row
	hasNull  bool
	point    bool
	from, to string
	rest     []restriction
}

func (b *rangeBuilder) build() (empty bool, err error) {
	n := 0
	for ; n < len(b.r); n++ {
		lo, hi, err := b.bounds(n)
		if err != nil {
			return false, err
		}
		if lo == beyond || hi != "" && lo >= hi {
			return true, nil
		}
		v, single := oneValue(b.r[n], lo, hi)
		if !single {
			b.from, b.to = string(b.equal)+lo, ""
			if hi != "" {
				b.to = string(b.equal) + hi
			}
			break
		}
		b.hasNull = b.hasNull || v == nil
		if b.a.Index.PrefixLength(n) == 0 {
			b.values[b.a.Index.Columns[n]] = v
		}
		b.equal = append(b.equal, lo...)
	}
	if n == len(b.r) {
		b.point = n == len(b.a.Index.Columns) && b.a.Index.Unique && !b.hasNull
		b.from, b.to = string(b.equal), ""
		return false, nil
	}
	return b.restrict(n + 1)
}

// restrict notes the bounds of columns behind the one that has a range.
func (b *rangeBuilder) restrict(n int) (empty bool, err error) {
	for ; n < len(b.r); n++ {
		lo, hi, err := b.bounds(n)
		if err != nil {
			return false, err
		}
		if lo == beyond || hi != "" && lo >= hi {
			return true, nil
		}
		if lo != "" || hi != "" {
			b.rest = append(b.rest, restriction{n, lo, hi})
		}
	}
	return false, nil
}

// oneValue reports whether a column may have a single value only: the key forms
// from lo up to hi are those of one value.
func oneValue(e Interval, lo, hi string) (any, bool) {
	if hi == "" || lo == "" && hi != "" && !e.onlyNull() {
		return nil, false
	}
	if e.onlyNull() {
		return nil, true
	}
	return e.Low.Value, e.Low.At == Below && routing.PrefixEnd(lo) == hi
}

// bounds are the key forms from which (inclusive) and to which (exclusive) the
// n-th column may range; empty is no bound.
func (b *rangeBuilder) bounds(n int) (lo, hi string, err error) {
	e := b.r[n]
	if e.onlyNull() {
		form, err := b.form(n, nil)
		return form, routing.PrefixEnd(form), err
	}
	if lo, err = b.cut(n, e.Low, true); err != nil {
		return "", "", err
	}
	hi, err = b.cut(n, e.High, false)
	return lo, hi, err
}

// cut is the key form of a border. Of a column held in part, values beyond the
// border may share their form with values within, so the border is widened.
func (b *rangeBuilder) cut(n int, c Cut, low bool) (string, error) {
	partial := b.a.Index.PrefixLength(n) > 0
	null, err := b.form(n, nil)
	if err != nil {
		return "", err
	}
	switch c.At {
	case BelowNull:
		if low {
			return "", nil
		}
		return null, nil
	case AboveNull:
		return routing.PrefixEnd(null), nil
	case AboveAll:
		if low {
			return beyond, nil
		}
		return "", nil
	case Below, BelowBeginning:
		form, err := b.border(n, c)
		if partial && !low {
			form = routing.PrefixEnd(form)
		}
		return form, err
	case Above, AboveBeginning:
		form, err := b.border(n, c)
		if partial && low {
			return form, err
		}
		return routing.PrefixEnd(form), err
	}
	return "", nil
}

// border is the key form of a cut's value, or the bytes with which the forms of the texts start that begin with it.
func (b *rangeBuilder) border(n int, c Cut) (string, error) {
	if c.At == BelowBeginning || c.At == AboveBeginning {
		text, _ := c.Value.(string)
		return string(b.a.Desc.AppendBeginning(nil, b.a.Index, n, text)), nil
	}
	return b.form(n, c.Value)
}

func (b *rangeBuilder) form(n int, v any) (string, error) {
	form, err := b.a.Desc.AppendColumn(nil, b.a.Index, n, v)
	return string(form), err
}

// partitions returns the partitions that may have keys of the range: one if the columns with a
// single value decide it.
func (b *rangeBuilder) partitions() ([]int, error) {
	d := b.a.Desc
	n := d.Partitions(b.a.Index)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if n == 1 || len(d.Divides()) == 0 {
		return all, nil
	}
	for _, pos := range d.Divides() {
		if _, known := b.values[pos]; !known {
			return all, nil
		}
	}
	part, err := d.Partition(func(pos int) any { return b.values[pos] })
	if _, unknown := err.(*catalog.UnknownRegionError); unknown {
		return nil, nil // no row can name a region that the table does not have
	}
	return []int{part}, err
}
