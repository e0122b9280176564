package dialect

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
)

// forMySQL gives a statement to a source that speaks MySQL. It is written from its tree: nothing of
// the client's text goes there that was not understood.
func forMySQL(p parsed, schema Schema, o Options) (t Translation, err error) {
	defer func() { err = addressed(err, MySQL) }()
	defer caught(&err)
	switch t.Kind = p.kind; t.Kind {
	case Read, Insert, Update, Delete:
	default:
		refuse("a statement of this kind", "it is for the gateway, and no source is sent it", "")
	}
	u := p.uses()
	t.Reads, t.Writes = u.reads, u.writes
	w := newMySQLWriter(u, schema, o)
	w.texts = p.texts
	want := parsed{stmt: w.meant(p.stmt).(sqlparser.Statement)}
	if p.returning != nil {
		want.returning = w.meant(p.returning).(*sqlparser.Select)
	}
	want.eachNode(w.check)
	t.Text, t.Args, t.Places = formatted(want)
	if again, err := parseOne(t.Text, Options{}); err != nil || !again.same(want, t.Args) {
		refuse("this statement", "its text cannot be written again from what was read", "Write it more simply")
	}
	return t, nil
}

// same reports whether a text that was read again is what was meant: no name or value has become anything else.
// args are the client's values of its placeholders.
func (p parsed) same(want parsed, args []int) bool {
	numbered := func(n sqlparser.SQLNode) sqlparser.SQLNode {
		return sqlparser.CopyOnRewrite(n, nil, func(c *sqlparser.CopyOnWriteCursor) {
			if a, ok := c.Node().(*sqlparser.Argument); ok && placeOf(a) < len(args) {
				c.Replace(sqlparser.NewArgument("v" + strconv.Itoa(args[placeOf(a)]+1)))
			}
		}, nil)
	}
	if p.stmt == nil || !sqlparser.Equals.SQLNode(numbered(p.stmt), want.stmt) {
		return false
	}
	if p.returning == nil || want.returning == nil {
		return p.returning == want.returning
	}
	return sqlparser.Equals.SQLNode(numbered(p.returning), want.returning)
}

// mysqlWriter makes of a client's tree the one that a source is sent.
type mysqlWriter struct {
	texts  itemTexts
	opt    Options
	tables map[Name]*Table // tables that the source names otherwise
	has    map[string]bool // columns of all tables that are known, in lower case
}

func newMySQLWriter(u *uses, schema Schema, o Options) *mysqlWriter {
	w := &mysqlWriter{opt: o}
	if schema == nil {
		return w
	}
	for _, n := range slices.Concat(u.reads, u.writes) {
		t, ok := schema.Table(n.Database, n.Table)
		for i := 0; ok && i < len(t.Columns); i++ {
			if w.has == nil {
				w.has = map[string]bool{}
			}
			w.has[fold(t.Columns[i].Name)] = true
		}
		if !ok || n.Table == t.Name && n.Database == t.Schema {
			continue
		}
		if !strings.EqualFold(n.Table, t.Name) {
			refuse("the table "+n.String(), "its source calls it "+t.Name, "")
		}
		if w.tables == nil {
			w.tables = map[Name]*Table{}
		}
		w.tables[n] = t
	}
	return w
}

// tableName is a table as the source has it.
func (w *mysqlWriter) tableName(n sqlparser.TableName) sqlparser.TableName {
	if t := w.tables[nameOf(n)]; t != nil {
		return sqlparser.NewTableNameWithQualifier(t.Name, t.Schema)
	}
	return n
}

// qualifier is the table of a column: without its database, for what the text calls it is the name
// itself or an alias.
func (w *mysqlWriter) qualifier(n sqlparser.TableName) sqlparser.TableName {
	if t := w.tables[nameOf(n)]; t != nil && !n.IsEmpty() {
		return sqlparser.NewTableName(t.Name)
	}
	return sqlparser.TableName{Name: n.Name}
}

