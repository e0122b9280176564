package rounds_test

import (
	"context"
	"errors"
	"testing"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/parse"
	"isochron/sql/rounds"
	"isochron/sql/sqltest"
	"isochron/sql/table"
	"isochron/txn"
)

// shop has tables of customers, orders and lines; its reads are counted together.
type shop struct {
	tables map[string]*sqltest.Table
	views  map[string]string
	c      *expr.Context
}

// Read implements rounds.Reader.
func (s *shop) Read(ctx context.Context, a *table.Access, lock txn.Lock, wait txn.Wait, columns []int) ([][]expr.Value, error) {
	return s.tables[a.Desc.Record.Name].Read(ctx, a, lock, wait, columns)
}

func newShop(t testing.TB) *shop {
	t.Helper()
	s := &shop{tables: map[string]*sqltest.Table{}, c: context8(t), views: map[string]string{
		"paid": "SELECT id, customer AS who FROM orders WHERE total > 10", "counted": "SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer",
	}}
	add := func(name string, columns, key []string, rows [][]any, indexes ...sqltest.Index) {
		table, err := sqltest.NewTable(name, columns, key, indexes...)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if ok, err := table.Insert(row...); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
		s.tables[name] = table
	}
	add("customers", []string{"id BIGINT NOT NULL", "name VARCHAR(20) COLLATE utf8mb4_general_ci", "city VARCHAR(20) COLLATE utf8mb4_general_ci"}, []string{"id"}, [][]any{
		{1, "ann", "bonn"}, {2, "bob", "cork"}, {3, "cat", "bonn"}, {4, "dan", nil},
	}, sqltest.Index{Columns: []string{"city"}})
	add("orders", []string{"id BIGINT NOT NULL", "customer BIGINT", "total INT"}, []string{"id"}, [][]any{
		{10, 1, 5}, {11, 1, 50}, {12, 2, 20}, {13, nil, 7}, {14, 9, 1},
	}, sqltest.Index{Columns: []string{"customer"}})
	add("lines", []string{"ord BIGINT NOT NULL", "n INT NOT NULL", "item VARCHAR(20) COLLATE utf8mb4_general_ci"}, []string{"ord", "n"}, [][]any{
		{10, 1, "pen"}, {11, 1, "ink"}, {11, 2, "pen"}, {12, 1, "cup"},
	})
	add("texts", []string{"b VARCHAR(10) COLLATE utf8mb4_bin NOT NULL", "e ENUM('b') COLLATE utf8mb4_general_ci"}, []string{"b"}, [][]any{{"B", "b"}})
	return s
}

// An outer join may have a subquery in its condition that needs both sides.
func TestOuterJoinsBySubqueriesOverBothSides(t *testing.T) {
	s := newShop(t)
	for text, want := range map[string]string{
		"SELECT c.id, o.id FROM customers c LEFT JOIN orders o ON o.customer = c.id AND EXISTS (SELECT 1 FROM `lines` l WHERE l.ord = o.id AND l.n > c.id) ORDER BY 1, 2":         "1,11;2,NULL;3,NULL;4,NULL",
		"SELECT c.id, o.id FROM customers c LEFT JOIN orders o ON o.total IN (SELECT p.total FROM orders p WHERE p.customer = c.id AND p.id = o.id) WHERE c.id < 3 ORDER BY 1, 2": "1,10;1,11;2,12",
	} {
		if got, _ := s.answer(text); got != want {
			t.Errorf("%s: %s, expected %s", text, got, want)
		}
	}
}

func (s *shop) compile(text string) (*rounds.Plan, error) {
	tree := parse.Query(text)
	if tree == nil {
		return nil, errors.New("it was not parsed")
	}
	view := func(_, name string) (*bind.View, bool) {
		text, ok := s.views[name]
		if !ok {
			return nil, false
		}
		tree := parse.Query(text)
		return &bind.View{Database: "shop", Tree: tree, Texts: parse.Texts(text, tree)}, true
	}
	integers(tree)
	q, err := bind.Bind(tree, bind.Scope{FullGroup: true, View: view, Texts: parse.Texts(text, tree), Table: s.lookup})
	if err != nil {
		return nil, err
	}
	return rounds.Compile(s.c, q)
}

// lookup finds a table.
func (s *shop) lookup(database, name string) (*catalog.Descriptor, bool) {
	if t := s.tables[name]; t != nil && (database == "" || database == "shop") {
		return t.Desc, true
	}
	return nil, false
}

