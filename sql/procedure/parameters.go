package procedure

import (
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
)

// singlyMaxBytes is how much text is parsed to look at the tokens of a statement one by one.
const singlyMaxBytes = 1 << 20

// parameters are the tokens that are parameters, in their order: those that the tree has as columns without a table, where a
// value may be.
func (d *draft) parameters() ([]int, error) {
	var named []int
	for i, t := range d.tokens {
		if (t.Kind == parse.Word || t.Kind == parse.Name) && d.p.parameter(t.Text) >= 0 {
			named = append(named, i)
		}
	}
	if len(named) == 0 {
		return nil, nil
	}
	if trees := d.parsed(named, nil); trees != nil {
		return values(trees), nil
	}
	// One of them is a word of the language at its place, as DAY in INTERVAL 1 DAY.
	if len(named)*len(d.text) > singlyMaxBytes {
		return nil, refuse("so many names of parameters that are words of the language, in one statement of a procedure")
	}
	var out []int
	for _, i := range named {
		if trees := d.parsed([]int{i}, nil); trees != nil {
			out = append(out, values(trees)...)
		}
	}
	return out, nil
}

// values are the numbers of the marks that are values.
func values(trees []sqlparser.Statement) (out []int) {
	for _, tree := range trees {
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			switch n := n.(type) {
			case *sqlparser.UpdateExpr: // what it sets is a column
				out = append(out, valuesIn(n.Expr)...)
				return false, nil
			case *sqlparser.MatchExpr:
				out = append(out, valuesIn(n.Expr)...)
				return false, nil
			case *sqlparser.ValuesFuncExpr:
				return false, nil
			case *sqlparser.ColName:
				if i := marked(n); i >= 0 {
					out = append(out, i)
				}
			}
			return true, nil
		}, tree)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func valuesIn(e sqlparser.Expr) []int {
	return values([]sqlparser.Statement{&sqlparser.Select{SelectExprs: &sqlparser.SelectExprs{Exprs: []sqlparser.SelectExpr{&sqlparser.AliasedExpr{Expr: e}}}}})
}

// marked is the number of a column that is a mark; -1: it is none.
func marked(n *sqlparser.ColName) int {
	digits, ok := strings.CutPrefix(n.Name.String(), markBegin)
	if i, err := strconv.Atoi(digits); ok && err == nil && n.Qualifier.IsEmpty() {
		return i
	}
	return -1
}

// aliasMaxBytes is the longest name that is given.
const aliasMaxBytes = 256

// names are given to the items of select lists that have parameters, and no names: those that they would have had. The trees,
// in which parameters are marked, have them as well then.
func (d *draft) names(trees []sqlparser.Statement, takes []int) (out []given) {
	for i, tree := range trees {
		from, to := 0, d.returning
		if i > 0 {
			from, to = d.returning+1, len(d.tokens)
		}
		text := d.part(from, to, takes, nil, "")
		if i > 0 {
			text = "SELECT " + text
		}
		for s, items := range parse.Texts(text, tree) { // order: each by itself
			for j, item := range items {
				if n, ok := d.nameOf(s.SelectExprs.Exprs[j], item); ok {
					out = append(out, n)
				}
			}
		}
	}
	return out
}

// nameOf is the name that an item is given.
func (d *draft) nameOf(e sqlparser.SelectExpr, item string) (given, bool) {
	one, ok := e.(*sqlparser.AliasedExpr)
	if !ok || !one.As.IsEmpty() {
		return given{}, false
	}
	begin := strings.LastIndex(item, "`"+markBegin)
	if begin < 0 {
		return given{}, false
	}
	original, last := d.original(item)
	column, is := one.Expr.(*sqlparser.ColName)
	switch {
	case is && marked(column) >= 0:
		original = d.tokens[marked(column)].Text
	case is:
		return given{}, false
	}
	if original == "" || len(original) > aliasMaxBytes || strings.ContainsAny(original, "`\x00") {
		return given{}, false
	}
	name := strings.Trim(original, `'"`)
	one.As = sqlparser.NewIdentifierCI(name)
	return given{at: last, name: name}, true
}

// original is an item as it was written, and the token behind it.
func (d *draft) original(item string) (text string, last int) {
	list := parse.Tokens(item, false)
	for i, t := range list {
		digits, is := strings.CutPrefix(t.Text, markBegin)
		if n, err := strconv.Atoi(digits); t.Kind == parse.Name && is && err == nil && n < len(d.tokens) {
			first, end := n-i, n-i+len(list)
			if first < 0 || end > len(d.tokens) {
				return "", 0
			}
			return d.text[d.tokens[first].From:d.tokens[end-1].To], end
		}
	}
	return "", 0
}

// same reports whether the statement with its values is the one of the trees, in which the parameters are marked.
func (d *draft) same(trees []sqlparser.Statement, takes []int, names []given) bool {
	final := []string{d.join(0, d.returning, takes, names, "?", true)}
	if d.returning < len(d.tokens) {
		final = append(final, "SELECT "+d.join(d.returning+1, len(d.tokens), takes, names, "?", true))
	}
	done := 0
	for i, tree := range trees {
		again := parse.Statement(final[i])
		if again == nil {
			return false
		}
		text := sqlparser.String(tree)
		for n := 1; done < len(takes) && strings.Contains(text, mark(takes[done])); n++ {
			text = strings.ReplaceAll(text, mark(takes[done]), ":v"+strconv.Itoa(n))
			done++
		}
		if text != sqlparser.String(again) {
			return false
		}
	}
	return done == len(takes)
}
