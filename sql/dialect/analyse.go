package dialect

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
)

// Packet is one message of a client.
type Packet struct {
	Statements []*Statement
	Commits    bool // it contains COMMIT
	Last       bool // it contains the hint /*+ last */
}

// Statement is one statement of a packet. It must not be changed.
type Statement struct {
	parsed
	Text          string // its part of the packet; empty if it was made from another
	Kind          Kind
	Reads, Writes []Name
	Commits       bool // it is COMMIT
	Begins        bool // it is BEGIN or START TRANSACTION
	Locks         bool // it has a locking clause
	Last          bool // it contains the hint /*+ last */
	Places        int  // placeholders
}

// Analyse reads a packet of statements. On an error, *ErrSyntax or *ErrNotTranslated, it gives
// those before the one that it is about.
func Analyse(text string, o Options) (Packet, error) {
	var p Packet
	if len(text) > textMax {
		return p, syntax("the text has %d bytes, and at most %d are read", len(text), textMax)
	}
	for _, part := range split(text, o.Mode) {
		s, err := analyse(part, o)
		if err != nil {
			return p, err
		}
		p.Statements = append(p.Statements, s)
		p.Commits = p.Commits || s.Commits
		p.Last = p.Last || s.Last
	}
	return p, nil
}

// split takes a packet apart at its semicolons. A part that is empty or a comment belongs to
// the statement before it.
func split(text string, m parse.Mode) (out []string) {
	for rest := text; rest != "" && hasStatement(rest, m); {
		var first string
		first, rest = firstOf(rest, m)
		out = append(out, first)
	}
	return out
}

func analyse(text string, o Options) (*Statement, error) {
	p, err := parseOne(text, o)
	if err != nil {
		return nil, err
	}
	s := &Statement{parsed: p, Text: text, Kind: p.kind, Last: p.last, Commits: p.commits, Begins: p.begins, Places: p.places}
	u := s.uses()
	s.Reads, s.Writes, s.Locks = u.reads, u.writes, u.locks
	if p.stmt == nil && p.kind == Define {
		s.Writes = defined(text, o.Mode)
	}
	return s, nil
}

// defined is the table of a definition that the parser does not know: the name behind TABLE, or behind the
// ON of a trigger or an index.
func defined(text string, m parse.Mode) []Name {
	on := false
	r := reader(text, m)
	for t := r.Next(); t.Kind != parse.End; t = r.Next() {
		switch {
		case t.Is("trigger"), t.Is("index"):
			on = true
			continue
		case t.Is("table"):
			for r.Take("if") || r.Take("not") || r.Take("exists") {
				continue
			}
		case !on || !t.Is("on"):
			continue
		}
		n := Name{Table: r.Next().Text}
		if r.Take(".") {
			n = Name{n.Table, r.Next().Text}
		}
		return []Name{n}
	}
	return nil
}

// uses are the tables of a statement.
type uses struct {
	reads, writes []Name
	locks         bool
	seen          map[Name]byte // in reads: 1, in writes: 2
	hidden        []string      // names that WITH gave to queries
	blocks        []*block      // query blocks, for what they ask of a key
}

// block is a query, or a statement that changes rows, with its tables.
type block struct {
	tables []tableIn
	where  sqlparser.Expr
	on     []sqlparser.Expr // of inner joins
	using  []string
}

func newBlock(w *sqlparser.Where) *block {
	b := &block{}
	if w != nil {
		b.where = w.Expr
	}
	return b
}

// tableIn is a table in a block.
type tableIn struct {
	name     Name
	alias    string
	optional bool
	on       []sqlparser.Expr // of the outer joins of which it is the optional side
}

func (p *parsed) uses() *uses {
	u := &uses{seen: map[Name]byte{}}
	if p.stmt != nil {
		u.walk(p.stmt)
	}
	if p.returning != nil {
		u.walk(p.returning.SelectExprs)
	}
	return u
}

func (u *uses) read(n Name) {
	if u.seen[n]&1 == 0 {
		u.seen[n] |= 1
		u.reads = append(u.reads, n)
	}
}

func (u *uses) write(n Name) {
	if u.seen[n]&2 == 0 {
		u.seen[n] |= 2
		u.writes = append(u.writes, n)
	}
}

func nameOf(t sqlparser.TableName) Name { return Name{t.Qualifier.String(), t.Name.String()} }

// walk traverses nodes. Nodes with WITH are walked by hand, since its names hide tables.
func (u *uses) walk(nodes ...sqlparser.SQLNode) {
	walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.Select:
			u.selected(n)
		case *sqlparser.Union:
			u.within(n.With, func() {
				u.locks = u.locks || n.Lock > sqlparser.NoLock
				u.walk(n.Left)
				if n.Right != nil {
					u.walk(n.Right)
				}
				u.walk(n.OrderBy, n.Limit)
			})
		case *sqlparser.Insert:
			u.write(nameOf(inserted(n)))
			u.walk(n.Rows, n.OnDup)
		case *sqlparser.Update:
			u.within(n.With, func() { u.updated(n) })
		case *sqlparser.Delete:
			u.within(n.With, func() { u.deleted(n) })
		case sqlparser.DDLStatement:
			u.defined(n)
		default:
			return true, nil
		}
		return false, nil
	}, nodes...)
}

