package sql

import (
	"fmt"
	"hash/maphash"
	"isochron/sql/legacy"
	"isochron/sql/memory"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
)

// keptBytes is what a value takes in the map or list that keeps it, beside what it says.
const keptBytes = 64

// valueCount counts the values of an expression that an aggregate keeps.
type valueCount struct {
	gms.Expression
	held *memory.Holding
	seen *filter // nil: each value is kept, however often it comes
}

// value has the values of an expression counted, those that are alike once.
func (f *feeding) value(e gms.Expression, once bool) gms.Expression {
	c := valueCount{Expression: e, held: f.held}
	if once && !f.grouped { // each group keeps its own
		c.seen = &filter{seed: maphash.MakeSeed()}
	}
	return c
}

func isCountDistinct(e gms.Expression) bool {
	_, ok := e.(*aggregation.CountDistinct)
	return ok
}

// Eval implements gms.Expression.
func (c valueCount) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	v, err := c.Expression.Eval(ctx, row)
	if err == nil && (c.seen == nil || c.seen.isNew(v)) {
		err = c.held.Add(keptBytes + legacy.SizeOfValue(v))
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// CollationCoercibility implements gms.CollationCoercible.
func (c valueCount) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	return gms.GetCoercibility(ctx, c.Expression)
}

// WithChildren implements gms.Expression.
func (c valueCount) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	e, err := c.Expression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return valueCount{e, c.held, c.seen}, nil
}

const (
	// filterBits of a filter; when half of so many values were new, all are.
	filterBits = 8 << 20
	filterFull = filterBits / 2
)

// filter knows about which values it has seen; it takes no more than a megabyte. It
// is of one goroutine.
type filter struct {
	seed maphash.Seed
	bits []uint64
	news int
}

func (f *filter) isNew(v any) bool {
	if f.news >= filterFull {
		return true
	}
	if f.bits == nil {
		f.bits = make([]uint64, filterBits/64)
	}
	at := f.hash(v) % filterBits
	if f.bits[at/64]&(1<<(at%64)) != 0 {
		return false
	}
	f.bits[at/64] |= 1 << (at % 64)
	f.news++
	return true
}

func (f *filter) hash(v any) uint64 {
	switch v := v.(type) {
	case string:
		return maphash.String(f.seed, v)
	case []byte:
		return maphash.Bytes(f.seed, v)
	case int64:
		return maphash.Comparable(f.seed, v)
	}
	return maphash.String(f.seed, fmt.Sprint(v))
}
