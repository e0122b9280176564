package dialect

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// First takes the first statement off a packet; what stands behind it is rest, which is empty if
// there is no further statement.
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

// sessionFunctions ask or change what belongs to the client's session, which a source's session
// is not, or reach beyond the source's tables.
var sessionFunctions = []string{"last_insert_id", "database", "schema", "user", "current_user", "session_user", "system_user", "connection_id", "found_rows",
	"row_count", "get_lock", "release_lock", "release_all_locks", "is_free_lock", "is_used_lock", "load_file", "sleep", "benchmark",
	"current_role", "version", "master_pos_wait", "source_pos_wait", "nextval", "lastval", "setval", "master_gtid_wait"}

// OfSession is the first thing in a statement that only the client's own session can tell, as it
// is written: a variable, LAST_INSERT_ID() and such, INTO; or a function that a source has stored.
// Empty if there is none.
func (s *Statement) OfSession() (what string) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.ColName:
			if strings.HasPrefix(n.Name.String(), "@") || strings.HasPrefix(n.Qualifier.Name.String(), "@") {
				what = sqlparser.String(n)
			}
		case *sqlparser.FuncExpr:
			if !n.Qualifier.IsEmpty() || slices.Contains(sessionFunctions, n.Name.Lowered()) {
				what = n.Name.String() + "()"
			}
		case *sqlparser.Into:
			if n != nil {
				what = "INTO"
			}
		case *sqlparser.Select:
			if n.Into != nil {
				what = "INTO"
			}
		case *sqlparser.SetOp:
			if n.Into != nil {
				what = "INTO"
			}
		}
		return what == "", nil
	}, s.stmt)
	return what
}

// Replaces says that it is REPLACE, which deletes what it finds.
func (s *Statement) Replaces() bool {
	i, ok := s.stmt.(*sqlparser.Insert)
	return ok && strings.EqualFold(i.Action, sqlparser.ReplaceStr)
}

// Limits says that a statement has a LIMIT at its outside: not any of the rows that satisfy it.
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

// Blocks is how many queries stand in a statement, itself included.
func (s *Statement) Blocks() int { return len(usesOf(s.stmt).blocks) }

// Upserts says that it has ON DUPLICATE KEY UPDATE.
func (s *Statement) Upserts() bool {
	i, ok := s.stmt.(*sqlparser.Insert)
	return ok && len(i.OnDup) > 0
}
