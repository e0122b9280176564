package define

import (
	"fmt"
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/expr"
)

// Altered is what an ALTER TABLE makes of a table, as steps of one change.
type Altered struct {
	catalog.Alteration
	// Verify are conditions that no row of the new table may meet, and the errors of those that do.
	Verify []Verification
	// Renamed is the table's new name; Name "": it keeps its own.
	Renamed Name
	// Number is the least next value of the column that counts by itself; 0: as it is.
	Number uint64
}

// Verification is a query that finds a row that the new definition does not allow.
type Verification struct {
	Query string
	Error *expr.Error
}

// alterer computes what an ALTER TABLE makes of a table. Names of columns, keys and constraints in actions that change or drop one are
// those of the table before; those of new keys and constraints are the new ones.
type alterer struct {
	env     *Env
	s       *AlterTable
	old     *catalog.Descriptor
	before  catalog.Definition
	columns []entry
	builder builder
	out     Altered
	renamed map[string]string // new names of columns, by their old ones in lower case
	dropped map[string]bool   // columns, in lower case
	// children are the tables whose foreign keys refer to this one.
	children []*catalog.Descriptor
}

// entry is a column of the new table.
type entry struct {
	def  catalog.ColumnDefinition
	from int     // its position before; -1: it is new
	spec *Column // nil: it stays as it is
}

// Alter is what the statement makes of a table. children are the tables that have foreign keys to it.
func (s *AlterTable) Alter(env *Env, old *catalog.Descriptor, children []*catalog.Descriptor) (*Altered, error) {
	a := &alterer{env: env, s: s, old: old, before: old.Record.Definition(), children: children, renamed: map[string]string{}, dropped: map[string]bool{}}
	for _, step := range []func() error{a.options, a.keepColumns, a.addColumns, a.expressions, a.keys, a.values, a.constraints, a.foreignKeys, a.finish} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return &a.out, nil
}

// of yields the actions of some kinds.
func (a *alterer) of(kinds ...ActionKind) (out []*Action) {
	for i := range a.s.Actions {
		if slices.Contains(kinds, a.s.Actions[i].Kind) {
			out = append(out, &a.s.Actions[i])
		}
	}
	return out
}

// find is the action of some kinds on a name; nil: there is none.
func (a *alterer) find(name string, kinds ...ActionKind) *Action {
	for _, x := range a.of(kinds...) {
		if strings.EqualFold(x.Name, name) {
			return x
		}
	}
	return nil
}

// options takes in the options of the table.
func (a *alterer) options() (err error) {
	def, o := &a.builder.def, &a.s.Options
	*def = catalog.Definition{Database: a.before.Database, Name: a.before.Name, Collation: a.before.Collation, Comment: a.before.Comment}
	if def.Collation, err = collationOf(o.Charset, o.Collation, def.Collation); err != nil {
		return err
	}
	if o.Comment != nil {
		def.Comment = *o.Comment
	}
	if o.AutoIncrement != nil {
		a.out.Number = *o.AutoIncrement
	}
	for _, x := range a.of(RenameTable) {
		a.out.Renamed = x.Table
	}
	return a.env.engine(o.Engine, def.Name)
}

// keepColumns takes in the columns that are there, changed or not.
func (a *alterer) keepColumns() error {
	for _, x := range a.of(ChangeColumn, DropColumn, RenameColumn, SetDefault) {
		if at := positionOf(a.before.Columns, x.Name); at < 0 && !x.IfExists {
			if x.Kind == DropColumn {
				return cannotDrop(x.Name)
			}
			return unknownColumn(x.Name, a.before.Name)
		}
	}
	converts := len(a.of(Convert)) > 0
	for at := range a.before.Columns {
		e := entry{def: a.before.Columns[at], from: at}
		name := e.def.Name
		if a.find(name, DropColumn) != nil {
			a.dropped[strings.ToLower(name)] = true
			continue
		}
		if converts {
			if err := e.convert(a.builder.def.Collation); err != nil {
				return err
			}
		}
		if x := a.find(name, RenameColumn); x != nil {
			e.def.Name = x.To
		}
		if x := a.find(name, SetDefault); x != nil {
			e.spec = asSpec(&e.def, x.Default)
		}
		if x := a.find(name, ChangeColumn); x != nil {
			if err := a.change(&e, x); err != nil {
				return err
			}
		}
		if !strings.EqualFold(e.def.Name, name) || e.def.Name != name {
			a.renamed[strings.ToLower(name)] = e.def.Name
		}
		a.columns = append(a.columns, e)
	}
	return nil
}

