package enginetable

import (
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"isochron/sql/catalog"
)

// Index is an index as the engine's planner sees it.
type Index struct {
	desc *catalog.Descriptor
	info *catalog.IndexInfo
}

var (
	_ gms.OrderedIndex  = (*Index)(nil)
	_ gms.ExtendedIndex = (*Index)(nil)
)

// Info is the index in the catalogue.
func (x *Index) Info() *catalog.IndexInfo { return x.info }

// ID implements gms.Index.
func (x *Index) ID() string { return x.info.Name }

// Database implements gms.Index.
func (x *Index) Database() string { return x.desc.Record.Database }

// Table implements gms.Index.
func (x *Index) Table() string { return x.desc.Record.Name }

func (x *Index) expressions(columns []int) []string {
	out := make([]string, len(columns))
	for i, pos := range columns {
		out[i] = x.desc.Record.Name + "." + x.desc.Schema.Schema[pos].Name
	}
	return out
}

func (x *Index) types(columns []int) []gms.ColumnExpressionType {
	out := make([]gms.ColumnExpressionType, len(columns))
	for i, e := range x.expressions(columns) {
		out[i] = gms.ColumnExpressionType{Expression: e, Type: x.desc.Schema.Schema[columns[i]].Type}
		if types.IsText(out[i].Type) { // of any length: the engine fails at a longer one, which no row has
			out[i].Type = out[i].Type.Promote()
		}
	}
	return out
}

// Expressions implements gms.Index.
func (x *Index) Expressions() []string { return x.expressions(x.info.Columns) }

// ExtendedExpressions implements gms.ExtendedIndex. A lookup never reaches into
// the primary key behind the columns of the index, so these are the same.
func (x *Index) ExtendedExpressions(*gms.Context) []string { return x.Expressions() }

// ColumnExpressionTypes implements gms.Index.
func (x *Index) ColumnExpressionTypes(*gms.Context) []gms.ColumnExpressionType {
	return x.types(x.info.Columns)
}

// ExtendedColumnExpressionTypes implements gms.ExtendedIndex.
func (x *Index) ExtendedColumnExpressionTypes(ctx *gms.Context) []gms.ColumnExpressionType {
	return x.ColumnExpressionTypes(ctx)
}

// IsUnique implements gms.Index.
func (x *Index) IsUnique() bool { return x.info.Unique }

// IsSpatial implements gms.Index.
func (x *Index) IsSpatial() bool { return false }

// IsFullText implements gms.Index.
func (x *Index) IsFullText() bool { return false }

// IsVector implements gms.Index.
func (x *Index) IsVector() bool { return false }

// Comment implements gms.Index.
func (x *Index) Comment() string { return x.info.Comment }

// IndexType implements gms.Index.
func (x *Index) IndexType() string { return "BTREE" }

// IsGenerated implements gms.Index.
func (x *Index) IsGenerated() bool { return false }

// CanSupport implements gms.Index.
func (x *Index) CanSupport(*gms.Context, ...gms.Range) bool { return true }

// CanSupportOrderBy implements gms.Index.
func (x *Index) CanSupportOrderBy(gms.Expression) bool { return false }

// CoversColumns implements gms.Index.
func (x *Index) CoversColumns(names []string) bool {
	if x.info.Primary {
		return true
	}
	for _, name := range names {
		held := false
		for _, pos := range x.info.Held {
			held = held || strings.EqualFold(name, x.desc.Schema.Schema[pos].Name)
		}
		if !held {
			return false
		}
	}
	return true
}

// PrefixLengths implements gms.Index.
func (x *Index) PrefixLengths() []uint16 {
	if !x.info.HasPrefixes() {
		return nil
	}
	out := make([]uint16, len(x.info.Lengths))
	for i, n := range x.info.Lengths {
		out[i] = uint16(n)
	}
	return out
}

// Order implements gms.OrderedIndex. A column held in part is not in order.
func (x *Index) Order(*gms.Context) gms.IndexOrder {
	if x.info.HasPrefixes() {
		return gms.IndexOrderNone
	}
	return gms.IndexOrderAsc
}

// Reversible implements gms.OrderedIndex.
func (x *Index) Reversible(*gms.Context) bool { return !x.info.HasPrefixes() }
