package foreign

import (
	"strconv"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/txn"
)

// Bounds of what a scan asks.
const (
	scanValuesMax = 1000 // values of one column
	scanRowsMax   = 1 << 20
	// pageRows is the number of rows requested of a source in one round, of a table whose primary
	// key is one integer: so a reader holds no more than it has counted, but for a page of each
	// source.
	pageRows = 10_000
)

// Scanning reads the rows of a table, in pages.
type Scanning struct {
	table  *catalog.ForeignTable
	text   string // the request, but for the page
	word   string // that which a further condition begins with
	lock   string
	key    int // the column by which pages go on, -1: all is one page
	now    Now
	at     []uint64          // sources that may have more
	after  map[uint64]string // the last key of each that has given a page
	asking []uint64          // the sources of the page that is requested now
}

// NewScanning reads the rows of a table that a statement may need: all of them, but for
// what the statement itself asks of single columns. st is the statement; nil: it is not known,
// or has tables that hide behind other names. lock is "", " FOR SHARE" or " FOR UPDATE".
func NewScanning(t *catalog.ForeignTable, st *Statement, args []Arg, now Now, lock string) (*Scanning, error) {
	if err := there(t); err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range t.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quotedName(c.Name))
	}
	b.WriteString(" FROM " + quotedName(t.Database) + "." + quotedName(t.Name))
	word := " WHERE "
	if st != nil {
		for _, c := range t.Columns {
			if asked := st.asked(t, c.Name, args); asked != "" {
				b.WriteString(word + asked)
				word = " AND "
			}
		}
	}
	s := &Scanning{table: t, text: b.String(), word: word, lock: lock, key: -1, now: now, after: map[uint64]string{}}
	if len(t.Key) == 1 && class(t.Columns[t.Column(t.Key[0])].Type) == "integer" {
		s.key = t.Column(t.Key[0])
	}
	all, err := s.read(s.text)
	if err != nil {
		return nil, err
	}
	if s.at = all.reached(all.tables[0], nil); t.How == catalog.SpreadEverywhere {
		s.at = s.at[:1]
	}
	return s, nil
}

func (s *Scanning) read(text string) (*Statement, error) {
	return Read(text, func(database, table string) *catalog.ForeignTable {
		if strings.EqualFold(database, s.table.Database) && strings.EqualFold(table, s.table.Name) {
			return s.table
		}
		return nil
	}, dialect.Options{})
}

// Page returns the requests for the next rows, to all sources that have more; nil: none has.
func (s *Scanning) Page() (*Plan, error) {
	if len(s.at) == 0 {
		return nil, nil
	}
	p := &planning{now: s.now, p: &Plan{}}
	for _, source := range s.at {
		text := s.text
		if s.key >= 0 {
			key := quotedName(s.table.Columns[s.key].Name)
			if last, ok := s.after[source]; ok {
				text += s.word + key + " > " + last
			}
			text += " ORDER BY " + key + " LIMIT " + strconv.Itoa(pageRows)
		}
		var err error
		if p.s, err = s.read(text + s.lock); err != nil {
			return nil, err
		}
		if err := p.send(source, p.s.Statement); err != nil {
			return nil, err
		}
		p.p.Statements[len(p.p.Statements)-1].MaxRows = scanRowsMax
	}
	s.asking = s.at
	return p.p, nil
}

// Took records the results of a page, in the order of its statements.
func (s *Scanning) Took(results []txn.SourceResult) {
	s.at = nil
	for i, source := range s.asking {
		if rows := results[i].Rows; s.key >= 0 && len(rows) == pageRows {
			s.after[source] = string(rows[pageRows-1][s.key])
			s.at = append(s.at, source)
		}
	}
}

// asked returns a statement's condition on a column wherever the table is in it; empty: none.
func (s *Statement) asked(t *catalog.ForeignTable, column string, args []Arg) string {
	var parts []string
	for _, n := range s.tables {
		if n.ForeignTable != t {
			continue
		}
		k := s.Keys(n.name, column, s.at(t.Parts[0].Source))
		if k.All || len(k.Values) > scanValuesMax || len(k.Ranges) > scanValuesMax {
			return ""
		}
		part, ok := condition(quotedName(column), k, args)
		if !ok {
			return ""
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// condition returns the condition that a column has one of some values; ok is false if it cannot be
// written.
func condition(column string, k dialect.Keys, args []Arg) (text string, ok bool) {
	var parts, values []string
	for _, v := range k.Values {
		text, null := literal(v, args)
		if null {
			parts = append(parts, column+" IS NULL")
		} else {
			values = append(values, text)
		}
	}
	if len(values) > 0 {
		parts = append(parts, column+" IN ("+strings.Join(values, ", ")+")")
	}
	for _, r := range k.Ranges {
		var ends []string
		for _, end := range []struct {
			*dialect.Bound
			sign string
		}{{r.Low, ">"}, {r.High, "<"}} {
			if end.Bound == nil {
				continue
			}
			text, null := literal(end.Value, args)
			if null {
				return "", false
			}
			if !end.Open {
				end.sign += "="
			}
			ends = append(ends, column+" "+end.sign+" "+text)
		}
		if len(ends) == 0 {
			return "", false
		}
		parts = append(parts, "("+strings.Join(ends, " AND ")+")")
	}
	if len(parts) == 0 {
		return "1 = 0", true
	}
	return strings.Join(parts, " OR "), true
}

// literal returns a value of the statement as it is written in a text.
func literal(v dialect.Value, args []Arg) (text string, null bool) {
	text, null = textOf(v, args)
	if v.Arg < 0 && v.Number || v.Arg >= 0 && v.Arg < len(args) && args[v.Arg].Number {
		return text, null
	}
	return "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(text) + "'", null
}

func quotedName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
