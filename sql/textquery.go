package sql

import (
	"context"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// query does a statement that came as text: by a cached plan for all texts that
// differ in their values alone, or by the engine.
func (h *handler) query(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn, engine func(mysql.ResultSpoolFn) (string, error)) (string, error) {
	s := h.g.session(c.ConnectionID)
	if s == nil {
		return engine(callback)
	}
	text, values, ok := parameterise(query)
	if !ok {
		return engine(callback)
	}
	r := &request{key: "text " + text, query: query, values: func() []sqlparser.Expr { return values }}
	r.given = func(into []any) []any { return appendGiven(into, values) }
	r.parse = func(ctx *gms.Context) (sqlparser.Statement, bool) {
		stmt, _, err := h.g.engine.Parser.ParseOneWithOptions(ctx, text, gms.LoadSqlMode(ctx).ParserOptions())
		return stmt, err == nil
	}
	if done, err := h.byPlan(ctx, c, s, r, callback); done {
		return "", err
	}
	return engine(func(res *sqltypes.Result, more bool) error {
		s.describe(r.key, res.Fields)
		return callback(res, more)
	})
}
