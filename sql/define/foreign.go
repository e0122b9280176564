package define

import (
	"fmt"
	"slices"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/coltype"
	"isochron/sql/expr"
)

// foreignKeys takes in the foreign keys, with the indexes that they need.
func (b *builder) foreignKeys() error {
	if len(b.s.ForeignKeys) == 0 {
		return nil
	}
	f := foreign{env: b.env, def: &b.def, taken: map[string]bool{}}
	for i := range b.s.ForeignKeys {
		if err := f.add(&b.s.ForeignKeys[i]); err != nil {
			return err
		}
	}
	slices.SortStableFunc(b.def.Indexes, func(x, y catalog.IndexDefinition) int { return b.rank(x) - b.rank(y) })
	return nil
}

// foreign adds foreign keys to a definition.
type foreign struct {
	env   *Env
	def   *catalog.Definition
	taken map[string]bool // names in lower case
}

func (f *foreign) add(k *ForeignKey) error {
	out := catalog.ForeignKey{Name: k.Name, ParentDatabase: k.Parent.In(f.def.Database), ParentTable: k.Parent.Name, OnUpdate: actionOr(k.OnUpdate), OnDelete: actionOr(k.OnDelete)}
	for n := 1; out.Name == ""; n++ {
		if name := fmt.Sprintf("%s_ibfk_%d", f.def.Name, n); !f.has(name) {
			out.Name = name
		}
	}
	if f.has(out.Name) {
		return expr.NewError(1826, "HY000", "Duplicate foreign key constraint name '%s'", out.Name)
	}
	f.taken[strings.ToLower(out.Name)] = true
	if len(k.ParentColumns) != len(k.Columns) {
		return expr.NewError(1239, "42000", "Incorrect foreign key definition for '%s': Key reference and table reference don't match", out.Name)
	}
	for _, name := range k.Columns {
		at := positionOf(f.def.Columns, name)
		if at < 0 {
			return expr.NewError(1072, "42000", "Key column '%s' doesn't exist in table", name)
		}
		c := &f.def.Columns[at]
		if err := f.child(c, &out); err != nil {
			return err
		}
		out.Columns = append(out.Columns, c.Name)
	}
	out.ParentColumns = k.ParentColumns
	if err := f.parent(k, &out); err != nil {
		return err
	}
	f.def.ForeignKey = append(f.def.ForeignKey, out)
	return f.index(k, &out)
}

func (f *foreign) has(name string) bool {
	return f.taken[strings.ToLower(name)] || slices.ContainsFunc(f.def.ForeignKey, func(k catalog.ForeignKey) bool { return strings.EqualFold(k.Name, name) })
}

func actionOr(action string) string {
	if action == "" {
		return "DEFAULT"
	}
	return action
}

// child checks a column of the table that has the key.
func (f *foreign) child(c *catalog.ColumnDefinition, k *catalog.ForeignKey) error {
	nulls := k.OnDelete == "SET NULL" || k.OnUpdate == "SET NULL"
	if nulls && !c.Nullable {
		return expr.NewError(1830, "HY000", "Column '%s' cannot be NOT NULL: needed in a foreign key constraint '%s' SET NULL", c.Name, k.Name)
	}
	if c.Generated != nil && c.Virtual {
		return expr.NewError(3733, "HY000", "Foreign key '%s' uses virtual column '%s' which is not supported.", k.Name, c.Name)
	}
	for _, action := range []struct{ clause, of string }{{"ON UPDATE", k.OnUpdate}, {"ON DELETE", k.OnDelete}} {
		if c.Generated != nil && (action.of == "SET NULL" || action.of == "SET DEFAULT" || action.of == "CASCADE" && action.clause == "ON UPDATE") {
			return expr.NewError(3104, "HY000", "Cannot define foreign key with %s %s clause on a generated column.", action.clause, action.of)
		}
	}
	if !nulls && k.OnUpdate != "CASCADE" && k.OnDelete != "CASCADE" {
		return nil
	}
	for i := range f.def.Columns {
		of := &f.def.Columns[i]
		if of.Generated == nil || of.Virtual {
			continue
		}
		names, err := catalog.ColumnsIn(*of.Generated)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, c.Name) }) {
			return expr.NewError(1215, "HY000", "Cannot add foreign key constraint: column '%s' is the base of a stored generated column", c.Name)
		}
	}
	return nil
}

