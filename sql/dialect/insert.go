package dialect

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// valuesOf is the meaning of VALUES(column) and a row's alias in ON DUPLICATE KEY UPDATE: the row
// that was to be inserted, EXCLUDED in PostgreSQL.
type valuesOf struct {
	target   *item
	excluded *item
	alias    string            // the row's name
	columns  map[string]string // by its own names of columns
}

// inserted is the table of an INSERT.
func inserted(s *sqlparser.Insert) sqlparser.TableName {
	n, _ := s.Table.Expr.(sqlparser.TableName)
	return n
}

// insert writes INSERT and REPLACE.
func (e *emitter) insert(s *sqlparser.Insert) string {
	n := e.tableName(inserted(s))
	e.out.Writes = addName(e.out.Writes, n)
	if len(s.Partitions) > 0 {
		refuse("PARTITION (...)", "partitions of a source have names of their own", "Insert into the table")
	}
	var out string
	e.within(func(sc *scope) {
		target := e.newItem(n, "")
		columns := e.insertColumns(s, target)
		var b strings.Builder
		b.WriteString("INSERT INTO " + as(e.physical(n), target.quoted))
		b.WriteString(e.insertRows(s, target, columns))
		sc.items = []*item{target}
		b.WriteString(e.conflict(s, target, columns))
		b.WriteString(e.returned(target))
		out = b.String()
	})
	return out
}

// insertColumns are the columns that values are given for, in the source's spelling; none is
// given if neither the statement nor the schema names them.
func (e *emitter) insertColumns(s *sqlparser.Insert, target *item) []output {
	var out []output
	for _, c := range s.Columns {
		o, ok := target.find(c.String())
		if !ok {
			o = output{name: fold(c.String())}
		}
		out = append(out, o)
	}
	if len(s.Columns) == 0 && target.closed {
		out = target.columns
	}
	return out
}

func names(columns []output) string {
	return list(len(columns), func(i int) string { return ident(columns[i].name) })
}

// insertRows writes the columns and the rows, or the query.
func (e *emitter) insertRows(s *sqlparser.Insert, target *item, columns []output) string {
	head := ""
	if len(columns) > 0 {
		head = " (" + names(columns) + ")"
	}
	switch rows := s.Rows.(type) {
	case sqlparser.Values:
		return e.insertValues(rows, target, columns, head)
	case sqlparser.TableStatement:
		return head + " " + e.query(rows, false)
	}
	refuse("an INSERT of this kind", "the writer does not know it", "")
	return ""
}

func (e *emitter) insertValues(rows sqlparser.Values, target *item, columns []output, head string) string {
	if len(rows) == 0 || len(rows[0]) == 0 {
		if len(rows) > 1 {
			refuse("several rows of defaults", "PostgreSQL inserts one at a time", "Name a column with DEFAULT")
		}
		return " DEFAULT VALUES"
	}
	return head + " VALUES " + list(len(rows), func(r int) string {
		if len(columns) > 0 && len(rows[r]) != len(columns) {
			refuse("a row of "+itoa(len(rows[r]))+" values for "+itoa(len(columns))+" columns", "their numbers differ", "")
		}
		return "(" + list(len(rows[r]), func(c int) string {
			if c >= len(columns) {
				return e.assigned(rows[r][c], output{}, Column{})
			}
			return e.assigned(rows[r][c], columns[c], target.described(columns[c].name))
		}) + ")"
	})
}

// described returns the schema's description of a column.
func (i *item) described(name string) Column {
	if i.table != nil {
		for _, c := range i.table.Columns {
			if c.Name == name {
				return c
			}
		}
	}
	return Column{}
}

// assigned writes a value for a column: in its type, with DEFAULT where MySQL would number it.
func (e *emitter) assigned(x sqlparser.Expr, to output, c Column) string {
	switch d := x.(type) {
	case *sqlparser.Default:
		if d.ColName == "" {
			return "DEFAULT"
		}
	case *sqlparser.NullVal:
		if c.Auto {
			return "DEFAULT"
		}
	case *sqlparser.Literal:
		if c.Auto && d.Type == sqlparser.IntVal && strings.Trim(d.Val, "0") == "" && !e.opt.NoAutoValueOnZero {
			return "DEFAULT"
		}
	}
	if c.Auto {
		e.remark("a number that is given for a numbered column does not move on the source's own numbers")
	}
	return e.fitting(e.any(x), to.typed, c).text
}

