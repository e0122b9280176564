package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"isochron/server/sourcedb/sourcetest"
)

// severalForms have what their names say: each pattern is in some of the statements drawn.
var severalForms = map[string][]string{
	"joins": {
		` JOIN .* ON `, ` INNER JOIN `, ` LEFT JOIN `, ` RIGHT JOIN `, ` CROSS JOIN `, `FROM [^()]*, `, ` USING \(`, ` NATURAL (LEFT |RIGHT )?JOIN `, ` STRAIGHT_JOIN `, ` <=> `,
		`JOIN \(.* JOIN `, `FROM \(.*\) JOIN `, `(JOIN.*){4}`, `FROM (\w+) AS t1 .*JOIN \w+ AS t2`, ` GROUP BY `, ` HAVING `, ` WHERE `, ` ORDER BY `, ` LIMIT `, `SELECT DISTINCT `, ` WITH ROLLUP`, `SELECT \*`, `\.\*`,
	},
	"subqueries": {
		`^SELECT.*\(SELECT.*FROM`, ` IN \(SELECT `, ` NOT IN \(SELECT `, ` EXISTS \(SELECT `, `NOT EXISTS \(SELECT `, ` ANY \(SELECT `, ` SOME \(SELECT `, ` ALL \(SELECT `, `\(\w+\.\w+, \w+\.\w+\) (NOT )?IN \(SELECT `, `\) (=|<|<>|<=>) \(SELECT `,
		` HAVING .*\(SELECT `, ` ORDER BY .*\(SELECT .* DESC`, ` ON .*\(SELECT `, `\(SELECT .*\(SELECT .*\(SELECT `, ` GROUP BY .*`, `CASE WHEN .*\(SELECT `, `\(SELECT .* UNION `,
	},
	"derived": {
		`FROM \(SELECT `, ` AS d\d+ \(n0`, `v_plain`, `v_names`, `v_joined`, `v_grouped`, `v_distinct`, `v_union`, `v_limited`, `v_nested`, `^WITH cte\d+ AS`, `^WITH RECURSIVE `, `cte\d+ \(`, `UNION ALL SELECT a \+ 1`, `INTERVAL 1 DAY FROM`, `depth \+ 1`,
		`(FROM|JOIN) cte(\d+) AS r\d+.* JOIN cte(\d+) AS r\d+`, `FROM \(SELECT .*FROM \(SELECT `, `LIMIT \d+\) AS d`, `\(SELECT DISTINCT `, `\(SELECT .*GROUP BY.*\) AS d`, `UNION.*\) AS d`,
	},
	"sets": {
		` UNION `, ` UNION ALL `, ` UNION DISTINCT `, ` INTERSECT `, ` INTERSECT ALL `, ` EXCEPT `, ` EXCEPT ALL `, ` (UNION|EXCEPT|INTERSECT).* \(SELECT .* (UNION|EXCEPT|INTERSECT)`, `LIMIT \d+\) `, ` ORDER BY o0`, ` LIMIT \d+$`, `VALUES ROW\(`, `TABLE txt`, `FROM \(SELECT .*\) AS d`,
	},
	"windows": {
		`ROW_NUMBER\(\)`, `\bRANK\(\)`, `DENSE_RANK\(\)`, `PERCENT_RANK\(\)`, `CUME_DIST\(\)`, `NTILE\(`, `LAG\(`, `LAG\([^()]*, [^()]*, [^()]*\) OVER w\d`, `LEAD\(`, `FIRST_VALUE\(`, `LAST_VALUE\(`, `NTH_VALUE\(`, `SUM\(.* OVER`, `AVG\(.* OVER`, `COUNT\(.* OVER`, `MIN\(.* OVER`, `MAX\(.* OVER`, `BIT_OR\(.* OVER`,
		` ROWS BETWEEN \d+ PRECEDING AND `, ` ROWS \d+ PRECEDING`, ` ROWS UNBOUNDED PRECEDING`, ` RANGE BETWEEN .*\d+ (PRECEDING|FOLLOWING)`, ` RANGE .*INTERVAL \d+ DAY`, ` RANGE .*INTERVAL \d+ SECOND`, ` RANGE CURRENT ROW`, `PARTITION BY `, ` DESC`, ` WINDOW w\d+ AS `, ` OVER w\d+`, ` OVER \(w\d+ ROWS`, `OVER.*OVER.*OVER`,
		` OVER .* GROUP BY `, `FROM \(SELECT .* OVER .* WHERE d\.w`, `SUM\(SUM\(`, ` OVER \(\)`, `FROM .* ORDER BY [A-Z_]+\([^ ]*\) OVER`,
	},
}

// drawn are statements of a form.
func drawn(form string, n int) (out []*Statement) {
	tables := newTables(1)
	for _, f := range forms {
		if f.Name != form {
			continue
		}
		for i := range n {
			s := f.Draw(newGen(1, form, i), tables, i)
			s.Form, s.Index = form, i
			out = append(out, s)
		}
	}
	return out
}

// Each form draws what its name says.
func TestFormsOfSeveralTablesHaveTheirParts(t *testing.T) {
	for form, patterns := range severalForms {
		all := drawn(form, 1500)
		for _, p := range patterns {
			if !slices.ContainsFunc(all, func(s *Statement) bool { return regexp.MustCompile(p).MatchString(s.Tree.Text()) }) {
				t.Errorf("%s: none of %d statements has %s", form, len(all), p)
			}
		}
	}
}

// refusedMax is how many of a hundred drawn statements the yardstick may refuse.
const refusedMax = 3

