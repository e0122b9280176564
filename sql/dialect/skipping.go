package dialect

import (
	"maps"
	"slices"
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"
)

// A SELECT with LIMIT and SKIP LOCKED over a table at several sources is carried out in parts: the
// first rows are looked for without a lock, then each is locked by its key, with the client's
// condition, until there are as many as LIMIT names. A source that was requested the client's
// statement itself would lock as many rows as LIMIT names, whichever of them are returned.

// SkipsLocked reports whether it is a SELECT with LIMIT that skips locked rows.
func (s *Statement) SkipsLocked() bool {
	return s.Limits() && slices.ContainsFunc(locksOf(s.stmt), func(l tableLock) bool { return l.skips })
}

// Shape is the statement sent to the sources without a lock and for no rows: its answer has the
// columns.
func (p *Partial) Shape() *Statement {
	return p.made(func(s *sqlparser.Select) {
		unlock(s)
		s.OrderBy, s.Limit = nil, limitTo(0)
	})
}

// Look asks without a lock for the first rows: for the Hidden columns, by which they are sorted, and
// the columns of the primary key.
func (p *Partial) Look(key []string, most int64) *Statement {
	return p.made(func(s *sqlparser.Select) {
		all := s.SelectExprs.Exprs
		order := all[len(all)-p.Hidden:]
		by := s.OrderBy
		unlock(s)
		s.OrderBy, s.Limit = nil, limitTo(most)
		s.SelectExprs = &sqlparser.SelectExprs{Exprs: slices.Clone(order)}
		for i, o := range by { // they may name outputs that are not requested here
			s.OrderBy = append(s.OrderBy, &sqlparser.Order{Expr: order[i].(*sqlparser.AliasedExpr).Expr, Direction: o.Direction})
		}
		for i, name := range key {
			s.AddSelectExpr(&sqlparser.AliasedExpr{Expr: sqlparser.NewColName(name), As: sqlparser.NewIdentifierCI("isochron_k" + strconv.Itoa(i))})
		}
	})
}

// unlock takes the locking clauses from a SELECT of one table.
func unlock(s *sqlparser.Select) {
	s.Lock = sqlparser.NoLock
	t := *s.From[0].(*sqlparser.AliasedTableExpr)
	t.Hints = withoutLocks(t.Hints)
	s.From = []sqlparser.TableExpr{&t}
}

// Row locks the one row that has these values of the primary key, if it still fulfils the condition.
// Values are literals.
func (p *Partial) Row(key []string, values []Value) *Statement {
	return p.made(func(s *sqlparser.Select) {
		s.OrderBy, s.Limit = nil, nil
		var all []sqlparser.Expr
		for i, name := range key {
			v := sqlparser.NewStrLiteral(values[i].Text)
			if values[i].Number {
				v = sqlparser.NewIntLiteral(values[i].Text)
			}
			all = append(all, &sqlparser.ComparisonExpr{Operator: sqlparser.EqualOp, Left: sqlparser.NewColName(name), Right: v})
		}
		if s.Where != nil {
			all = append(all, s.Where.Expr)
		}
		s.Where = sqlparser.NewWhere(sqlparser.WhereClause, sqlparser.AndExpressions(all...))
	})
}

// made is the sources' statement after a change of its SELECT.
func (p *Partial) made(change func(*sqlparser.Select)) *Statement {
	out, from := *p.Statement, p.Statement.stmt.(*sqlparser.Select)
	s := *from
	change(&s)
	out.parsed = p.Statement.with(from, &s)
	return &out
}

// with is a statement with another SELECT in the place of its own.
func (p parsed) with(s, by *sqlparser.Select) parsed {
	p.stmt = by
	p.texts = maps.Clone(p.texts)
	if list, ok := p.texts[s]; ok {
		p.texts[by] = list
	}
	return p
}

func limitTo(n int64) *sqlparser.Limit {
	return &sqlparser.Limit{Rowcount: sqlparser.NewIntLiteral(strconv.FormatInt(n, 10))}
}
