package catalog

import (
	"fmt"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/coltype"
	"isochron/sql/legacy"
	"isochron/sql/rowcodec"
)

// storeColumn is the stored form of a column of the engine.
func storeColumn(id uint32, c *gms.Column) (Column, error) {
	if c.HiddenSystem {
		return Column{}, fmt.Errorf("an index on an expression is not supported; add a generated column and index it")
	}
	if c.Virtual {
		return Column{}, fmt.Errorf("column %s: virtual generated columns are not supported; make it STORED", c.Name)
	}
	if err := rowcodec.Storable(legacy.Named(c.Type)); err != nil {
		return Column{}, fmt.Errorf("column %s: %w", c.Name, err)
	}
	text, comment, declared := declaredType(c.Comment)
	if text == "" {
		text = c.Type.String()
	}
	out := Column{
		ID: id, Name: c.Name, Type: text, Nullable: c.Nullable, AutoInc: c.AutoIncrement,
		Default: storeExpr(c.Default), OnUpdate: storeExpr(c.OnUpdate), Generated: storeExpr(c.Generated),
		Virtual: c.Virtual, Comment: comment, Extra: c.Extra, Declared: declared,
	}
	if tc, ok := c.Type.(gms.TypeWithCollation); ok {
		out.Collation = uint16(tc.Collation())
	}
	return out, nil
}

func storeExpr(e *gms.ColumnDefaultValue) *Expr {
	if e == nil {
		return nil
	}
	return &Expr{Text: e.String()}
}

func loadExpr(e *Expr) *gms.ColumnDefaultValue {
	if e == nil {
		return nil
	}
	return gms.NewUnresolvedColumnDefaultValue(e.Text)
}

// loadType reads a type back from SQL.
func loadType(c Column) (gms.Type, error) {
	parsed, err := parseType(c)
	if err != nil {
		return nil, err
	}
	return typeOf(c, parsed)
}

// typeOf is the engine's type of a column.
func typeOf(c Column, parsed *sqlparser.ColumnType) (gms.Type, error) {
	plain := *parsed
	if strings.EqualFold(plain.Type, "time") {
		plain.Length = nil
	}
	if strings.EqualFold(plain.Type, "float") && plain.Scale != nil {
		plain.Length, plain.Scale = nil, nil
	}
	t, err := types.ColumnTypeToType(&plain)
	if err != nil {
		return nil, err
	}
	if tc, ok := t.(gms.TypeWithCollation); ok && c.Collation != 0 {
		return tc.WithNewCollation(gms.CollationID(c.Collation))
	}
	return t, nil
}

// coreType is the type of a column for the core; t is the engine's.
func coreType(c Column, parsed *sqlparser.ColumnType, t gms.Type) *coltype.Type {
	out := legacy.TypeOf(t)
	out.Name, out.Shown = c.Type, shown(c, parsed)
	if out.Shown.Declared && (out.Kind == coltype.KindFloat32 || out.Kind == coltype.KindFloat64) {
		out.Precision, out.Scale = literalNumber(parsed.Length, 0), out.Shown.Digits
	}
	return &out
}

// parseType parses a stored type.
func parseType(c Column) (*sqlparser.ColumnType, error) {
	stmt, err := sqlparser.Parse("CREATE TABLE t (c " + c.Type + ")")
	if err != nil {
		return nil, fmt.Errorf("the stored type %q of column %s cannot be read: %w", c.Type, c.Name, err)
	}
	ddl, ok := stmt.(*sqlparser.DDL)
	if !ok || ddl.TableSpec == nil || len(ddl.TableSpec.Columns) != 1 {
		return nil, fmt.Errorf("the stored type %q of column %s cannot be read", c.Type, c.Name)
	}
	return &ddl.TableSpec.Columns[0].Type, nil
}

func (r *Record) column(id uint32) int {
	return slices.IndexFunc(r.Columns, func(c Column) bool { return c.ID == id })
}

func (r *Record) columnNamed(name string) int {
	return slices.IndexFunc(r.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
}

func (r *Record) indexNamed(name string) int {
	return slices.IndexFunc(r.Indexes, func(x Index) bool { return strings.EqualFold(x.Name, name) })
}

// schema is the table as the engine sees it.
func (r *Record) schema() (gms.PrimaryKeySchema, []rowcodec.Column, error) {
	sch := make(gms.Schema, len(r.Columns))
	stored := make([]rowcodec.Column, len(r.Columns))
	for i, c := range r.Columns {
		parsed, err := parseType(c)
		if err != nil {
			return gms.PrimaryKeySchema{}, nil, err
		}
		t, err := typeOf(c, parsed)
		if err != nil {
			return gms.PrimaryKeySchema{}, nil, err
		}
		if stored[i], err = rowcodec.NewColumn(c.ID, coreType(c, parsed, t)); err != nil {
			return gms.PrimaryKeySchema{}, nil, err
		}
		if len(c.Fill) > 0 {
			row, err := rowcodec.NewLayout(stored[i : i+1]).Decode(c.Fill)
			if err != nil {
				return gms.PrimaryKeySchema{}, nil, err
			}
			stored[i].Fill = row[0]
		}
		sch[i] = &gms.Column{
			Name: c.Name, Type: t, Source: r.Name, DatabaseSource: r.Database, Nullable: c.Nullable,
			AutoIncrement: c.AutoInc, Default: loadExpr(c.Default), OnUpdate: loadExpr(c.OnUpdate),
			Generated: loadExpr(c.Generated), Virtual: c.Virtual, Comment: c.Comment, Extra: c.Extra,
			PrimaryKey: slices.Contains(r.PrimaryKey, c.ID),
		}
	}
	ordinals := make([]int, len(r.PrimaryKey))
	for i, id := range r.PrimaryKey {
		ordinals[i] = r.column(id)
	}
	return gms.NewPrimaryKeySchema(sch, ordinals...), stored, nil
}