// within walks the queries of WITH, and f with their names.
func (u *uses) within(w *sqlparser.With, f func()) {
	before := len(u.hidden)
	if w != nil {
		for _, c := range w.CTEs {
			if w.Recursive {
				u.hidden = append(u.hidden, c.ID.String())
			}
			u.walk(c.Subquery)
			if !w.Recursive {
				u.hidden = append(u.hidden, c.ID.String())
			}
		}
	}
	f()
	u.hidden = u.hidden[:before]
}

func (u *uses) selected(s *sqlparser.Select) {
	u.within(s.With, func() {
		b := newBlock(s.Where)
		u.locks = u.locks || s.Lock != sqlparser.NoLock
		u.from(s.From, b)
		for _, t := range b.tables {
			if t.name.Table != "" {
				u.read(t.name)
			}
		}
		u.blocks = append(u.blocks, b)
		u.walk(s.SelectExprs, s.Where, s.GroupBy, s.Having, s.Windows, s.OrderBy, s.Limit)
	})
}

// from collects the tables of a FROM, and walks its other nodes.
func (u *uses) from(from []sqlparser.TableExpr, b *block) {
	for _, t := range from {
		u.tableExpr(t, b)
	}
}

func (u *uses) tableExpr(t sqlparser.TableExpr, b *block) {
	switch t := t.(type) {
	case *sqlparser.AliasedTableExpr:
		n, ok := t.Expr.(sqlparser.TableName)
		if !ok {
			u.walk(t.Expr)
			b.tables = append(b.tables, tableIn{alias: t.As.String()})
			return
		}
		u.locks = u.locks || parse.LockOf(t) != sqlparser.NoLock
		in := tableIn{name: nameOf(n), alias: t.As.String()}
		if in.alias == "" {
			in.alias = in.name.Table
		}
		if u.hides(in.name) || isDual(n) {
			in.name = Name{}
		}
		b.tables = append(b.tables, in)
	case *sqlparser.ParenTableExpr:
		u.from(t.Exprs, b)
	case *sqlparser.JoinTableExpr:
		u.joined(t, b)
	default:
		u.walk(t)
	}
}

func (u *uses) joined(t *sqlparser.JoinTableExpr, b *block) {
	start := len(b.tables)
	u.tableExpr(t.LeftExpr, b)
	middle := len(b.tables)
	u.tableExpr(t.RightExpr, b)
	var may []tableIn
	on, using := conditionOf(t)
	switch t.Join {
	case sqlparser.LeftJoinType, sqlparser.NaturalLeftJoinType:
		may = b.tables[middle:]
	case sqlparser.RightJoinType, sqlparser.NaturalRightJoinType:
		may = b.tables[start:middle]
	default:
		if on != nil {
			b.on = append(b.on, on)
		}
		for _, c := range using {
			b.using = append(b.using, c.String())
		}
	}
	for i := range may {
		may[i].optional = true
		if on != nil {
			may[i].on = append(may[i].on, on)
		}
	}
	if on != nil {
		u.walk(on)
	}
}

// conditionOf is the condition of a join: ON, or USING.
func conditionOf(t *sqlparser.JoinTableExpr) (on sqlparser.Expr, using sqlparser.Columns) {
	if t.Condition == nil {
		return nil, nil
	}
	return t.Condition.On, t.Condition.Using
}

func (u *uses) hides(n Name) bool {
	if n.Database != "" {
		return false
	}
	for _, h := range u.hidden {
		if strings.EqualFold(h, n.Table) {
			return true
		}
	}
	return false
}

func (u *uses) updated(s *sqlparser.Update) {
	b := newBlock(s.Where)
	u.from(s.TableExprs, b)
	for _, t := range b.tables {
		written := false
		for _, a := range s.Exprs {
			written = written || a.Name.Qualifier.IsEmpty() || strings.EqualFold(a.Name.Qualifier.Name.String(), t.alias)
		}
		u.note(t, written, len(b.tables) > 1)
	}
	u.blocks = append(u.blocks, b)
	u.walk(s.Exprs, s.Where, s.OrderBy, s.Limit)
}

func (u *uses) deleted(s *sqlparser.Delete) {
	b := newBlock(s.Where)
	u.from(s.TableExprs, b)
	for _, t := range b.tables {
		written := len(s.Targets) == 0
		for _, n := range s.Targets {
			written = written || strings.EqualFold(n.Name.String(), t.alias)
		}
		u.note(t, written, len(b.tables) > 1)
	}
	u.blocks = append(u.blocks, b)
	u.walk(s.Where, s.OrderBy, s.Limit)
}

// note records a table of a write: it is written, or it is read, or, where it is not clear
// which of several is written, both.
func (u *uses) note(t tableIn, written, several bool) {
	if t.name.Table == "" {
		return
	}
	if written {
		u.write(t.name)
	}
	if !written || several {
		u.read(t.name)
	}
}

func (u *uses) defined(s sqlparser.DDLStatement) {
	for _, n := range append(s.AffectedTables(), s.GetToTables()...) {
		if !n.IsEmpty() {
			u.write(nameOf(n))
		}
	}
	switch s := s.(type) {
	case *sqlparser.CreateTable:
		if s.OptLike != nil {
			u.read(nameOf(s.OptLike.LikeTable))
		}
		if s.Select != nil {
			u.walk(s.Select)
		}
	case *sqlparser.CreateView:
		u.walk(s.Select)
	case *sqlparser.AlterView:
		u.walk(s.Select)
	}
}
