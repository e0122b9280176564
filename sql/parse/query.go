package parse

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// Query parses a text that is a single query: a SELECT, a set operation or VALUES; nil: it is none, or it is for another
// parser. Its parameters are arguments v1, v2, ... in their order.
func Query(text string) sqlparser.TableStatement {
	s, _ := statement(text).(sqlparser.TableStatement)
	return s
}

// Texts are the texts of the items of all select lists of a statement, as the client wrote them. tree is that of the text, or
// of one that differs in its values alone.
func Texts(text string, tree sqlparser.SQLNode) map[*sqlparser.Select][]string {
	text = Executed(text)
	var blocks []*sqlparser.Select
	inOrder(tree, &blocks)
	if len(blocks) == 1 {
		if list := Items(text); list != nil && blocks[0].SelectExprs != nil && len(list) == len(blocks[0].SelectExprs.Exprs) {
			return map[*sqlparser.Select][]string{blocks[0]: list}
		}
	}
	lists := selectLists(text)
	if len(lists) != len(blocks) { // TABLE t is a SELECT in the tree
		text, _, _ = rewritten(text)
		lists = selectLists(text)
	}
	if len(lists) != len(blocks) {
		return nil
	}
	out := make(map[*sqlparser.Select][]string, len(blocks))
	for i, b := range blocks {
		if b.SelectExprs == nil || len(b.SelectExprs.Exprs) != len(lists[i]) {
			return nil
		}
		out[b] = lists[i]
	}
	return out
}

// selectLists are the texts of the items behind each SELECT of a text, in their order.
func selectLists(text string) (out [][]string) {
	s := scanner{text: text}
	for s.space(); s.at < len(text); s.space() {
		switch c := text[s.at]; {
		case c == '\'' || c == '"' || c == '`':
			s.quoted()
		case wordByte(c):
			dotted := s.at > 0 && (text[s.at-1] == '.' || text[s.at-1] == '@')
			if strings.EqualFold(s.word(), "select") && !dotted {
				list := s
				list.modifiers()
				out = append(out, list.items())
			}
		default:
			s.at++
		}
	}
	return out
}

// inOrder appends the SELECTs of a tree in the order of their text.
func inOrder(n sqlparser.SQLNode, out *[]*sqlparser.Select) {
	visit := func(n sqlparser.SQLNode) {
		textOrder(n, func(t sqlparser.TableStatement) { inOrder(t, out) })
	}
	s, ok := n.(*sqlparser.Select)
	if !ok {
		visit(n)
		return
	}
	if s.With != nil {
		visit(s.With)
	}
	*out = append(*out, s)
	rest := *s
	rest.With = nil
	visit(&rest)
}

// textOrder calls f for the queries within a node, the outermost ones, in the order of their text.
func textOrder(n sqlparser.SQLNode, f func(sqlparser.TableStatement)) {
	visit := func(list ...sqlparser.SQLNode) {
		for _, n := range list {
			_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
				if t, ok := n.(sqlparser.TableStatement); ok {
					f(t)
					return false, nil
				}
				return true, nil
			}, n)
		}
	}
	switch s := n.(type) {
	case *sqlparser.Select:
		if s.With != nil {
			visit(s.With)
		}
		visit(s.SelectExprs)
		for _, t := range s.From {
			visit(t)
		}
		visit(s.Where, s.GroupBy, s.Having)
		for _, w := range s.Windows {
			visit(w)
		}
		visit(s.OrderBy, s.Limit)
	case *sqlparser.Union:
		if s.With != nil {
			visit(s.With)
		}
		visit(s.Left, s.Right, s.OrderBy, s.Limit)
	case *sqlparser.ValuesStatement:
		if s.With != nil {
			visit(s.With)
		}
		visit(s.Rows, s.Order, s.Limit)
	default:
		visit(n)
	}
}
