package dialect

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
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
	for _, part := range split(text, o.AnsiQuotes) {
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
func split(text string, ansi bool) []string {
	var out []string
	start, full := 0, false
	for i := 0; ; {
		t, ok := next(text, i, ansi)
		if !ok {
			break
		}
		i = t.end
		switch {
		case t.kind == tokenSign && text[t.start] == ';':
			if full {
				out = append(out, strings.TrimSpace(text[start:t.start]))
			}
			start, full = t.end, false
		case t.kind != tokenComment:
			full = true
		}
	}
	if full {
		out = append(out, strings.TrimSpace(text[start:]))
	}
	return out
}

func analyse(text string, o Options) (*Statement, error) {
	p, err := parse(text, o)
	if err != nil {
		return nil, err
	}
	s := &Statement{parsed: p, Text: text, Kind: kindOf(p.stmt), Last: p.last, Places: p.places}
	u := usesOf(p.stmt)
	s.Reads, s.Writes, s.Locks = u.reads, u.writes, u.locks
	switch p.stmt.(type) {
	case *sqlparser.Commit:
		s.Commits = true
	case *sqlparser.Begin:
		s.Begins = true
	}
	return s, nil
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

// tableIn is a table in a block.
type tableIn struct {
	name     Name
	alias    string
	optional bool
	on       []sqlparser.Expr // of the outer joins of which it is the optional side
}

func usesOf(stmt sqlparser.Statement) *uses {
	u := &uses{seen: map[Name]byte{}}
	u.walk(stmt)
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

func nameOf(t sqlparser.TableName) Name { return Name{t.DbQualifier.String(), t.Name.String()} }

// walk traverses a tree. Nodes with WITH are walked by hand, since its names hide tables.
func (u *uses) walk(nodes ...sqlparser.SQLNode) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.Select:
			u.selected(n)
			return false, nil
		case *sqlparser.SetOp:
			u.within(n.With, func() { u.walk(n.Left, n.Right, n.OrderBy, n.Limit) })
			return false, nil
		case *sqlparser.Insert:
			u.within(n.With, func() {
				u.write(nameOf(n.Table))
				u.walk(n.Rows, n.OnDup)
			})
			return false, nil
		case *sqlparser.Update:
			u.within(n.With, func() { u.updated(n) })
			return false, nil
		case *sqlparser.Delete:
			u.within(n.With, func() { u.deleted(n) })
			return false, nil
		case *sqlparser.DDL:
			u.defined(n)
			return false, nil
		case *sqlparser.AlterTable:
			u.write(nameOf(n.Table))
			return false, nil
		}
		return true, nil
	}, nodes...)
}

// within walks the queries of WITH, and f with their names.
func (u *uses) within(w *sqlparser.With, f func()) {
	before := len(u.hidden)
	if w != nil {
		for _, c := range w.Ctes {
			if w.Recursive {
				u.hidden = append(u.hidden, c.As.String())
			}
			u.walk(c.Expr)
			if !w.Recursive {
				u.hidden = append(u.hidden, c.As.String())
			}
		}
	}
	f()
	u.hidden = u.hidden[:before]
}

func (u *uses) selected(s *sqlparser.Select) {
	u.within(s.With, func() {
		b := &block{}
		if s.Where != nil {
			b.where = s.Where.Expr
		}
		if s.Lock != nil && s.Lock.Type != "" {
			u.locks = true
		}
		u.from(s.From, b)
		for _, t := range b.tables {
			if t.name.Table != "" {
				u.read(t.name)
			}
		}
		u.blocks = append(u.blocks, b)
		u.walk(s.SelectExprs, s.Where, s.GroupBy, s.Having, s.OrderBy, s.Limit)
		for _, w := range s.Window {
			u.walk(w.PartitionBy, w.OrderBy)
		}
	})
}

// from collects the tables of a FROM, and walks its other nodes.
func (u *uses) from(from sqlparser.TableExprs, b *block) {
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
		in := tableIn{name: nameOf(n), alias: t.As.String()}
		if in.alias == "" {
			in.alias = in.name.Table
		}
		if u.hides(in.name) || in.name.Database == "" && strings.EqualFold(in.name.Table, "dual") {
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
	switch t.Join {
	case sqlparser.LeftJoinStr, sqlparser.NaturalLeftJoinStr:
		may = b.tables[middle:]
	case sqlparser.RightJoinStr, sqlparser.NaturalRightJoinStr:
		may = b.tables[start:middle]
	default:
		if t.Condition.On != nil {
			b.on = append(b.on, t.Condition.On)
		}
		for _, c := range t.Condition.Using {
			b.using = append(b.using, c.String())
		}
	}
	for i := range may {
		may[i].optional = true
		if t.Condition.On != nil {
			may[i].on = append(may[i].on, t.Condition.On)
		}
	}
	if t.Condition.On != nil {
		u.walk(t.Condition.On)
	}
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
	b := &block{}
	if s.Where != nil {
		b.where = s.Where.Expr
	}
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
	b := &block{}
	if s.Where != nil {
		b.where = s.Where.Expr
	}
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

func (u *uses) defined(s *sqlparser.DDL) {
	if !s.Table.IsEmpty() {
		u.write(nameOf(s.Table))
	}
	for _, names := range []sqlparser.TableNames{s.FromTables, s.ToTables, s.FromViews} {
		for _, n := range names {
			u.write(nameOf(n))
		}
	}
	if s.OptLike != nil {
		for _, n := range s.OptLike.LikeTables {
			u.read(nameOf(n))
		}
	}
	if s.OptSelect != nil {
		u.walk(s.OptSelect.Select)
	}
	if s.ViewSpec != nil {
		u.write(nameOf(s.ViewSpec.ViewName))
		u.walk(s.ViewSpec.ViewExpr)
	}
}