// fitting gives a value the type of its column where PostgreSQL would not do so by itself.
func (e *emitter) fitting(f frag, t typed, c Column) frag {
	f = beside(parameterFor(f, t.kind), t.kind)
	switch {
	case t.kind == boolean:
		if f.open() || f.kind == boolean {
			return f
		}
		return asCondition(f)
	case f.kind == boolean:
		f = asValue(f)
	}
	textual := f.kind == text && !f.literal
	switch {
	case t.kind == unknown || f.kind == unknown || f.open():
		return f
	case textual && t.kind != text, t.kind == text && f.kind == binary, t.kind == binary && f.kind == text:
		if t.kind == binary {
			return atom(asBytes(f), binary)
		}
		if t.kind == text {
			return atom("pg_catalog.convert_from("+f.text+", 'UTF8')", text)
		}
		return atom(cast(f, c.Type), t.kind)
	case t.kind == integer && (f.kind == decimal || f.kind == float) && f.literal:
		return f
	case t.kind.number() && f.kind.moment(), t.kind.moment() && f.kind.number():
		refuse("a number for a date, or a date for a number", "MySQL would read one from the other's digits", "Convert it with CAST")
	}
	return f
}

// conflict writes what happens to a row whose key is there: IGNORE, ON DUPLICATE KEY UPDATE,
// REPLACE.
func (e *emitter) conflict(s *sqlparser.Insert, target *item, columns []output) string {
	switch {
	case s.Action == sqlparser.ReplaceAct:
		return e.replacing(s, target)
	case len(s.OnDup) > 0:
		if s.Ignore {
			refuse("INSERT IGNORE ... ON DUPLICATE KEY UPDATE", "PostgreSQL does one or the other", "Leave out IGNORE")
		}
		return e.upsert(s, target, columns)
	case bool(s.Ignore):
		e.remark("IGNORE passes over rows whose key is there; any other error stays one")
		return " ON CONFLICT DO NOTHING"
	}
	return ""
}

// replacing writes REPLACE for a table with one unique key: every other column gets the value to be
// inserted, or its default.
func (e *emitter) replacing(s *sqlparser.Insert, target *item) string {
	t := e.known(target.logical, "REPLACE")
	if len(t.Key) == 0 && len(t.Unique) == 0 {
		return ""
	}
	keys := keysOf(t)
	if len(keys) > 1 {
		refuse("REPLACE into "+target.logical.String(), "it has several unique keys, and PostgreSQL resolves conflicts with one", "DELETE what conflicts and INSERT, or use INSERT ... ON DUPLICATE KEY UPDATE")
	}
	in := map[string]bool{}
	for _, k := range keys[0] {
		in[k] = true
	}
	var sets []string
	for _, c := range t.Columns {
		if !in[c.Name] {
			sets = append(sets, ident(c.Name)+" = EXCLUDED."+ident(c.Name))
			e.settings = append(e.settings, setting{c, "EXCLUDED." + ident(c.Name)})
		}
	}
	e.remark("REPLACE updates the row that is there: triggers and foreign keys see an update, not a delete and an insert")
	if len(sets) == 0 {
		return " ON CONFLICT DO NOTHING"
	}
	e.counts = "2"
	text := " ON CONFLICT (" + identList(keys[0]) + ") DO UPDATE SET " + strings.Join(sets, ", ")
	other := e.other(target)
	if !e.opt.Count || e.returning != nil {
		other = ""
	}
	if other != "" { // a row that is there as it is to be counts once
		e.out.Given = rowsGiven(s)
	}
	return text + e.conflicting(target, other)
}

func keysOf(t *Table) [][]string {
	var out [][]string
	if len(t.Key) > 0 {
		out = append(out, t.Key)
	}
	return append(out, t.Unique...)
}

func identList(names []string) string {
	return list(len(names), func(i int) string { return ident(names[i]) })
}

// returned writes what an INSERT gives back.
func (e *emitter) returned(target *item) string {
	var columns []string
	if e.returning != nil {
		_, _, list := e.selectList(e.returning, true)
		columns, e.out.Returns = append(columns, list), true
	}
	if e.opt.ReturnInsertID && target.table != nil {
		for _, c := range target.table.Columns {
			if !c.Auto {
				continue
			}
			if e.out.InsertID = c.Name; e.out.Returns {
				e.out.InsertID = idColumn
			}
			columns = append(columns, as(ident(c.Name), ident(e.out.InsertID)))
			break
		}
	}
	if e.counts != "" {
		if count := e.rowCount(target, e.counts); count != "" {
			columns = append(columns, count)
		}
	}
	if len(columns) == 0 {
		return ""
	}
	return " RETURNING " + strings.Join(columns, ", ")
}
