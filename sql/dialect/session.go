package dialect

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// First splits a packet into its first statement and the rest, which is empty if there is no
// further statement.
func First(text string, ansi bool) (first, rest string) {
	full := false
	for i := 0; ; {
		t, ok := next(text, i, ansi)
		if !ok {
			return text, ""
		}
		i = t.end
		switch {
		case t.kind == tokenSign && text[t.start] == ';' && full:
			if rest = strings.TrimSpace(text[t.end:]); !hasStatement(rest, ansi) {
				rest = ""
			}
			return strings.TrimSpace(text[:t.start]), rest
		case t.kind != tokenComment:
			full = full || text[t.start] != ';'
		}
	}
}

// hasStatement reports whether a text has a statement: not comments and semicolons alone.
func hasStatement(text string, ansi bool) bool {
	for i := 0; ; {
		t, ok := next(text, i, ansi)
		if !ok {
			return false
		}
		if i = t.end; t.kind != tokenComment && text[t.start] != ';' {
			return true
		}
	}
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
	// The parser's Walk leaves out some clauses, which its writer cannot.
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) {
		switch n := n.(type) {
		case *sqlparser.ColName:
			if isVariable(n) {
				note(sqlparser.String(n))
			}
		case *sqlparser.FuncExpr:
			switch name := n.Name.Lowered(); {
			case name == "last_insert_id" && n.Qualifier.IsEmpty():
				note(LastInsertID)
			case !n.Qualifier.IsEmpty() || !builtinSomewhere(name) && functions[name].write == nil:
				note(brief(n.Name.String()) + "()")
			}
		case *sqlparser.Into:
			if n != nil {
				note("INTO")
			}
		}
		n.Format(buf)
	})
	buf.Myprintf("%v", s.stmt)
	return what
}

// Replaces reports whether it is REPLACE, which deletes the rows that it finds.
func (s *Statement) Replaces() bool {
	i, ok := s.stmt.(*sqlparser.Insert)
	return ok && strings.EqualFold(i.Action, sqlparser.ReplaceStr)
}

// Limits reports whether a statement has a LIMIT at its outside: not all rows that satisfy it are
// meant.
func (s *Statement) Limits() bool {
	switch n := s.stmt.(type) {
	case *sqlparser.Select:
		return n.Limit != nil
	case *sqlparser.SetOp:
		return n.Limit != nil
	case *sqlparser.Update:
		return n.Limit != nil
	case *sqlparser.Delete:
		return n.Limit != nil
	}
	return false
}

// NoWait reports whether it locks rows with NOWAIT.
func (s *Statement) NoWait() bool {
	n, ok := s.stmt.(*sqlparser.Select)
	return ok && n.Lock != nil && strings.HasSuffix(n.Lock.Type, "nowait")
}

// Blocks returns the number of queries in a statement, itself included.
func (s *Statement) Blocks() int { return len(usesOf(s.stmt).blocks) }

// Upserts reports whether it has ON DUPLICATE KEY UPDATE.
func (s *Statement) Upserts() bool {
	i, ok := s.stmt.(*sqlparser.Insert)
	return ok && len(i.OnDup) > 0
}

// Returns reports whether it changes rows and has RETURNING.
func (s *Statement) Returns() bool {
	i, ok := s.stmt.(*sqlparser.Insert)
	return ok && len(i.Returning) > 0
}