func unknownColumn(name, table string) error {
	return expr.NewError(1054, "42S22", "Unknown column '%s' in '%s'", name, table)
}

func cannotDrop(name string) error {
	return expr.NewError(1091, "42000", "Can't DROP '%s'; check that column/key exists", name)
}

// convert gives a text the collation of the table.
func (e *entry) convert(collation uint16) error {
	t, err := e.def.CoreType()
	if err != nil || t.Collation == nil || t.Collation.Binary {
		return err
	}
	text := e.def.Type
	for _, word := range []string{" CHARACTER SET ", " COLLATE "} {
		if i := strings.LastIndex(text, word); i >= 0 && !strings.Contains(text[i:], "'") {
			text = text[:i]
		}
	}
	e.def.Type, e.def.Collation = withCollation(text, collation), collation
	return nil
}

// asSpec is a column that is there as one whose default is given anew.
func asSpec(def *catalog.ColumnDefinition, value *Default) *Column {
	c := &Column{Name: def.Name, Default: value, made: def}
	if def.Default = nil; !def.Nullable {
		c.Null = NotNull
	}
	return c
}

// change takes in the new definition of a column.
func (a *alterer) change(e *entry, x *Action) error {
	def, err := a.env.columnOf(x.Column, a.builder.def.Collation)
	if err != nil {
		return err
	}
	was := &a.before.Columns[e.from]
	if (was.Generated != nil && was.Virtual) != (x.Column.Generated != nil && x.Column.Virtual) {
		return expr.NewError(3106, "HY000", "'Changing the STORED status' is not supported for generated columns.")
	}
	def.PrimaryKey = e.def.PrimaryKey
	if def.PrimaryKey {
		if x.Column.Null == NullTaken {
			return expr.NewError(1171, "42000", "All parts of a PRIMARY KEY must be NOT NULL; if you need NULL in a key, use UNIQUE instead")
		}
		def.Nullable = false
	}
	e.def, e.spec = def, x.Column
	return nil
}

// addColumns puts new columns, and those that get another place, where they go.
func (a *alterer) addColumns() error {
	for _, x := range a.of(AddColumn, ChangeColumn) {
		var e entry
		at := slices.IndexFunc(a.columns, func(e entry) bool { return e.spec == x.Column })
		switch {
		case x.Kind == AddColumn:
			if x.IfExists && positionOf(a.before.Columns, x.Column.Name) >= 0 {
				a.env.Context.Note(1060, fmt.Sprintf("Duplicate column name '%s'", x.Column.Name))
				continue
			}
			def, err := a.env.columnOf(x.Column, a.builder.def.Collation)
			if err != nil {
				return err
			}
			e = entry{def: def, from: -1, spec: x.Column}
		case !x.First && x.After == "" || at < 0:
			continue
		default:
			e = a.columns[at]
			a.columns = slices.Delete(a.columns, at, at+1)
		}
		if err := a.insert(e, x); err != nil {
			return err
		}
	}
	if len(a.columns) == 0 {
		return expr.NewError(1090, "42000", "You can't delete all columns with ALTER TABLE; use DROP TABLE instead")
	}
	for i, e := range a.columns {
		for _, o := range a.columns[:i] {
			if strings.EqualFold(o.def.Name, e.def.Name) {
				return expr.NewError(1060, "42S21", "Duplicate column name '%s'", e.def.Name)
			}
		}
	}
	return nil
}

