package catalog

import (
	"slices"

	"isochron/sql/legacy"
)

// The parts of a Definition.
type (
	ColumnDefinition = legacy.Column
	IndexDefinition  = legacy.Index
	IndexColumn      = legacy.IndexColumn
)

// Definition is the definition that makes such a table. It has no first number.
func (r *Record) Definition() Definition {
	def := Definition{Database: r.Database, Name: r.Name, Checks: slices.Clone(r.Checks), ForeignKey: slices.Clone(r.ForeignKey), Collation: r.Collation, Comment: r.Comment}
	for i := range r.Columns {
		c := *r.Columns[i].definition()
		c.PrimaryKey = slices.Contains(r.PrimaryKey, r.Columns[i].ID)
		def.Columns = append(def.Columns, c)
	}
	for _, id := range r.PrimaryKey {
		def.PrimaryKey = append(def.PrimaryKey, r.column(id))
	}
	for _, x := range r.Indexes {
		one := IndexDefinition{Name: x.Name, Comment: x.Comment, Unique: x.Unique}
		for i, id := range x.Columns {
			c := IndexColumn{Name: r.Columns[r.column(id)].Name}
			if i < len(x.Lengths) {
				c.Length = x.Lengths[i]
			}
			one.Columns = append(one.Columns, c)
		}
		def.Indexes = append(def.Indexes, one)
	}
	return def
}

// ColumnsIn are the columns that an expression of a definition names.
func ColumnsIn(text string) ([]string, error) { return legacy.ColumnsIn(text) }
