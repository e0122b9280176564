package table

import (
	"slices"
	"strings"

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

// ForRange is the access to one range of an index: the intervals of its first columns.
func ForRange(d *catalog.Descriptor, x *catalog.IndexInfo, r []Interval) (*Access, error) {
	a := &Access{Desc: d, Index: x}
	return a, a.AddRange(r)
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

// AddRange has the access ask for a range too: the intervals of the first columns of its index.
func (a *Access) AddRange(r []Interval) error {
	b := rangeBuilder{a: a, r: r, values: map[int]any{}}
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
