package sql

import (
	"context"
	"errors"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/legacy/accounts"
	"isochron/sql/parse"
	"isochron/txn"
)

// lockParser is the engine's parser with locking clauses kept. The engine parses
// them and drops them; here each table that a clause covers is marked with an AS
// OF that no client can write and that the database reads as a lock. FOR SHARE,
// which the engine does not parse, is read as FOR UPDATE and remembered.
type lockParser struct{ gms.Parser }

const (
	lockMark  = "\x00lock:"
	limitMark = " limit" // behind it: not all rows that the query reads are returned
)

// lockOfMark reads the mark of a table.
func lockOfMark(mark string) (txn.Lock, txn.Wait, bool) {
	kind, ok := strings.CutPrefix(mark, lockMark)
	if !ok {
		return 0, 0, false
	}
	lock, wait := txn.LockExclusive, txn.WaitForLock
	if strings.Contains(kind, "share") {
		lock = txn.LockShared
	}
	if strings.Contains(kind, "nowait") {
		wait = txn.NoWait
	} else if strings.Contains(kind, "skip locked") {
		wait = txn.SkipLocked
	}
	return lock, wait, true
}

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
func (p lockParser) ParseSimple(query string) (sqlparser.Statement, error) {
	if err := checkSize(context.Background(), query, sqlparser.ParserOptions{}); err != nil {
		return nil, err
	}
	query = withoutMariaDB(query)
	if stmt, _, _, err := parseAccounts(context.Background(), query, ';', false, sqlparser.ParserOptions{}); stmt != nil || err != nil {
		return stmt, err
	}
	query, share := replaceForShare(query)
	stmt, err := p.Parser.ParseSimple(blankSnapshot(query))
	if err == nil {
		err = checkBounds(context.Background(), stmt)
	}
	if err == nil {
		err = permit(context.Background(), stmt)
	}
	if err != nil {
		return stmt, err
	}
	markNext(query, stmt)
	withCollation(query, stmt)
	return markLocks(stmt, share), nil
}

// Parse implements gms.Parser.
func (p lockParser) Parse(ctx *gms.Context, query string, multi bool) (sqlparser.Statement, string, string, error) {
	return p.ParseWithOptions(ctx, query, ';', multi, gms.LoadSqlMode(ctx).ParserOptions())
}

// ParseWithOptions implements gms.Parser. The text returned is that of the client,
// so that it is parsed to the same when it comes back.
func (p lockParser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, options sqlparser.ParserOptions) (sqlparser.Statement, string, string, error) {
	query = withoutMariaDB(query)
	if err := checkSize(ctx, query, options); err != nil {
		return nil, "", "", err
	}
	if stmt, parsed, rest, err := parseAccounts(ctx, query, delimiter, multi, options); stmt != nil || err != nil {
		return stmt, parsed, rest, err
	}
	text, share := replaceForShare(query)
	stmt, parsed, rest, err := p.Parser.ParseWithOptions(ctx, blankSnapshot(text), delimiter, multi, options)
	if err = judged(ctx, query, stmt, err); err != nil {
		return nil, parsed, rest, err
	}
	markNext(query, stmt)
	withCollation(query, stmt)
	noteBegin(ctx, query[:max(0, len(query)-len(rest))], stmt)
	if share {
		if restored := strings.TrimSuffix(text, rest); len(restored) <= len(query) {
			parsed = gms.RemoveSpaceAndDelimiter(query[:len(query)-len(rest)], delimiter)
		}
	}
	readOnlyView(ctx, query, stmt)
	return markLocks(stmt, share), parsed, rest, err
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
	if err := checkBounds(ctx, stmt); err != nil {
		return err
	}
	if err := permit(ctx, stmt); err != nil {
		return err
	}
	carrySelected(ctx, stmt)
	return nil
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

// readOnlyView keeps a read of a view from counting as a change of the catalogue,
// which would commit the client's transaction: the engine reads a view by binding
// its CREATE VIEW, and only that of something temporary does not count.
func readOnlyView(ctx context.Context, query string, stmt sqlparser.Statement) {
	ddl, ok := stmt.(*sqlparser.DDL)
	if !ok || ddl.ViewSpec == nil {
		return
	}
	if gctx, ok := ctx.(*gms.Context); ok {
		if s, ok := gctx.Session.(*Session); ok && s.statement.view == query {
			ddl.Temporary = true
		}
	}
}

// ParseOneWithOptions implements gms.Parser.
func (p lockParser) ParseOneWithOptions(ctx context.Context, query string, options sqlparser.ParserOptions) (sqlparser.Statement, int, error) {
	query = withoutMariaDB(query)
	if err := checkSize(ctx, query, options); err != nil {
		return nil, 0, err
	}
	if stmt, n, err := accounts.Parse(query, options.AnsiQuotes); stmt != nil || err != nil {
		return stmt, n, judged(ctx, query, stmt, err)
	}
	text, share := replaceForShare(query)
	stmt, n, err := p.Parser.ParseOneWithOptions(ctx, blankSnapshot(text), options)
	if err = judged(ctx, query, stmt, err); err != nil {
		return nil, n, err
	}
	markNext(query, stmt)
	withCollation(query, stmt)
	return markLocks(stmt, share), n - (len(text)-len(query))*min(n, 1), err
}

// markLocks marks the tables of every SELECT with a locking clause.
func markLocks(stmt sqlparser.Statement, share bool) sqlparser.Statement {
	if stmt == nil {
		return stmt
	}
	arms := map[*sqlparser.Select]bool{} // of UNION: the engine reads all of their tables
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch n := node.(type) {
		case *sqlparser.ComparisonExpr:
			keepDigits(n)
		case *sqlparser.DDL:
			declareTypes(n)
		}
		if s, ok := node.(*sqlparser.Select); ok && s.Lock != nil && s.Lock.Type != "" {
			markTables(s.From, s.Lock, share, arms[s] || limitsRows(s))
		}
		if u, ok := node.(*sqlparser.SetOp); ok {
			for _, arm := range []sqlparser.SelectStatement{u.Left, u.Right} {
				if p, ok := arm.(*sqlparser.ParenSelect); ok {
					arm = p.Select
				}
				if s, ok := arm.(*sqlparser.Select); ok {
					arms[s] = true
				}
			}
			// Without brackets a clause is that of the last SELECT, as at a MariaDB.
			if s, ok := u.Right.(*sqlparser.Select); ok && u.Lock != nil && u.Lock.Type != "" {
				markTables(s.From, u.Lock, share, true)
			}
		}
		return true, nil
	}, stmt)
	return stmt
}

