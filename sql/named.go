package sql

import (
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// The engine asks for the current database when it binds a view and when it turns
// a DELETE into a TRUNCATE, even where the statement names all its databases. A
// session that has selected none is lent the first of them for such a statement.

// The numbers with which the engine says that it misses a database.
const (
	codeDatabaseDenied  = 1044
	codeNoDatabase      = 1046
	codeUnknownDatabase = 1049
)

// withNamed does a statement once more with a database lent, if it failed for
// want of one that it does not need. What the engine panics at is an error.
func (h *handler) withNamed(s *Session, text string, carryOut func() error) error {
	do := func() error { return h.g.schemaCheck(s, text, carryOut) }
	err := do()
	if err == nil || s == nil || s.statement.failure != nil || s.GetCurrentDatabase() != "" {
		return err
	}
	var code int
	if e, ok := errorOf(s, err).(*mysql.SQLError); ok {
		code = e.Num
	}
	if code != codeDatabaseDenied && code != codeNoDatabase && code != codeUnknownDatabase {
		return err
	}
	stmt, _, parseErr := h.g.engine.Parser.ParseOneWithOptions(s.quiet, text, gms.LoadSqlMode(s.quiet).ParserOptions())
	if parseErr != nil {
		return err
	}
	db := namedDatabase(stmt)
	if db == "" {
		return err
	}
	s.SetCurrentDatabase(db)
	defer s.SetCurrentDatabase("")
	return do()
}

// namedDatabase is the first database that a query, a DELETE or a CREATE VIEW names; empty if any
// of its tables is without, or it asks which database is the current one.
func namedDatabase(stmt sqlparser.Statement) string {
	if e, ok := stmt.(*sqlparser.Explain); ok {
		stmt = e.Statement
	}
	switch stmt := stmt.(type) {
	case *sqlparser.Select, *sqlparser.SetOp:
	case *sqlparser.DDL:
		if viewsDatabase(stmt) == "" {
			return ""
		}
	case *sqlparser.Delete:
		if len(stmt.Targets) > 0 {
			return ""
		}
	default:
		return ""
	}
	first, asks := viewsDatabase(stmt), false
	ctes, bare := map[string]bool{}, []string{}
	walkWhole(stmt, func(node sqlparser.SQLNode) {
		switch node := node.(type) {
		case *sqlparser.CommonTableExpr:
			ctes[strings.ToLower(node.As.String())] = true
		case *sqlparser.FuncExpr:
			name := node.Name.Lowered()
			asks = asks || name == "database" || name == "schema"
		case *sqlparser.AliasedTableExpr:
			t, ok := node.Expr.(sqlparser.TableName)
			switch {
			case !ok:
			case t.DbQualifier.IsEmpty():
				bare = append(bare, strings.ToLower(t.Name.String()))
			case first == "":
				first = t.DbQualifier.String()
			}
		}
	})
	for _, name := range bare {
		if !ctes[name] && name != "dual" {
			return ""
		}
	}
	if asks {
		return ""
	}
	return first
}

// viewsDatabase is the database of a view that a statement makes; empty if that is not
// what it does, or it names none.
func viewsDatabase(stmt sqlparser.Statement) string {
	if d, ok := stmt.(*sqlparser.DDL); ok && d.ViewSpec != nil && d.Action == sqlparser.CreateStr {
		return d.ViewSpec.ViewName.DbQualifier.String()
	}
	return ""
}

// walkWhole visits all of a statement, also what the parser's walk leaves out.
func walkWhole(stmt sqlparser.SQLNode, visit func(sqlparser.SQLNode)) {
	if d, ok := stmt.(*sqlparser.DDL); ok && d.ViewSpec != nil {
		walkWhole(d.ViewSpec.ViewExpr, visit)
		return
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		visit(node)
		if u, ok := node.(*sqlparser.SetOp); ok {
			if u.With != nil {
				walkWhole(u.With, visit)
			}
			if u.Limit != nil {
				walkWhole(u.Limit, visit)
			}
		}
		return true, nil
	}, stmt)
}
