package define

import (
	"fmt"
	"slices"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/expr"
)

// keys takes in the primary key and the indexes: those that stay, and the new ones.
func (a *alterer) keys() error {
	def := &a.builder.def
	for _, e := range a.columns {
		e.def.PrimaryKey = false
		def.Columns = append(def.Columns, e.def)
	}
	if err := a.primary(); err != nil {
		return err
	}
	for _, x := range a.of(DropKey, RenameKey, ShowKey) {
		if a.indexBefore(x.Name) {
			continue
		}
		if x.Kind == DropKey {
			if !x.IfExists {
				return cannotDrop(x.Name)
			}
			continue
		}
		return expr.NewError(1176, "42000", "Key '%s' doesn't exist in table '%s'", x.Name, a.before.Name)
	}
	taken := map[string]bool{}
	for _, x := range a.before.Indexes {
		if a.find(x.Name, DropKey, DropConstraint) != nil {
			continue
		}
		if x = a.keepIndex(x); len(x.Columns) == 0 {
			continue
		}
		if taken[strings.ToLower(x.Name)] {
			return expr.NewError(1061, "42000", "Duplicate key name '%s'", x.Name)
		}
		taken[strings.ToLower(x.Name)] = true
		def.Indexes = append(def.Indexes, x)
	}
	for _, x := range a.of(AddKey) {
		if x.Key.Kind == Primary {
			continue
		}
		index, err := keyOf(x.Key, def.Columns, taken)
		if err != nil {
			return err
		}
		def.Indexes = append(def.Indexes, index)
	}
	if len(def.Indexes) > keysMax {
		return expr.NewError(1069, "42000", "Too many keys specified; max %d keys allowed", keysMax)
	}
	slices.SortStableFunc(def.Indexes, func(x, y catalog.IndexDefinition) int { return a.builder.rank(x) - a.builder.rank(y) })
	return a.builder.counter()
}

func (a *alterer) indexBefore(name string) bool {
	return slices.ContainsFunc(a.before.Indexes, func(x catalog.IndexDefinition) bool { return strings.EqualFold(x.Name, name) })
}

// keepIndex is an index with the columns that are still there, under their new names.
func (a *alterer) keepIndex(x catalog.IndexDefinition) catalog.IndexDefinition {
	var columns []catalog.IndexColumn
	for _, c := range x.Columns {
		if a.dropped[strings.ToLower(c.Name)] {
			continue
		}
		if to := a.renamed[strings.ToLower(c.Name)]; to != "" {
			c.Name = to
		}
		columns = append(columns, c)
	}
	x.Columns = columns
	if r := a.find(x.Name, RenameKey); r != nil {
		x.Name = r.To
	}
	return x
}

// primary takes in the primary key.
func (a *alterer) primary() error {
	def := &a.builder.def
	drops := len(a.of(DropPrimary)) > 0 || a.find("PRIMARY", DropConstraint) != nil
	if drops && len(a.before.PrimaryKey) == 0 {
		return cannotDrop("PRIMARY")
	}
	if !drops {
		for _, was := range a.before.PrimaryKey {
			if at := slices.IndexFunc(a.columns, func(e entry) bool { return e.from == was }); at >= 0 {
				def.PrimaryKey = append(def.PrimaryKey, at)
			}
		}
	}
	for _, x := range a.of(AddKey) {
		if x.Key.Kind != Primary {
			continue
		}
		if len(def.PrimaryKey) > 0 {
			return expr.NewError(1068, "42000", "Multiple primary key defined")
		}
		at, err := primaryOf(x.Key, def.Columns)
		if err != nil {
			return err
		}
		def.PrimaryKey = at
	}
	for _, at := range def.PrimaryKey {
		if spec := a.columns[at].spec; spec != nil && spec.Null == NullTaken {
			return expr.NewError(1171, "42000", "All parts of a PRIMARY KEY must be NOT NULL; if you need NULL in a key, use UNIQUE instead")
		}
		def.Columns[at].Nullable, def.Columns[at].PrimaryKey = false, true
	}
	return nil
}

// values takes in the defaults and what computes columns that are new or changed.
func (a *alterer) values() (err error) {
	b := &a.builder
	if b.draft, err = catalog.Draft(b.def); err != nil {
		return err
	}
	for pos, e := range a.columns {
		if e.spec == nil {
			continue
		}
		if err := a.env.valueOf(e.spec, b.draft, pos, &b.def.Columns[pos], func(at int) bool { return at >= pos && a.computes(at) }); err != nil {
			return err
		}
	}
	return nil
}

