package sql

import (
	"context"
	"errors"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/legacy/accounts"
	"isochron/sql/parse"
)

// engineParser is the engine's parser within bounds, for what clients may send.
type engineParser struct{ gms.Parser }

// withoutMariaDB blanks comments that only MariaDB executes, which the engine's
// parser would take for MySQL's. Nothing changes its place.
func withoutMariaDB(query string) string {
	const opening, closing = "/*M!", "*/"
	if !strings.Contains(query, opening) {
		return query
	}
	out := []byte(query)
	for i := 0; i < len(query); {
		switch c := query[i]; {
		case c == '\'' || c == '"' || c == '`':
			i = parse.SkipQuoted(query, i)
		case strings.HasPrefix(query[i:], opening):
			end := parse.SkipTo(query, i, closing)
			for ; i < end; i++ {
				out[i] = ' '
			}
		case strings.HasPrefix(query[i:], "/*"):
			i = parse.SkipTo(query, i, closing)
		default:
			i++
		}
	}
	return string(out)
}

// ParseSimple implements gms.Parser.
func (p engineParser) ParseSimple(query string) (sqlparser.Statement, error) {
	if err := checkSize(context.Background(), query, sqlparser.ParserOptions{}); err != nil {
		return nil, err
	}
	query = withoutMariaDB(query)
	if stmt, _, _, err := parseAccounts(context.Background(), query, ';', false, sqlparser.ParserOptions{}); stmt != nil || err != nil {
		return stmt, err
	}
	stmt, err := p.Parser.ParseSimple(query)
	if err == nil {
		err = checkBounds(context.Background(), stmt)
	}
	if err == nil {
		err = permit(context.Background(), stmt)
	}
	if err != nil {
		return stmt, err
	}
	completed(query, stmt)
	return stmt, nil
}

// Parse implements gms.Parser.
func (p engineParser) Parse(ctx *gms.Context, query string, multi bool) (sqlparser.Statement, string, string, error) {
	return p.ParseWithOptions(ctx, query, ';', multi, gms.LoadSqlMode(ctx).ParserOptions())
}

// ParseWithOptions implements gms.Parser. The text returned is that of the client,
// so that it is parsed to the same when it comes back.
func (p engineParser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, options sqlparser.ParserOptions) (sqlparser.Statement, string, string, error) {
	query = withoutMariaDB(query)
	if err := checkSize(ctx, query, options); err != nil {
		return nil, "", "", err
	}
	if stmt, parsed, rest, err := parseAccounts(ctx, query, delimiter, multi, options); stmt != nil || err != nil {
		return stmt, parsed, rest, err
	}
	stmt, parsed, rest, err := p.Parser.ParseWithOptions(ctx, query, delimiter, multi, options)
	if err = judged(ctx, query, stmt, err); err != nil {
		return nil, parsed, rest, err
	}
	completed(query, stmt)
	return stmt, parsed, rest, err
}

// parseAccounts parses a text that begins with a statement about accounts; nil: it begins with another.
func parseAccounts(ctx context.Context, query string, delimiter rune, multi bool, options sqlparser.ParserOptions) (stmt sqlparser.Statement, parsed, rest string, err error) {
	parsed = gms.RemoveSpaceAndDelimiter(query, delimiter)
	stmt, end, err := accounts.Parse(parsed, options.AnsiQuotes)
	if stmt == nil && err == nil {
		return nil, "", "", nil
	}
	if err == nil && end < len(parsed) {
		parsed, rest = gms.RemoveSpaceAndDelimiter(parsed[:end], delimiter), parsed[end:]
		if !multi {
			err = errors.New("syntax error: a second statement stands behind the first")
		}
	}
	if err = judged(ctx, query, stmt, err); err != nil {
		return nil, parsed, rest, err
	}
	return stmt, parsed, rest, nil
}

// judged is what permit says of a statement that was parsed, or better words than the
// parser's for one that could not be.
func judged(ctx context.Context, query string, stmt sqlparser.Statement, err error) error {
	if err != nil {
		return keepOf(ctx, unsupported(query, err))
	}
	if err := refuseQueries(stmt); err != nil {
		return keepOf(ctx, err)
	}
	if err := checkBounds(ctx, stmt); err != nil {
		return err
	}
	if err := permit(ctx, stmt); err != nil {
		return err
	}
	return nil
}

// errQueryWithin is the error of a statement of the engine with a query, which it would execute.
var errQueryWithin = mysql.NewSQLError(codeInvalidRequest, "42000", "a query within SET of a system variable, or of one that depends on another, and within SHOW is not supported: SET @v = (SELECT ...) first")

// refuseQueries refuses a query within SET or SHOW. The SQL core executes SET of user variables with queries (coreset.go).
func refuseQueries(stmt sqlparser.Statement) (err error) {
	var parts []sqlparser.SQLNode
	switch n := stmt.(type) {
	case *sqlparser.Set:
		for _, e := range n.Exprs {
			parts = append(parts, e.Expr)
		}
	case *sqlparser.Show:
		parts = append(parts, n.ShowCollationFilterOpt, n.ShowIndexFilterOpt)
		if n.Filter != nil {
			parts = append(parts, n.Filter.Filter)
		}
		if n.ShowTablesOpt != nil && n.ShowTablesOpt.Filter != nil {
			parts = append(parts, n.ShowTablesOpt.Filter.Filter)
		}
	}
	for _, part := range parts {
		if part == nil {
			continue
		}
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			switch n.(type) {
			case *sqlparser.Subquery, *sqlparser.ExistsExpr, sqlparser.SelectStatement:
				err = errQueryWithin
			}
			return err == nil, nil
		}, part)
	}
	return err
}

// keepOf has the session keep an error, if there is one.
func keepOf(ctx context.Context, err error) error {
	if gctx, ok := ctx.(*gms.Context); ok {
		if s, ok := gctx.Session.(*Session); ok {
			return keep(s, err)
		}
	}
	return err
}

// checkBounds refuses what the engine would take too long over, or too much memory.
func checkBounds(ctx context.Context, stmt sqlparser.Statement) error {
	if err := checkBreadth(ctx, stmt); err != nil {
		return err
	}
	return checkExpansion(stmt)
}

// ParseOneWithOptions implements gms.Parser.
func (p engineParser) ParseOneWithOptions(ctx context.Context, query string, options sqlparser.ParserOptions) (sqlparser.Statement, int, error) {
	query = withoutMariaDB(query)
	if err := checkSize(ctx, query, options); err != nil {
		return nil, 0, err
	}
	if stmt, n, err := accounts.Parse(query, options.AnsiQuotes); stmt != nil || err != nil {
		return stmt, n, judged(ctx, query, stmt, err)
	}
	stmt, n, err := p.Parser.ParseOneWithOptions(ctx, query, options)
	if err = judged(ctx, query, stmt, err); err != nil {
		return nil, n, err
	}
	completed(query, stmt)
	return stmt, n, err
}

// completed gives a statement what the engine's parser drops.
func completed(query string, stmt sqlparser.Statement) {
	markNext(query, stmt)
	withCollation(query, stmt)
}