// emptyMax is how many of a hundred answers may have no rows.
const emptyMax = 40

// MariaDB answers nearly all that is drawn, within a second.
func TestMariaDBAnswersTheFormsOfSeveralTables(t *testing.T) {
	maria, stop, err := startMariaDB("")
	sourcetest.LeaveOut(t, err)
	defer stop()
	s := &Session{server: maria, database: "d", tables: newTables(1), views: newViews()}
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for _, form := range slices.Sorted(maps.Keys(severalForms)) {
		const n = 400
		refused, empty, kinds := 0, 0, map[string]int{}
		for _, st := range drawn(form, n) {
			a, err := s.run(st, false)
			if err != nil {
				t.Fatalf("%s: %v", st.Tree.Text(), err)
			}
			if a.Err == nil && a.Lost == "" && !a.TimedOut {
				if len(a.Result.Rows) == 0 {
					empty++
				}
				continue
			}
			refused++
			word := fmt.Sprintf("lost %q, late %v", a.Lost, a.TimedOut)
			if a.Err != nil {
				word = fmt.Sprint(a.Err.Code)
			}
			if kinds[word]++; kinds[word] == 1 {
				t.Logf("%s %d: %s: %s\n%v", form, st.Index, word, st.Tree.forMaria().Text(), a.Err)
			}
		}
		t.Logf("%s: %d of %d refused: %v, %d without rows", form, refused, n, kinds, empty)
		if empty*100 > n*emptyMax {
			t.Errorf("%s: %d of %d answers have no rows", form, empty, n)
		}
		if refused*100 > n*refusedMax {
			t.Errorf("%s: MariaDB refuses %d of %d statements: %v", form, refused, n, kinds)
		}
	}
}

// The MariaDB of a statement has its own words for rows of values, for tables and for frames of time.
func TestStatementsForMariaDB(t *testing.T) {
	n := list(1, " ", elsewhere(text("TABLE t"), "SELECT * FROM t"), elsewhere(fill("VALUES ROW(%)", literal("1")), "VALUES (%)"))
	if got := n.forMaria().Text(); got != "SELECT * FROM t VALUES (1)" {
		t.Error(got)
	}
	if got := n.Text(); got != "TABLE t VALUES ROW(1)" {
		t.Error(got)
	}
}

// The order and the limit of a query within a statement are not the statement's.
func TestTagsOfQueriesWithin(t *testing.T) {
	inner := scope(list(1, "", tagged(text("x"), tagTotal, tagLimit), tagged(text("y"), tagFold)))
	if tags := list(1, "", inner).tags(); tags[tagTotal] || tags[tagLimit] || !tags[tagFold] {
		t.Error(tags)
	}
}

// What refers to a table goes with it.
func TestShrinkRemovesATableWithItsReferences(t *testing.T) {
	relation := func(s string) *Node { n := text("t AS " + s); n.Aliases = []string{s}; return n }
	joins := list(0, "", fill(" JOIN % ON %", relation("b"), list(1, " AND ", expr("=", "% = %", column("a.x"), column("b.x")))))
	chain := &Node{Chain: true, Parts: []string{"", "", ""}, Kids: []*Node{relation("a"), joins}}
	tree := fill("SELECT % FROM %%%", list(1, ", ", column("a.x"), column("b.y")), chain, optional(fill(" WHERE %", list(1, " AND ", expr(">", "% > %", column("b.z"), literal("1"))))),
		optional(tagged(fill(" ORDER BY %", pinned(", ", column("a.x"), column("b.x"))), tagTotal)))
	for seen, want := range map[string]string{"SELECT a.x": "SELECT a.x FROM t AS a", "b.y": "SELECT b.y FROM t AS b", "ORDER": "SELECT b.y FROM t AS b ORDER BY b.x", "b.z >": "SELECT b.y FROM t AS b WHERE b.z > 1"} {
		got := shrink(tree, 200, func(n *Node) bool { return strings.Contains(n.Text(), seen) }).Text()
		if got != want {
			t.Errorf("%s: %s, want %s", seen, got, want)
		}
	}
}

// A kept case has the views of its statement, and the tables under these.
func TestTablesOfStatements(t *testing.T) {
	w := &worker{maria: &Session{tables: newTables(1)}}
	s := &Statement{Tree: text("SELECT 1 FROM v_nested AS v, tim6 AS t COLLATE utf8mb4_bin")}
	views := viewsOf(newViews(), s.Tree.Text())
	var got []string
	for _, v := range views {
		got = append(got, v.Name)
	}
	for _, table := range w.tablesOf(s, views) {
		got = append(got, table.Name)
	}
	if want := []string{"v_plain", "v_distinct", "v_nested", "num", "tim6", "bin"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Warnings of joins are not compared, and names without MariaDB's own words.
func TestAnswersOfSeveralTables(t *testing.T) {
	answer := func(name string, warnings ...int) *Answer {
		return &Answer{Result: &Result{Columns: []Column{{Name: name}}}, Warnings: warnings}
	}
	s := &Statement{Tree: text(""), Quiet: true}
	if d := differ(s, answer("(SELECT 1 FROM t)"), answer("(SELECT 1 FROM t"+unindexed+")", 1292)); len(d) != 0 {
		t.Error(d)
	}
	if d := differ(s, answer("a"), answer("b")); len(d) != 1 {
		t.Error(d)
	}
	if d := differ(&Statement{Tree: text("")}, answer("a"), answer("a", 1292)); len(d) != 1 {
		t.Error(d)
	}
}
