package table

import (
	"fmt"
	"slices"
	"strings"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"isochron/routing"
	"isochron/sql/catalog"
	"isochron/txn"
)

// Access is the keys and spans that answer a lookup in one index.
type Access struct {
	Desc  *catalog.Descriptor
	Index *catalog.IndexInfo
	Gets  []txn.Key
	Scans []Range
	// Reverse asks for the rows in falling order of the index.
	Reverse bool
	// Limit, if not 0, is the number of rows to return in the order of the index.
	Limit int
	asked map[txn.Span]bool // by Add
}

// Range is a span of keys with the filter that remains for its rows.
type Range struct {
	Span txn.Span
	rest []restriction
}

// restriction bounds the key form of one column of the index: from <= form < to,
// where an empty to has no bound.
type restriction struct {
	column   int // of the index
	from, to string
}

// Exact reports whether the access yields exactly the looked-up rows, so that a limit can be
// applied to it.
func (a *Access) Exact() bool {
	return !slices.ContainsFunc(a.Scans, func(r Range) bool { return len(r.rest) > 0 })
}

// mayRepeat reports whether two keys or spans of the access may yield one row: spans of what an index holds in part, and
// texts that the engine takes for two and a padded key for one.
func (a *Access) mayRepeat() bool {
	return a.Index.HasPrefixes() || a.Index.Padded && len(a.Gets)+len(a.Scans) > 1
}

// All is an access to every row.
func All(d *catalog.Descriptor) *Access {
	a := &Access{Desc: d, Index: d.Primary}
	for part := range d.Partitions(d.Primary) {
		a.Scans = append(a.Scans, Range{Span: prefixSpan(d.Prefix(d.Primary, part))})
	}
	return a
}

func prefixSpan(prefix []byte) txn.Span {
	return txn.Span{Start: txn.Key(prefix), End: txn.Key(routing.PrefixEnd(string(prefix)))}
}

