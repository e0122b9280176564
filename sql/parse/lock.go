package parse

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// The parser has one locking clause for each SELECT, and no OF. A text with OF, or with several clauses, is parsed with the
// first one without its tables, and each table that a clause covers has a hint that says how it is locked: LockOf.

// lockClause is FOR UPDATE or FOR SHARE.
type lockClause struct {
	lock   sqlparser.Lock
	tables []string // behind OF; nil: all
}

// lockGroup are the clauses of one SELECT.
type lockGroup []lockClause

// lockHint is the first of the types of hints that are locks; no hint of an index has such a type.
const lockHint sqlparser.IndexHintType = -100

// LockOf is the lock that a clause with OF takes on a table; NoLock: none does.
func LockOf(t *sqlparser.AliasedTableExpr) sqlparser.Lock {
	for _, h := range t.Hints {
		if h.Type <= lockHint {
			return sqlparser.Lock(lockHint - h.Type)
		}
	}
	return sqlparser.NoLock
}

// lock reads the locking clauses that begin at start, if they are such. The scanner is behind FOR.
func (p *asParsed) lock(start int) {
	behind := p.at
	first, ok := p.lockClause()
	if !ok {
		p.at = behind
		return
	}
	group, end := lockGroup{first}, p.at
	for {
		if !strings.EqualFold(p.word(), "for") {
			break
		}
		next, ok := p.lockClause()
		if !ok {
			break
		}
		group, end = append(group, next), p.at
	}
	p.at = end
	p.locks = append(p.locks, group)
	if len(group) > 1 || first.tables != nil {
		p.put(start, lockWords[first.lock])
	}
}

var lockWords = map[sqlparser.Lock]string{
	sqlparser.ForUpdateLock: "FOR UPDATE", sqlparser.ForUpdateLockNoWait: "FOR UPDATE NOWAIT", sqlparser.ForUpdateLockSkipLocked: "FOR UPDATE SKIP LOCKED",
	sqlparser.ForShareLock: "FOR SHARE", sqlparser.ForShareLockNoWait: "FOR SHARE NOWAIT", sqlparser.ForShareLockSkipLocked: "FOR SHARE SKIP LOCKED",
}

// lockClause reads a clause behind FOR; false: it is none.
func (p *asParsed) lockClause() (c lockClause, ok bool) {
	switch strings.ToLower(p.word()) {
	case "update":
		c.lock = sqlparser.ForUpdateLock
	case "share":
		c.lock = sqlparser.ForShareLock
	default:
		return c, false
	}
	at := p.at
	if strings.EqualFold(p.word(), "of") {
		if c.tables, ok = p.tableNames(); !ok {
			return c, false
		}
		at = p.at
	} else {
		p.at = at
	}
	switch strings.ToLower(p.word()) {
	case "nowait":
		c.lock++
	case "skip":
		if !strings.EqualFold(p.word(), "locked") {
			return c, false
		}
		c.lock += 2
	default:
		p.at = at
	}
	return c, true
}

// tableNames reads a list of names.
func (p *asParsed) tableNames() (out []string, ok bool) {
	for {
		name, ok := p.name()
		if !ok {
			return nil, false
		}
		out = append(out, name)
		p.space()
		if p.at >= len(p.text) || p.text[p.at] != ',' {
			return out, true
		}
		p.at++
	}
}

// name reads a name, or the last one of several with points between them.
func (p *asParsed) name() (name string, ok bool) {
	for {
		p.space()
		if p.at >= len(p.text) {
			return "", false
		}
		if c := p.text[p.at]; c == '`' || c == '"' && p.mode.AnsiQuotes {
			start := p.at
			p.quoted()
			if p.at-start < 2 {
				return "", false
			}
			name = strings.ReplaceAll(p.text[start+1:p.at-1], string([]byte{c, c}), string(c))
		} else if name = p.word(); name == "" {
			return "", false
		}
		if p.at >= len(p.text) || p.text[p.at] != '.' {
			return name, true
		}
		p.at++
	}
}

