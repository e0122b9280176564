package main

import (
	"fmt"
	"slices"
	"strings"
)

// What the forms of several tables have in common: relations, columns of them, conditions and values.

// relation is what a FROM clause names: a table, a view, a derived table or a common table expression.
type relation struct {
	alias   string
	columns []TableColumn
	key     []string // columns in which no two rows are equal; nil: none are known
	joined  []string // columns by which it is mostly joined: those with which keys begin
	rows    int      // an estimate from above
	table   *Table   // nil for what is no table
}

// ref is a column of a relation.
type ref struct {
	of *relation
	TableColumn
}

func (r ref) node() *Node { return column(r.of.alias + "." + r.Name) }

// drawing is a statement that is being drawn.
type drawing struct {
	g         gen
	tables    []*Table
	views     []*View
	strict    bool            // the rows of a subquery are of the class that they are compared with
	quiet     bool            // several relations are joined: which rows a condition is computed for depends on the plan
	simple    bool            // of one table, without conditions and subqueries
	apart     bool            // values of two classes or collations are not compared: what a change does of it, depends on the plan
	unaliased map[string]bool // common table expressions that were named without an alias
	count     int             // of aliases
	rows      int             // of the product of the relations of a FROM clause
	nested    int             // queries around the one that is drawn
}

// productMax bounds the rows of the product of the relations of a FROM clause.
const productMax = 4000

// alias makes a name that the statement does not have yet.
func (d *drawing) alias(prefix string) string {
	d.count++
	return fmt.Sprint(prefix, d.count)
}

// comparable classes are those whose values sort and compare alike in both servers, in tables of their own too: a BIT becomes a
// number in those of MariaDB, and JSON has no order there.
var comparableClasses = []string{"integer", "decimal", "double", "text", "bytes", "date", "datetime", "time", "year", "enum", "set"}

// exactClasses are those of which equal values are the same: which of several equal texts represents a group is open.
var exactClasses = []string{"integer", "decimal", "bytes", "date", "datetime", "time", "year", "enum"}

var numericClasses = []string{"integer", "decimal"}

// of are the columns of some relations that have one of the classes.
func of(rels []*relation, classes []string) (out []ref) {
	for _, r := range rels {
		for _, c := range r.columns {
			if slices.Contains(classes, c.Class) {
				out = append(out, ref{r, c})
			}
		}
	}
	return out
}

// column draws a column of one of the classes, and of any comparable one where there is none; each relation is as likely.
func (d *drawing) column(rels []*relation, classes ...string) ref {
	if len(classes) > 0 {
		rels = slices.Clone(rels)
		d.g.Shuffle(len(rels), func(i, j int) { rels[i], rels[j] = rels[j], rels[i] })
		for _, r := range rels {
			if all := of([]*relation{r}, classes); len(all) > 0 {
				return all[d.g.IntN(len(all))]
			}
		}
	}
	r := rels[d.g.IntN(len(rels))]
	all := of([]*relation{r}, comparableClasses)
	return all[d.g.IntN(len(all))]
}

// joining draws a column by which a relation is joined.
func (d *drawing) joining(rels []*relation) ref {
	r := rels[d.g.IntN(len(rels))]
	if len(r.joined) > 0 && d.g.chance(65) {
		name := d.g.pick(r.joined...)
		for _, c := range r.columns {
			if c.Name == name && c.Class != "json" {
				return ref{r, c}
			}
		}
	}
	return d.column([]*relation{r})
}

// literalFor draws a literal that suits a column: a value of a row of its table, or of its class.
func (d *drawing) literalFor(c ref) *Node {
	for {
		n := d.anyLiteralFor(c)
		// What is no date is an error beside a column of dates, when it is compared: which rows are, depends on the plan.
		if t := n.Parts[0]; strings.Contains(t, "'0000") || t == "'nope'" || t == "'😀'" || // MariaDB's names of columns do not have it
			t == "'24'" || isNumber(t) && slices.Contains([]string{"date", "datetime", "time"}, c.Class) || t == "NULL" && d.g.chance(80) {
			continue
		}
		return n
	}
}

func (d *drawing) anyLiteralFor(c ref) *Node {
	if t := c.of.table; t != nil && d.g.chance(60) {
		for i, tc := range t.Columns {
			if tc.Name == c.Name {
				return literal(t.Rows[d.g.IntN(len(t.Rows))][i])
			}
		}
	}
	if of := literalsOf[c.Class]; of != nil {
		return literal(d.g.pick(of...))
	}
	return literal("1")
}

