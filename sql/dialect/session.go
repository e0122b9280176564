package dialect

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
)

// First splits a packet into its first statement and the rest, which is empty if there is no
// further statement.
func First(text string, ansi bool) (first, rest string) {
	return firstOf(text, parse.Mode{AnsiQuotes: ansi})
}

func firstOf(text string, m parse.Mode) (first, rest string) {
	full := false
	r := reader(text, m)
	for t := r.Next(); t.Kind != parse.End; t = r.Next() {
		switch semicolon := t.Is(";"); {
		case semicolon && full:
			if rest = strings.TrimSpace(text[t.To:]); !hasStatement(rest, m) {
				rest = ""
			}
			return strings.TrimSpace(text[:t.From]), rest
		case semicolon:
		default:
			full = true
		}
	}
	return text, ""
}

// hasStatement reports whether a text has a statement: not comments and semicolons alone.
func hasStatement(text string, m parse.Mode) bool {
	r := reader(text, m)
	for r.Take(";") {
		continue
	}
	return r.Next().Kind != parse.End
}

// LastInsertID is the name with which OfSession reports a function whose value a source can be
// sent.
const LastInsertID = "LAST_INSERT_ID()"

// OfSession is the first thing in a statement that no source can tell, as it is written: a variable,
// INTO, or a function that no server has built in, or that depends on more than its arguments, such as one of the session, one that reaches
// beyond the source's tables, or a stored one. LastInsertID if that is all; empty
// if there is none.
func (s *Statement) OfSession() (what string) {
	note := func(found string) {
		if what == "" || what == LastInsertID {
			what = found
		}
	}
	s.eachNode(func(n sqlparser.SQLNode) {
		switch n := n.(type) {
		case *sqlparser.Variable:
			note(textOf(n))
		case *sqlparser.SelectInto:
			note("INTO")
		case sqlparser.Expr:
			c, ok := callOf(n)
			switch {
			case !ok:
			case c.name == "last_insert_id" && !c.stored:
				note(LastInsertID)
			case c.stored || !builtinSomewhere(c.name) && functions[c.name].write == nil:
				note(brief(c.name) + "()")
			}
		}
	})
	return what
}

// eachNode calls f for all nodes of a statement, in the order of a walk.
func (p *parsed) eachNode(f func(sqlparser.SQLNode)) {
	visit := func(n sqlparser.SQLNode) (bool, error) {
		f(n)
		return true, nil
	}
	if p.stmt != nil {
		walk(visit, p.stmt)
	}
	if p.returning != nil {
		walk(visit, p.returning.SelectExprs)
	}
}

// Replaces reports whether it is REPLACE, which deletes the rows that it finds.
func (s *Statement) Replaces() bool {
	i, ok := s.stmt.(*sqlparser.Insert)
	return ok && i.Action == sqlparser.ReplaceAct
}

// Limits reports whether a statement has a LIMIT at its outside: not all rows that satisfy it are
// meant.
func (s *Statement) Limits() bool {
	n, ok := s.stmt.(sqlparser.OrderAndLimit)
	return ok && n.GetLimit() != nil
}

// NoWait reports whether it locks rows with NOWAIT.
func (s *Statement) NoWait() bool {
	return slices.ContainsFunc(locksOf(s.stmt), func(l tableLock) bool { return l.nowait })
}

// Blocks returns the number of queries in a statement, itself included.
func (s *Statement) Blocks() int { return len(s.uses().blocks) }

// Upserts reports whether it has ON DUPLICATE KEY UPDATE.
func (s *Statement) Upserts() bool {
	i, ok := s.stmt.(*sqlparser.Insert)
	return ok && len(i.OnDup) > 0
}

// Returns reports whether it inserts rows and has RETURNING.
func (s *Statement) Returns() bool { return s.kind == Insert && s.returning != nil }
