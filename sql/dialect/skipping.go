package dialect

import (
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// A SELECT with LIMIT and SKIP LOCKED over a table at several sources is carried out in parts: the
// first rows are looked for without a lock, then each is locked by its key, with the client's
// condition, until there are as many as LIMIT names. A source that was requested the client's
// statement itself would lock as many rows as LIMIT names, whichever of them are returned.

// SkipsLocked reports whether it is a SELECT with LIMIT that skips locked rows.
func (s *Statement) SkipsLocked() bool {
	n, ok := s.stmt.(*sqlparser.Select)
	return ok && n.Limit != nil && n.Lock != nil && strings.HasSuffix(n.Lock.Type, "skip locked")
}

// Shape is the statement sent to the sources without a lock and for no rows: its answer has the
// columns.
func (p *Partial) Shape() *Statement {
	return p.made(func(s *sqlparser.Select) {
		s.Lock, s.OrderBy, s.Limit = nil, nil, limitTo(0)
	})
}

// Look asks without a lock for the first rows: for the Hidden columns, by which they are sorted, and
// the columns of the primary key.
func (p *Partial) Look(key []string, most int64) *Statement {
	return p.made(func(s *sqlparser.Select) {
		order := s.SelectExprs[len(s.SelectExprs)-p.Hidden:]
		by := s.OrderBy
		s.Lock, s.OrderBy, s.Limit = nil, nil, limitTo(most)
		s.SelectExprs = append(sqlparser.SelectExprs(nil), order...)
		for i, o := range by { // they may name outputs that are not requested here
			s.OrderBy = append(s.OrderBy, &sqlparser.Order{Expr: order[i].(*sqlparser.AliasedExpr).Expr, Direction: o.Direction})
		}
		for i, name := range key {
			c := &sqlparser.ColName{Name: sqlparser.NewColIdent(name)}
			s.SelectExprs = append(s.SelectExprs, &sqlparser.AliasedExpr{Expr: c, InputExpression: name, As: sqlparser.NewColIdent("isochron_k" + strconv.Itoa(i))})
		}
	})
}

// Row locks the one row that has these values of the primary key, if it still fulfils the condition.
// Values are literals.
func (p *Partial) Row(key []string, values []Value) *Statement {
	return p.made(func(s *sqlparser.Select) {
		s.OrderBy, s.Limit = nil, nil
		var all sqlparser.Expr
		for i, name := range key {
			v := sqlparser.NewStrVal([]byte(values[i].Text))
			if values[i].Number {
				v = sqlparser.NewIntVal([]byte(values[i].Text))
			}
			all = and(all, &sqlparser.ComparisonExpr{Operator: sqlparser.EqualStr, Left: &sqlparser.ColName{Name: sqlparser.NewColIdent(name)}, Right: v})
		}
		if s.Where != nil {
			all = and(all, &sqlparser.ParenExpr{Expr: s.Where.Expr})
		}
		s.Where = &sqlparser.Where{Type: sqlparser.WhereStr, Expr: all}
	})
}

// made is the sources' statement after a change of its SELECT.
func (p *Partial) made(change func(*sqlparser.Select)) *Statement {
	out, s := *p.Statement, *p.Statement.stmt.(*sqlparser.Select)
	change(&s)
	out.stmt = &s
	return &out
}

func and(x, y sqlparser.Expr) sqlparser.Expr {
	if x == nil {
		return y
	}
	return &sqlparser.AndExpr{Left: x, Right: y}
}

func limitTo(n int64) *sqlparser.Limit {
	return &sqlparser.Limit{Rowcount: sqlparser.NewIntVal(strconv.AppendInt(nil, n, 10))}
}