// condition draws a filter over relations.
func (d *drawing) condition(rels []*relation, depth int) *Node {
	g := d.g
	switch n := g.IntN(100); {
	case depth > 0 && n < 12:
		return expr("OR", "(% OR %)", d.condition(rels, depth-1), d.condition(rels, depth-1))
	case depth > 0 && n < 18:
		return expr("NOT", "NOT (%)", d.condition(rels, depth-1))
	}
	c := d.column(rels)
	left := c.node()
	if g.chance(10) {
		left = expr("COALESCE()", "COALESCE(%, %)", left, d.literalFor(c))
	}
	not := g.pick("", "", "NOT ")
	switch g.IntN(9) {
	case 0:
		return expr(not+"BETWEEN", "% "+not+"BETWEEN % AND %", left, d.literalFor(c), d.literalFor(c))
	case 1:
		items := list(1, ", ", d.literalFor(c))
		for range 1 + g.IntN(3) {
			items.Kids = append(items.Kids, d.literalFor(c))
		}
		return expr(not+"IN()", "% "+not+"IN (%)", left, items)
	case 2, 3:
		is := g.pick("NULL", "NOT NULL", "NOT NULL")
		return expr("IS "+is, "% IS "+is, left)
	case 4:
		if other := d.column(rels, c.Class); other.Class == c.Class {
			op := g.pick(comparisons...)
			return expr(op, "% "+op+" %", left, other.node())
		}
	case 5:
		if c.Class == "text" {
			return expr(not+"LIKE", "% "+not+"LIKE %", left, literal(g.pick("'a%'", "'%b%'", "'1%'", "'_'", "'%'")))
		}
	}
	op := g.pick(comparisons...)
	if g.chance(25) {
		op = g.pick("<>", ">=", "<=")
	}
	return expr(op, "% "+op+" %", left, d.literalFor(c))
}

// valuesOf are expressions over a column of a class that have a value for every row, so that no plan has an error that another
// has not.
var valuesOf = map[string][]string{
	"number": {"% / 2", "COALESCE(%, 0)", "IFNULL(%, -1)", "% IS NULL", "CONCAT(%, 'x')", "CASE WHEN % > 0 THEN 'p' ELSE 'n' END", "NULLIF(%, 1)", "MOD(%, 3)", "SIGN(%)", "% <=> NULL", "% IN (1, 2, NULL)"},
	"text":   {"UPPER(%)", "CHAR_LENGTH(%)", "CONCAT(%, '-')", "COALESCE(%, 'none')", "% LIKE 'a%'", "LEFT(%, 1)", "NULLIF(%, 'a')", "% > 'a'"},
	"date":   {"YEAR(%)", "CAST(% AS CHAR)", "% IS NULL", "CASE WHEN % IS NULL THEN 0 ELSE 1 END"},
	"other":  {"% IS NULL", "COUNT_OF(%)"},
}

// value draws a select item: a column, or an expression over one.
func (d *drawing) value(rels []*relation, classes ...string) *Node {
	c := d.column(rels, classes...)
	if d.g.chance(70) {
		return c.node()
	}
	return d.over(c)
}

// over draws an expression over a column.
func (d *drawing) over(c ref) *Node {
	kind := "other"
	switch c.Class {
	case "integer", "decimal", "double":
		kind = "number"
	case "text":
		kind = "text"
	case "date", "datetime":
		kind = "date"
	}
	format := d.g.pick(valuesOf[kind]...)
	if strings.HasPrefix(format, "COUNT_OF") {
		return c.node()
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(format, "% "), "%")
	return expr(strings.TrimSpace(name), format, c.node())
}

// totalOf is an order in which no two rows of relations are equal, nil if there is none.
func totalOf(g gen, rels []*relation) *Node {
	keys := pinned(", ")
	for _, r := range rels {
		if r.key == nil {
			return nil
		}
		for _, k := range r.key {
			n := column(r.alias + "." + k)
			if g.chance(15) {
				n = fill("% DESC", n)
			}
			keys.Kids = append(keys.Kids, n)
		}
	}
	return keys
}

// limit draws a limit, for what is totally ordered.
func (d *drawing) limit(chance int) *Node {
	if !d.g.chance(chance) {
		return none()
	}
	n := d.g.pick("0", "1", "2", "3", "3", "5", "5", "10", "10", "1000", "1000")
	switch d.g.IntN(4) {
	case 0:
		return optional(tagged(fill(" LIMIT % OFFSET %", literal(n), literal(d.g.pick("0", "1", "1", "2", "4", "30"))), tagLimit))
	case 1:
		return optional(tagged(fill(" LIMIT %, %", literal(d.g.pick("0", "1", "7")), literal(n)), tagLimit))
	}
	return optional(tagged(fill(" LIMIT %", literal(n)), tagLimit))
}

// conjunction is a list of conditions as a clause; none without any.
func conjunction(word string, conditions ...*Node) *Node {
	if len(conditions) == 0 {
		return none()
	}
	return optional(fill(word+"%", list(1, " AND ", conditions...)))
}
