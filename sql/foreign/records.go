package foreign

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/txn"
)

// The names of the records that a statement locks at a source, for the forecast of hot records and
// for the order of statements: they are known where it determines the values of the primary key. A
// record has one name, however its key is spelled and whatever its table is called here.

// recordsMax bounds the names that one statement has at one source; with more it has none.
const recordsMax = 64

// recordTable is a statement's condition on the primary key of a table that it names.
type recordTable struct {
	named
	columns []recordColumn // of its primary key
	rows    bool           // their values are one behind the other: those of the rows of an INSERT
	prefix  []string       // of the names in each part
}

// recordColumn is a column of a primary key, and the values of it that a statement lists.
type recordColumn struct {
	keys    dialect.Keys
	integer bool // else it is a text
	numbers bool // 0 and NULL ask for the next number
	places  bool // it determines the source of a row
}

// recordTables is nil if the records of one table at least are not known: what a statement may
// lock besides would be missing. It is worked out once, as is whether it writes them.
func (s *Statement) recordTables() []recordTable {
	if s.recordsKnown {
		return s.records
	}
	s.recordsKnown = true
	if s.Upserts() || s.Replaces() || !s.foreign {
		return nil // what they meet by other keys is not in them
	}
	var out []recordTable
	for _, t := range s.tables {
		if len(t.Key) == 0 {
			return nil
		}
		r := recordTable{named: t, rows: t.written && s.Kind == dialect.Insert}
		for _, column := range t.Key {
			if t.written && s.Sets(t.name, column) {
				return nil // the row has another key then
			}
			k, ok := s.recordColumn(r, column)
			if !ok {
				return nil
			}
			r.columns = append(r.columns, k)
		}
		for _, p := range t.Parts {
			r.prefix = append(r.prefix, strconv.FormatUint(p.Source, 10)+"\x00"+p.Schema+"\x00"+p.Table)
		}
		out = append(out, r)
	}
	s.records, s.writesRecords = out, s.writes()
	return out
}

// writes reports whether the statement changes the records that it names, and reads no others: an
// UPDATE of one table, which leaves alone what others may refer to.
func (s *Statement) writes() bool {
	if s.Kind != dialect.Update || s.Blocks() != 1 {
		return false
	}
	for _, t := range s.tables {
		sets := func(c string) bool { return s.Sets(t.name, c) }
		if t.ForeignTable != s.tables[0].ForeignTable || slices.ContainsFunc(t.Unique, func(u []string) bool { return slices.ContainsFunc(u, sets) }) {
			return false
		}
	}
	return true
}

// recordColumn is a column of a primary key; false: the statement may ask for values that it does
// not list, or two spellings may be one value.
func (s *Statement) recordColumn(r recordTable, name string) (c recordColumn, ok bool) {
	if c.keys, ok = s.keysOf(r, name); !ok {
		return c, false
	}
	i := r.Column(name)
	c.numbers, c.places = r.Columns[i].Numbered && r.rows, strings.EqualFold(name, r.By) && len(r.Parts) > 1
	switch class(r.Columns[i].Type) {
	case "integer":
		c.integer = true
		return c, true
	case "text":
		for _, p := range r.Parts { // a uuid is a text here, and spelled in several ways there
			if there := strings.ToLower(p.Types[i]); !strings.Contains(there, "char") && !strings.Contains(there, "text") {
				return c, false
			}
		}
		return c, true
	}
	return c, false
}

// keysOf are the values of a column of a primary key that a statement lists; false: it has others.
func (s *Statement) keysOf(r recordTable, column string) (k dialect.Keys, ok bool) {
	at := s.at(r.Parts[0].Source)
	if r.rows {
		values, err := s.RowKeys(column, at)
		return dialect.Keys{Values: values}, err == nil && len(values) <= recordsMax
	}
	k = s.Keys(r.name, column, at)
	return k, !k.All && len(k.Ranges) == 0 && len(k.Values) <= recordsMax
}

// recordsAt names the records that the statement locks at a source; nil: they are not known, or
// there are none.
func (b *planning) recordsAt(source uint64) (out []txn.Key) {
	for _, r := range b.s.recordTables() {
		i := slices.IndexFunc(r.Parts, func(p catalog.ForeignPart) bool { return p.Source == source })
		if i < 0 {
			return nil
		}
		names, ok := b.recordsOf(r, i)
		if !ok || len(out)+len(names) > recordsMax {
			return nil
		}
		for _, n := range names {
			if n != "" && !slices.Contains(out, txn.Key(n)) {
				out = append(out, txn.Key(n))
			}
		}
	}
	return out
}

// recordsOf names those of one table in one of its parts: each combination of values of the
// columns of its key, or each row that is inserted. One of no name lies in another part.
func (b *planning) recordsOf(r recordTable, part int) (names []string, ok bool) {
	if names = r.prefix[part : part+1 : part+1]; r.rows {
		names = slices.Repeat(names, len(r.columns[0].keys.Values))
	}
	for _, c := range r.columns {
		var next []string
		for j, v := range c.keys.Values {
			text, here, ok := b.keyText(r, c, v, part)
			switch {
			case !ok:
				return nil, false
			case r.rows && here && names[j] != "":
				names[j] += "\x00" + text
			case r.rows:
				names[j] = ""
			case here:
				for _, n := range names {
					next = append(next, n+"\x00"+text)
				}
			}
		}
		if !r.rows {
			names = next
		}
		if len(names) > recordsMax {
			return nil, false
		}
	}
	return names, true
}

// keyText returns a value of a column of a primary key in the one way in which it is written in
// names; here reports whether rows with it can be in a part. It is not ok if two spellings may be
// one key.
func (b *planning) keyText(r recordTable, c recordColumn, v dialect.Value, part int) (text string, here, ok bool) {
	text, null := textOf(v, b.args)
	switch {
	case null:
		return "", false, !r.rows
	case c.integer:
		if !plainInteger(text) {
			n, is := new(big.Int).SetString(strings.TrimSpace(text), 10)
			if !is {
				return "", false, false
			}
			text = n.String()
		}
		if c.numbers && text == "0" {
			return "", false, false
		}
	default:
		if v.Number || v.Arg >= 0 && b.args[v.Arg].Number || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
			return "", false, false // it may be equal to texts that are spelled otherwise
		}
		text = strings.ToLower(strings.TrimRight(text, " "))
	}
	if c.places {
		at, sure := place(r.ForeignTable, text)
		return text, at == part, sure
	}
	return text, true, true
}

// plainInteger reports whether a text is an integer as it is written in names.
func plainInteger(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits[0] == '0' && text != "0" {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}
