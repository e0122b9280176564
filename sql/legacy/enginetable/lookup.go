package enginetable

import (
	"fmt"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"isochron/sql/catalog"
	"isochron/sql/legacy"
	"isochron/sql/table"
)

// ForLookup is the access of an index lookup of the engine.
func ForLookup(ctx *gms.Context, d *catalog.Descriptor, lookup gms.IndexLookup) (*table.Access, error) {
	x, ok := lookup.Index.(*Index)
	if !ok {
		return nil, fmt.Errorf("a lookup in table %s uses an index of another kind, %T", d.Name(), lookup.Index)
	}
	a := &table.Access{Desc: d, Index: x.info, Reverse: lookup.IsReverse}
	ranges, ok := lookup.Ranges.(gms.MySQLRangeCollection)
	if !ok {
		return nil, fmt.Errorf("a lookup in table %s uses ranges of another kind, %T", d.Name(), lookup.Ranges)
	}
	if lookup.IsEmptyRange && !wantsNull(ranges) {
		return a, nil
	}
	for _, r := range ranges {
		if err := addEngine(ctx, a, r); err != nil {
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
			_, low := e.LowerBound.(gms.BelowNull)
			_, high := e.UpperBound.(gms.AboveNull)
			null = null || low && high
		}
	}
	return null
}

// ForEngineRange is the access to one range of the engine.
func ForEngineRange(ctx *gms.Context, d *catalog.Descriptor, x *catalog.IndexInfo, r gms.MySQLRange) (*table.Access, error) {
	a := &table.Access{Desc: d, Index: x}
	return a, addEngine(ctx, a, r)
}

func addEngine(ctx *gms.Context, a *table.Access, r gms.MySQLRange) error {
	var err error
	intervals := make([]table.Interval, len(r))
	for n, e := range r {
		t := a.Desc.Schema.Schema[a.Index.Columns[n]].Type
		if intervals[n].Low, err = cutOf(ctx, t, e.LowerBound); err != nil {
			return fmt.Errorf("table %s: %w", a.Desc.Name(), err)
		}
		if intervals[n].High, err = cutOf(ctx, t, e.UpperBound); err != nil {
			return fmt.Errorf("table %s: %w", a.Desc.Name(), err)
		}
	}
	return a.AddRange(intervals)
}

// cutOf is a border of the engine, of values of a type.
func cutOf(ctx *gms.Context, t gms.Type, c gms.MySQLRangeCut) (table.Cut, error) {
	switch c := c.(type) {
	case gms.BelowNull:
		return table.Cut{At: table.BelowNull}, nil
	case gms.AboveNull:
		return table.Cut{At: table.AboveNull}, nil
	case gms.AboveAll:
		return table.Cut{At: table.AboveAll}, nil
	case gms.Below:
		v, err := columnValue(ctx, t, c.Key)
		return table.Cut{At: table.Below, Value: v}, err
	case gms.Above:
		v, err := columnValue(ctx, t, c.Key)
		return table.Cut{At: table.Above, Value: v}, err
	}
	return table.Cut{}, fmt.Errorf("a border of kind %T is not known", c)
}

// columnValue is a value of a border as a column has it.
func columnValue(ctx *gms.Context, t gms.Type, v any) (any, error) {
	if v == nil || isText(t, v) {
		return v, nil
	}
	converted, _, err := t.Convert(ctx, legacy.Within(t, v))
	if err == nil || gms.ErrTruncatedIncorrect.Is(err) {
		return converted, nil
	}
	if _, moment := v.(time.Time); moment { // it is beyond those of a TIMESTAMP
		return v, nil
	}
	return nil, err
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
