package procedure

import (
	"fmt"
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/legacy"
	"isochron/sql/parse"
)

// draft is a statement whose parameters are being replaced. Each of its tokens may be marked: then a name with its number stands
// in its place, by which it is found in the tree.
type draft struct {
	p         *Procedure
	text      string
	tokens    []parse.Token
	returning int         // the token that begins a RETURNING clause; len(tokens): there is none
	hidden    map[int]int // tokens from, to that the parser lacks: those of FOR UPDATE OF
}

// statement makes one of the body's; at is its place in the procedure's text.
func (p *Procedure) statement(text string, at int) (Statement, error) {
	d := &draft{p: p, text: text, tokens: parse.Tokens(text, false), hidden: map[int]int{}}
	if strings.Contains(text, markBegin) {
		return Statement{}, refuse("the name %s in a procedure", markBegin)
	}
	if err := d.look(); err != nil {
		return Statement{}, err
	}
	if d.parsed(nil, nil) == nil {
		return Statement{}, legacy.NewError(codeSyntax, "42000", "syntax error in the statement at position %d of a procedure: '%.80s'", at+1, text)
	}
	takes, err := d.parameters()
	if err != nil {
		return Statement{}, err
	}
	out := Statement{}
	trees := d.parsed(takes, nil)
	if trees == nil {
		return out, refuse("this statement in a procedure: %.200s", text)
	}
	if out.Yields, err = yields(trees); err != nil {
		return out, err
	}
	names := d.names(trees, takes)
	for _, i := range takes {
		out.Takes = append(out.Takes, p.parameter(d.tokens[i].Text))
	}
	out.Text = d.written(takes, names, "?")
	if !d.same(trees, takes, names) {
		return out, refuse("this statement in a procedure: %.200s", out.Text)
	}
	return out, nil
}

// look finds what the parser does not read, and refuses what a body cannot have.
func (d *draft) look() error {
	d.returning = len(d.tokens)
	depth, query := 0, true
	for i, t := range d.tokens {
		var after parse.Token
		if i+1 < len(d.tokens) {
			after = d.tokens[i+1]
		}
		switch {
		case i == 0 && (t.Is("insert") || t.Is("replace") || t.Is("update") || t.Is("delete")):
			query = false
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case t.Is("?"):
			return refuse("a ? in a procedure: name a parameter")
		case t.Is(":"), t.Is("/") && after.Is("/"): // the parser would begin a comment
			return syntax(t)
		case t.Is("for") && after.Is("share"):
			return refuse("FOR SHARE in a procedure: use FOR UPDATE")
		case t.Is("of") && i > 1 && d.tokens[i-1].Is("update") && d.tokens[i-2].Is("for"):
			d.hide(i)
		case t.Is("returning") && depth == 0 && !query && !d.tokens[i-1].Is("."):
			d.returning = i
		}
	}
	return nil
}

// hide hides the tables behind the token OF.
func (d *draft) hide(of int) {
	i := of + 1
	for i < len(d.tokens) && (d.tokens[i].Kind == parse.Word || d.tokens[i].Kind == parse.Name) {
		if i++; i == len(d.tokens) || !d.tokens[i].Is(".") && !d.tokens[i].Is(",") {
			break
		}
		i++
	}
	d.hidden[of] = i
}

// parsed are the trees of the statement, with marks for tokens: the statement, and the list behind RETURNING as that of a
// SELECT. names are given to items. nil: the parser does not read it.
func (d *draft) parsed(marks []int, names []given) (trees []sqlparser.Statement) {
	list := []string{d.part(0, d.returning, marks, names, "")}
	if d.returning < len(d.tokens) {
		list = append(list, "SELECT "+d.part(d.returning+1, len(d.tokens), marks, names, ""))
	}
	for _, text := range list {
		tree := parse.Statement(text)
		if tree == nil {
			return nil
		}
		trees = append(trees, tree)
	}
	return trees
}

// given is a name that an item of a select list is given: behind the token before a place.
type given struct {
	at   int
	name string
}

// written is the statement with a text in the place of each mark, or the marks themselves.
func (d *draft) written(marks []int, names []given, by string) string {
	return d.join(0, len(d.tokens), marks, names, by, false)
}

// part are some tokens as the parser reads them.
func (d *draft) part(from, to int, marks []int, names []given, by string) string {
	return d.join(from, to, marks, names, by, true)
}

func (d *draft) join(from, to int, marks []int, names []given, by string, hides bool) string {
	var out strings.Builder
	for i := from; i < to; i++ {
		if end, hidden := d.hidden[i]; hidden && hides {
			i = end - 1
			continue
		}
		t := d.tokens[i]
		switch {
		case !slices.Contains(marks, i):
			out.WriteString(d.text[t.From:t.To])
		case by == "":
			out.WriteString(mark(i))
		default:
			out.WriteString(by)
		}
		for _, n := range names {
			if n.at == i+1 {
				out.WriteString(" AS `" + n.name + "`")
			}
		}
		if i+1 < len(d.tokens) && d.tokens[i+1].From > t.To {
			out.WriteString(d.text[t.To:d.tokens[i+1].From]) // space and comments
		}
	}
	return out.String()
}

const markBegin = "isochron parameter "

func mark(i int) string { return fmt.Sprintf("`%s%d`", markBegin, i) }

// yields reports whether a statement returns rows; the error: it is not allowed in a body.
func yields(trees []sqlparser.Statement) (bool, error) {
	switch n := trees[0].(type) {
	case sqlparser.TableStatement:
		return queryYields(n)
	case *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
		return len(trees) > 1, nil
	}
	return false, refuse("%s in a procedure: its statements are SELECT, INSERT, REPLACE, UPDATE and DELETE", strings.ToUpper(strings.Fields(sqlparser.String(trees[0]))[0]))
}

func queryYields(tree sqlparser.TableStatement) (rows bool, err error) {
	rows = true
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		into, ok := n.(*sqlparser.SelectInto)
		if !ok || into == nil {
			return true, nil
		}
		rows = false
		if into.Type != sqlparser.IntoVariables {
			err = refuse("SELECT INTO a file")
		}
		for _, v := range into.VarList {
			if s := sqlparser.String(v); !strings.HasPrefix(s, "@") {
				err = refuse("variables of a procedure: %s", s)
			}
		}
		return true, nil
	}, tree)
	return rows, err
}
