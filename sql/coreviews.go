package sql

import (
	"cmp"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/define"
	"isochron/sql/parse"
)

// coreViews finds views that the session's user may read.
func coreViews(s *Session, snap *catalog.Snapshot) func(database, name string) (*bind.View, bool) {
	views, current := viewsOf(snap, func(v *catalog.View) bool { return readsView(s, v) }), s.GetCurrentDatabase()
	return func(database, name string) (*bind.View, bool) { return views(cmp.Or(database, current), name) }
}

// viewsOf finds views that may be read.
func viewsOf(snap *catalog.Snapshot, may func(*catalog.View) bool) func(database, name string) (*bind.View, bool) {
	return func(database, name string) (*bind.View, bool) {
		v, ok := snap.View(database, name)
		if !ok || !may(v) {
			return nil, false
		}
		tree, err := parse.Read(v.Text, parse.ModeOf(v.SQLMode))
		if err != nil || tree == nil || hasArgument(tree) {
			return nil, false
		}
		out := &bind.View{Database: v.Database, Tree: tree}
		out.Texts = parse.Texts(v.Text, out.Tree)
		create := viewCreation(v)
		if create == nil {
			return nil, false
		}
		out.Checked, out.Columns = create.Check != "", create.Columns
		return out, true
	}
}

// viewCreation is the statement that has made a view; nil: it cannot be read.
func viewCreation(v *catalog.View) *define.CreateView {
	of, err := define.Read(v.Create, parse.ModeOf(v.SQLMode))
	create, ok := of.(*define.CreateView)
	if err != nil || !ok {
		return nil
	}
	return create
}

func hasArgument(n sqlparser.SQLNode) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		_, is := n.(*sqlparser.Argument)
		found = found || is
		return !found, nil
	}, n)
	return found
}

func readsView(s *Session, v *catalog.View) bool {
	h := s.holder()
	return h.HasOnTable("SELECT", v.Database, v.Name)
}

// checkSets refuses more side by side in a query than the session's settings allow.
func checkSets(s *Session, tree sqlparser.SQLNode) error {
	operations, list := breadth(s.quiet, setOperationsVariable, setOperationsDefault), breadth(s.quiet, listVariable, listDefault)
	sets, longest := int64(0), int64(0)
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.Union:
			sets++
		case sqlparser.ValTuple:
			longest = max(longest, int64(len(n)))
		}
		return true, nil
	}, tree)
	return tooBroadFor(sets, operations, longest, list)
}

// checkTables refuses a join of more tables than isochron_join_tables_max allows.
func checkTables(s *Session, q *bind.Query) error {
	most := breadth(s.quiet, joinTablesVariable, joinTablesDefault)
	if n := int64(q.Joined()); n > most {
		return tooManyTables(n, most)
	}
	return nil
}
