package sql

import (
	"runtime"
	"strings"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
)

// catalogue are the names of all functions of the engine.
func catalogue() (names []string) {
	for _, f := range function.BuiltIns {
		names = append(names, f.FunctionName())
	}
	return names
}

// Somebody has said of every function of the engine how large its results are.
func TestEveryFunctionIsDecided(t *testing.T) {
	names := catalogue()
	if len(names) < 300 {
		t.Fatalf("the engine has %d functions", len(names))
	}
	for _, name := range names {
		if _, ok := decisions[name]; !ok {
			t.Errorf("nobody has said how large the results of %s() are (growthtable.go)", name)
		}
	}
	e, err := bounded(gms.Function0{Name: "brand_new", Fn: nil}).NewInstance(nil, nil)
	if err == nil || !strings.Contains(err.Error(), "brand_new") {
		t.Errorf("a function without a decision: %v, %v", e, err)
	}
}

// Short statements that took all memory there is.
func TestFunctionsStayWithinBounds(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	for _, query := range []string{
		"repeat('a', 1000000000)", "repeat('a', '1000000000x')", "repeat(repeat('a', 1000000), 1000000)", "space(2000000000)", "lpad('a', 2000000000, 'b')", "rpad('a', 2000000000, 'b')",
		"replace(repeat('a', 1000000), 'a', repeat('b', 1000000))", "regexp_replace(repeat('a', 1000000), 'a', repeat('b', 1000000))",
		"export_set(-1, repeat('a', 10000000), 'b', ',', 64)", "concat(@a" + strings.Repeat(", @a", 200) + ")", "concat_ws(',', @a" + strings.Repeat(", @a", 200) + ")",
		"make_set(-1, @a" + strings.Repeat(", @a", 60) + ")", "insert(concat(@a, @a, @a, @a), 1, 1, concat(@a, @a, @a, @a))", "uncompress(unhex('ffffff3f789c030000000001'))",
		"json_array(@a" + strings.Repeat(", @a", 200) + ")", "json_pretty(concat(repeat('[', 90), repeat('1,', 1000000), '1', repeat(']', 90)))",
		"hex(concat(@a, @a, @a))", "to_base64(concat(@a, @a, @a, @a))", "quote(repeat('\\'', 40000000))",
	} {
		c.exec("SET @a = repeat('a', 16000000)")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := c.try("SELECT " + query + " IS NULL")
		runtime.ReadMemStats(&after)
		if took := int64(after.TotalAlloc-before.TotalAlloc) >> 20; took > 1200 {
			t.Errorf("%.60s took %d MB", query, took)
		}
		if err != nil || got != "1\n" {
			t.Errorf("%.60s: %q, %v", query, got, err)
		}
		if got := c.query("SHOW WARNINGS"); !strings.Contains(got, "1301") && !strings.Contains(got, "1256") {
			t.Errorf("%.60s warns of %q", query, got)
		}
	}
	for query, want := range map[string]string{
		"SELECT st_geomfromwkb(unhex('0107000000ffffffff'))":                                                   "1210",
		"SELECT st_area(unhex('000000000103000000ffffffff'))":                                                  "1210",
		"SELECT st_geomfromwkb(repeat(unhex('010700000001000000'), 1000000))":                                  "1210",
		"SELECT st_geomfromtext(concat(repeat('GEOMETRYCOLLECTION(', 1000), 'POINT(1 1)', repeat(')', 1000)))": "1210",
		"SELECT st_geomfromgeojson(repeat('[', 100000))":                                                       "1210",
	} {
		c.fails(strings.Replace(query, "SELECT", "SET @g =", 1), want) // a query has no such functions
	}
	c.exec("SET @g = st_astext(st_geomfromwkb(st_aswkb(st_geomfromtext('GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(1 2,3 4),POLYGON((0 0,0 1,1 1,0 0)),MULTIPOINT(1 1,2 2))'))))")
	c.expect("SELECT @g", "GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(1 2,3 4),POLYGON((0 0,0 1,1 1,0 0)),MULTIPOINT((1 1),(2 2)))")
	c.expect("SELECT concat('a', 1, NULL), concat('a', 1), repeat('ab', 2), lpad('a', 3, 'b'), json_array(1, 'a'), json_object('a', json_array(1)), upper(concat('a', repeat('b', 2)))",
		`NULL | a1 | abab | bba | [1, "a"] | {"a": [1]} | ABB`)
	_, err := c.try("SELECT elt(1, concat(repeat(unhex('ff'), 10000000)), 'a') + interval 1 day, cast(repeat('a', 3000000) AS json)")
	if err == nil || len(err.Error()) > 2*messageMax {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}
