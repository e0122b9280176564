package foreign

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/txn"
)

// Plan returns the statements to send for the statement with these values. ErrEngine: it is a read
// for the engine.
func (s *Statement) Plan(args []Arg, now Now) (*Plan, error) {
	if what := s.session; what != "" && !(what == dialect.LastInsertID && s.Kind != dialect.Read) {
		if !s.WritesForeign() {
			return nil, ErrEngine
		}
		return nil, refused("%s is of this session, or not built in at every server, and the statement is carried out at a source: ask for its value before, and write it out", what)
	}
	for _, t := range s.tables {
		if err := there(t.ForeignTable); err != nil {
			return nil, err
		}
	}
	b := &planning{s: s, args: args, now: now, p: &Plan{Changes: s.Changes(), returns: s.Returns()}}
	switch {
	case !s.foreign:
		if s.WritesForeign() {
			return nil, refused("a statement that changes a table at a source and reads one that is not there: read the rows first, and write their values out")
		}
		return nil, ErrEngine
	case s.Kind == dialect.Insert:
		return b.p, b.insert()
	case s.Changes():
		return b.p, b.change()
	case s.Kind == dialect.Read:
		return b.p, b.read()
	}
	return nil, ErrEngine
}

// planning is one plan being made.
type planning struct {
	s    *Statement
	args []Arg
	now  Now
	p    *Plan
	// classes are those of the values.
	classes      string
	classesKnown bool
}

// common is a source that has all that a list of tables can touch; 0: there is none.
func (b *planning) common(tables []named) uint64 {
	var have []uint64
	for i, t := range tables {
		at := b.s.reached(t, b.args)
		if t.How != catalog.SpreadEverywhere && len(at) > 1 {
			return 0
		}
		if i == 0 {
			have = at
			continue
		}
		have = slices.DeleteFunc(slices.Clone(have), func(x uint64) bool { return !slices.Contains(at, x) })
	}
	if slices.Contains(have, b.now.Prefer) {
		return b.now.Prefer
	}
	if len(have) == 0 {
		return 0
	}
	return have[0]
}

// send adds what a source is to be sent.
func (b *planning) send(source uint64, st *dialect.Statement) error {
	of := dialect.Dialect(b.partAt(source).Dialect)
	if b.s.kinds != nil {
		return b.sendFilled(source, of, st)
	}
	t, err := b.translation(source, of, st)
	if of == dialect.MySQL && errors.As(err, new(*dialect.ErrNotTranslated)) && !b.s.WritesForeign() {
		return ErrEngine
	}
	if err != nil {
		return asSQL(err)
	}
	out := txn.SourceStatement{Source: txn.ShardID(source)}
	if out.Text, out.Args, err = b.filled(t); err != nil {
		return err
	}
	out.Locked = t.Locked
	b.sent(out, of, t)
	return nil
}

// sent adds a statement to the plan, with what guards it.
func (b *planning) sent(s txn.SourceStatement, of dialect.Dialect, t *dialect.Translation) {
	s.Records = b.recordsAt(uint64(s.Source))
	s.Writes = len(s.Records) > 0 && b.s.writesRecords
	s.Reads = b.s.Kind == dialect.Read
	s.Zone = b.now.Zone
	if b.now.Share && of == dialect.Postgres {
		s.Locks, s.Guard, s.Least = true, t.Guard, t.Least
	}
	b.p.Statements = append(b.p.Statements, s)
	b.p.dialects = append(b.p.dialects, of)
	b.p.insertID = append(b.p.insertID, t.InsertID)
	b.p.counting = append(b.p.counting, counting{t.Counts, t.Given})
}

// translating are the options of a translation for a source of a dialect.
func (b *planning) translating(source uint64, of dialect.Dialect) dialect.Options {
	o := b.s.options
	o.Server = dialect.ServerOf(of, b.partAt(source).Version)
	o.Share = b.now.Share
	o.LastInsertID = &b.now.LastInsertID
	o.Classes = b.classesFor(of)
	o.ReturnInsertID, o.Count, o.FoundRows = of == dialect.Postgres, of == dialect.Postgres, b.now.FoundRows
	return o
}