// meant is a tree in the source's names and forms: without comments, since a hint may be one and means
// more to a server than its text, and with LAST_INSERT_ID() as its value.
func (w *mysqlWriter) meant(n sqlparser.SQLNode) sqlparser.SQLNode {
	client := map[sqlparser.SQLNode]sqlparser.SQLNode{} // the client's node, of those that have been changed
	return sqlparser.CopyOnRewrite(n, func(n, _ sqlparser.SQLNode) bool {
		switch n.(type) {
		case *sqlparser.ColName, *sqlparser.StarExpr:
			return false
		}
		return true
	}, func(c *sqlparser.CopyOnWriteCursor) {
		switch n := c.Node().(type) {
		case *sqlparser.ParsedComments:
			c.Replace((*sqlparser.ParsedComments)(nil))
		case sqlparser.TableName:
			c.Replace(w.tableName(n))
		case *sqlparser.ColName:
			c.Replace(&sqlparser.ColName{Name: n.Name, Qualifier: w.qualifier(n.Qualifier)})
		case *sqlparser.StarExpr:
			c.Replace(&sqlparser.StarExpr{TableName: w.qualifier(n.TableName)})
		case *sqlparser.FuncExpr:
			if w.opt.LastInsertID != nil && n.Qualifier.IsEmpty() && n.Name.EqualString("last_insert_id") && len(n.Exprs) == 0 {
				c.Replace(sqlparser.NewIntLiteral(u64(*w.opt.LastInsertID)))
			}
		case *sqlparser.IntervalDateExpr:
			c.Replace(asFunction(n))
		case *sqlparser.Select:
			s := *n
			s.Lock, s.Cache = w.lock(s.Lock), nil
			from, ok := client[n].(*sqlparser.Select)
			if !ok {
				from = n
			}
			s.SelectExprs = named(s.SelectExprs, w.texts[from])
			for _, l := range locksOf(n) {
				if l.of != nil && l.share {
					refuseShare()
				}
			}
			c.Replace(&s)
		case *sqlparser.Union:
			u := *n
			u.Lock = w.lock(u.Lock)
			c.Replace(&u)
		}
	}, func(before, after sqlparser.SQLNode) { client[after] = before })
}

// aliasMax is the length of the names of columns that all servers take.
const aliasMax = 255

// named has the client's texts as the names of items: a source is sent other words for some, and would
// name the columns by them.
func named(list *sqlparser.SelectExprs, texts []string) *sqlparser.SelectExprs {
	out := &sqlparser.SelectExprs{Exprs: slices.Clone(list.Exprs)}
	for i, x := range out.Exprs {
		a, ok := x.(*sqlparser.AliasedExpr)
		if !ok || !a.As.IsEmpty() || i >= len(texts) || len(texts[i]) > aliasMax || strings.Contains(texts[i], "\x00") || !utf8.ValidString(texts[i]) {
			continue
		}
		switch a.Expr.(type) {
		case *sqlparser.Literal, *sqlparser.NullVal, sqlparser.BoolVal, *sqlparser.Argument:
			continue
		case *sqlparser.ColName:
			if texts[i][0] != '(' {
				continue
			}
		}
		out.Exprs[i] = &sqlparser.AliasedExpr{Expr: a.Expr, As: sqlparser.NewIdentifierCI(texts[i])}
	}
	return out
}

// asFunction has DATE_ADD and DATE_SUB in the place of + and -, which may need brackets.
func asFunction(n *sqlparser.IntervalDateExpr) *sqlparser.IntervalDateExpr {
	out := *n
	switch n.Syntax {
	case sqlparser.IntervalDateExprBinaryAdd, sqlparser.IntervalDateExprBinaryAddLeft:
		out.Syntax = sqlparser.IntervalDateExprDateAdd
	case sqlparser.IntervalDateExprBinarySub:
		out.Syntax = sqlparser.IntervalDateExprDateSub
	}
	return &out
}

// lock is a locking clause in words that all servers have. MariaDB does not know FOR SHARE; LOCK IN
// SHARE MODE exists in both.
func (w *mysqlWriter) lock(l sqlparser.Lock) sqlparser.Lock {
	switch l {
	case sqlparser.ForShareLock:
		return sqlparser.ShareModeLock
	case sqlparser.ForShareLockNoWait, sqlparser.ForShareLockSkipLocked:
		refuseShare()
	}
	return l
}

func refuseShare() {
	refuse("FOR SHARE with OF, NOWAIT or SKIP LOCKED", "MySQL and MariaDB do not share a way to say it", "Use FOR UPDATE, or leave the word out")
}

// withoutLocks are the hints of a table that are no locks.
func withoutLocks(hints sqlparser.IndexHints) (out sqlparser.IndexHints) {
	for _, h := range hints {
		if parse.LockOf(&sqlparser.AliasedTableExpr{Hints: sqlparser.IndexHints{h}}) == sqlparser.NoLock {
			out = append(out, h)
		}
	}
	return out
}
