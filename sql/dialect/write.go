package dialect

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// update writes UPDATE of one table, alone or joined with others.
func (e *emitter) update(s *sqlparser.Update) string {
	if s.Ignore {
		refuse("UPDATE IGNORE", "PostgreSQL does not pass over errors", "Leave out IGNORE")
	}
	var out string
	e.within(func(sc *scope) {
		with := e.with(s.With)
		w := e.target(s.TableExprs, func(i *item) bool {
			for _, a := range s.Exprs {
				if !e.sets(a.Name, i) {
					return false
				}
			}
			return true
		}, "UPDATE")
		if w.others != "" {
			e.unordered = true // in a join MySQL's servers read the old value or the new one
			defer func() { e.unordered = false }()
		}
		sets := e.assignments(s.Exprs, w.item, nil)
		if len(sets) == 0 {
			refuse("an UPDATE without SET", "it changes nothing", "")
		}
		text := with + "UPDATE " + w.table + " SET " + strings.Join(sets, ", ") + clause(" FROM ", w.others)
		settings, filter := e.settings, e.chosen(w, s.Where, s.OrderBy, s.Limit, "UPDATE")
		if out = text + filter; w.others == "" {
			e.settings = settings
			out = e.counting(text, w, filter)
		}
		e.closeWith(s.With)
	})
	return out
}

// sets reports whether a column to be set is one of a table.
func (e *emitter) sets(c *sqlparser.ColName, i *item) bool {
	if !c.Qualifier.IsEmpty() {
		return strings.EqualFold(c.Qualifier.Name.String(), i.name)
	}
	if _, ok := i.find(c.Name.String()); ok {
		return true
	}
	return e.scope.holder(c.Name.String()) == i
}

// written is the table that a statement changes, and the tables it is joined with.
type written struct {
	item   *item
	table  string   // as the statement names it
	others string   // for FROM or USING
	on     []string // conditions of the joins
}

// target finds the one table that a statement changes among those it joins.
func (e *emitter) target(from []sqlparser.TableExpr, is func(*item) bool, what string) written {
	var tables []*sqlparser.AliasedTableExpr
	var on []sqlparser.Expr
	for _, t := range from {
		e.flatten(t, &tables, &on, what)
	}
	parts := make([]string, len(tables))
	for i, t := range tables {
		n, ok := t.Expr.(sqlparser.TableName)
		if ok && e.named(e.tableName(n)) == nil {
			if len(t.Partitions) > 0 {
				refuse("PARTITION in "+what, "partitions of a source have names of their own", "")
			}
			parts[i] = e.use(e.tableName(n), t.As.String())
		} else {
			parts[i] = e.aliased(t)
		}
	}
	var w written
	at := -1
	for i, it := range e.scope.items {
		if it.base() && is(it) {
			if at >= 0 && len(tables) > 1 {
				refuse(what+" of several tables", "PostgreSQL changes one at a time, and which one is meant is not clear", "Write the table before each column")
			}
			at = i
		}
	}
	if at < 0 {
		refuse(what+" of several tables", "PostgreSQL changes one at a time", "Write a statement for each")
	}
	w.item, w.table = e.scope.items[at], parts[at]
	var others []string
	for i, p := range parts {
		if i != at {
			others = append(others, p)
			if it := e.scope.items[i]; it.base() {
				e.out.Reads = addName(e.out.Reads, it.logical)
				e.unguarded(it.logical, Unlocked)
			}
		}
	}
	w.others = strings.Join(others, ", ")
	for _, x := range on {
		w.on = append(w.on, e.condition(x).operand())
	}
	e.out.Writes = addName(e.out.Writes, w.item.logical)
	return w
}

// flatten takes inner joins apart.
func (e *emitter) flatten(t sqlparser.TableExpr, tables *[]*sqlparser.AliasedTableExpr, on *[]sqlparser.Expr, what string) {
	switch t := t.(type) {
	case *sqlparser.AliasedTableExpr:
		*tables = append(*tables, t)
		return
	case *sqlparser.ParenTableExpr:
		for _, x := range t.Exprs {
			e.flatten(x, tables, on, what)
		}
		return
	case *sqlparser.JoinTableExpr:
		condition, using := conditionOf(t)
		if (t.Join == sqlparser.NormalJoinType || t.Join == sqlparser.StraightJoinType) && len(using) == 0 {
			e.flatten(t.LeftExpr, tables, on, what)
			e.flatten(t.RightExpr, tables, on, what)
			if condition != nil {
				*on = append(*on, condition)
			}
			return
		}
	}
	refuse(what+" over a join of this kind", "PostgreSQL joins there with conditions alone", "Use JOIN ... ON, or a subquery")
}

// chosen writes which rows a statement changes. With a LIMIT they are chosen by a query of their
// keys, which PostgreSQL's UPDATE and DELETE do not have by themselves.
func (e *emitter) chosen(w written, where *sqlparser.Where, order sqlparser.OrderBy, limit *sqlparser.Limit, what string) string {
	conditions := w.on
	e.gaps(&sqlparser.Select{Where: where}, []*item{w.item}, []*item{w.item})
	if where != nil {
		f := e.condition(where.Expr)
		if len(conditions) == 0 {
			conditions = []string{f.text}
		} else {
			conditions = append(conditions, f.operand())
		}
	}
	filter := clause(" WHERE ", strings.Join(conditions, " AND "))
	if limit == nil {
		return filter // the order in which all are changed shows nowhere
	}
	if w.others != "" {
		refuse(what+" with LIMIT over a join", "MySQL does not have it", "")
	}
	t := e.known(w.item.logical, what+" with LIMIT")
	if len(t.Key) == 0 {
		refuse(what+" with LIMIT on "+w.item.logical.String(), "the table has no primary key by which to name the rows", "Name the rows in WHERE")
	}
	keys := list(len(t.Key), func(i int) string { return w.item.quoted + "." + ident(t.Key[i]) })
	left := keys
	if len(t.Key) > 1 {
		left = "(" + keys + ")"
	}
	return " WHERE " + left + " IN (SELECT " + keys + " FROM " + w.table + filter + e.orderBy(order, false) + e.limit(limit) + " FOR UPDATE)"
}

// remove writes DELETE.
func (e *emitter) remove(s *sqlparser.Delete) string {
	if len(s.Partitions) > 0 {
		refuse("PARTITION (...)", "partitions of a source have names of their own", "Delete by a condition on the key")
	}
	if s.Ignore {
		refuse("DELETE IGNORE", "PostgreSQL does not pass over errors", "Leave out IGNORE")
	}
	if len(s.Targets) > 1 {
		refuse("DELETE from several tables", "PostgreSQL changes one at a time", "Write a statement for each")
	}
	var out string
	e.within(func(sc *scope) {
		with := e.with(s.With)
		w := e.target(s.TableExprs, func(i *item) bool {
			return len(s.Targets) == 0 || strings.EqualFold(s.Targets[0].Name.String(), i.name)
		}, "DELETE")
		out = with + "DELETE FROM " + w.table + clause(" USING ", w.others) + e.chosen(w, s.Where, s.OrderBy, s.Limit, "DELETE")
		e.closeWith(s.With)
	})
	return out
}