// parent checks the table that a key refers to.
func (f *foreign) parent(k *ForeignKey, out *catalog.ForeignKey) error {
	if f.env.Unchecked {
		return nil
	}
	columns, indexes, err := f.definitionOf(k, out)
	if err != nil {
		return err
	}
	for i, name := range out.ParentColumns {
		at := positionOf(columns, name)
		if at < 0 {
			return expr.NewError(3734, "HY000", "Failed to add the foreign key constraint. Missing column '%s' for constraint '%s' in the referenced table '%s'", name, out.Name, out.ParentTable)
		}
		own := &f.def.Columns[positionOf(f.def.Columns, out.Columns[i])]
		same, err := compatible(own, &columns[at])
		if err != nil {
			return err
		}
		if !same {
			return expr.NewError(3780, "HY000", "Referencing column '%s' and referenced column '%s' in foreign key constraint '%s' are incompatible.", own.Name, columns[at].Name, out.Name)
		}
	}
	if !slices.ContainsFunc(indexes, func(x catalog.IndexDefinition) bool { return begins(x, out.ParentColumns) }) {
		return expr.NewError(1822, "HY000", "Failed to add the foreign key constraint. Missing index for constraint '%s' in the referenced table '%s'", out.Name, out.ParentTable)
	}
	out.Resolved = true
	return nil
}

// definitionOf are the columns and indexes of the table that a key refers to, the primary key among them.
func (f *foreign) definitionOf(k *ForeignKey, out *catalog.ForeignKey) (columns []catalog.ColumnDefinition, indexes []catalog.IndexDefinition, err error) {
	def := f.def
	if !strings.EqualFold(out.ParentDatabase, def.Database) || !strings.EqualFold(out.ParentTable, def.Name) {
		d, ok := f.env.Find(out.ParentDatabase, out.ParentTable)
		if !ok {
			return nil, nil, expr.NewError(1824, "HY000", "Failed to open the referenced table '%s'", k.Parent.Name)
		}
		f.def.Parents = append(f.def.Parents, d)
		of := d.Record.Definition()
		def = &of
	}
	indexes = def.Indexes
	if len(def.PrimaryKey) > 0 {
		var primary catalog.IndexDefinition
		for _, at := range def.PrimaryKey {
			primary.Columns = append(primary.Columns, catalog.IndexColumn{Name: def.Columns[at].Name})
		}
		indexes = append(slices.Clone(indexes), primary)
	}
	return def.Columns, indexes, nil
}

// compatible reports whether a foreign key can relate two columns.
func compatible(a, b *catalog.ColumnDefinition) (bool, error) {
	s, err := a.CoreType()
	if err != nil {
		return false, err
	}
	t, err := b.CoreType()
	if err != nil {
		return false, err
	}
	switch s.Kind {
	case coltype.KindText:
		return t.Kind == coltype.KindText && s.Collation.ID == t.Collation.ID, nil
	case coltype.KindBytes:
		return t.Kind == coltype.KindBytes, nil
	}
	if s.Kind == coltype.KindTime {
		return t.Kind == coltype.KindTime, nil
	}
	return s.Kind == t.Kind && s.SQL == t.SQL, nil
}

// begins reports whether an index begins with all of some columns.
func begins(x catalog.IndexDefinition, columns []string) bool {
	if len(x.Columns) < len(columns) {
		return false
	}
	for i, name := range columns {
		if !strings.EqualFold(x.Columns[i].Name, name) || x.Columns[i].Length > 0 {
			return false
		}
	}
	return true
}

// index adds the index that a key needs, if the table has none.
func (f *foreign) index(k *ForeignKey, out *catalog.ForeignKey) error {
	_, indexes, err := f.definitionOf(k, &catalog.ForeignKey{ParentDatabase: f.def.Database, ParentTable: f.def.Name})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(indexes, func(x catalog.IndexDefinition) bool { return begins(x, out.Columns) }) {
		return nil
	}
	key := Key{Name: k.Name}
	if key.Name == "" {
		key.Name = k.Index
	}
	for _, c := range out.Columns {
		key.Parts = append(key.Parts, KeyPart{Column: c})
	}
	taken := map[string]bool{}
	for _, x := range f.def.Indexes {
		taken[strings.ToLower(x.Name)] = true
	}
	x, err := keyOf(&key, f.def.Columns, taken)
	if err == nil {
		f.def.Indexes = append(f.def.Indexes, x)
	}
	return err
}