// ForLookup is the access of an index lookup of the engine.
func ForLookup(ctx *gms.Context, d *catalog.Descriptor, lookup gms.IndexLookup) (*Access, error) {
	x, ok := lookup.Index.(*Index)
	if !ok {
		return nil, fmt.Errorf("a lookup in table %s uses an index of another kind, %T", d.Name(), lookup.Index)
	}
	a := &Access{Desc: d, Index: x.info, Reverse: lookup.IsReverse}
	ranges, ok := lookup.Ranges.(gms.MySQLRangeCollection)
	if !ok {
		return nil, fmt.Errorf("a lookup in table %s uses ranges of another kind, %T", d.Name(), lookup.Ranges)
	}
	if lookup.IsEmptyRange && !wantsNull(ranges) {
		return a, nil
	}
	for _, r := range ranges {
		if err := a.add(ctx, r); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// wantsNull reports whether ranges ask for rows with a NULL (<=>), which the engine takes for none.
func wantsNull(ranges gms.MySQLRangeCollection) bool {
	null := false
	for _, r := range ranges {
		for _, e := range r {
			if low, ok := e.LowerBound.(gms.Below); ok && low.Key == nil {
				return false
			}
			null = null || isNullOnly(e)
		}
	}
	return null
}

// ForRange is the access to one range of an index: bounds of its first columns.
func ForRange(ctx *gms.Context, d *catalog.Descriptor, x *catalog.IndexInfo, r gms.MySQLRange) (*Access, error) {
	a := &Access{Desc: d, Index: x}
	return a, a.add(ctx, r)
}

// Same reports whether two accesses ask for the same keys of the same index, in whatever order the
// single ones are.
func (a *Access) Same(o *Access) bool {
	return a.Index == o.Index && slices.Equal(slices.Sorted(slices.Values(a.Gets)), slices.Sorted(slices.Values(o.Gets))) && slices.EqualFunc(a.Scans, o.Scans, func(x, y Range) bool {
		return x.Span == y.Span && slices.Equal(x.rest, y.rest)
	})
}

// Add makes the access ask for all that another of the same index asks for too.
func (a *Access) Add(o *Access) {
	if a.asked == nil {
		a.asked = map[txn.Span]bool{}
		gets, scans := a.Gets, a.Scans
		a.Gets, a.Scans = nil, nil
		a.Add(&Access{Gets: gets, Scans: scans})
	}
	for _, k := range o.Gets {
		if point := (txn.Span{Start: k}); !a.asked[point] {
			a.asked[point] = true
			a.Gets = append(a.Gets, k)
		}
	}
	for _, r := range o.Scans {
		if !a.asked[r.Span] {
			a.asked[r.Span] = true
			a.Scans = append(a.Scans, r)
		}
	}
}

// Beginning is the border of the texts that begin with it: the lower one in gms.Below, the upper one in gms.Above.
type Beginning string

// Disjoin has the access ask once for what several of its ranges ask for. It must be exact.
func (a *Access) Disjoin() {
	slices.SortFunc(a.Scans, func(x, y Range) int { return strings.Compare(string(x.Span.Start), string(y.Span.Start)) })
	scans := a.Scans[:0]
	for _, r := range a.Scans {
		if n := len(scans); n > 0 && r.Span.Start <= scans[n-1].Span.End {
			scans[n-1].Span.End = max(scans[n-1].Span.End, r.Span.End)
			continue
		}
		scans = append(scans, r)
	}
	a.Scans = scans
	a.Gets = slices.DeleteFunc(a.Gets, func(k txn.Key) bool {
		return slices.ContainsFunc(a.Scans, func(r Range) bool { return r.Span.Start <= k && k < r.Span.End })
	})
}

// add adds a range of the engine: bounds for the first columns of the index.
func (a *Access) add(ctx *gms.Context, r gms.MySQLRange) error {
	b := rangeBuilder{ctx: ctx, a: a, r: r, values: map[int]any{}}
	if empty, err := b.build(); err != nil || empty {
		return err
	}
	parts, err := b.partitions()
	if err != nil {
		return err
	}
	for _, part := range parts {
		prefix := string(a.Desc.Prefix(a.Index, part))
		if b.point {
			a.Gets = append(a.Gets, txn.Key(prefix+string(b.equal)))
			continue
		}
		span := txn.Span{Start: txn.Key(prefix + b.from), End: txn.Key(prefix + b.to)}
		if b.to == "" {
			span.End = txn.Key(routing.PrefixEnd(prefix + string(b.equal)))
		}
		if span.Start < span.End {
			a.Scans = append(a.Scans, Range{Span: span, rest: b.rest})
		}
	}
	return nil
}

// beyond is above the key form of every value.
const beyond = "\xff"

type rangeBuilder struct {
	ctx      *gms.Context // for conversions
	a        *Access
	r        gms.MySQLRange
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
func oneValue(e gms.MySQLRangeColumnExpr, lo, hi string) (any, bool) {
	if hi == "" || lo == "" && hi != "" && !isNullOnly(e) {
		return nil, false
	}
	if isNullOnly(e) {
		return nil, true
	}
	below, ok := e.LowerBound.(gms.Below)
	if _, several := below.Key.(Beginning); several {
		return nil, false
	}
	return below.Key, ok && routing.PrefixEnd(lo) == hi
}

func isNullOnly(e gms.MySQLRangeColumnExpr) bool {
	_, low := e.LowerBound.(gms.BelowNull)
	_, high := e.UpperBound.(gms.AboveNull)
	return low && high
}

// bounds are the key forms from which (inclusive) and to which (exclusive) the
// n-th column may range; empty is no bound.
func (b *rangeBuilder) bounds(n int) (lo, hi string, err error) {
	e := b.r[n]
	if isNullOnly(e) {
		form, err := b.form(n, nil)
		return form, routing.PrefixEnd(form), err
	}
	if lo, err = b.cut(n, e.LowerBound, true); err != nil {
		return "", "", err
	}
	hi, err = b.cut(n, e.UpperBound, false)
	return lo, hi, err
}

// cut is the key form of a border. Of a column held in part, values beyond the
// border may share their form with values within, so the border is widened.
func (b *rangeBuilder) cut(n int, c gms.MySQLRangeCut, low bool) (string, error) {
	partial := b.a.Index.PrefixLength(n) > 0
	null, err := b.form(n, nil)
	if err != nil {
		return "", err
	}
	switch c := c.(type) {
	case gms.BelowNull:
		if low {
			return "", nil
		}
		return null, nil
	case gms.AboveNull:
		return routing.PrefixEnd(null), nil
	case gms.AboveAll:
		if low {
			return beyond, nil
		}
		return "", nil
	case gms.Below:
		form, err := b.form(n, c.Key)
		if partial && !low {
			form = routing.PrefixEnd(form)
		}
		return form, err
	case gms.Above:
		form, err := b.form(n, c.Key)
		if partial && low {
			return form, err
		}
		return routing.PrefixEnd(form), err
	}
	return "", fmt.Errorf("table %s: a border of kind %T is not known", b.a.Desc.Name(), c)
}

func (b *rangeBuilder) form(n int, v any) (string, error) {
	if beginning, ok := v.(Beginning); ok {
		return string(b.a.Desc.AppendBeginning(nil, b.a.Index, n, string(beginning))), nil
	}
	t := b.a.Desc.Schema.Schema[b.a.Index.Columns[n]].Type
	if v != nil && !isText(t, v) {
		converted, _, err := t.Convert(b.ctx, catalog.Within(t, v))
		switch _, moment := v.(time.Time); {
		case err == nil, gms.ErrTruncatedIncorrect.Is(err):
			v = converted
		case !moment: // else it is beyond those of a TIMESTAMP
			return "", err
		}
	}
	form, err := b.a.Desc.AppendColumn(nil, b.a.Index, n, v)
	return string(form), err
}

// isText reports whether a value is a text as a column has it, but for its length: a longer one is in no row.
func isText(t gms.Type, v any) bool {
	switch v.(type) {
	case string:
		return types.IsTextOnly(t)
	case []byte:
		return types.IsBinaryType(t)
	}
	return false
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
