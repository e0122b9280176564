package sql

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/parse"
)

// coreViews finds views that the session's user may read.
func coreViews(s *Session, snap *catalog.Snapshot) func(database, name string) (*bind.View, bool) {
	current := s.GetCurrentDatabase()
	return func(database, name string) (*bind.View, bool) {
		if database == "" {
			database = current
		}
		v, ok := snap.View(database, name)
		if !ok || !readsView(s, v) {
			return nil, false
		}
		tree, err := parse.Read(v.Text, parse.ModeOf(v.SQLMode))
		if err != nil || tree == nil || hasArgument(tree) {
			return nil, false
		}
		out := &bind.View{Database: v.Database, Tree: tree}
		out.Texts = parse.Texts(v.Text, out.Tree)
		create, ok := parse.Statement(v.Create).(*sqlparser.CreateView)
		if !ok {
			return nil, false
		}
		out.Checked = create.CheckOption != ""
		for _, c := range create.Columns {
			out.Columns = append(out.Columns, c.String())
		}
		return out, true
	}
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
