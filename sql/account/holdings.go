package account

import (
	"slices"
	"strings"
)

// Set is a set of the static privileges, those of the SQL standard and of MySQL 5: a bit for each, in the order of names.
type Set uint64

// names are the static privileges as GRANT has them.
var names = [...]string{
	"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "RELOAD", "SHUTDOWN", "PROCESS", "FILE", "GRANT OPTION", "REFERENCES", "INDEX", "ALTER",
	"SHOW DATABASES", "SUPER", "CREATE TEMPORARY TABLES", "LOCK TABLES", "EXECUTE", "REPLICATION SLAVE", "REPLICATION CLIENT", "CREATE VIEW", "SHOW VIEW",
	"CREATE ROUTINE", "ALTER ROUTINE", "CREATE USER", "EVENT", "TRIGGER", "CREATE TABLESPACE", "CREATE ROLE", "DROP ROLE",
}

// all are all static privileges.
const all Set = 1<<len(names) - 1

var bits = func() map[string]Set {
	m := make(map[string]Set, len(names))
	for i, name := range names {
		m[name] = 1 << i
	}
	return m
}()

var super, grantOption = bits["SUPER"], bits["GRANT OPTION"]

// anyOf are the static privileges of a need; "A or B" is either.
func anyOf(need string) (s Set) {
	if one, ok := bits[need]; ok {
		return one
	}
	for part := range strings.SplitSeq(need, " or ") {
		s |= bits[part]
	}
	return s
}

// Holdings are the privileges of an account. They do not change once they are in a Book. Keys are names in lower case.
type Holdings struct {
	Global    Set
	Dynamic   map[string]bool // by name; WITH GRANT OPTION
	Databases map[string]*OnDatabase
}

// OnDatabase are privileges on a database and what is in it. nil: none.
type OnDatabase struct {
	Name     string // as it was first written
	Whole    Set
	Tables   map[string]*OnTable
	Routines map[Routine]OnRoutine
}

// Routine is a procedure or a function.
type Routine struct {
	Name      string
	Procedure bool
}

// OnRoutine are privileges on a routine.
type OnRoutine struct {
	Name string // as it was first written
	Set  Set
}

// OnTable are privileges on a table. nil: none.
type OnTable struct {
	Name    string // as it was first written
	Whole   Set
	Columns map[string]Set
}

func (h *Holdings) on(database string) *OnDatabase { return h.Databases[strings.ToLower(database)] }

func (o *OnDatabase) all() Set {
	if o == nil {
		return 0
	}
	return o.Whole
}

func (o *OnDatabase) table(name string) *OnTable {
	if o == nil {
		return nil
	}
	return o.Tables[strings.ToLower(name)]
}

func (o *OnDatabase) routine(r Routine) Set {
	if o == nil {
		return 0
	}
	return o.Routines[r].Set
}

// some reports whether there is any privilege on the database or on something in it.
func (o *OnDatabase) some() bool {
	if o == nil {
		return false
	}
	some := o.Whole != 0
	for _, t := range o.Tables { // order: any
		some = some || t.some()
	}
	for _, r := range o.Routines { // order: any
		some = some || r.Set != 0
	}
	return some
}

func (o *OnTable) all() Set {
	if o == nil {
		return 0
	}
	return o.Whole
}

func (o *OnTable) column(name string) Set {
	if o == nil {
		return 0
	}
	return o.Columns[name]
}

func (o *OnTable) some() bool {
	if o == nil {
		return false
	}
	some := o.Whole != 0
	for _, c := range o.Columns { // order: any
		some = some || c != 0
	}
	return some
}

// has reports whether a privilege, static or dynamic, is held globally.
func (h *Holdings) has(privilege string) bool {
	if h.Global&super != 0 {
		return true
	}
	if static, ok := bits[privilege]; ok {
		return h.Global&static != 0
	}
	_, ok := h.Dynamic[strings.ToLower(privilege)]
	return ok
}

// hasOne is has for "A or B".
func (h *Holdings) hasOne(need string) bool {
	return slices.ContainsFunc(strings.Split(need, " or "), h.has)
}

// with are the privileges of two accounts together.
func (h *Holdings) with(o *Holdings) *Holdings {
	out := &Holdings{Global: h.Global | o.Global, Dynamic: map[string]bool{}, Databases: map[string]*OnDatabase{}}
	for _, from := range []*Holdings{h, o} {
		for name, option := range from.Dynamic { // order: a union
			out.Dynamic[name] = out.Dynamic[name] || option
		}
		for name, d := range from.Databases { // order: a union
			out.Databases[name] = out.Databases[name].with(d)
		}
	}
	return out
}

func (o *OnDatabase) with(more *OnDatabase) *OnDatabase {
	out := &OnDatabase{Tables: map[string]*OnTable{}, Routines: map[Routine]OnRoutine{}}
	for _, from := range []*OnDatabase{o, more} {
		if from == nil {
			continue
		}
		out.Name, out.Whole = from.Name, out.Whole|from.Whole
		for name, t := range from.Tables { // order: a union
			out.Tables[name] = out.Tables[name].with(t)
		}
		for r, s := range from.Routines { // order: a union
			out.Routines[r] = OnRoutine{s.Name, s.Set | out.Routines[r].Set}
		}
	}
	return out
}

func (o *OnTable) with(more *OnTable) *OnTable {
	out := &OnTable{Columns: map[string]Set{}}
	for _, from := range []*OnTable{o, more} {
		if from == nil {
			continue
		}
		out.Name, out.Whole = from.Name, out.Whole|from.Whole
		for name, c := range from.Columns { // order: a union
			out.Columns[name] |= c
		}
	}
	return out
}

// holdsAll reports whether all privileges of theirs are among mine.
func holdsAll(mine, theirs *Holdings) bool {
	if mine.Global&super != 0 {
		return true
	}
	if theirs.Global&^mine.Global != 0 {
		return false
	}
	for name := range theirs.Dynamic { // order: all of them
		if _, ok := mine.Dynamic[name]; !ok {
			return false
		}
	}
	for name, on := range theirs.Databases { // order: all of them
		if !holdsAllOn(mine.Global, mine.Databases[name], on) {
			return false
		}
	}
	return true
}

func holdsAllOn(global Set, mine, theirs *OnDatabase) bool {
	above := global | mine.all()
	if theirs.Whole&^above != 0 {
		return false
	}
	for name, t := range theirs.Tables { // order: all of them
		own := mine.table(name)
		if t.Whole&^(above|own.all()) != 0 {
			return false
		}
		for column, c := range t.Columns { // order: all of them
			if c&^(above|own.all()|own.column(column)) != 0 {
				return false
			}
		}
	}
	for r, s := range theirs.Routines { // order: all of them
		if s.Set&^(above|mine.routine(r)) != 0 {
			return false
		}
	}
	return true
}
