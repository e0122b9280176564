package dialect

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// insertedRows are the rows that an INSERT or REPLACE lists.
func insertedRows(s *sqlparser.Insert) (sqlparser.Values, bool) {
	r, ok := s.Rows.(sqlparser.Values)
	return r, ok
}

// RowKeys returns the value of a column in each row of an INSERT. The error, *ErrNotTranslated, has
// the reason why it is unknown: the rows are a query's, the column is not given, or its value is
// calculated.
func (s *Statement) RowKeys(column string, schema Schema) (keys []Value, err error) {
	defer caught(&err)
	insert, ok := s.stmt.(*sqlparser.Insert)
	if !ok {
		refuse("a statement that is no INSERT", "it has no rows", "")
	}
	rows, ok := insertedRows(insert)
	if !ok {
		refuse("INSERT ... SELECT into a table that is spread over sources", "where its rows go is not known before they are read", "Read the rows, and insert them with VALUES")
	}
	at := columnAt(insert, column, schema)
	for _, r := range rows {
		if at >= len(r) {
			refuse("an INSERT that does not give "+column, "the table is spread over sources by it", "Give its value")
		}
		v, ok := valueOf(r[at])
		if !ok {
			refuse("an INSERT that reckons "+column, "the table is spread over sources by it", "Give its value, or a placeholder")
		}
		keys = append(keys, v)
	}
	return keys, nil
}

func columnAt(s *sqlparser.Insert, column string, schema Schema) int {
	for i, c := range s.Columns {
		if strings.EqualFold(c.String(), column) {
			return i
		}
	}
	if len(s.Columns) == 0 && schema != nil {
		n := nameOf(inserted(s))
		if t, ok := schema.Table(n.Database, n.Table); ok {
			for i, c := range t.Columns {
				if strings.EqualFold(c.Name, column) {
					return i
				}
			}
		}
	}
	refuse("an INSERT that does not give "+column, "the table is spread over sources by it", "Name the column and give its value")
	return 0
}

// Gives reports whether each row of an INSERT has a value of its own for a column: it is named, and
// none has DEFAULT there.
func (s *Statement) Gives(column string) bool {
	insert, ok := s.stmt.(*sqlparser.Insert)
	if !ok || len(insert.Columns) == 0 && insert.Rows == nil {
		return false
	}
	at := slices.IndexFunc(insert.Columns, func(c sqlparser.IdentifierCI) bool { return strings.EqualFold(c.String(), column) })
	if at < 0 && len(insert.Columns) > 0 {
		return false
	}
	rows, _ := insertedRows(insert)
	for _, r := range rows {
		if len(r) == 0 {
			return false
		}
		for i, x := range r {
			if d, ok := x.(*sqlparser.Default); ok && d.ColName == "" && (i == at || at < 0) {
				return false
			}
		}
	}
	return true
}

// WithRows is an INSERT with some of its rows, by their places. The values of its placeholders
// keep their places.
func (s *Statement) WithRows(places []int) (out *Statement, err error) {
	defer caught(&err)
	insert, ok := s.stmt.(*sqlparser.Insert)
	if !ok {
		refuse("a statement that is no INSERT", "it has no rows", "")
	}
	rows, ok := insertedRows(insert)
	if !ok {
		refuse("INSERT ... SELECT", "its rows are not listed", "")
	}
	var kept sqlparser.Values
	for _, p := range places {
		if p < 0 || p >= len(rows) {
			refuse("row "+itoa(p)+" of an INSERT", "it has "+itoa(len(rows)), "")
		}
		kept = append(kept, rows[p])
	}
	c := *insert
	c.Rows = kept
	made := *s
	made.Text = ""
	made.stmt = &c
	return &made, nil
}
