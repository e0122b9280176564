package sql

import (
	"fmt"
	"strings"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
)

// joinOf joins so many times the table t, by a condition of a table's number and of the
// number of the one before.
func joinOf(n int, join, on string) string {
	var b strings.Builder
	b.WriteString("EXPLAIN SELECT * FROM t t0")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, " %s t t%d ON "+on, join, i, i, i-1)
	}
	return b.String()
}

// A join whose orders are too many to try is refused; one of many tables whose are few is
// not. Without the bound the first of them take minutes that nobody can end.
func TestJoinOrdersAreBounded(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, KEY (a))")
	const ways = "isochron_join_orders_max"
	equal, chain, star := "t%d.id = t%d.id", "t%d.id = t%d.a", "t%d.id = t0.a AND t%d.b > 0"
	for _, tc := range []struct{ query, want string }{
		{joinOf(15, "JOIN", equal), ways},
		{joinOf(15, "JOIN", star), ways},
		{"SELECT * FROM (SELECT 1) x WHERE EXISTS (" + strings.TrimPrefix(joinOf(14, "JOIN", equal), "EXPLAIN ") + ")", ways},
		{strings.ReplaceAll(joinOf(12, "JOIN", "t%d.table_name = t%d.table_name"), " t t", " information_schema.tables t"), ways},
		{joinOf(10, "JOIN", equal), ""},
		{joinOf(15, "JOIN", chain), ""},
		{joinOf(15, "LEFT JOIN", star), ""},
		{joinOf(16, "JOIN", equal), ""}, // as it is written
		{joinOf(61, "JOIN", chain), ""},
		{joinOf(62, "JOIN", chain), "isochron_join_tables_max"},
		{"EXPLAIN SELECT * FROM t a, t b, t c, t d, t e, t f, t g, t h, t i, t j, t k, t l", ""},
	} {
		_, err := c.try(inSet(tc.query))
		switch {
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%.80s...: %v, want %s", tc.query, err, tc.want)
		case tc.want == "" && err != nil:
			t.Errorf("%.80s...: %v", tc.query, err)
		}
	}
	c.exec("SET isochron_join_orders_max = 100")
	c.fails(inSet(joinOf(8, "JOIN", equal)), ways)
	c.exec("SET isochron_join_tables_max = 3")
	c.fails(joinOf(4, "JOIN", chain), "isochron_join_tables_max")
}

// inSet is a query within SET, which the engine executes: no other tries orders.
func inSet(query string) string {
	return "SET SESSION net_read_timeout = 1 + (SELECT COUNT(*) FROM (" + strings.Replace(strings.TrimPrefix(query, "EXPLAIN "), "SELECT *", "SELECT 1", 1) + ") q)"
}

// The count is that of the pairs that the engine tries, times the conditions between them.
func TestWaysOfJoins(t *testing.T) {
	clique, chain, star := joinGraph{tables: 7}, joinGraph{tables: 7}, joinGraph{tables: 7}
	for i := range 6 {
		chain.pairs = append(chain.pairs, 3<<i)
		star.pairs = append(star.pairs, 1|2<<i)
	}
	clique.pairs = []uint{1<<7 - 1}
	const none = 1 << 40
	for name, tc := range map[string]struct {
		j    joinGraph
		want int64
	}{"clique": {clique, (2187 - 256 + 1) / 2}, "chain": {chain, 56}, "star": {star, 6 * 32}, "apart": {joinGraph{tables: 7}, 0}, "alike": {joinGraph{tables: 7, holders: map[gms.ColumnId]uint{1: 1<<7 - 1}}, 42 * 243 / 2}, "many": {joinGraph{tables: 16, pairs: []uint{1<<15 - 1}}, 0}} {
		if got := tc.j.ways(none); got != tc.want {
			t.Errorf("%s: %d ways, want %d", name, got, tc.want)
		}
	}
}
