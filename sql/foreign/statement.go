package foreign

import (
	"errors"
	"slices"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/sql/legacy"
	"isochron/txn"
)

// Lookup finds a table at sources by the name that a statement has for it; the database is empty
// if it names none. nil: there is none of that name.
type Lookup func(database, table string) *catalog.ForeignTable

// Statement is a client's statement that names tables at sources. It is made once for a text and
// may be planned many times.
type Statement struct {
	*dialect.Statement
	tables  []named
	foreign bool // all tables that it names are at sources
	lookup  Lookup
	options dialect.Options
	schemas map[uint64]*schema
	session string // what only the client's session can tell; empty: nothing
	// translated are what sources were sent before, of the statement as it is.
	translated map[translating]*dialect.Translation
	// kinds are those of the values that were taken out of the text (written.go); nil: its
	// placeholders are the client's own.
	kinds     []dialect.ValueKind
	templates map[translating]*dialect.Template // nil: there is none
	// records and writesRecords are what recordTables has worked out, once recordsKnown.
	records       []recordTable
	writesRecords bool
	recordsKnown  bool
}

// translating is the input of a translation.
type translating struct {
	source uint64
	share  bool
	found  bool
	// classes are those of the values (dialect.Options), where it is translated for a PostgreSQL.
	classes string
}

type named struct {
	name dialect.Name
	*catalog.ForeignTable
	written bool
}

// ErrEngine means that a read is for the engine.
var ErrEngine = errors.New("the statement reads what no source can answer alone")

// refused is the error of a statement that cannot be done: MySQL's ER_NOT_SUPPORTED_YET.
func refused(format string, args ...any) error {
	return legacy.NewError(1235, "42000", format, args...)
}

// asSQL is an error of package dialect as clients get it.
func asSQL(err error) error {
	var numbered interface {
		error
		Code() uint16
		State() string
	}
	if errors.As(err, &numbered) {
		return legacy.NewError(int(numbered.Code()), numbered.State(), "%s", numbered.Error())
	}
	return err
}

// Read reads a text of one statement. nil: it names no table at a source, or is no statement that
// reads or changes rows, and is not for this package. An error: it cannot be read at all.
func Read(text string, lookup Lookup, o dialect.Options) (*Statement, error) {
	p, err := dialect.Analyse(text, o)
	if err != nil {
		return nil, asSQL(err)
	}
	if len(p.Statements) != 1 {
		return nil, nil
	}
	st := p.Statements[0]
	s := &Statement{Statement: st, foreign: true, lookup: lookup, options: o, schemas: map[uint64]*schema{}, translated: map[translating]*dialect.Translation{}}
	s.session = st.OfSession()
	s.note(st.Writes, true)
	s.note(st.Reads, false)
	if len(s.tables) == 0 {
		return nil, nil
	}
	if st.Kind == dialect.Define && !s.WritesForeign() {
		return nil, nil // a view of it, or a table made of its content
	}
	if st.Kind == dialect.Define {
		return nil, refused("table %s is at a source and cannot be defined here: change it at the source, then CALL isochron.import_table again; CALL isochron.drop_imported_table('%s.%s') removes it from the catalogue",
			s.tables[0].Name, s.tables[0].Database, s.tables[0].Name)
	}
	return s, nil
}

func (s *Statement) note(names []dialect.Name, written bool) {
	for _, n := range names {
		if t := s.lookup(n.Database, n.Table); t != nil {
			s.tables = append(s.tables, named{n, t, written})
		} else {
			s.foreign = false
		}
	}
}

// Changes reports whether it is a statement that changes rows.
func (s *Statement) Changes() bool {
	return s.Kind == dialect.Insert || s.Kind == dialect.Update || s.Kind == dialect.Delete
}

// WritesForeign reports whether it changes a table at a source.
func (s *Statement) WritesForeign() bool {
	return slices.ContainsFunc(s.tables, func(t named) bool { return t.written })
}

// Foreign reports whether all tables that it names lie at sources.
func (s *Statement) Foreign() bool { return s.foreign }

// Tables are those at sources that it names.
func (s *Statement) Tables() []*catalog.ForeignTable {
	var out []*catalog.ForeignTable
	for _, t := range s.tables {
		if !slices.Contains(out, t.ForeignTable) {
			out = append(out, t.ForeignTable)
		}
	}
	return out
}

// schema describes one source's tables, under the names of the catalogue.
type schema struct {
	source uint64
	lookup Lookup
	tables map[*catalog.ForeignTable]*dialect.Table
}

// at is the schema of a source, as the statement sees it.
func (s *Statement) at(source uint64) *schema {
	if s.schemas[source] == nil {
		s.schemas[source] = &schema{source, s.lookup, map[*catalog.ForeignTable]*dialect.Table{}}
	}
	return s.schemas[source]
}