// computes reports whether a column is computed, or has a default that is.
func (a *alterer) computes(at int) bool {
	e := a.columns[at]
	if e.spec != nil && (e.spec.Generated != nil || e.spec.Default != nil) {
		return e.spec.Generated != nil || e.spec.Default.Kind == Computed
	}
	return e.def.Generated != nil || e.def.Default != nil && strings.HasPrefix(*e.def.Default, "(")
}

// constraints takes in new checks, and reports constraints that are not there.
func (a *alterer) constraints() error {
	hasCheck := func(name string) bool {
		return slices.ContainsFunc(a.before.Checks, func(c catalog.Check) bool { return strings.EqualFold(c.Name, name) })
	}
	for _, x := range a.of(DropCheck, EnforceCheck) {
		if !hasCheck(x.Name) && !x.IfExists {
			return expr.NewError(3821, "HY000", "Check constraint '%s' is not found in the table.", x.Name)
		}
	}
	for _, x := range a.of(DropConstraint) {
		if !hasCheck(x.Name) && !a.indexBefore(x.Name) && !a.hasForeignKey(x.Name) && !strings.EqualFold(x.Name, "primary") && !x.IfExists {
			return expr.NewError(3940, "HY000", "Constraint '%s' does not exist.", x.Name)
		}
	}
	def := &a.builder.def
	taken := func(name string) bool {
		return slices.ContainsFunc(def.Checks, func(c catalog.Check) bool { return strings.EqualFold(c.Name, name) })
	}
	for _, x := range a.of(AddCheck) {
		c := *x.Check
		for n := 1; c.Name == ""; n++ {
			if name := fmt.Sprintf("%s_chk_%d", def.Name, n); !taken(name) {
				c.Name = name
			}
		}
		if taken(c.Name) {
			return expr.NewError(3822, "HY000", "Duplicate check constraint name '%s'.", c.Name)
		}
		check, err := a.env.checkOf(&c, a.builder.draft)
		if err != nil {
			return err
		}
		def.Checks = append(def.Checks, check)
		if check.Enforced {
			a.verify(&check)
		}
	}
	return nil
}

func (a *alterer) hasForeignKey(name string) bool {
	return slices.ContainsFunc(a.before.ForeignKey, func(k catalog.ForeignKey) bool { return strings.EqualFold(k.Name, name) })
}