// named are the locking clauses, if some of them are not for the parser alone.
func (p *asParsed) named() []lockGroup {
	for _, g := range p.locks {
		if len(g) > 1 || g[0].tables != nil {
			return p.locks
		}
	}
	return nil
}

// locked puts the locks of clauses with OF into a tree.
func locked(tree sqlparser.Statement, groups []lockGroup) error {
	if len(groups) == 0 {
		return nil
	}
	var of []*sqlparser.Select
	locking(tree, &of)
	if len(of) != len(groups) {
		return expr.NewError(1235, "42000", "This version of Isochron doesn't yet support 'this locking clause with OF'")
	}
	for i, s := range of {
		if err := groups[i].apply(s); err != nil {
			return err
		}
	}
	return nil
}

// locking appends the SELECTs that have a clause FOR UPDATE or FOR SHARE, in the order of the clauses.
func locking(n sqlparser.SQLNode, out *[]*sqlparser.Select) {
	textOrder(n, func(t sqlparser.TableStatement) { locking(t, out) })
	switch s := n.(type) {
	case *sqlparser.Select:
		if s.Lock >= sqlparser.ForShareLock {
			*out = append(*out, s)
		}
	case *sqlparser.Union:
		if s.Lock >= sqlparser.ForShareLock {
			if right, ok := s.Right.(*sqlparser.Select); ok {
				right.Lock, s.Lock = s.Lock, sqlparser.NoLock
				*out = append(*out, right)
			}
		}
	}
}

// apply marks the tables of a SELECT that clauses cover.
func (g lockGroup) apply(s *sqlparser.Select) error {
	if len(g) == 1 && g[0].tables == nil {
		return nil
	}
	s.Lock = sqlparser.NoLock
	tables := map[string]*sqlparser.AliasedTableExpr{}
	var list []*sqlparser.AliasedTableExpr
	for _, from := range s.From {
		EachTable(from, func(name string, t *sqlparser.AliasedTableExpr) {
			tables[strings.ToLower(name)] = t
			list = append(list, t)
		})
	}
	mark := func(name string, t *sqlparser.AliasedTableExpr, lock sqlparser.Lock) error {
		if LockOf(t) != sqlparser.NoLock {
			return expr.NewError(3569, "HY000", "Table %s appears in multiple locking clauses.", name)
		}
		t.Hints = append(t.Hints, &sqlparser.IndexHint{Type: lockHint - sqlparser.IndexHintType(lock)})
		return nil
	}
	for _, c := range g {
		for _, name := range c.tables {
			t := tables[strings.ToLower(name)]
			if t == nil {
				return expr.NewError(3568, "HY000", "Unresolved table name `%s` in locking clause.", name)
			}
			if err := mark(name, t, c.lock); err != nil {
				return err
			}
		}
		if c.tables != nil {
			continue
		}
		for _, t := range list {
			if err := mark(nameOfTable(t), t, c.lock); err != nil {
				return err
			}
		}
	}
	return nil
}

// EachTable calls f for the tables of a FROM clause, by the names under which the statement knows them.
func EachTable(e sqlparser.TableExpr, f func(name string, t *sqlparser.AliasedTableExpr)) {
	switch e := e.(type) {
	case *sqlparser.AliasedTableExpr:
		f(nameOfTable(e), e)
	case *sqlparser.ParenTableExpr:
		for _, inner := range e.Exprs {
			EachTable(inner, f)
		}
	case *sqlparser.JoinTableExpr:
		EachTable(e.LeftExpr, f)
		EachTable(e.RightExpr, f)
	}
}

// nameOfTable is the name under which a statement knows a table.
func nameOfTable(t *sqlparser.AliasedTableExpr) string {
	if name, ok := t.Expr.(sqlparser.TableName); ok && t.As.IsEmpty() {
		return name.Name.String()
	}
	return t.As.String()
}
