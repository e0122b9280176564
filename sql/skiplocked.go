package sql

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/legacy/enginetable"
	"isochron/sql/table"
	"isochron/txn"
)

// skipTries bounds how often a statement that skips locked rows looks again, because others were
// quicker to lock or change what it had found. After that it fails with 1205.
const skipTries = 50

// skips are the tables of which a query leaves out rows that others have locked, by their names
// in it; nil if it is no plain query of rows, whose locks are those of what it reads.
func skips(root gms.Node) (tables map[string]*enginetable.Table) {
	plain := true
	transform.Inspect(root, func(n gms.Node) bool {
		name := ""
		switch n := n.(type) {
		case *gmsplan.Project, *gmsplan.Filter, *gmsplan.Limit, *gmsplan.Offset, *gmsplan.TopN, *gmsplan.Sort, *gmsplan.JoinNode, *gmsplan.HashLookup, *gmsplan.CachedResults:
			return plain
		case *gmsplan.TableAlias:
			name = n.Name()
		case gms.TableNode:
			name = n.Name()
		default:
			plain = false
			return false
		}
		t, ok := tableBelow(n)
		if plain = plain && ok; !plain {
			return false
		}
		if t.Skips() {
			if tables == nil {
				tables = map[string]*enginetable.Table{}
			}
			tables[name] = t
		}
		return false
	})
	if !plain {
		return nil
	}
	return tables
}

func tableBelow(n gms.Node) (*enginetable.Table, bool) {
	if a, ok := n.(*gmsplan.TableAlias); ok {
		n = a.Child
	}
	tn, ok := n.(gms.TableNode)
	if !ok {
		return nil, false
	}
	t, ok := gms.GetUnderlyingTable(tn.UnderlyingTable()).(*enginetable.Table)
	return t, ok
}

// skip carries out a query that skips locked rows of an open transaction, so that what it answers
// is locked and no more; nil: it is carried out as any.
func (b *builder) skip(ctx *gms.Context, s *Session, root gms.Node, row gms.Row) (gms.RowIter, error) {
	if s.statement.own || s.statement.skipping {
		return nil, nil
	}
	tables := skips(root)
	if len(tables) == 0 {
		return nil, nil
	}
	s.statement.skips()
	for range skipTries {
		rows, marks, err := b.look(ctx, s, root, row)
		if err != nil {
			return nil, err
		}
		if marks == nil {
			return nil, nil
		}
		if locked, err := lockMarked(ctx, tables, marks); err != nil {
			return nil, err
		} else if locked {
			return gms.RowsToRowIter(rows...), nil
		}
	}
	return nil, mysql.NewSQLError(codeLockTimeout, "HY000", "Lock wait timeout exceeded; try restarting transaction (others keep changing the rows that it would lock)")
}

// look carries out the query without a lock; marks is nil if a row does not say what it is made of.
func (b *builder) look(ctx *gms.Context, s *Session, root gms.Node, row gms.Row) (rows []gms.Row, marks map[txn.Key]table.Looked, err error) {
	defer s.statement.look()()
	iter, err := b.g.engine.Analyzer.ExecBuilder.Build(ctx, root, row)
	if err != nil {
		return nil, nil, err
	}
	if rows, err = gms.RowIterToRows(ctx, iter); err != nil {
		return nil, nil, err
	}
	marks = map[txn.Key]table.Looked{}
	for _, r := range rows {
		of, ok := enginetable.MarksOf(r)
		if !ok {
			return nil, nil, nil
		}
		for _, m := range of {
			marks[m.Key] = m
		}
	}
	return rows, marks, nil
}

// lockMarked locks the rows of each table.
func lockMarked(ctx *gms.Context, tables map[string]*enginetable.Table, marks map[txn.Key]table.Looked) (bool, error) {
	for _, name := range sortedNames(tables) {
		var rows []table.Looked
		for k, m := range marks { // order: sorted below
			if tables[name].Holds(k) {
				rows = append(rows, m)
			}
		}
		slices.SortFunc(rows, func(a, b table.Looked) int { return cmp.Compare(a.Key, b.Key) })
		if ok, err := tables[name].LockLooked(ctx, rows); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func sortedNames(tables map[string]*enginetable.Table) []string {
	return slices.Sorted(maps.Keys(tables))
}

// looking builds nodes that make new rows, while a statement looks: what they make carries the
// marks of what it is made of. It gives nil for others.
func (b *builder) looking(ctx *gms.Context, s *Session, n gms.Node, row gms.Row) (gms.RowIter, error) {
	if p, ok := n.(*gmsplan.Project); ok {
		iter, err := b.g.engine.Analyzer.ExecBuilder.Build(ctx, p.Child, row)
		return &projecting{iter, p.Projections}, err
	}
	j, ok := n.(*gmsplan.JoinNode)
	if !ok {
		return nil, nil
	}
	once := *b.g.engine.Analyzer.ExecBuilder
	once.PriorityBuilder = &besides{builder: b, leave: n}
	iter, err := once.Build(ctx, n, row)
	if err != nil {
		return nil, err
	}
	schema, tables := j.Schema(ctx), skips(j)
	return &checked{RowIter: &markedRows{iter, func(row gms.Row) ([]table.Looked, bool) {
		var marks []table.Looked
		for name, t := range tables { // order: a set
			at := slices.IndexFunc(schema, func(c *gms.Column) bool { return strings.EqualFold(c.Source, name) })
			width := len(t.Descriptor().Schema.Schema)
			if at < 0 || at+width > len(row) {
				return nil, false
			}
			whole := row[at : at+width]
			key, ok := t.KeyOf(whole)
			if ok {
				m, seen := s.statement.seen[key]
				if !seen {
					return nil, false
				}
				marks = append(marks, m)
			} else if t.Descriptor().Keyless() {
				return nil, false
			}
		}
		return marks, true
	}}}, nil
}

// markedRows are rows that carry marks.
type markedRows struct {
	gms.RowIter
	of func(gms.Row) ([]table.Looked, bool)
}

// Next implements gms.RowIter.
func (m *markedRows) Next(ctx *gms.Context) (gms.Row, error) {
	row, err := m.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	if marks, ok := m.of(row); ok {
		row = enginetable.Mark(row, marks)
	}
	return row, nil
}

// projecting computes rows that carry the marks of those that they are computed from.
type projecting struct {
	gms.RowIter
	list []gms.Expression
}

// Next implements gms.RowIter.
func (p *projecting) Next(ctx *gms.Context) (gms.Row, error) {
	row, err := p.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	out := make(gms.Row, len(p.list))
	for i, e := range p.list {
		if out[i], err = e.Eval(ctx, row); err != nil {
			return nil, err
		}
	}
	if marks, ok := enginetable.MarksOf(row); ok {
		out = enginetable.Mark(out, marks)
	}
	return out, nil
}
