package dialect

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// MySQL's counts of changed rows. An UPDATE counts the rows whose values have changed, unless the
// client asks for the rows that were found; ON DUPLICATE KEY UPDATE counts an existing row twice,
// and not at all if it stays the same. So the texts leave rows alone that would stay the same, and
// an INSERT returns with each row how often it counts.

// CountColumn is the name of the column with the number of times that a returned row counts.
const CountColumn = "isochron_count"

// idColumn is the name of a returned number beside the client's columns.
const idColumn = "isochron_id"

// setting is a column that a statement sets, to a value in the column's type.
type setting struct {
	column Column
	value  string
}

// comparable is a type's name for a comparison: a text that is too long stays so.
func comparable(of string) string {
	base, _, bounded := strings.Cut(of, "(")
	switch base {
	case "character varying", "varchar":
		return "character varying"
	case "character", "char", "bpchar":
		if bounded || base == "bpchar" {
			return "bpchar"
		}
	}
	return of
}

// other is a condition: that a row will be other than it is once its columns are set. Empty: that is
// not known, or sure.
func (e *emitter) other(i *item) string {
	var parts []string
	for _, s := range e.settings {
		if s.column.Type == "" || s.value == "" {
			return ""
		}
		now, then := i.quoted+"."+ident(s.column.Name), "CAST("+s.value+" AS "+comparable(s.column.Type)+")"
		if !showsAll(s.column.Type) {
			text := func(x string) string { return "CAST(" + x + ` AS text) COLLATE "C"` }
			now, then = text(now), text(then)
		}
		parts = append(parts, now+" IS DISTINCT FROM "+then)
	}
	return strings.Join(parts, " OR ")
}

// showsAll reports whether values of a type that are equal are the same in every way.
func showsAll(of string) bool {
	switch t := typeOf(of); t.kind {
	case integer, boolean, date, datetime:
		return true
	case decimal:
		return t.scale >= 0
	}
	return false
}

// moves reports whether an assignment changes each row that it finds: it adds to a number.
func moves(c Column, of kind, x sqlparser.Expr) bool {
	b, ok := x.(*sqlparser.BinaryExpr)
	if !ok || c.Null || of != integer && of != decimal || b.Operator != sqlparser.PlusOp && b.Operator != sqlparser.MinusOp {
		return false
	}
	left, isColumn := b.Left.(*sqlparser.ColName)
	right, isValue := b.Right.(*sqlparser.Literal)
	return isColumn && isValue && strings.EqualFold(left.Name.String(), c.Name) && right.Type == sqlparser.IntVal && strings.Trim(right.Val, "0") != ""
}

// stepOf is, for an assignment that adds a whole number to its own column, the condition that it has
// changed the row, asked of the row as it is then; empty: it is another assignment.
func (e *emitter) stepOf(target *item, c output, x sqlparser.Expr) string {
	b, ok := x.(*sqlparser.BinaryExpr)
	if !ok || c.kind != integer && c.kind != decimal || b.Operator != sqlparser.PlusOp && b.Operator != sqlparser.MinusOp {
		return ""
	}
	left, ok := b.Left.(*sqlparser.ColName)
	if !ok || !strings.EqualFold(left.Name.String(), c.name) || !left.Qualifier.IsEmpty() && e.scope.item(left.Qualifier) != target || !e.wholeAt(b.Right) {
		return ""
	}
	by := e.any(b.Right)
	step := by.text + " <> 0"
	if c.sure {
		return step
	}
	return target.quoted + "." + ident(c.name) + " IS NOT NULL AND " + step
}

// counting has an UPDATE of one table count, or change, only what will be other than it is. One
// that only adds to numbers, of rows that it asks for by their keys, changes them whatever they
// are, and returns how often each counts. Of any other, rows it finds besides are locked: a row
// that stays as it was is read again by its key and under its lock, so that one which others change
// meanwhile is changed after all. A row that changes costs a comparison and no lock beside its own.
// A table without a primary key has all rows locked first, where the text is not run again behind
// its guard.
func (e *emitter) counting(head string, w written, filter string) string {
	changed := ""
	if e.opt.Count && !e.opt.FoundRows {
		changed = e.other(w.item)
	}
	if changed != "" && len(e.steps) == len(e.settings) && e.gapsSeen == 1 && e.out.Unguarded[0].Reason == Absence {
		e.out.Counts = true
		return head + filter + " RETURNING CASE WHEN " + strings.Join(e.steps, " OR ") + " THEN 1 ELSE 0 END AS " + CountColumn
	}
	keyed := w.item.table != nil && len(w.item.table.Key) > 0
	if changed == "" || e.moves && !keyed {
		return head + filter
	}
	all := " WHERE "
	if where, ok := strings.CutPrefix(filter, " WHERE "); ok {
		all = " WHERE (" + where + ") AND "
	}
	if keyed {
		const row = `"isochron_row"`
		same := make([]string, len(w.item.table.Key))
		for i, c := range w.item.table.Key {
			same[i] = row + "." + ident(c) + " = " + w.item.quoted + "." + ident(c)
		}
		return head + all + "(" + changed + " OR (SELECT " + changed + " FROM (SELECT * FROM " + e.physical(w.item.logical) + " AS " + row +
			" WHERE " + strings.Join(same, " AND ") + " FOR UPDATE) AS " + w.item.quoted + "))"
	}
	e.out.Text = head + all + "(" + changed + ")"
	e.out.Locked = e.out.Text + " AND (SELECT count(*) FROM (SELECT 1 FROM " + w.table + filter + ` FOR UPDATE) AS "isochron_found") >= 0`
	return e.out.Text
}

// A row of a table with partitions has no xmax where it is returned. So its update notes in a
// setting of the transaction that there was a conflict, and its returned value, which is computed
// before the statement's next row, removes the note.
const (
	conflictNote = "('isochron.conflict', " // and the rest of a call
	noteConflict = catalog + "set_config" + conflictNote + "'1', true) = '1'"
	noted        = "CASE WHEN " + catalog + "current_setting" + conflictNote + "true) = '1' THEN " + catalog + "set_config" + conflictNote + "'', true) = '' ELSE FALSE END"
)

// conflicting is the condition of the update of a row that is there; changed: only of one that will
// be other than it is. Empty: there is none.
func (e *emitter) conflicting(target *item, changed string) string {
	switch {
	case e.opt.Count && !target.table.Plain && changed != "":
		return " WHERE CASE WHEN " + changed + " THEN " + noteConflict + " ELSE FALSE END"
	case e.opt.Count && !target.table.Plain:
		return " WHERE " + noteConflict
	case changed != "":
		return " WHERE " + changed
	}
	return ""
}

// rowCount is the column with the number of times that a row of an INSERT counts: again if it
// existed.
func (e *emitter) rowCount(target *item, again string) string {
	if !e.opt.Count || target.table == nil {
		return ""
	}
	e.out.Counts = true
	if !target.table.Plain {
		return "CASE WHEN " + noted + " THEN " + again + " ELSE 1 END AS " + CountColumn
	}
	return "CASE WHEN " + target.quoted + ".xmax = 0 THEN 1 ELSE " + again + " END AS " + CountColumn
}
