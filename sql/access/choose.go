package access

import (
	"math"
	"slices"
	"strings"
	"time"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/coltype"
	"isochron/sql/comparing"
	"isochron/sql/rowcodec"
	"isochron/sql/table"
)

// maxRanges bounds the ranges of one access: beyond it a column of the index is left to the filter.
const maxRanges = 10_000

// Order is a column that the rows are wanted in the order of.
type Order struct {
	Column     int
	Descending bool
}

// Wanted is what a statement asks of a table.
type Wanted struct {
	Conditions []Condition
	Columns    []int // that are read
	Order      []Order
	// Limit, if above 0, is how many rows are wanted in Order. It holds only if the conditions are the whole filter.
	Limit   int
	Whole   bool // the conditions are the whole filter
	Locking bool // rows, not only entries of an index, must be read
}

// Choice is how the rows are read.
type Choice struct {
	*table.Access
	Ordered bool // in Wanted.Order
	Pushed  bool // the read ends at the limit
	Decided bool // the access yields just the rows that fulfil the conditions, which are the whole filter
	Bounded int  // columns of the index that are bounded
}

// Choose chooses the index and its bounds. nil, nil: no row can fulfil the conditions.
func Choose(clock comparing.Clock, d *catalog.Descriptor, w Wanted) (*Choice, error) {
	var best *plan
	indexes := make([]*catalog.IndexInfo, 0, 1+len(d.Indexes))
	if !d.Keyless() {
		indexes = append(indexes, d.Primary)
	}
	for _, x := range append(indexes, d.Indexes...) {
		p, empty := newPlan(clock, d, x, &w)
		if empty {
			return nil, nil
		}
		if best == nil || p.better(best) {
			best = p
		}
		if p.unique && x.Primary {
			break // no index is better
		}
	}
	if best == nil || best.bounded == 0 && !best.useful() {
		c := &Choice{Access: table.All(d)}
		if !d.Keyless() && len(w.Order) > 0 {
			p, _ := newPlan(clock, d, d.Primary, &w)
			c.order(p, &w)
		}
		return c, nil
	}
	return best.choice()
}

// plan is how one index would be used.
type plan struct {
	d       *catalog.Descriptor
	x       *catalog.IndexInfo
	w       *Wanted
	columns []bound            // of the first columns of the index
	bounded int                // how many columns are bounded
	equal   int                // how many of them by equal values
	single  int                // how many of these by one value
	used    int                // conditions that the bounds hold whole
	unique  bool               // it yields at most one row for each combination of values
	rows    [][]table.Interval // not nil: these are the bounds, and columns counts for nothing
	covers  bool
	ordered bool
	reverse bool
}

// bound are the ranges of a column: equal values, or one range.
type bound struct {
	ranges   []table.Interval
	points   bool
	overlaps bool // the ranges may overlap
}

func newPlan(clock comparing.Clock, d *catalog.Descriptor, x *catalog.IndexInfo, w *Wanted) (p *plan, empty bool) {
	p = &plan{d: d, x: x, w: w}
	total := 1
	for i, pos := range x.Columns {
		b, used, none := p.bound(clock, pos)
		if none {
			return p, true
		}
		if len(b.ranges) == 0 || total*len(b.ranges) > maxRanges {
			break
		}
		total *= len(b.ranges)
		p.columns, p.bounded = append(p.columns, b), p.bounded+1
		if x.PrefixLength(i) == 0 {
			p.used += used
		}
		if !b.points {
			break
		}
		p.equal++
		if len(b.ranges) == 1 {
			p.single++
		}
	}
	p.byRows(clock)
	p.unique = x.Unique && p.equal == len(x.Columns) && !x.HasPrefixes()
	probe := table.Access{Desc: d, Index: x}
	p.covers = x.Primary || probe.Covers(w.Columns) && !w.Locking
	p.inOrder()
	return p, false
}

// useful reports whether an index without bounds is still worth its use: for its order, up to a limit.
func (p *plan) useful() bool {
	return p.ordered && p.w.Limit > 0 && p.w.Whole && p.used == len(p.w.Conditions)
}

// better compares two indexes: the longer bound, then the one that spares a round, then the one in order.
func (p *plan) better(o *plan) bool {
	score := func(p *plan) []int {
		return []int{asInt(p.unique), p.equal, p.bounded, asInt(p.useful()), asInt(p.covers), asInt(p.ordered), asInt(p.x.Primary)}
	}
	return slices.Compare(score(p), score(o)) > 0
}

func asInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inOrder finds out whether the index yields the rows in the wanted order, from the end if reverse. Columns with a single
// value take no part in it.
func (p *plan) inOrder() {
	if p.x.HasPrefixes() || len(p.w.Order) == 0 || p.equal > p.single {
		return
	}
	if n := len(p.columns); p.rows != nil || n > 0 && p.columns[n-1].overlaps {
		return
	}
	reverse := p.w.Order[0].Descending
	fixed := p.x.Columns[:p.single]
	next := p.single
	for _, o := range p.w.Order {
		if slices.Contains(fixed, o.Column) {
			continue
		}
		if next == len(p.x.Columns) {
			if p.x.Unique && p.x.Primary {
				break // the key decides the order
			}
			return
		}
		if p.x.Columns[next] != o.Column || o.Descending != reverse || !comparing.Ordered(p.d.Type(o.Column), p.d.Type(o.Column)) {
			return
		}
		next++
	}
	p.ordered, p.reverse = true, reverse
}