func (a *alterer) insert(e entry, x *Action) error {
	at := len(a.columns)
	switch {
	case x.First:
		at = 0
	case x.After != "":
		after := slices.IndexFunc(a.columns, func(o entry) bool { return strings.EqualFold(o.def.Name, x.After) })
		if after < 0 {
			return unknownColumn(x.After, a.before.Name)
		}
		at = after + 1
	}
	a.columns = slices.Insert(a.columns, at, e)
	return nil
}

// expressions has those that stay follow renamed columns, and refuses to drop what they need.
func (a *alterer) expressions() error {
	for i := range a.columns {
		e := &a.columns[i]
		if e.from < 0 {
			continue
		}
		for _, text := range []**string{&e.def.Default, &e.def.OnUpdate, &e.def.Generated} {
			if *text == nil {
				continue
			}
			names, err := catalog.ColumnsIn(**text)
			if err != nil {
				return err
			}
			for _, n := range names {
				if a.dropped[strings.ToLower(n)] {
					return expr.NewError(3108, "HY000", "Column '%s' has a generated column dependency.", n)
				}
			}
			now, err := a.follow(**text)
			if err != nil {
				return err
			}
			if now != **text {
				now = "(" + now + ")"
			}
			*text = &now
		}
	}
	for _, c := range a.before.Checks {
		if a.find(c.Name, DropCheck, DropConstraint) != nil {
			continue
		}
		kept, err := a.keepCheck(&c)
		if err != nil {
			return err
		}
		if kept {
			a.builder.def.Checks = append(a.builder.def.Checks, c)
		}
	}
	return nil
}

// keepCheck has a check follow renamed columns; false: it goes with its only column.
func (a *alterer) keepCheck(c *catalog.Check) (bool, error) {
	names, err := catalog.ColumnsIn(c.Text)
	if err != nil {
		return false, err
	}
	for _, n := range names {
		if !a.dropped[strings.ToLower(n)] {
			continue
		}
		if slices.ContainsFunc(names, func(o string) bool { return !strings.EqualFold(o, n) }) {
			return false, expr.NewError(3959, "HY000", "Check constraint '%s' uses column '%s', hence column cannot be dropped or renamed.", c.Name, n)
		}
		return false, nil
	}
	if x := a.find(c.Name, EnforceCheck); x != nil {
		if x.Enforced && !c.Enforced {
			a.verify(c)
		}
		c.Enforced = x.Enforced
	}
	c.Text, err = a.follow(c.Text)
	return true, err
}

// follow is an expression with the new names of columns.
func (a *alterer) follow(text string) (string, error) {
	e, err := expr.Environment().Parser().ParseExpr(text)
	if err != nil {
		return text, nil // it names none that is known
	}
	changed := false
	out := sqlparser.CopyOnRewrite(e, nil, func(c *sqlparser.CopyOnWriteCursor) {
		n, ok := c.Node().(*sqlparser.ColName)
		if !ok {
			return
		}
		if to := a.renamed[strings.ToLower(n.Name.String())]; to != "" {
			changed = true
			c.Replace(&sqlparser.ColName{Name: sqlparser.NewIdentifierCI(to)})
		}
	}, nil)
	if !changed {
		return text, nil
	}
	return Text(out.(sqlparser.Expr)), nil
}

// verify has no row fail a check.
func (a *alterer) verify(c *catalog.Check) {
	a.out.Verify = append(a.out.Verify, Verification{
		Query: fmt.Sprintf("SELECT 1 FROM %s.%s WHERE (%s) IS FALSE LIMIT 1", quotedName(a.before.Database), quotedName(a.before.Name), c.Text),
		Error: expr.NewError(3819, "HY000", "Check constraint '%s' is violated.", c.Name),
	})
}
