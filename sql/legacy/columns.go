package legacy

import (
	"fmt"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/coltype"
)

// Schema is the columns of a table as the engine's plans have them.
type Schema = gms.PrimaryKeySchema

// Column is the definition of a column.
type Column struct {
	Name       string
	Type       string // in SQL
	Collation  uint16 // 0: that of the type
	Declared   bool   // Type has the digits of a TIME
	Nullable   bool
	AutoInc    bool
	Virtual    bool
	PrimaryKey bool
	Comment    string
	Extra      string
	// Default, OnUpdate and Generated are expressions in SQL; nil: there is none.
	Default, OnUpdate, Generated *string
}

func expressionOf(text *string) *gms.ColumnDefaultValue {
	if text == nil {
		return nil
	}
	return gms.NewUnresolvedColumnDefaultValue(*text)
}

// CoreType is the type of a column. An error: it cannot be read; a type that no column can have is of kind 0.
func (c *Column) CoreType() (*coltype.Type, error) {
	_, out, err := c.types()
	return out, err
}

// types are the type of a column as the engine and the core have it.
func (c *Column) types() (gms.Type, *coltype.Type, error) {
	parsed, err := c.parseType()
	if err != nil {
		return nil, nil, err
	}
	t, err := c.engineType(parsed)
	if err != nil {
		return nil, nil, err
	}
	out := TypeOf(t)
	out.Name, out.Shown = c.Type, shown(c.Declared, parsed)
	if out.Shown.Declared && (out.Kind == coltype.KindFloat32 || out.Kind == coltype.KindFloat64) {
		out.Precision, out.Scale = literalNumber(parsed.Length, 0), out.Shown.Digits
	}
	return t, &out, nil
}

// engineType is the engine's type, which lacks some of the digits.
func (c *Column) engineType(parsed *sqlparser.ColumnType) (gms.Type, error) {
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

func (c *Column) parseType() (*sqlparser.ColumnType, error) {
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

// Type is a type as the engine's plans have it.
type Type = gms.Type

// ReadType is the type that a text says in SQL.
func ReadType(text string) (Type, error) {
	c := Column{Name: "c", Type: text}
	parsed, err := c.parseType()
	if err != nil {
		return nil, err
	}
	return types.ColumnTypeToType(parsed)
}

// NewSchema is a table's columns as the engine has them, with their types; key are the positions of the primary key.
func NewSchema(database, table string, columns []Column, key []int) (Schema, []*coltype.Type, error) {
	schema, core := make(gms.Schema, len(columns)), make([]*coltype.Type, len(columns))
	for i := range columns {
		c := &columns[i]
		t, own, err := c.types()
		if err != nil {
			return Schema{}, nil, err
		}
		core[i] = own
		schema[i] = &gms.Column{
			Name: c.Name, Type: t, Source: table, DatabaseSource: database, Nullable: c.Nullable,
			AutoIncrement: c.AutoInc, Default: expressionOf(c.Default), OnUpdate: expressionOf(c.OnUpdate),
			Generated: expressionOf(c.Generated), Virtual: c.Virtual, Comment: c.Comment, Extra: c.Extra, PrimaryKey: c.PrimaryKey,
		}
	}
	return gms.NewPrimaryKeySchema(schema, key...), core, nil
}

// Parse is a text as a value of the column's type.
func (c *Column) Parse(text string) (any, error) {
	t, _, err := c.types()
	if err != nil {
		return nil, err
	}
	v, _, err := t.Convert(gms.NewEmptyContext(), text)
	if err != nil {
		return nil, err
	}
	return FromEngine(v)
}
