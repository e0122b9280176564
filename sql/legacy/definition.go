package legacy

import (
	"context"
	"fmt"

	gms "github.com/dolthub/go-mysql-server/sql"
)

// Convert is a value of one column as a value of the column at a position, for the n-th row of a table that is rewritten.
func Convert(ctx context.Context, s Schema, pos int, v any, n int) (any, error) {
	col := s.Schema[pos]
	if v == nil {
		if !col.Nullable {
			return nil, gms.ErrInsertIntoNonNullableProvidedNull.New(col.Name)
		}
		return nil, nil
	}
	v = ToEngine(v)
	out, inRange, err := col.Type.Convert(ctx, v)
	if err == nil && inRange != gms.InRange {
		err = gms.ErrValueOutOfRange.New(v, col.Type)
	}
	if err == nil {
		out, err = FromEngine(out)
	}
	if err != nil {
		return nil, fmt.Errorf("column %s of row %d cannot become %s: %w", col.Name, n+1, col.Type, err)
	}
	return out, nil
}

// Position is where a column is put.
type Position struct {
	First bool
	After string // a column; empty: behind all
}

// PositionOf is a place of the engine, nil if it is none.
func PositionOf(o *gms.ColumnOrder) *Position {
	if o == nil {
		return nil
	}
	return &Position{o.First, o.AfterColumn}
}

// Index is the definition of a secondary index.
type Index struct {
	Name, Comment string
	Unique        bool
	Columns       []IndexColumn
}

// IndexColumn is a column of an index. Length is that of its prefix; 0 is all.
type IndexColumn struct {
	Name   string
	Length int
}

// IndexOf is the definition of a secondary index of the engine.
func IndexOf(def gms.IndexDef) (Index, error) {
	if def.IsFullText() || def.IsSpatial() || def.IsVector() {
		return Index{}, fmt.Errorf("index %s: full-text, spatial and vector indexes are not supported", def.Name)
	}
	if def.Predicate != nil {
		return Index{}, fmt.Errorf("index %s: partial indexes are not supported", def.Name)
	}
	out := Index{Name: def.Name, Comment: def.Comment, Unique: def.IsUnique()}
	for _, c := range def.Columns {
		if c.Expression != nil {
			return Index{}, fmt.Errorf("index %s: an index on an expression is not supported; add a generated column and index it", def.Name)
		}
		out.Columns = append(out.Columns, IndexColumn{c.Name, int(c.Length)})
	}
	return out, nil
}