// Table implements dialect.Schema.
func (c *schema) Table(database, name string) (*dialect.Table, bool) {
	t := c.lookup(database, name)
	if t == nil {
		return nil, false
	}
	if known := c.tables[t]; known != nil {
		return known, true
	}
	i := slices.IndexFunc(t.Parts, func(p catalog.ForeignPart) bool { return p.Source == c.source })
	if i < 0 {
		return nil, false
	}
	c.tables[t] = describe(t, &t.Parts[i])
	return c.tables[t], true
}

// describe is a table as one of its sources has it.
func describe(t *catalog.ForeignTable, p *catalog.ForeignPart) *dialect.Table {
	out := &dialect.Table{Schema: p.Schema, Name: p.Table, Plain: p.Plain}
	spelled := func(names []string) (list []string) {
		for _, n := range names {
			list = append(list, p.Columns[t.Column(n)])
		}
		return list
	}
	for i, c := range t.Columns {
		out.Columns = append(out.Columns, dialect.Column{Name: p.Columns[i], Type: p.Types[i], Null: c.Nullable, Auto: c.Numbered})
	}
	out.Key = spelled(t.Key)
	for _, u := range t.Unique {
		out.Unique = append(out.Unique, spelled(u))
	}
	return out
}

// Arg is a value of a placeholder.
type Arg struct {
	Text   []byte
	Null   bool
	Number bool // it came as a number
	Float  bool // it came as a floating-point number
}

// Now is the input of a plan beside the statement and its values.
type Now struct {
	Share        bool // reads at PostgreSQL lock what they read, and have the rest guarded
	LastInsertID uint64
	FoundRows    bool // the client asks how many rows are found, not changed
	// Prefer is a source that the transaction has touched, for tables that are everywhere; 0: none.
	Prefer uint64
	// Zone is the session's time zone, as txn.Statement has it.
	Zone string
}

// Plan is the set of requests for a statement.
type Plan struct {
	Statements []txn.SourceStatement
	Changes    bool
	Skipping   *Skipping         // in rounds that depend on each other; nil: in one
	dialects   []dialect.Dialect // of each
	insertID   []string          // of each: the column of its answer that is the new number
	counting   []counting        // of each
	returns    bool              // it changes rows, and answers with them
	partial    *dialect.Partial  // how the answers are put together; nil: they are one
	alike      bool              // each source does the same to the same rows
}

// counting is the way in which the rows of an answer count changed rows.
type counting struct {
	byRow bool // each has the number of times that it counts
	given int  // rows; the missing ones count once
}

// Need is a privilege on a table.
type Need struct {
	Table     *catalog.ForeignTable
	Privilege string
}

// Needs are the privileges that the statement needs on the tables at sources that it names.
func (s *Statement) Needs() []Need {
	var out []Need
	for _, t := range s.tables {
		switch {
		case !t.written:
			out = append(out, Need{t.ForeignTable, "SELECT"})
		case s.Kind == dialect.Insert:
			out = append(out, Need{t.ForeignTable, "INSERT"})
			if s.Replaces() {
				out = append(out, Need{t.ForeignTable, "DELETE"})
			}
			if s.Upserts() {
				out = append(out, Need{t.ForeignTable, "UPDATE"})
			}
		case s.Kind == dialect.Update:
			out = append(out, Need{t.ForeignTable, "UPDATE"})
		case s.Kind == dialect.Delete:
			out = append(out, Need{t.ForeignTable, "DELETE"})
		}
	}
	return out
}

// Mentions reports whether a text may name a table at a source.
func Mentions(text string, snap *catalog.Snapshot) bool {
	lower := strings.ToLower(text)
	for _, t := range snap.Foreign { // order: any will do
		if strings.Contains(lower, strings.ToLower(t.Name)) {
			return true
		}
	}
	return false
}

// Plain reports whether all that the statement reads are tables, and it reads or changes rows: then
// its conditions on a table's columns hold wherever the table is read.
func (s *Statement) Plain(isTable func(dialect.Name) bool) bool {
	if s.Kind != dialect.Read && !s.Changes() {
		return false
	}
	no := func(n dialect.Name) bool { return !isTable(n) }
	return !slices.ContainsFunc(s.Reads, no) && !slices.ContainsFunc(s.Writes, no)
}

// Placeholders are how many values the statement needs.
func (s *Statement) Placeholders() int { return s.Places }

// Explain describes how the answers become one.
func (p *Plan) Explain() string {
	switch {
	case p.Skipping != nil:
		return "rows looked for at all sources, then locked by their keys at theirs"
	case len(p.Statements) == 1:
		return "one source"
	case p.Changes:
		return "all sources in parallel"
	case p.partial != nil && p.partial.Outputs != nil:
		return "all sources in parallel, groups added up at the gateway"
	}
	return "all sources in parallel, rows merged at the gateway"
}
