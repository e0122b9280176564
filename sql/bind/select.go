package bind

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// query binds a query of any form.
func (b *binder) query(tree sqlparser.TableStatement) (*Query, error) {
	if b.depth > nestingMax {
		return nil, expr.NewError(1473, "HY000", "Too high level of nesting for select")
	}
	b.q = &Query{}
	switch s := tree.(type) {
	case *sqlparser.Select:
		return b.block(s)
	case *sqlparser.Union:
		return b.union(s)
	case *sqlparser.ValuesStatement:
		return b.valuesQuery(s)
	}
	return nil, unsupported("this query")
}

// block binds a SELECT.
func (b *binder) block(s *sqlparser.Select) (*Query, error) {
	switch {
	case s.Into != nil:
		return nil, expr.NewError(1064, "42000", "You have an error in your SQL syntax: INTO is not allowed in a query within another")
	case s.SQLCalcFoundRows && b.depth > 0:
		return nil, expr.NewError(1234, "42000", "Incorrect usage/placement of 'SQL_CALC_FOUND_ROWS'")
	case s.SelectExprs == nil:
		return nil, unsupported("this form of SELECT")
	}
	texts := b.scope.Texts[s]
	s, err := inlined(s)
	if err != nil {
		return nil, err
	}
	b.q.Distinct, b.q.CountAll = s.Distinct, s.SQLCalcFoundRows
	b.q.Lock, b.q.Wait = lockOf(s.Lock)
	b.clauseLock = s.Lock
	if err := b.with(s.With); err != nil {
		return nil, err
	}
	if err := b.from(s.From); err != nil {
		return nil, err
	}
	b.locks()
	if s.StraightJoinHint {
		straight(b.q.From)
	}
	if err := b.items(s, texts); err != nil {
		return nil, err
	}
	if err := b.where(s.Where); err != nil {
		return nil, err
	}
	if err := b.tail(s); err != nil {
		return nil, err
	}
	if err := b.skipped(s); err != nil {
		return nil, err
	}
	if l := s.Limit; l != nil {
		b.q.Offset, b.q.Count = l.Offset, l.Rowcount
	}
	return b.q, nil
}

func straight(j *Join) {
	if j != nil {
		j.Straight = true
		straight(j.Left)
		straight(j.Right)
	}
}

func (b *binder) where(w *sqlparser.Where) (err error) {
	if w == nil {
		return nil
	}
	b.clause = "where clause"
	if b.q.Where, err = b.resolve(w.Expr, nil); err == nil && hasAggregate(b.q.Where) {
		err = expr.NewError(1111, "HY000", "Invalid use of group function")
	}
	return err
}

// items expands and resolves the select list.
func (b *binder) items(s *sqlparser.Select, texts []string) error {
	b.clause = "field list"
	for i, item := range s.SelectExprs.Exprs {
		switch item := item.(type) {
		case *sqlparser.StarExpr:
			if err := b.star(item); err != nil {
				return err
			}
		case *sqlparser.AliasedExpr:
			text := ""
			if i < len(texts) {
				text = texts[i]
			} else if item.As.IsEmpty() {
				text = sqlparser.String(item.Expr)
			}
			if err := b.item(item, text); err != nil {
				return err
			}
		default:
			return unsupported("this select list")
		}
	}
	return nil
}

func (b *binder) item(item *sqlparser.AliasedExpr, text string) error {
	e, err := b.resolve(item.Expr, nil)
	if err != nil {
		return err
	}
	out := Item{Expr: e, Name: nameOf(item, text), Column: -1}
	if n, ok := item.Expr.(*sqlparser.ColName); ok && item.As.IsEmpty() {
		out.Name = n.Name.String()
		if v, err := b.find(n); err == nil && v != nil {
			out.Name = v.name
		}
	}
	b.q.Items = append(b.q.Items, b.placed(out))
	return nil
}

// placed is an item with the column that it is.
func (b *binder) placed(item Item) Item {
	if at, ok := Column(item.Expr); ok {
		item.Source, item.Column = b.q.SourceOf(at)
	}
	return item
}

func (b *binder) star(star *sqlparser.StarExpr) error {
	list := b.names.visible
	if !star.TableName.IsEmpty() {
		list = nil
		found := false
		for _, t := range b.names.tables {
			if t.qualifies(star.TableName) {
				list, found = append(list, t.columns...), true
			}
		}
		if !found {
			return expr.NewError(1051, "42S02", "Unknown table '%s'", star.TableName.Name.String())
		}
	} else if b.q.From == nil {
		if b.exists { // no column of it is looked at
			list = []visible{{name: "1", to: sqlparser.NewIntLiteral("1")}}
		} else {
			return expr.NewError(1096, "HY000", "No tables used")
		}
	}
	for _, v := range list {
		b.q.Items = append(b.q.Items, b.placed(Item{Expr: v.to, Name: v.name, Column: -1}))
	}
	return nil
}

// nameOf is the name of a result's column: the alias, or the text, of a literal without its quotes. Names have characters
// of up to three bytes, as MySQL's metadata; others are question marks.
func nameOf(item *sqlparser.AliasedExpr, text string) string {
	name := givenName(item, text)
	if !strings.ContainsFunc(name, beyondMetadata) {
		return name
	}
	return strings.Map(func(r rune) rune {
		if beyondMetadata(r) {
			return '?'
		}
		return r
	}, name)
}

// beyondMetadata reports whether a character has four bytes in UTF-8.
func beyondMetadata(r rune) bool { return r > 0xffff }

func givenName(item *sqlparser.AliasedExpr, text string) string {
	if !item.As.IsEmpty() {
		return item.As.String()
	}
	if lit, ok := item.Expr.(*sqlparser.Literal); ok && lit.Type == sqlparser.StrVal {
		return strings.TrimLeft(lit.Val, " ")
	}
	if _, ok := item.Expr.(*sqlparser.NullVal); ok {
		if text = bareText(text); strings.EqualFold(text, "null") {
			return "NULL" // a parameter that is NULL has its own text
		}
	}
	switch e := item.Expr.(type) {
	case *sqlparser.Literal:
		switch e.Type {
		case sqlparser.StrVal, sqlparser.IntVal, sqlparser.DecimalVal, sqlparser.FloatVal:
			text = bareText(text)
		}
	case *sqlparser.Argument, sqlparser.BoolVal:
		text = bareText(text)
	}
	if len(text) > maxName {
		return text[:maxName]
	}
	return text
}

// bareText is the text of a literal without the parentheses around it and the plus before it, which is no operator.
func bareText(text string) string {
	for {
		inner := strings.TrimLeft(text, "+ ")
		if after, ok := strings.CutPrefix(inner, "("); ok {
			inner = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(after, " "), ")"), " ")
		}
		if inner == text {
			return text
		}
		text = inner
	}
}

// maxName is the longest name of a result's column, in bytes.
const maxName = 256