// integers makes the parameters of a tree integers.
func integers(tree sqlparser.SQLNode) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if a, ok := n.(*sqlparser.Argument); ok {
			a.Type = sqltypes.Int64
		}
		return true, nil
	}, tree)
}

// answer executes a statement: its rows, or its error, and how many reads it made.
func (s *shop) answer(text string) (rows string, reads int) {
	p, err := s.compile(text)
	if err == nil {
		for _, t := range s.tables {
			t.Reads = 0
		}
		rows, err = s.rows(p)
	}
	for _, t := range s.tables {
		reads += t.Reads
	}
	if err != nil {
		return "error: " + err.Error(), reads
	}
	return rows, reads
}

func (s *shop) rows(p *rounds.Plan) (string, error) {
	m := &balance{most: 1 << 30}
	from, err := p.Execute(context.Background(), clock{}, s.c, s, m)
	if err != nil {
		return "", err
	}
	out, err := shownRows(p, from)
	from.Close()
	if err == nil && m.held != 0 {
		err = errors.New("memory was not given back")
	}
	return out, err
}

// balance is what is held of memory.
type balance struct{ held, most int64 }

func (b *balance) Charge(n int64) error {
	if b.held+n > b.most {
		return errors.New("too much memory")
	}
	b.held += n
	return nil
}

func (b *balance) Release(n int64) { b.held -= n }

