package dialect

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// upsert writes ON DUPLICATE KEY UPDATE. MySQL updates the row that conflicts with any unique
// key, PostgreSQL with a named one: it is the one that the rows give values for.
func (e *emitter) upsert(s *sqlparser.Insert, target *item, columns []output) string {
	t := e.known(target.logical, "ON DUPLICATE KEY UPDATE")
	key := e.conflictKey(s, t, target, columns)
	e.values = &valuesOf{target: target, columns: map[string]string{}}
	defer func() { e.values = nil }()
	e.values.excluded = &item{name: "excluded", quoted: "EXCLUDED", table: target.table, columns: target.columns, closed: true, excluded: true}
	if s.RowAlias != nil {
		e.values.alias = s.RowAlias.TableName.String()
		for i, c := range s.RowAlias.Columns {
			if i < len(columns) {
				e.values.columns[fold(c.String())] = columns[i].name
			}
		}
	}
	sets := e.assignments(sqlparser.UpdateExprs(s.OnDup), target, func(x sqlparser.Expr) (sqlparser.Expr, bool) {
		f, ok := callOf(x) // id = LAST_INSERT_ID(id) only names the row
		if ok && f.name == "last_insert_id" && len(f.args) == 1 {
			return nil, true
		}
		return x, false
	})
	e.remark("two rows of one statement with the same key are an error")
	e.counts = "2"
	text := " ON CONFLICT (" + identList(key) + ") DO UPDATE SET "
	if len(sets) == 0 {
		c := ident(key[0])
		if e.counts = "0"; e.opt.FoundRows {
			e.counts = "1"
		}
		return text + c + " = " + target.quoted + "." + c + e.conflicting(target, "")
	}
	text += strings.Join(sets, ", ")
	changed := e.other(target)
	if !e.opt.Count || e.returning != nil || len(sets) != len(s.OnDup) || e.moves {
		changed = ""
	}
	if changed != "" && e.opt.FoundRows {
		e.out.Given = rowsGiven(s)
	}
	return text + e.conflicting(target, changed)
}

// conflictKey chooses the key. One whose number the source gives cannot conflict.
func (e *emitter) conflictKey(s *sqlparser.Insert, t *Table, target *item, columns []output) []string {
	given := map[string]bool{}
	for i, c := range columns {
		given[c.name] = !(target.described(c.name).Auto && e.numbered(s, i))
	}
	var possible [][]string
	for _, k := range keysOf(t) {
		auto := false
		for _, c := range k {
			auto = auto || target.described(c).Auto && !given[c]
		}
		if !auto {
			possible = append(possible, k)
		}
	}
	switch {
	case len(possible) == 0 && len(t.Key) > 0:
		return t.Key
	case len(possible) == 0:
		refuse("ON DUPLICATE KEY UPDATE on "+target.logical.String(), "the table has no unique key", "Leave it out")
	case len(possible) > 1:
		e.remark("a conflict with a unique key other than the first that the rows give is error 1062, not an update")
	}
	return possible[0]
}

// numbered reports whether no row gives column i a value of its own.
func (e *emitter) numbered(s *sqlparser.Insert, i int) bool {
	rows, ok := s.Rows.(sqlparser.Values)
	if !ok {
		return false
	}
	for _, r := range rows {
		if i >= len(r) || e.ownValue(r[i]) {
			return false
		}
	}
	return true
}

// ownValue reports whether a value is neither NULL nor DEFAULT nor 0.
func (e *emitter) ownValue(x sqlparser.Expr) bool {
	switch x := x.(type) {
	case *sqlparser.NullVal, *sqlparser.Default:
		return false
	case *sqlparser.Literal:
		return e.opt.NoAutoValueOnZero || x.Type != sqlparser.IntVal || strings.Trim(x.Val, "0") != ""
	}
	return true
}

// valuesFunc writes VALUES(column).
func (e *emitter) valuesFunc(c *sqlparser.ColName) frag {
	if e.values == nil {
		refuse("VALUES(...) outside of ON DUPLICATE KEY UPDATE", "there is no row to be inserted", "")
	}
	return e.columnOf(e.values.excluded, c.Name.String(), true)
}

// proposed writes a column of the row to be inserted by the name that AS gave it.
func (e *emitter) proposed(c *sqlparser.ColName) (frag, bool) {
	if e.values == nil || e.values.alias == "" {
		return frag{}, false
	}
	name, renamed := e.values.columns[fold(c.Name.String())]
	switch {
	case !c.Qualifier.IsEmpty() && strings.EqualFold(c.Qualifier.Name.String(), e.values.alias):
		if !renamed {
			name = c.Name.String()
		}
		return e.columnOf(e.values.excluded, name, true), true
	case c.Qualifier.IsEmpty() && renamed:
		return e.columnOf(e.values.excluded, name, true), true
	}
	return frag{}, false
}

// assignments writes SET. In MySQL each sees the assignments before it; PostgreSQL's all see the
// row as it was, so an assigned value is written out where it is read.
func (e *emitter) assignments(exprs sqlparser.UpdateExprs, target *item, change func(sqlparser.Expr) (sqlparser.Expr, bool)) []string {
	e.scope.assigned = map[string]frag{}
	defer func(s *scope) { s.assigned = nil }(e.scope)
	var sets []string
	e.settings, e.moves, e.steps = nil, false, nil
	seen := map[string]bool{}
	for _, a := range exprs {
		c, ok := target.find(a.Name.Name.String())
		if !ok {
			c = output{name: fold(a.Name.Name.String())}
		}
		if seen[c.name] {
			refuse("two values for the column "+c.name, "PostgreSQL sets a column once", "Write one expression")
		}
		seen[c.name] = true
		x, skip := a.Expr, false
		if change != nil {
			x, skip = change(a.Expr)
		}
		if skip {
			continue
		}
		if d, ok := x.(*sqlparser.Default); ok && d.ColName == "" {
			sets = append(sets, ident(c.name)+" = DEFAULT")
			e.scope.assigned[c.name] = frag{typed: typed{kind: other}, text: ""}
			e.settings = append(e.settings, setting{})
			continue
		}
		described := target.described(c.name)
		f := e.fitting(e.any(x), c.typed, described)
		sets = append(sets, ident(c.name)+" = "+f.text)
		e.settings = append(e.settings, setting{described, f.text})
		e.moves = e.moves || moves(described, c.kind, x)
		if by := e.stepOf(target, c, x); by != "" {
			e.steps = append(e.steps, by)
		}
		e.scope.assigned[c.name] = settled(f, c, described)
		if e.unordered {
			e.scope.assigned[c.name] = frag{}
		}
	}
	return sets
}

// settled is the value that a column has been set to, in the column's type. Without a type it is
// not known, and its reader is refused.
func settled(f frag, c output, described Column) frag {
	if described.Type == "" {
		return frag{}
	}
	out := atom(cast(f, described.Type), c.kind)
	out.typed, out.sure = c.typed, f.sure
	return out
}