// bound are the ranges that the conditions allow a column. used is how many conditions they hold whole.
func (p *plan) bound(clock comparing.Clock, pos int) (b bound, used int, empty bool) {
	t := p.d.Type(pos)
	for _, c := range p.w.Conditions {
		if c.Column != pos || c.Op != Equal && c.Op != IsNull {
			continue
		}
		points, exact, usable := pointsOf(clock, t, c, p.spaces(t, pos))
		if !usable {
			continue
		}
		if len(points) == 0 {
			return b, 0, true
		}
		if b.ranges == nil || len(points) < len(b.ranges) {
			b, used = bound{ranges: points, points: true}, asInt(exact)
		}
	}
	if b.points {
		return b, used, false
	}
	low, high, used := p.limits(clock, t, pos)
	if low == nil && high == nil {
		return p.widest(clock, t, pos)
	}
	r := table.Interval{Low: table.Cut{At: table.AboveNull}, High: table.Cut{At: table.AboveAll}}
	if low != nil {
		r.Low = *low
	}
	if high != nil {
		r.High = *high
	}
	return bound{ranges: []table.Interval{r}}, used, false
}

// widest are the ranges of LIKE or of alternatives, for a column with no other.
func (p *plan) widest(clock comparing.Clock, t *coltype.Type, pos int) (b bound, used int, empty bool) {
	for _, c := range p.w.Conditions {
		if c.Column != pos {
			continue
		}
		switch c.Op {
		case Like:
			if r, ok := beginning(t, c); ok && b.ranges == nil {
				b = bound{ranges: []table.Interval{r}}
			}
		case Either:
			if one, exact, ok := p.either(clock, t, c); ok {
				if len(one.ranges) == 0 {
					return b, 0, true
				}
				return one, asInt(exact), false
			}
		}
	}
	return b, 0, false
}

// either are the ranges of alternatives; exact: just these. They may overlap. ok is false if one alternative has none.
func (p *plan) either(clock comparing.Clock, t *coltype.Type, c Condition) (b bound, exact, ok bool) {
	b.points, exact = true, true
	for _, list := range c.Alternatives {
		within := plan{d: p.d, x: p.x, w: &Wanted{Conditions: list, Locking: p.w.Locking}}
		one, used, empty := within.bound(clock, c.Column)
		if empty {
			continue
		}
		if len(one.ranges) == 0 || len(b.ranges)+len(one.ranges) > maxRanges {
			return b, false, false
		}
		b.ranges, b.points, exact = append(b.ranges, one.ranges...), b.points && one.points, exact && used == len(list)
	}
	b.overlaps = true
	return b, exact, true
}

// beginning is the range of the texts that begin as a pattern of LIKE does; false: it has no such beginning, or the column is
// none of text.
func beginning(t *coltype.Type, c Condition) (r table.Interval, ok bool) {
	if len(c.Values) != 1 || t.Kind != coltype.KindText || !sqltypes.IsText(c.Values[0].Type()) {
		return r, false
	}
	prefix := strings.TrimRight(fixed(c.Values[0].ToString()), " ") // where texts are padded, the key has no spaces at the end
	if prefix == "" {
		return r, false
	}
	return table.Interval{Low: table.Cut{At: table.BelowBeginning, Value: prefix}, High: table.Cut{At: table.AboveBeginning, Value: prefix}}, true
}

// fixed is what a pattern has before its first wildcard.
func fixed(pattern string) string {
	var out strings.Builder
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
			continue
		case r == '%' || r == '_':
			return out.String()
		}
		out.WriteRune(r)
	}
	return out.String()
}

// pointsOf are the single values that a condition allows. exact: just these, so that the condition need not be filtered.
func pointsOf(clock comparing.Clock, t *coltype.Type, c Condition, sp spaces) (points []table.Interval, exact, usable bool) {
	if c.Op == IsNull {
		return []table.Interval{table.Null}, true, true
	}
	exact = true
	for _, v := range c.Values {
		near, same, ok, usable := nearest(clock, t, v, sp)
		if !usable {
			return nil, false, false
		}
		if !ok {
			continue // no value of the column equals it
		}
		exact = exact && same
		points = append(points, table.One(near))
		if text, ok := near.(string); ok && sp == inKeys {
			exact = false
			points = append(points, table.Interval{Low: table.Cut{At: table.Below, Value: text + " "}, High: table.Cut{At: table.AboveBeginning, Value: text + " "}})
		}
	}
	return points, exact, true
}

