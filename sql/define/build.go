package define

import (
	"fmt"
	"slices"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/expr"
)

// Env is what a definition is made against.
type Env struct {
	Context  *expr.Context // of the statement: defaults are computed with it, and it receives warnings
	Database string        // the current one
	// Find finds a table of the catalogue; false: there is none.
	Find func(database, table string) (*catalog.Descriptor, bool)
	// Collation is that of a database's new tables.
	Collation func(database string) uint16
	Unchecked bool // foreign keys are not checked
	Strict    bool
	// Substitutes: an engine that is not known is replaced with a warning.
	Substitutes bool
}

// Bounds of a table, as MySQL has them.
const (
	columnsMax      = 1017
	keysMax         = 64
	partsMax        = 16
	keyBytesMax     = 3072
	tableCommentMax = 2048
	keyCommentMax   = 1024
)

// builder makes the definition of one table.
type builder struct {
	env   *Env
	s     *CreateTable
	def   catalog.Definition
	draft *catalog.Descriptor // the table without defaults and keys, for expressions over its columns
}

// Build is the definition of the table that the statement creates. Its database is one of the catalogue.
func (s *CreateTable) Build(env *Env) (catalog.Definition, error) {
	b := &builder{env: env, s: s}
	for _, step := range []func() error{b.named, b.options, b.columns, b.keys, b.values, b.checks, b.foreignKeys, b.partition} {
		if err := step(); err != nil {
			return catalog.Definition{}, err
		}
	}
	return b.def, nil
}

func (b *builder) named() error {
	name := b.s.Table
	b.def.Database, b.def.Name = name.In(b.env.Database), name.Name
	if name.Name == "" || strings.HasSuffix(name.Name, " ") {
		return expr.NewError(1103, "42000", "Incorrect table name '%s'", name.Name)
	}
	return nil
}

// In is the database of a name where another is the current one.
func (n Name) In(current string) string {
	if n.Database == "" {
		return current
	}
	return n.Database
}

// engines are the names of storage engines that dumps have.
var engines = map[string]bool{"innodb": true, "myisam": true, "memory": true, "heap": true, "csv": true, "archive": true, "blackhole": true, "merge": true, "mrg_myisam": true,
	"aria": true, "federated": true, "ndb": true, "ndbcluster": true, "rocksdb": true, "tokudb": true, "sequence": true, "isam": true}

// options takes in the options of the table.
func (b *builder) options() (err error) {
	o := &b.s.Options
	if b.def.Collation, err = collationOf(o.Charset, o.Collation, b.env.Collation(b.def.Database)); err != nil {
		return err
	}
	if o.Comment != nil {
		if b.def.Comment = *o.Comment; len([]rune(b.def.Comment)) > tableCommentMax {
			return expr.NewError(1628, "HY000", "Comment for table '%s' is too long (max = %d)", b.def.Name, tableCommentMax)
		}
	}
	if o.AutoIncrement != nil {
		b.def.AutoIncrement = *o.AutoIncrement
	}
	return b.env.engine(o.Engine, b.def.Name)
}

// engine notes that the table's storage engine is none of MySQL's.
func (env *Env) engine(name, table string) error {
	switch known := engines[strings.ToLower(name)]; {
	case name == "" || strings.EqualFold(name, "innodb"):
		return nil
	case !known && !env.Substitutes:
		return expr.NewError(1286, "42000", "Unknown storage engine '%s'", name)
	case !known:
		env.Context.Warn(1286, fmt.Sprintf("Unknown storage engine '%s'", name))
	}
	env.Context.Note(1266, fmt.Sprintf("Using storage engine InnoDB for table '%s'", table))
	return nil
}

// columns takes in the columns, without their defaults and expressions.
func (b *builder) columns() error {
	if len(b.s.Columns) == 0 {
		return expr.NewError(1113, "42000", "A table must have at least 1 column")
	}
	if len(b.s.Columns) > columnsMax {
		return expr.NewError(1117, "HY000", "Too many columns")
	}
	for i := range b.s.Columns {
		c := &b.s.Columns[i]
		if b.at(c.Name) >= 0 {
			return expr.NewError(1060, "42S21", "Duplicate column name '%s'", c.Name)
		}
		out, err := b.env.columnOf(c, b.def.Collation)
		if err != nil {
			return err
		}
		b.def.Columns = append(b.def.Columns, out)
	}
	return nil
}

// columnOf is a column without default and expressions.
func (env *Env) columnOf(c *Column, collation uint16) (catalog.ColumnDefinition, error) {
	if c.made != nil {
		return *c.made, nil
	}
	out := catalog.ColumnDefinition{Name: c.Name, Nullable: c.Null != NotNull, AutoInc: c.AutoIncrement, Virtual: c.Virtual, Comment: c.Comment}
	if err := c.Type.into(&out, c.Name, collation); err != nil {
		return out, err
	}
	if c.AutoIncrement {
		if _, whole := integers[c.Type.Base]; !whole && c.Type.Base != "float" && c.Type.Base != "double" {
			return out, expr.NewError(1063, "42000", "Incorrect column specifier for column '%s'", c.Name)
		}
		if c.Default != nil {
			return out, invalidDefault(c.Name)
		}
		out.Nullable, out.Extra = false, "auto_increment"
	}
	return out, nil
}

// at is the position of a column, -1 if there is none.
func (b *builder) at(column string) int { return positionOf(b.def.Columns, column) }

func positionOf(columns []catalog.ColumnDefinition, name string) int {
	return slices.IndexFunc(columns, func(c catalog.ColumnDefinition) bool { return strings.EqualFold(c.Name, name) })
}

// partition refuses what no placement follows, and asks for one otherwise.
func (b *builder) partition() error {
	p := b.s.Partition
	if p == nil {
		return nil
	}
	var key []string
	for _, at := range b.def.PrimaryKey {
		key = append(key, b.def.Columns[at].Name)
	}
	return p.place(&b.def, key)
}