// translation returns a statement in a source's dialect; the translation of the client's own
// statement is kept.
func (b *planning) translation(source uint64, of dialect.Dialect, st *dialect.Statement) (*dialect.Translation, error) {
	key := translating{source, b.now.Share, b.now.FoundRows, b.classesFor(of)}
	keep := st == b.s.Statement && b.s.session == ""
	if t := b.s.translated[key]; t != nil && keep {
		return t, nil
	}
	t, err := dialect.TranslateTree(st, of, b.s.at(source), b.translating(source, of))
	if err == nil && keep {
		if len(b.s.translated) >= translatedMax {
			clear(b.s.translated)
		}
		b.s.translated[key] = &t
	}
	return &t, err
}

// translatedMax bounds the translations of a statement that are kept: its values may be of many
// classes.
const translatedMax = 64

// classesFor are the classes of the statement's values for a source of a dialect.
func (b *planning) classesFor(of dialect.Dialect) string {
	if of != dialect.Postgres || len(b.args) == 0 {
		return ""
	}
	if !b.classesKnown {
		classes := make([]byte, len(b.args))
		for i, a := range b.args {
			switch classes[i] = byte(dialect.AnyClass); {
			case i < len(b.s.kinds) && b.s.kinds[i] == dialect.WholeValue:
				classes[i] = byte(dialect.WrittenWhole)
			case b.s.kinds == nil && !a.Null:
				classes[i] = byte(dialect.ClassOf(a.Text, a.Number, a.Float))
			}
		}
		b.classes, b.classesKnown = string(classes), true
	}
	return b.classes
}

// filled returns the text of a translation and the values of its placeholders. Numbers are written
// into the text where it allows them.
func (b *planning) filled(t *dialect.Translation) (text string, values [][]byte, err error) {
	var w strings.Builder
	copied := 0
	for i, a := range t.Args {
		if a >= len(b.args) {
			return "", nil, refused("the statement has a placeholder without a value")
		}
		v := b.args[a]
		switch {
		case v.Null:
			values = append(values, nil)
		case v.Number && i < len(t.Places):
			w.WriteString(t.Text[copied:t.Places[i]])
			w.Write(v.Text)
			copied = t.Places[i] + 1
		case v.Text == nil:
			values = append(values, []byte{})
		default:
			values = append(values, v.Text)
		}
	}
	if copied == 0 {
		return t.Text, values, nil
	}
	w.WriteString(t.Text[copied:])
	return w.String(), values, nil
}

// number is a placeholder's value if it came as a number.
func (b *planning) number(place int) (string, bool) {
	if place < 0 || place >= len(b.args) || b.args[place].Null || !b.args[place].Number {
		return "", false
	}
	return string(b.args[place].Text), true
}

// partAt is a part of a table of the statement's at a source.
func (b *planning) partAt(source uint64) *catalog.ForeignPart {
	for _, t := range b.s.tables {
		for i := range t.Parts {
			if t.Parts[i].Source == source {
				return &t.Parts[i]
			}
		}
	}
	return nil // never: sources come from the tables
}

// read plans a SELECT.
func (b *planning) read() error {
	if one := b.common(b.s.tables); one != 0 {
		return b.send(one, b.s.Statement)
	}
	if b.s.SkipsLocked() {
		return b.skipping()
	}
	return b.parts()
}

// parts plans a SELECT over one table of which several sources have rows.
func (b *planning) parts() error {
	p, err := b.partial()
	if err != nil {
		return err
	}
	b.p.partial = &p
	t := b.s.tables[0]
	at := b.s.reached(t, b.args)
	for _, x := range at {
		if err := b.send(x, b.only(t, at, x, p.Statement)); err != nil {
			return err
		}
	}
	return nil
}

// partial returns the request to each source for a SELECT over one table; ErrEngine: the answers
// could not be put together.
func (b *planning) partial() (p dialect.Partial, err error) {
	if len(b.s.tables) != 1 {
		return p, ErrEngine
	}
	t := b.s.tables[0]
	p, ok := b.s.Partial(func(place int) (int64, bool) {
		text, isNumber := b.number(place)
		n, err := strconv.ParseInt(text, 10, 62)
		return n, isNumber && err == nil
	})
	if !ok {
		return p, ErrEngine
	}
	for _, name := range p.Exact {
		c := t.Column(name)
		if c < 0 {
			return p, ErrEngine
		}
		switch class(t.Columns[c].Type) {
		case "integer", "decimal", "floating-point", "a time", "date", "time", "year":
		default:
			return p, ErrEngine
		}
	}
	return p, nil
}

