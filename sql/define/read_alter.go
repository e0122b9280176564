package define

import (
	"strings"

	"isochron/sql/parse"
)

// AlterTable is ALTER TABLE, CREATE INDEX or DROP INDEX: all its actions are one change.
type AlterTable struct {
	Table   Name
	Actions []Action
	Options Options
	Index   bool // it is CREATE INDEX or DROP INDEX
	counter string
}

// Action is one action of an ALTER TABLE.
type Action struct {
	Kind       ActionKind
	Name       string // of the column, key or constraint that is there
	To         string // its new name
	Column     *Column
	First      bool
	After      string // a column; "": none is named
	Key        *Key
	Check      *Check
	ForeignKey *ForeignKey
	Default    *Default // of SetDefault; nil: it is dropped
	Enforced   bool
	Table      Name // of RenameTable
	IfExists   bool // it is no error if there is none; of an addition: if there is one
}

// ActionKind is the kind of an action.
type ActionKind uint8

// The kinds.
const (
	AddColumn ActionKind = iota
	ChangeColumn
	DropColumn
	RenameColumn
	SetDefault
	AddKey
	AddCheck
	AddForeignKey
	DropKey
	DropPrimary
	DropForeignKey
	DropCheck
	DropConstraint
	RenameKey
	EnforceCheck
	ShowKey // its visibility changes, which changes nothing
	RenameTable
	Convert // of all texts to the character set of the options
)

// Counter implements Statement.
func (s *AlterTable) Counter() string { return s.counter }

// alterTable reads what stands behind ALTER TABLE.
func (r *reader) alterTable() Statement {
	s := &AlterTable{counter: "Com_alter_table", Table: r.table()}
	for first := true; r.err == nil; first = false {
		if first && r.Peek().Kind == parse.End {
			break
		}
		if !r.action(s) {
			r.unexpected()
		}
		if !r.take(",") && !r.optionFollows() {
			break
		}
	}
	return s
}

// optionFollows reports whether an option of the table comes next: between options no comma is needed.
func (r *reader) optionFollows() bool {
	at := r.At
	defer func() { r.At = at }()
	return r.err == nil && r.tableOption(new(Options))
}

// createIndex reads what stands behind CREATE INDEX.
func (r *reader) createIndex(kind KeyKind) Statement {
	k := &Key{Kind: kind, Name: r.name()}
	if strings.EqualFold(k.Name, "primary") {
		r.fail(1280, "42000", "Incorrect index name '%s'", k.Name)
	}
	r.using()
	r.must("on")
	s := &AlterTable{counter: "Com_create_index", Index: true, Table: r.table()}
	r.keyRest(k)
	s.Actions = []Action{{Kind: AddKey, Key: k}}
	r.algorithms()
	return s
}

// dropIndex reads what stands behind DROP INDEX.
func (r *reader) dropIndex() Statement {
	a := Action{Kind: DropKey}
	if t := r.Peek(); t.Is("primary") {
		r.Next()
		a.Kind = DropPrimary
	} else if a.Name = r.name(); strings.EqualFold(a.Name, "primary") {
		a.Kind = DropPrimary
	}
	r.must("on")
	s := &AlterTable{counter: "Com_drop_index", Index: true, Table: r.table(), Actions: []Action{a}}
	r.algorithms()
	return s
}

// algorithms reads ALGORITHM and LOCK, which change nothing here.
func (r *reader) algorithms() {
	for r.err == nil && r.algorithm() {
		continue
	}
}

func (r *reader) algorithm() bool {
	switch r.one("algorithm", "lock") {
	case "algorithm":
		r.take("=")
		r.mustOne("default", "inplace", "copy", "instant", "nocopy")
	case "lock":
		r.take("=")
		r.mustOne("default", "none", "shared", "exclusive")
	default:
		return false
	}
	return true
}

// action reads one action; false: none comes next.
func (r *reader) action(s *AlterTable) bool {
	switch {
	case r.take("add"):
		r.addition(s)
	case r.take("drop"):
		s.Actions = append(s.Actions, r.removal())
	case r.take("modify"):
		r.take("column")
		a := Action{Kind: ChangeColumn, IfExists: r.words("if", "exists")}
		a.Name = r.columnName()
		r.changed(s, a, a.Name)
	case r.take("change"):
		r.take("column")
		a := Action{Kind: ChangeColumn, IfExists: r.words("if", "exists")}
		a.Name = r.columnName()
		r.changed(s, a, r.columnName())
	case r.take("rename"):
		s.Actions = append(s.Actions, r.renaming())
	case r.take("alter"):
		s.Actions = append(s.Actions, r.alteration())
	case r.words("convert", "to"):
		r.conversion(s)
	case r.words("disable", "keys"), r.words("enable", "keys"), r.take("force"), r.words("with", "validation"), r.words("without", "validation"), r.algorithm():
	case r.words("order", "by"):
		for r.err == nil {
			r.columnName()
			r.one("asc", "desc")
			if !r.take(",") {
				break
			}
		}
	case r.Peek().Is("partition"), r.Peek().Is("remove"), r.Peek().Is("truncate"), r.Peek().Is("discard"), r.Peek().Is("import"), r.Peek().Is("exchange"), r.Peek().Is("reorganize"), r.Peek().Is("coalesce"):
		r.fail(1235, "42000", "This version of Isochron doesn't yet support 'ALTER TABLE of partitions and tablespaces'")
	default:
		return r.tableOption(&s.Options)
	}
	return true
}

