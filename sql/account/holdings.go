package account

import (
	"slices"
	"strings"
)

// set is a set of the static privileges, those of the SQL standard and of MySQL 5: a bit for each, in the order of names.
type set uint64

// names are the static privileges as GRANT has them.
var names = [...]string{
	"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "RELOAD", "SHUTDOWN", "PROCESS", "FILE", "GRANT OPTION", "REFERENCES", "INDEX", "ALTER",
	"SHOW DATABASES", "SUPER", "CREATE TEMPORARY TABLES", "LOCK TABLES", "EXECUTE", "REPLICATION SLAVE", "REPLICATION CLIENT", "CREATE VIEW", "SHOW VIEW",
	"CREATE ROUTINE", "ALTER ROUTINE", "CREATE USER", "EVENT", "TRIGGER", "CREATE TABLESPACE", "CREATE ROLE", "DROP ROLE",
}

// all are all static privileges.
const all set = 1<<len(names) - 1

var bits = func() map[string]set {
	m := make(map[string]set, len(names))
	for i, name := range names {
		m[name] = 1 << i
	}
	return m
}()

var super, grantOption = bits["SUPER"], bits["GRANT OPTION"]

// anyOf are the static privileges of a need; "A or B" is either.
func anyOf(need string) (s set) {
	if one, ok := bits[need]; ok {
		return one
	}
	for part := range strings.SplitSeq(need, " or ") {
		s |= bits[part]
	}
	return s
}

// name is the first privilege of a set.
func (s set) name() string {
	for i, name := range names {
		if s&(1<<i) != 0 {
			return name
		}
	}
	return ""
}

// holdings are the privileges of an account. They do not change. Names of databases, tables, columns and routines are in
// lower case.
type holdings struct {
	global    set
	dynamic   map[string]bool // by name in lower case; WITH GRANT OPTION
	databases map[string]*onDatabase
}

// onDatabase are privileges on a database and what is in it. nil: none.
type onDatabase struct {
	whole    set
	tables   map[string]*onTable
	routines map[routine]set
}

type routine struct {
	name      string
	procedure bool
}

// onTable are privileges on a table. nil: none.
type onTable struct {
	whole   set
	columns map[string]set
}

func (h *holdings) on(database string) *onDatabase { return h.databases[strings.ToLower(database)] }

func (o *onDatabase) all() set {
	if o == nil {
		return 0
	}
	return o.whole
}

func (o *onDatabase) table(name string) *onTable {
	if o == nil {
		return nil
	}
	return o.tables[strings.ToLower(name)]
}

func (o *onDatabase) routine(r routine) set {
	if o == nil {
		return 0
	}
	return o.routines[r]
}

// some reports whether there is any privilege on the database or on something in it.
func (o *onDatabase) some() bool {
	if o == nil {
		return false
	}
	some := o.whole != 0
	for _, t := range o.tables { // order: any
		some = some || t.some()
	}
	for _, r := range o.routines { // order: any
		some = some || r != 0
	}
	return some
}

func (o *onTable) all() set {
	if o == nil {
		return 0
	}
	return o.whole
}

func (o *onTable) column(name string) set {
	if o == nil {
		return 0
	}
	return o.columns[name]
}

func (o *onTable) some() bool {
	if o == nil {
		return false
	}
	some := o.whole != 0
	for _, c := range o.columns { // order: any
		some = some || c != 0
	}
	return some
}

// has reports whether a privilege, static or dynamic, is held globally.
func (h *holdings) has(privilege string) bool {
	if h.global&super != 0 {
		return true
	}
	if static, ok := bits[privilege]; ok {
		return h.global&static != 0
	}
	_, ok := h.dynamic[strings.ToLower(privilege)]
	return ok
}

// hasOne is has for "A or B".
func (h *holdings) hasOne(need string) bool {
	return slices.ContainsFunc(strings.Split(need, " or "), h.has)
}

// with are the privileges of two accounts together.
func (h *holdings) with(o *holdings) *holdings {
	out := &holdings{global: h.global | o.global, dynamic: map[string]bool{}, databases: map[string]*onDatabase{}}
	for _, from := range []*holdings{h, o} {
		for name, option := range from.dynamic { // order: a union
			out.dynamic[name] = out.dynamic[name] || option
		}
		for name, d := range from.databases { // order: a union
			out.databases[name] = out.databases[name].with(d)
		}
	}
	return out
}

func (o *onDatabase) with(more *onDatabase) *onDatabase {
	out := &onDatabase{tables: map[string]*onTable{}, routines: map[routine]set{}}
	for _, from := range []*onDatabase{o, more} {
		if from == nil {
			continue
		}
		out.whole |= from.whole
		for name, t := range from.tables { // order: a union
			out.tables[name] = out.tables[name].with(t)
		}
		for r, s := range from.routines { // order: a union
			out.routines[r] |= s
		}
	}
	return out
}

func (o *onTable) with(more *onTable) *onTable {
	out := &onTable{columns: map[string]set{}}
	for _, from := range []*onTable{o, more} {
		if from == nil {
			continue
		}
		out.whole |= from.whole
		for name, c := range from.columns { // order: a union
			out.columns[name] |= c
		}
	}
	return out
}

// holdsAll reports whether all privileges of theirs are among mine.
func holdsAll(mine, theirs *holdings) bool {
	if mine.global&super != 0 {
		return true
	}
	if theirs.global&^mine.global != 0 {
		return false
	}
	for name := range theirs.dynamic { // order: all of them
		if _, ok := mine.dynamic[name]; !ok {
			return false
		}
	}
	for name, on := range theirs.databases { // order: all of them
		if !holdsAllOn(mine.global, mine.databases[name], on) {
			return false
		}
	}
	return true
}

func holdsAllOn(global set, mine, theirs *onDatabase) bool {
	above := global | mine.all()
	if theirs.whole&^above != 0 {
		return false
	}
	for name, t := range theirs.tables { // order: all of them
		own := mine.table(name)
		if t.whole&^(above|own.all()) != 0 {
			return false
		}
		for column, c := range t.columns { // order: all of them
			if c&^(above|own.all()|own.column(column)) != 0 {
				return false
			}
		}
	}
	for r, s := range theirs.routines { // order: all of them
		if s&^(above|mine.routine(r)) != 0 {
			return false
		}
	}
	return true
}
