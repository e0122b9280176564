package dialect

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// MySQL's counts of what a statement has changed. An UPDATE counts the rows that are other than they
// were, unless the client asks for those that were found; ON DUPLICATE KEY UPDATE counts a row that
// was there twice, and not at all if it stays as it was. So the texts leave alone what would stay as
// it is, and an INSERT says of each row how often it counts.

// CountColumn is the name of the column that says how often a returned row counts.
const CountColumn = "isochron_count"

// idColumn is the name of a returned number beside the columns that the client has asked for.
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
		text := func(x string) string { return "CAST(" + x + ` AS text) COLLATE "C"` }
		parts = append(parts, text(i.quoted+"."+ident(s.column.Name))+" IS DISTINCT FROM "+text("CAST("+s.value+" AS "+comparable(s.column.Type)+")"))
	}
	return strings.Join(parts, " OR ")
}

// moves reports whether an assignment changes each row that it finds: it adds to a number.
func moves(c Column, of kind, x sqlparser.Expr) bool {
	b, ok := x.(*sqlparser.BinaryExpr)
	if !ok || c.Null || of != integer && of != decimal || b.Operator != sqlparser.PlusStr && b.Operator != sqlparser.MinusStr {
		return false
	}
	left, isColumn := b.Left.(*sqlparser.ColName)
	right, isValue := b.Right.(*sqlparser.SQLVal)
	return isColumn && isValue && strings.EqualFold(left.Name.String(), c.Name) && right.Type == sqlparser.IntVal && strings.Trim(string(right.Val), "0") != ""
}

// counting has an UPDATE of one table change only what will be other than it is. What it finds
// besides is locked where the text is not run anew behind its guard.
func (e *emitter) counting(head, table, filter string, i *item) string {
	changed := ""
	if e.opt.Count && !e.opt.FoundRows && !e.moves {
		changed = e.other(i)
	}
	if changed == "" {
		return head + filter
	}
	all := " WHERE "
	if where, ok := strings.CutPrefix(filter, " WHERE "); ok {
		all = " WHERE (" + where + ") AND "
	}
	e.out.Text = head + all + "(" + changed + ")"
	e.out.Locked = e.out.Text + " AND (SELECT pg_catalog.count(*) FROM (SELECT 1 FROM " + table + filter + ` FOR UPDATE) AS "isochron_found") >= 0`
	return e.out.Text
}

// A row of a table with partitions has no xmax where it is returned. So its update notes in a setting of
// the transaction that there was a conflict, and what is returned of it, which is worked out before
// the statement's next row, takes the note away.
const (
	noteConflict = "set_config('isochron.conflict', '1', true) = '1'"
	noted        = "CASE WHEN current_setting('isochron.conflict', true) = '1' THEN set_config('isochron.conflict', '', true) = '' ELSE FALSE END"
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

// rowCount is the column that says how often a row of an INSERT counts: again if it was there.
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