// changed reads the new definition of a column.
func (r *reader) changed(s *AlterTable, a Action, name string) {
	c := r.column(name)
	a.Column = &c
	r.position(&a)
	s.Actions = append(s.Actions, a)
	s.extras(&c)
}

// extras are the keys and checks that the definition of a column brings.
func (s *AlterTable) extras(c *Column) {
	for _, k := range c.keys() {
		s.Actions = append(s.Actions, Action{Kind: AddKey, Key: &k})
	}
	for _, check := range c.Checks {
		s.Actions = append(s.Actions, Action{Kind: AddCheck, Check: &check})
	}
}

func (r *reader) position(a *Action) {
	if r.take("first") {
		a.First = true
	} else if r.take("after") {
		a.After = r.columnName()
	}
}

// addition reads what stands behind ADD.
func (r *reader) addition(s *AlterTable) {
	name, named := r.constraint()
	if k, ok := r.keyDefinition(name); ok {
		s.Actions = append(s.Actions, Action{Kind: AddKey, Key: &k})
		return
	}
	switch {
	case r.words("foreign", "key"):
		f := r.foreignKey(name)
		s.Actions = append(s.Actions, Action{Kind: AddForeignKey, ForeignKey: &f})
		return
	case r.take("check"):
		c := r.check(name, "")
		s.Actions = append(s.Actions, Action{Kind: AddCheck, Check: &c})
		return
	case named:
		r.unexpected()
		return
	case r.Peek().Is("partition"):
		r.fail(1235, "42000", "This version of Isochron doesn't yet support 'ALTER TABLE of partitions and tablespaces'")
		return
	}
	r.take("column")
	unless := r.words("if", "not", "exists")
	if r.take("(") {
		for r.err == nil {
			r.added(s, Action{Kind: AddColumn})
			if !r.take(",") {
				break
			}
		}
		r.must(")")
		return
	}
	r.added(s, Action{Kind: AddColumn, IfExists: unless})
}

func (r *reader) added(s *AlterTable, a Action) {
	c := r.column(r.columnName())
	a.Column = &c
	r.position(&a)
	s.Actions = append(s.Actions, a)
	s.extras(&c)
}

// removal is what stands behind DROP.
func (r *reader) removal() (a Action) {
	kinds := map[string]ActionKind{"index": DropKey, "key": DropKey, "check": DropCheck, "constraint": DropConstraint, "column": DropColumn}
	switch {
	case r.Peek().Is("partition"):
		r.fail(1235, "42000", "This version of Isochron doesn't yet support 'ALTER TABLE of partitions and tablespaces'")
	case r.words("primary", "key"):
		return Action{Kind: DropPrimary}
	case r.words("foreign", "key"):
		a.Kind = DropForeignKey
	default:
		word := r.one("index", "key", "check", "constraint", "column")
		if a.Kind = kinds[word]; word == "" {
			a.Kind = DropColumn
		}
	}
	a.IfExists = r.words("if", "exists")
	if a.Name = r.columnName(); a.Kind == DropKey && strings.EqualFold(a.Name, "primary") {
		a.Kind = DropPrimary
	}
	if a.Kind == DropColumn {
		r.one("restrict", "cascade")
	}
	return a
}

// renaming is what stands behind RENAME.
func (r *reader) renaming() (a Action) {
	switch r.one("column", "index", "key") {
	case "column":
		a.Kind = RenameColumn
	case "":
		r.one("to", "as")
		return Action{Kind: RenameTable, Table: r.table()}
	default:
		a.Kind = RenameKey
	}
	a.Name = r.columnName()
	r.must("to")
	a.To = r.columnName()
	return a
}

// alteration is what stands behind ALTER.
func (r *reader) alteration() (a Action) {
	switch {
	case r.one("check", "constraint") != "":
		a = Action{Kind: EnforceCheck, Name: r.name(), Enforced: true}
		if r.words("not", "enforced") {
			a.Enforced = false
		} else {
			r.must("enforced")
		}
		return a
	case r.one("index", "key") != "":
		a = Action{Kind: ShowKey, Name: r.name()}
		r.mustOne("visible", "invisible")
		return a
	}
	r.take("column")
	a = Action{Kind: SetDefault, Name: r.columnName()}
	switch {
	case r.words("set", "default"):
		a.Default = r.defaultValue()
	case r.words("set", "visible"):
	case r.words("drop", "default"):
	default:
		r.unexpected()
	}
	return a
}

// conversion reads what stands behind CONVERT TO.
func (r *reader) conversion(s *AlterTable) {
	if !r.charsetOption(&s.Options) {
		r.unexpected()
	}
	r.charsetOption(&s.Options)
	s.Actions = append(s.Actions, Action{Kind: Convert})
}
