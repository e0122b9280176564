package catalog

import (
	"fmt"
	"slices"
	"strings"

	"isochron/sql/legacy"
	"isochron/sql/rowcodec"
)

// storeColumn is the stored form of a column's definition.
func storeColumn(id uint32, c *legacy.Column) (Column, error) {
	if c.Virtual {
		return Column{}, fmt.Errorf("column %s: virtual generated columns are not supported; make it STORED", c.Name)
	}
	t, err := c.CoreType()
	if err != nil {
		return Column{}, err
	}
	if err := rowcodec.Storable(t); err != nil {
		return Column{}, fmt.Errorf("column %s: %w", c.Name, err)
	}
	return Column{
		ID: id, Name: c.Name, Type: c.Type, Collation: c.Collation, Nullable: c.Nullable, AutoInc: c.AutoInc,
		Default: storeExpr(c.Default), OnUpdate: storeExpr(c.OnUpdate), Generated: storeExpr(c.Generated),
		Comment: c.Comment, Extra: c.Extra, Declared: c.Declared,
	}, nil
}

func storeExpr(text *string) *Expr {
	if text == nil {
		return nil
	}
	return &Expr{Text: *text}
}

func (e *Expr) text() *string {
	if e == nil {
		return nil
	}
	return &e.Text
}

// definition is the definition of a stored column.
func (c *Column) definition() *legacy.Column {
	return &legacy.Column{
		Name: c.Name, Type: c.Type, Collation: c.Collation, Declared: c.Declared, Nullable: c.Nullable, AutoInc: c.AutoInc, Virtual: c.Virtual,
		Comment: c.Comment, Extra: c.Extra, Default: c.Default.text(), OnUpdate: c.OnUpdate.text(), Generated: c.Generated.text(),
	}
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

// schema is the table as the engine sees it, and how its columns are stored.
func (r *Record) schema() (legacy.Schema, []rowcodec.Column, error) {
	columns, key := make([]legacy.Column, len(r.Columns)), make([]int, len(r.PrimaryKey))
	for i := range r.Columns {
		columns[i] = *r.Columns[i].definition()
		columns[i].PrimaryKey = slices.Contains(r.PrimaryKey, r.Columns[i].ID)
	}
	for i, id := range r.PrimaryKey {
		key[i] = r.column(id)
	}
	schema, types, err := legacy.NewSchema(r.Database, r.Name, columns, key)
	if err != nil {
		return legacy.Schema{}, nil, err
	}
	stored := make([]rowcodec.Column, len(r.Columns))
	for i, c := range r.Columns {
		if stored[i], err = rowcodec.NewColumn(c.ID, types[i]); err != nil {
			return legacy.Schema{}, nil, err
		}
		if len(c.Fill) == 0 {
			continue
		}
		row, err := rowcodec.NewLayout(stored[i : i+1]).Decode(c.Fill)
		if err != nil {
			return legacy.Schema{}, nil, err
		}
		stored[i].Fill = row[0]
	}
	return schema, stored, nil
}