func TestSeveralTables(t *testing.T) {
	s := newShop(t)
	for _, tc := range []struct {
		text, rows string
		reads      int
	}{
		// A lookup reads all keys of a batch in one round; through an index it is two, as before.
		{"SELECT o.id, name FROM orders o JOIN customers c ON c.id = o.customer ORDER BY o.id", "10,ann;11,ann;12,bob", 2},
		{"SELECT o.id, name FROM customers c, orders o WHERE c.id = o.customer AND o.id = 12", "12,bob", 2},
		{"SELECT name, total FROM customers c LEFT JOIN orders o ON c.id = o.customer WHERE c.id < 4 ORDER BY c.id, o.id", "ann,5;ann,50;bob,20;cat,NULL", 3},
		{"SELECT name, total FROM customers c LEFT JOIN orders o ON c.id = o.customer AND total > 10 ORDER BY c.id", "ann,50;bob,20;cat,NULL;dan,NULL", 3},
		{"SELECT name FROM customers c LEFT JOIN orders o ON c.id = o.customer WHERE o.id IS NULL ORDER BY name", "cat;dan", 2},
		{"SELECT o.id, name FROM customers c RIGHT JOIN orders o ON c.id = o.customer ORDER BY o.id", "10,ann;11,ann;12,bob;13,NULL;14,NULL", 2},
		{"SELECT name, item FROM customers c JOIN orders o ON c.id = o.customer JOIN `lines` l ON l.ord = o.id WHERE c.id = 1 ORDER BY 2", "ann,ink;ann,pen;ann,pen", 3},
		{"SELECT COUNT(*) FROM customers, orders", "20", 2},
		{"SELECT COUNT(*) FROM customers a JOIN customers b ON a.city = b.city AND a.id < b.id", "1", 2},
		{"SELECT COUNT(*) FROM customers a JOIN customers b ON a.city <=> b.city", "6", 2},
		{"SELECT * FROM orders NATURAL JOIN (SELECT 10 AS id, 'x' AS y) q", "10,1,5,x", 1},
		{"SELECT id, l.n FROM orders o JOIN (SELECT ord AS id, n FROM `lines`) l USING (id) WHERE id = 11 ORDER BY n", "11,1;11,2", 2},
		{"SELECT * FROM orders JOIN (SELECT 5 AS total, 10 AS id) q USING (total, id)", "10,5,1", 1},
		{"SELECT * FROM (SELECT 5 AS total, 10 AS id) q NATURAL RIGHT JOIN orders LIMIT 1", "10,5,1", 1},
		{"SELECT a.id FROM orders a STRAIGHT_JOIN orders b ON a.id = b.id + 1 ORDER BY 1", "11;12;13;14", 2},
		// LATERAL: once for a batch.
		{"SELECT name, n FROM customers c, LATERAL (SELECT COUNT(*) AS n FROM orders o WHERE o.customer = c.id) q ORDER BY c.id", "ann,2;bob,1;cat,0;dan,0", 2},
		{"SELECT name, q.id FROM customers c LEFT JOIN LATERAL (SELECT o.id FROM orders o WHERE o.customer = c.id ORDER BY total DESC LIMIT 1) q ON TRUE ORDER BY c.id", "ann,11;bob,12;cat,NULL;dan,NULL", 3},
		{"SELECT o.id, l.item FROM orders o JOIN LATERAL (SELECT item FROM `lines` WHERE ord = o.id AND n = 1) l WHERE o.id < 13 ORDER BY 1", "10,pen;11,ink;12,cup", 2},
		// Subqueries: once, or once for a batch.
		{"SELECT name FROM customers WHERE id IN (SELECT customer FROM orders) ORDER BY id", "ann;bob", 2},
		{"SELECT name FROM customers WHERE id NOT IN (SELECT customer FROM orders)", "", 2},
		{"SELECT name FROM customers WHERE id NOT IN (SELECT customer FROM orders WHERE customer IS NOT NULL) ORDER BY id", "cat;dan", 2},
		{"SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id) ORDER BY id", "ann;bob", 2},
		{"SELECT name FROM customers c WHERE NOT EXISTS (SELECT * FROM orders o WHERE o.customer = c.id AND total > 30) ORDER BY id", "bob;cat;dan", 3},
		{"SELECT name, (SELECT SUM(total) FROM orders o WHERE o.customer = c.id) FROM customers c ORDER BY id", "ann,55;bob,20;cat,NULL;dan,NULL", 3},
		{"SELECT name, (SELECT COUNT(*) FROM orders o WHERE o.customer = c.id) n FROM customers c ORDER BY n DESC, name LIMIT 2", "ann,2;bob,1", 2},
		{"SELECT name, (SELECT id FROM orders o WHERE o.customer = c.id ORDER BY total DESC LIMIT 1) FROM customers c ORDER BY id", "ann,11;bob,12;cat,NULL;dan,NULL", 3},
		{"SELECT id FROM orders WHERE total > (SELECT AVG(total) FROM orders) ORDER BY id", "11;12", 2},
		{"SELECT id FROM orders WHERE total > ALL (SELECT total FROM orders WHERE id > 12) ORDER BY id", "11;12", 2},
		{"SELECT id FROM orders WHERE total < ANY (SELECT total FROM orders WHERE id = 10)", "14", 2},
		{"SELECT v + 1 FROM (SELECT 1.5e0 AS v UNION ALL SELECT 2) q WHERE v IN (SELECT id FROM customers)", "3", 1},
		{"SELECT id FROM orders WHERE (customer, total) IN (SELECT 1, 50)", "11", 1},
		{"SELECT id FROM orders WHERE (1, 50) = (SELECT customer, total FROM orders WHERE id = 11) ORDER BY id LIMIT 1", "10", 2},
		{"SELECT (1, 2) <=> (SELECT id, total FROM orders WHERE id = 0), (NULL, NULL) <=> (SELECT id, total FROM orders WHERE id = 0)", "0,1", 2},
		{"SELECT customer, COUNT(*) FROM orders GROUP BY customer HAVING COUNT(*) > (SELECT COUNT(*) FROM orders WHERE id = 10)", "1,2", 2},
		{"SELECT city, (SELECT MAX(id) FROM orders o WHERE o.customer = MIN(c.id)) FROM customers c GROUP BY city ORDER BY city", "NULL,NULL;bonn,11;cork,12", 2},
		{"SELECT name FROM customers c WHERE 20 IN (SELECT total FROM orders o WHERE o.customer = c.id AND EXISTS (SELECT 1 FROM `lines` l WHERE l.ord = o.id AND l.item <> c.name))", "bob", 4},
		{"SELECT COUNT(*) FROM customers c LEFT JOIN orders o ON EXISTS (SELECT 1 FROM `lines`)", "20", 3},
		{"SELECT COUNT(*), COUNT(o.id) FROM customers c LEFT JOIN orders o ON EXISTS (SELECT 1 FROM `lines` l WHERE l.ord = o.id)", "12,12", 3},
		{"SELECT COUNT(*), COUNT(o.id) FROM customers c LEFT JOIN orders o ON o.customer = c.id AND o.id IN (SELECT ord FROM `lines` l WHERE l.n = 2)", "4,1", 3},
		{"SELECT name FROM customers c WHERE (SELECT COUNT(c.city) FROM orders) = 5 ORDER BY id", "ann;bob;cat", 2},
		{"SELECT (SELECT customer FROM orders)", "error: Subquery returns more than 1 row", 1},
		{"SELECT (SELECT c.name UNION ALL SELECT 'x' LIMIT 1) FROM customers c ORDER BY id LIMIT 1", "ann", 1},
		// Derived tables, views, common table expressions.
		{"SELECT who FROM paid ORDER BY id", "1;2", 1},
		{"SELECT name, n FROM customers c JOIN counted k ON k.customer = c.id ORDER BY c.id", "ann,2;bob,1", 2},
		{"SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM orders GROUP BY customer) q", "2", 1},
		{"WITH q AS (SELECT id, total FROM orders) SELECT a.id FROM q a JOIN q b ON a.total = b.total + 2 ORDER BY 1", "13", 1},
		{"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT GROUP_CONCAT(i), COUNT(*) FROM n", "1,2,3,4,4", 0},
		{"WITH RECURSIVE n (i) AS (SELECT 1 UNION SELECT (i + 1) % 3 FROM n) SELECT i FROM n", "1;2;0", 0},
		{"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n", "error: Recursive query aborted after 1001 iterations. Try increasing @@cte_max_recursion_depth to a larger value.", 0},
		{"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3 OFFSET 1) SELECT i FROM n", "2;3;4", 0},
		{"WITH RECURSIVE n (i) AS (SELECT 1 UNION SELECT (i + 1) % 3 FROM n LIMIT 2) SELECT a.i, b.i FROM n a JOIN n b ON a.i < b.i", "1,2", 0},
		{"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 0) SELECT COUNT(*) FROM n", "0", 0},
		{"SELECT name, (WITH q AS (SELECT total FROM orders o WHERE o.customer = c.id) SELECT SUM(total) FROM q) FROM customers c ORDER BY id", "ann,55;bob,20;cat,NULL;dan,NULL", 3},
		{"SELECT name FROM customers c WHERE EXISTS (WITH p AS (SELECT 20 AS t), q (x) AS (SELECT total FROM orders, p WHERE customer = c.id AND total >= t) SELECT 1 FROM q a JOIN q b ON a.x = b.x) ORDER BY id", "ann;bob", 5},
		// Sets.
		{"SELECT 1 UNION SELECT 1 UNION ALL SELECT 2 ORDER BY 1 DESC", "2;1", 0},
		{"SELECT id FROM customers INTERSECT SELECT customer FROM orders", "1;2", 2},
		{"SELECT id FROM customers EXCEPT SELECT customer FROM orders ORDER BY id DESC LIMIT 1", "4", 2},
		{"SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3", "1", 0},
		{"(SELECT 1 UNION ALL SELECT 2) INTERSECT SELECT 2", "2", 0},
		{"TABLE customers ORDER BY id LIMIT 1", "1,ann,bonn", 1},
		{"VALUES ROW(1, 'a'), ROW(2, 'b') ORDER BY column_0 DESC", "2,b;1,a", 0},
		{"SELECT 1 UNION SELECT 'a'", "1;a", 0},
		{"SELECT x FROM (SELECT 1 x UNION SELECT 2.5 UNION SELECT 'a') q", "1;2.5;a", 0},
		{"SELECT city FROM customers WHERE id IN (1, 4) UNION SELECT b FROM texts ORDER BY 1", "NULL;B;bonn", 2},
		{"SELECT 'b' UNION SELECT b FROM texts", "b;B", 1},
		{"SELECT b FROM texts UNION SELECT 'b' COLLATE utf8mb4_general_ci", "B", 1},
		{"SELECT x FROM (SELECT 'B' AS x, COUNT(*) FROM orders) q JOIN texts ON x = b", "B", 2},
		{"SELECT x FROM (SELECT 'b' AS x, COUNT(*) FROM orders) q JOIN texts ON x = b", "", 2},
		{"SELECT b FROM texts EXCEPT SELECT e FROM texts", "B", 2},
		{"SELECT HEX(a) FROM (SELECT x'ff' AS a UNION SELECT 'a' UNION SELECT 1) q ORDER BY 1", "31;61;FF", 0},
		{"SELECT NULL, 1 UNION SELECT name, 'x' FROM customers WHERE id = 1 UNION SELECT 'c', 2", "NULL,1;ann,x;c,2", 1},
		{"SELECT 1 UNION VALUES ROW(2), ROW(1) ORDER BY 1", "1;2", 0},
		{"VALUES ROW(1, 2), ROW(3, 4) EXCEPT (VALUES ROW(3, 4) ORDER BY column_0 LIMIT 1)", "1,2", 0},
		// Windows.
		{"SELECT id, ROW_NUMBER() OVER (ORDER BY total DESC) FROM orders ORDER BY id", "10,4;11,1;12,2;13,3;14,5", 1},
		{"SELECT id, SUM(total) OVER (PARTITION BY customer ORDER BY id) s FROM orders WHERE customer < 9 ORDER BY id", "10,5;11,55;12,20", 2},
		{"SELECT id, LAG(id) OVER w, SUM(total) OVER (w ROWS 1 PRECEDING) FROM orders WINDOW w AS (ORDER BY id), v AS (ORDER BY total) ORDER BY id LIMIT 2", "10,NULL,5;11,10,55", 1},
		{"SELECT customer, SUM(SUM(total)) OVER (ORDER BY customer) FROM orders GROUP BY customer ORDER BY 1", "NULL,7;1,62;2,82;9,83", 1},
		{"SELECT name, (SELECT RANK() OVER (ORDER BY o.total) FROM orders o WHERE o.customer = c.id ORDER BY o.id DESC LIMIT 1) FROM customers c ORDER BY id LIMIT 1", "ann,2", 3},
	} {
		rows, reads := s.answer(tc.text)
		if rows != tc.rows || reads != tc.reads {
			t.Errorf("%s\ngot  %s in %d reads\nwant %s in %d", tc.text, rows, reads, tc.rows, tc.reads)
		}
	}
}