// nearest is the value of a column's type beside a constant. usable: the index can be used at all; ok: there is one.
func nearest(clock comparing.Clock, t *coltype.Type, v Value, sp spaces) (near any, same, ok, usable bool) {
	value, from, known := typed(v)
	if !known {
		return nil, false, false, false
	}
	if y, ok := comparing.Year(from, value); ok && t.Kind == coltype.KindYear {
		value, from = y, ofInt
	}
	if comparing.UseOfConstant(t, from, value) == comparing.Never {
		return nil, false, false, false
	}
	if text, is := value.(string); is && sp != count {
		value = strings.TrimRight(text, " ")
	}
	near, same, ok = comparing.Near(clock, t, from, value)
	if at, is := near.(time.Time); is && t.SQL == sqltypes.Timestamp && (at.Unix() < 1 || at.Unix() > math.MaxInt32) {
		return nil, false, false, false
	}
	if !ok && t.Kind == coltype.KindTimespan {
		return nil, false, false, false // of a text with more behind the time the filter takes the time
	}
	return near, same, ok, true
}

// spaces is what spaces at the end of a column's texts are to an index.
type spaces uint8

const (
	count  spaces = iota // a text with them is another
	padded               // they do not count, in keys neither
	inKeys               // they do not count to the collation, but are in the keys, so several keys may equal a value
)

// spaces is what they are to the index. Of locks, and of columns that choose the partition, the key that is not padded is
// meant.
func (p *plan) spaces(t *coltype.Type, pos int) spaces {
	switch {
	case !rowcodec.Pads(t):
		return count
	case p.x.Padded:
		return padded
	case p.w.Locking || slices.Contains(p.d.Divides(), pos):
		return count
	}
	return inKeys
}

// limits are the first lower and the first upper border that the conditions set.
func (p *plan) limits(clock comparing.Clock, t *coltype.Type, pos int) (low, high *table.Cut, used int) {
	for _, c := range p.w.Conditions {
		if c.Column != pos || c.Op < Less || c.Op > GreaterEqual || len(c.Values) != 1 {
			continue
		}
		_, from, known := typed(c.Values[0])
		if !known || !comparing.Ordered(t, from) {
			continue
		}
		near, same, ok, usable := nearest(clock, t, c.Values[0], p.spaces(t, pos))
		if !ok || !usable {
			continue
		}
		if text, is := near.(string); is && p.spaces(t, pos) == inKeys {
			same = false
			if c.Op == LessEqual {
				if high == nil {
					high = &table.Cut{At: table.AboveBeginning, Value: text + " "}
				}
				continue
			}
		}
		switch {
		case low == nil && c.Op == Greater && same:
			low = &table.Cut{At: table.Above, Value: near}
		case low == nil && (c.Op == Greater || c.Op == GreaterEqual):
			low = &table.Cut{At: table.Below, Value: near}
		case high == nil && c.Op == Less && same:
			high = &table.Cut{At: table.Below, Value: near}
		case high == nil && (c.Op == Less || c.Op == LessEqual):
			high = &table.Cut{At: table.Above, Value: near}
		default:
			continue
		}
		used += asInt(same)
	}
	return low, high, used
}

// choice makes the access.
func (p *plan) choice() (*Choice, error) {
	var all *table.Access
	for _, r := range p.product() {
		a, err := table.ForRange(p.d, p.x, r)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = a
		} else {
			all.Add(a)
		}
	}
	if p.rows == nil && slices.ContainsFunc(p.columns, func(b bound) bool { return b.overlaps }) {
		all.Disjoin()
	}
	c := &Choice{Access: all, Bounded: p.bounded, Decided: p.decides() && !p.x.HasPrefixes() && all.Exact()}
	c.order(p, p.w)
	return c, nil
}

// order has the access yield the rows in the wanted order, and end at the limit, where the index allows it.
func (c *Choice) order(p *plan, w *Wanted) {
	if !p.ordered {
		if len(w.Order) > 0 || !p.decides() {
			return
		}
	} else {
		c.Ordered, c.Reverse = true, p.reverse
	}
	if w.Limit > 0 && p.decides() && c.Exact() {
		c.Access.Limit, c.Pushed = w.Limit, true
	}
}

// decides reports whether the bounds are the whole filter.
func (p *plan) decides() bool { return p.w.Whole && p.used == len(p.w.Conditions) }

// product are the ranges of all combinations of the columns' bounds.
func (p *plan) product() [][]table.Interval {
	out := [][]table.Interval{nil}
	if p.rows != nil {
		return p.rows
	}
	for _, b := range p.columns {
		out = product(out, b.ranges)
	}
	// an index that is read for its order alone has one range: all
	if len(p.columns) == 0 {
		return [][]table.Interval{{table.Everything}}
	}
	return out
}

// product are the ranges of a list with each of a column's ranges behind them.
func product(heads [][]table.Interval, ranges []table.Interval) (out [][]table.Interval) {
	for _, head := range heads {
		for _, r := range ranges {
			out = append(out, append(slices.Clip(slices.Clone(head)), r))
		}
	}
	return out
}