// target is the table that a statement changes.
func (b *planning) target() (named, error) {
	var out []named
	for _, t := range b.s.tables {
		if t.written {
			out = append(out, t)
		}
	}
	if len(out) != 1 {
		return named{}, refused("a statement that changes several tables at sources: change one after the other, in one transaction")
	}
	return out[0], nil
}

// others are the tables that a statement reads beside the one that it changes.
func (b *planning) others() []named {
	return slices.DeleteFunc(slices.Clone(b.s.tables), func(t named) bool { return t.written })
}

// change plans an UPDATE or DELETE.
func (b *planning) change() error {
	t, err := b.target()
	if err != nil {
		if one := b.common(b.s.tables); one != 0 && !slices.ContainsFunc(b.s.tables, everywhere) {
			return b.send(one, b.s.Statement)
		}
		return err
	}
	if t.By != "" && b.s.Sets(t.name, t.By) {
		return refused("an UPDATE of %s.%s, by which the rows are placed at their sources: delete the row and insert it again", t.Name, t.By)
	}
	at := b.s.reached(t, b.args)
	if len(at) > 1 && b.s.Limits() && t.How != catalog.SpreadEverywhere {
		return refused("a change with LIMIT of rows at %d sources: name the rows by %s", len(at), t.By)
	}
	return b.everywhere(t, at, b.s.Statement)
}

func everywhere(t named) bool { return t.How == catalog.SpreadEverywhere }

// everywhere sends a change of a table to all sources where its rows can be, which must have the
// other tables that it reads.
func (b *planning) everywhere(t named, at []uint64, st *dialect.Statement) error {
	for _, o := range b.others() {
		if o.ForeignTable == t.ForeignTable && len(at) == 1 {
			continue
		}
		have := b.s.reached(o, b.args)
		whole := o.How == catalog.SpreadEverywhere || len(have) == 1
		for _, x := range at {
			if !whole || !slices.Contains(have, x) {
				return refused("a statement that changes %s at one source by what %s has at another: read %s first, and write the values out", t.Name, o.Name, o.Name)
			}
		}
	}
	b.p.alike = t.How == catalog.SpreadEverywhere
	for _, x := range at {
		if err := b.send(x, b.only(t, at, x, st)); err != nil {
			return err
		}
	}
	return nil
}

// only is a statement for one of the sources at which it touches rows of a table, with the values of
// the column that places rows, in its lists, that can be there.
func (b *planning) only(t named, at []uint64, source uint64, st *dialect.Statement) *dialect.Statement {
	if len(at) < 2 || t.How == catalog.SpreadWhole || t.How == catalog.SpreadEverywhere {
		return st
	}
	return st.WithKeys(t.name, t.By, b.s.at(t.Parts[0].Source), func(v dialect.Value) bool {
		text, null := textOf(v, b.args)
		if null {
			return true
		}
		if nowhere(t.ForeignTable, text) {
			return false
		}
		part, sure := place(t.ForeignTable, text)
		return !sure || t.Parts[part].Source == source
	})
}

// insert plans an INSERT or REPLACE: its rows go to where they belong.
func (b *planning) insert() error {
	t, err := b.target()
	if err != nil {
		return err
	}
	if t.How == catalog.SpreadWhole || t.How == catalog.SpreadEverywhere {
		return b.everywhere(t, sources(t.ForeignTable), b.s.Statement)
	}
	if b.s.Sets(t.name, t.By) {
		return refused("ON DUPLICATE KEY UPDATE of %s.%s, by which the rows are placed at their sources", t.Name, t.By)
	}
	keys, err := b.s.RowKeys(t.By, b.s.at(t.Parts[0].Source))
	if err != nil {
		return asSQL(err)
	}
	rows := make([][]int, len(t.Parts))
	for i, k := range keys {
		text, null := textOf(k, b.args)
		if null {
			return refused("a row of %s without a value of %s, by which the rows are placed at their sources", t.Name, t.By)
		}
		part, sure := place(t.ForeignTable, text)
		if !sure && integers(t.ForeignTable) {
			return refused("a row of %s with %s = '%.64s', which is no integer: by it the rows are placed at their sources", t.Name, t.By, text)
		}
		rows[part] = append(rows[part], i)
	}
	for i, places := range rows {
		if len(places) == 0 {
			continue
		}
		st := b.s.Statement
		if len(places) < len(keys) {
			if st, err = b.s.WithRows(places); err != nil {
				return asSQL(err)
			}
		}
		if err := b.everywhere(t, []uint64{t.Parts[i].Source}, st); err != nil {
			return err
		}
	}
	return nil
}