// foreignKeys takes in those that stay and the new ones, and refuses what foreign keys of others do not allow.
func (a *alterer) foreignKeys() error {
	for _, x := range a.of(DropForeignKey) {
		if !a.hasForeignKey(x.Name) && !x.IfExists {
			return cannotDrop(x.Name)
		}
	}
	def := &a.builder.def
	for _, k := range a.before.ForeignKey {
		if a.find(k.Name, DropForeignKey, DropConstraint) != nil {
			continue
		}
		if err := a.keepForeignKey(&k); err != nil {
			return err
		}
		def.ForeignKey = append(def.ForeignKey, k)
	}
	f := foreign{env: a.env, def: def, taken: map[string]bool{}}
	for _, x := range a.of(AddForeignKey) {
		if err := f.add(x.ForeignKey); err != nil {
			return err
		}
		if k := &def.ForeignKey[len(def.ForeignKey)-1]; !a.env.Unchecked {
			a.out.Verify = append(a.out.Verify, orphans(def, k))
		}
	}
	for _, d := range a.children {
		for _, k := range d.Record.ForeignKey {
			if d.ID() == a.old.ID() || !strings.EqualFold(k.ParentDatabase, a.before.Database) || !strings.EqualFold(k.ParentTable, a.before.Name) {
				continue
			}
			if err := a.keepReferred(d, &k); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepForeignKey has a foreign key follow renamed columns.
func (a *alterer) keepForeignKey(k *catalog.ForeignKey) error {
	k.Columns = slices.Clone(k.Columns)
	for i, c := range k.Columns {
		if a.dropped[strings.ToLower(c)] {
			return expr.NewError(1828, "HY000", "Cannot drop column '%s': needed in a foreign key constraint '%s'", c, k.Name)
		}
		if a.retyped(c) && !a.env.Unchecked {
			return expr.NewError(1832, "HY000", "Cannot change column '%s': used in a foreign key constraint '%s'", c, k.Name)
		}
		if to := a.renamed[strings.ToLower(c)]; to != "" {
			k.Columns[i] = to
		}
	}
	if strings.EqualFold(k.ParentDatabase, a.before.Database) && strings.EqualFold(k.ParentTable, a.before.Name) {
		k.ParentColumns = slices.Clone(k.ParentColumns)
		for i, c := range k.ParentColumns {
			if a.dropped[strings.ToLower(c)] {
				return expr.NewError(1829, "HY000", "Cannot drop column '%s': needed in a foreign key constraint '%s' of table '%s'", c, k.Name, a.before.Name)
			}
			if to := a.renamed[strings.ToLower(c)]; to != "" {
				k.ParentColumns[i] = to
			}
		}
	}
	return a.stillIndexed(k.Columns)
}

// keepReferred refuses what a foreign key of another table needs.
func (a *alterer) keepReferred(d *catalog.Descriptor, k *catalog.ForeignKey) error {
	columns := slices.Clone(k.ParentColumns)
	for i, c := range columns {
		if a.dropped[strings.ToLower(c)] {
			return expr.NewError(1829, "HY000", "Cannot drop column '%s': needed in a foreign key constraint '%s' of table '%s'", c, k.Name, d.Name())
		}
		if a.retyped(c) && !a.env.Unchecked {
			return expr.NewError(1833, "HY000", "Cannot change column '%s': used in a foreign key constraint '%s' of table '%s.%s'", c, k.Name, d.Record.Database, d.Name())
		}
		if to := a.renamed[strings.ToLower(c)]; to != "" {
			columns[i] = to
			a.out.Columns = append(a.out.Columns, [2]string{c, to})
		}
	}
	return a.stillIndexed(columns)
}

// retyped reports whether a column gets a type that is not compatible with its own.
func (a *alterer) retyped(name string) bool {
	at := positionOf(a.before.Columns, name)
	now := slices.IndexFunc(a.columns, func(e entry) bool { return e.from == at })
	if at < 0 || now < 0 {
		return false
	}
	same, err := compatible(&a.before.Columns[at], &a.columns[now].def)
	return err != nil || !same
}

// stillIndexed refuses to drop the index that a foreign key needs. One is there before.
func (a *alterer) stillIndexed(columns []string) error {
	def := &a.builder.def
	begin := func(x catalog.IndexDefinition) bool { return begins(x, columns) }
	if slices.ContainsFunc(def.Indexes, begin) || begin(primaryIndex(def)) {
		return nil
	}
	for _, x := range a.before.Indexes {
		if a.find(x.Name, DropKey, DropConstraint) != nil && begins(a.keepIndex(x), columns) {
			return expr.NewError(1553, "HY000", "Cannot drop index '%s': needed in a foreign key constraint", x.Name)
		}
	}
	if len(a.of(DropPrimary)) > 0 {
		return expr.NewError(1553, "HY000", "Cannot drop index 'PRIMARY': needed in a foreign key constraint")
	}
	return nil
}

// primaryIndex is the primary key as an index.
func primaryIndex(def *catalog.Definition) (x catalog.IndexDefinition) {
	for _, at := range def.PrimaryKey {
		x.Columns = append(x.Columns, catalog.IndexColumn{Name: def.Columns[at].Name})
	}
	return x
}

// orphans finds rows without the row that a foreign key refers to.
func orphans(def *catalog.Definition, k *catalog.ForeignKey) Verification {
	var on, where, own, parents []string
	for i, c := range k.Columns {
		on = append(on, "c."+quotedName(c)+" = p."+quotedName(k.ParentColumns[i]))
		where = append(where, "c."+quotedName(c)+" IS NOT NULL")
		own, parents = append(own, quotedName(c)), append(parents, quotedName(k.ParentColumns[i]))
	}
	return Verification{
		Query: fmt.Sprintf("SELECT 1 FROM %s.%s c LEFT JOIN %s.%s p ON %s WHERE %s AND p.%s IS NULL LIMIT 1", quotedName(def.Database), quotedName(def.Name),
			quotedName(k.ParentDatabase), quotedName(k.ParentTable), strings.Join(on, " AND "), strings.Join(where, " AND "), quotedName(k.ParentColumns[0])),
		Error: expr.NewError(1452, "23000", "Cannot add or update a child row: a foreign key constraint fails (`%s`.`%s`, CONSTRAINT `%s` FOREIGN KEY (%s) REFERENCES `%s` (%s))",
			def.Database, def.Name, k.Name, strings.Join(own, ", "), k.ParentTable, strings.Join(parents, ", ")),
	}
}
