package foreign

import (
	"fmt"
	"slices"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/txn"
)

// Source is a source and its description of itself.
type Source struct {
	txn.SourceEntry
	txn.SourceSchema
}

func (s *Source) dialect() string {
	if s.SourceSchema.Dialect != "" {
		return s.SourceSchema.Dialect
	}
	return s.SourceEntry.Dialect
}

// Find is a table of the source by its name, "schema.table" or "table", in any case if only one
// is called so.
func (s *Source) Find(name string) (*txn.SourceTable, error) {
	schema, table, qualified := strings.Cut(name, ".")
	if !qualified {
		schema, table = "", name
	}
	var found, loosely []*txn.SourceTable
	for i := range s.Tables {
		t := &s.Tables[i]
		if qualified && !strings.EqualFold(t.Schema, schema) {
			continue
		}
		if t.Name == table {
			found = append(found, t)
		} else if strings.EqualFold(t.Name, table) {
			loosely = append(loosely, t)
		}
	}
	if len(found) == 0 {
		found = loosely
	}
	switch len(found) {
	case 0:
		return nil, refused("source %s has no table %s that its agent's account may read", s.Name, name)
	case 1:
		return found[0], nil
	}
	return nil, refused("source %s has several tables %s: name one as schema.table (%s.%s, %s.%s)", s.Name, name, found[0].Schema, found[0].Name, found[1].Schema, found[1].Name)
}

// Rule is the division of an imported table's rows over its sources.
type Rule struct {
	How    catalog.Spreading
	By     string
	Bounds []int64
}

// Adopt makes the record of a table of sources, which must have it alike.
func Adopt(database, name string, rule Rule, from []*Source, tables []*txn.SourceTable) (*catalog.Foreign, error) {
	f := &catalog.Foreign{Database: database, Name: name, How: rule.How, By: rule.By, Bounds: rule.Bounds}
	first := tables[0]
	for _, c := range first.Columns {
		f.Columns = append(f.Columns, column(from[0].dialect(), c))
	}
	f.Key, f.Unique = first.Key, first.Unique
	for i, t := range tables {
		if t.Unfit != "" {
			return nil, refused("table %s of source %s cannot be imported: %s", t.Name, from[i].Name, t.Unfit)
		}
		p := catalog.ForeignPart{Source: uint64(from[i].ID), Name: from[i].Name, Dialect: from[i].dialect(), Identity: from[i].Identity, Schema: t.Schema, Table: t.Name, Plain: t.Plain, Version: from[i].Version}
		if p.Dialect == string(dialect.MySQL) && !strings.EqualFold(t.Name, name) {
			return nil, refused("table %s of source %s cannot be called %s here: a table of a MySQL source keeps its name", t.Name, p.Name, name)
		}
		if len(t.Columns) != len(f.Columns) || len(t.Key) != len(f.Key) {
			return nil, refused("table %s has other columns, or another primary key, at source %s than at %s", name, p.Name, from[0].Name)
		}
		for _, c := range f.Columns {
			at := slices.IndexFunc(t.Columns, func(x txn.Column) bool { return strings.EqualFold(x.Name, c.Name) })
			if at < 0 {
				return nil, refused("table %s has no column %s at source %s, as it has at %s", name, c.Name, p.Name, from[0].Name)
			}
			if a, b := class(c.Type), class(column(p.Dialect, t.Columns[at]).Type); a != b {
				return nil, refused("column %s of table %s is %s at source %s, and %s at %s: they must be alike", c.Name, name, b, p.Name, a, from[0].Name)
			}
			p.Columns, p.Types = append(p.Columns, t.Columns[at].Name), append(p.Types, t.Columns[at].Type)
		}
		f.Parts = append(f.Parts, p)
	}
	return f, check(f)
}

// column is a source's column as MySQL has it.
func column(of string, c txn.Column) catalog.ForeignColumn {
	sql := SQLType(dialect.Dialect(of), c.Type)
	if catalog.CheckType(sql) != nil {
		sql = "longtext"
	}
	return catalog.ForeignColumn{Name: c.Name, Type: sql, Nullable: c.Null, Numbered: c.Auto, Collation: collation(dialect.Dialect(of), c, sql)}
}

// class returns the class that two types must share to be one column's.
func class(sql string) string {
	switch base := read(sql).base; base {
	case "tinyint", "smallint", "mediumint", "int", "bigint":
		return "integer"
	case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum":
		return "text"
	case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob":
		return "bytes"
	case "float", "double":
		return "floating-point"
	case "datetime", "timestamp":
		return "a time"
	default:
		return base
	}
}

// Describe returns the placement of a table in words.
func Describe(f *catalog.Foreign) string {
	var at []string
	for _, p := range f.Parts {
		at = append(at, p.Name)
	}
	if f.By == "" {
		return fmt.Sprintf("%s: %s", f.How, strings.Join(at, ", "))
	}
	return fmt.Sprintf("%s of %s: %s", f.How, f.By, strings.Join(at, ", "))
}