// A common table expression that no source reads has its errors.
func TestUnusedCommonTableExpressions(t *testing.T) {
	s := newShop(t)
	for text, ok := range map[string]bool{
		"WITH q AS (SELECT nothing(id) FROM orders) SELECT 1": false, "WITH q AS (SELECT name FROM customers WHERE name LIKE 'a') SELECT 1": true,
		"WITH q AS (SELECT 1), r AS (SELECT nothing(1) FROM q) SELECT * FROM q": false,
	} {
		if _, err := s.compile(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestErrorsOfNames(t *testing.T) {
	s := newShop(t)
	for text, code := range map[string]int{
		"SELECT id FROM customers, orders": 1052, "SELECT x.id FROM customers": 1054, "SELECT 1 FROM customers, customers": 1066,
		"SELECT 1 UNION SELECT 1, 2": 1222, "SELECT 1 IN (SELECT 1, 2)": 1241, "SELECT (SELECT 1, 2)": 1241, "SELECT * FROM (SELECT 1 a, 2 a) q": 1060,
		"SELECT *": 1096, "SELECT x.* FROM customers": 1051, "WITH RECURSIVE q AS (SELECT i FROM q UNION SELECT 1) SELECT * FROM q": 3573,
		"SELECT id FROM customers WHERE ROW_NUMBER() OVER ()": 3593, "SELECT SUM(id) OVER w FROM customers": 3579,
		"SELECT 1 FROM orders JOIN customers ON id = customer": 1052, "SELECT name FROM customers c WHERE EXISTS (SELECT nope FROM orders)": 1054,
	} {
		_, err := s.compile(text)
		var e *expr.Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v, expected %d", text, err, code)
		}
	}
}

// A statement that may hold too little fails, and gives back what it holds.
func TestBoundOfMemory(t *testing.T) {
	s := newShop(t)
	for _, text := range []string{
		"SELECT COUNT(*) FROM customers a, customers b WHERE a.name <> b.name", "SELECT name FROM customers WHERE id IN (SELECT customer FROM orders)",
		"WITH q AS (SELECT id FROM orders) SELECT 1 FROM q a JOIN q b", "SELECT DISTINCT name FROM customers", "SELECT id, COUNT(*) OVER () FROM orders",
	} {
		p, err := s.compile(text)
		if err != nil {
			t.Fatal(text, err)
		}
		m := &balance{most: 8}
		from, err := p.Execute(context.Background(), clock{}, s.c, s, m)
		if err == nil {
			_, err = from.Next(context.Background())
			from.Close()
		}
		if err == nil || m.held != 0 {
			t.Errorf("%s: %v, %d bytes held", text, err, m.held)
		}
	}
}