// limitsRows reports whether a query returns only some of the rows that it finds, by its LIMIT. Of
// groups and windows all count, and all are locked.
func limitsRows(s *sqlparser.Select) bool {
	all := s.Limit == nil || len(s.GroupBy) > 0
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch n := node.(type) {
		case *sqlparser.Subquery:
			return false, nil
		case *sqlparser.FuncExpr:
			all = all || n.IsAggregate() || n.Over != nil
		case *sqlparser.GroupConcatExpr:
			all = true
		}
		return !all, nil
	}, s.SelectExprs, s.Having)
	return !all
}

func markTables(from sqlparser.TableExprs, lock *sqlparser.Lock, share, limited bool) {
	for _, e := range from {
		switch e := e.(type) {
		case *sqlparser.AliasedTableExpr:
			if _, isTable := e.Expr.(sqlparser.TableName); isTable && e.AsOf == nil && covers(lock, e) {
				kind := lock.Type
				if share {
					kind = strings.Replace(kind, "update", "share", 1)
				}
				if limited {
					kind += limitMark
				}
				e.AsOf = &sqlparser.AsOf{Time: sqlparser.NewStrVal([]byte(lockMark + kind))}
			}
		case *sqlparser.ParenTableExpr:
			markTables(e.Exprs, lock, share, limited)
		case *sqlparser.JoinTableExpr:
			markTables(sqlparser.TableExprs{e.LeftExpr, e.RightExpr}, lock, share, limited)
		}
	}
}

// covers reports whether a locking clause is about a table: all of them unless OF
// names some.
func covers(lock *sqlparser.Lock, e *sqlparser.AliasedTableExpr) bool {
	name := e.As.String()
	if t, ok := e.Expr.(sqlparser.TableName); ok && name == "" {
		name = t.Name.String()
	}
	for _, t := range lock.Tables {
		if strings.EqualFold(t.Name.String(), name) {
			return true
		}
	}
	return len(lock.Tables) == 0
}

// replaceForShare writes FOR UPDATE for FOR SHARE in the first statement of a
// text, and reports whether all its locking clauses were FOR SHARE.
func replaceForShare(query string) (string, bool) {
	if !strings.Contains(strings.ToLower(query), "share") {
		return query, false
	}
	var out strings.Builder
	replaced, update := false, false
	previous, copied := "", 0
	for _, w := range parse.Words(query) {
		word := strings.ToLower(query[w[0]:w[1]])
		if previous == "for" && word == "share" {
			out.WriteString(query[copied:w[0]])
			out.WriteString("UPDATE")
			copied, replaced = w[1], true
		}
		update = update || previous == "for" && word == "update"
		previous = word
	}
	out.WriteString(query[copied:])
	return out.String(), replaced && !update
}
