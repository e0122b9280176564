package main

import (
	"fmt"
	"slices"
	"strings"
)

// hostile is a statement that might end a node.
type hostile struct {
	name     string
	text     string
	needs    bool // a table: only a user with grants gets so far
	refused  bool // it must fail: whoever may do it has all rights
	prepared bool // sent to be prepared
	mayCut   bool // its connection may be closed, with an error or without: it is beyond all measure
}

// times repeats.
func times(n int, s string) string { return strings.Repeat(s, n) }

// counted repeats a text with the numbers from 1 to n in it.
func counted(n int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, text, i+1)
	}
	return b.String()
}

// prelude is done on each connection of an attacker.
const prelude = "SET @a = repeat('a', 16000000)"

// hostiles are all of them. They are made once: some have megabytes.
func hostiles() []hostile {
	var out []hostile
	for _, list := range [][]hostile{growing(), deep(), panicking(), holders(), endless(), ruling()} {
		out = append(out, list...)
	}
	// In one order: the attackers' choices follow from a seed.
	slices.SortFunc(out, func(a, b hostile) int { return strings.Compare(a.name, b.name) })
	return out
}

// growing are functions whose results would be large.
func growing() (out []hostile) {
	for _, f := range []string{
		"repeat('a', 1000000000)", "repeat(repeat('a', 1000000), 1000000)", "space(2000000000)", "lpad('a', 2000000000, 'b')", "rpad('a', 2000000000, 'b')",
		"replace(repeat('a', 1000000), 'a', repeat('b', 1000000))", "regexp_replace(repeat('a', 1000000), 'a', repeat('b', 1000000))",
		"export_set(-1, repeat('a', 10000000), 'b', ',', 64)", "concat(@a" + times(200, ", @a") + ")", "concat_ws(',', @a" + times(200, ", @a") + ")",
		"make_set(-1, @a" + times(60, ", @a") + ")", "elt(1, concat(@a, @a, @a, @a, @a), 'a')", "compress(concat(@a, @a, @a))", "uncompress(unhex('ffffff3f789c030000000001'))",
		"json_array(@a" + times(200, ", @a") + ")", "json_object('a', @a" + times(200, ", 'b', @a") + ")", "hex(concat(@a, @a, @a))", "to_base64(concat(@a, @a, @a, @a))",
		"quote(repeat('\\'', 40000000))", "json_pretty(concat(repeat('[', 90), repeat('1,', 1000000), '1', repeat(']', 90)))",
	} {
		name, _, _ := strings.Cut(f, "(")
		out = append(out, hostile{name: "grow " + name, text: "SELECT length(" + f + ")"})
	}
	for _, f := range []string{
		"st_geomfromwkb(unhex('0107000000ffffffff'))", "st_area(unhex('000000000103000000ffffffff'))", "st_geomfromgeojson(repeat('[', 100000))", "round(1, 1000000000)",
	} {
		name, _, _ := strings.Cut(f, "(")
		out = append(out, hostile{name: "grow " + name, text: "SELECT " + f})
	}
	return append(out,
		hostile{name: "variables", text: "SET @b = repeat('b', 60000000), @c = repeat('c', 60000000), @d = repeat('d', 60000000)"},
		hostile{name: "wide row", text: "SELECT @a" + times(200, ", @a")},
		hostile{name: "doubling recursion", text: "WITH RECURSIVE r AS (SELECT 1 AS i, repeat('a', 10) AS s UNION ALL SELECT i + 1, concat(s, s) FROM r WHERE i < 60) SELECT max(i) FROM r"},
		hostile{name: "long recursion", text: "WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r"})
}

// deep returns statements that overflow the stack of a parser that recurses by depth.
func deep() []hostile {
	return []hostile{
		{name: "deep not", text: "SELECT " + times(4_000_000, "not ") + "1"},
		{name: "deep and", text: "SELECT 1" + times(2_000_000, " and 1")},
		{name: "deep or", text: "SELECT 1" + times(2_000_000, " or 1")},
		{name: "deep plus", text: "SELECT 1" + times(2_000_000, "+1")},
		{name: "deep case", text: "SELECT " + times(200_000, "case when 1 then ") + "1" + times(200_000, " end")},
		{name: "deep parentheses", text: "SELECT " + times(1_000_000, "(") + "1" + times(1_000_000, ")")},
		{name: "deep geometry", text: "SELECT st_geomfromwkb(repeat(unhex('010700000001000000'), 1000000))"},
		{name: "deep geometry text", text: "SELECT st_geomfromtext(concat(repeat('GEOMETRYCOLLECTION(', 100000), 'POINT(1 1)', repeat(')', 100000)))"},
		{name: "deep json", text: "SELECT json_valid(repeat('[', 10000000))"},
		{name: "deep prepared", text: "SELECT " + times(60_000, "not ") + "?", prepared: true},
		{name: "long prepared", text: "SELECT " + times(4_000_000, "not ") + "?", prepared: true, mayCut: true},
		{name: "doubling tables", text: "WITH c0 AS (SELECT 1 AS a)" + doubling(40) + " SELECT * FROM c40"},
		{name: "wide union", text: "SELECT 1" + times(20_000, " UNION SELECT 1")},
		{name: "wide in", text: "SELECT 1 IN (1" + times(2_000_000, ",1") + ")"},
	}
}

// doubling are n common table expressions of which each names the one before twice.
func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", c%d AS (SELECT x.a FROM c%d x, c%[2]d y)", i+1, i)
	}
	return b.String()
}

// panicking are what the SQL engine panics at, or has.
func panicking() (out []hostile) {
	for _, e := range []string{
		"curtime('12:00:00')", "json_value('a', '2020-01-01', NULL)", "unix_timestamp(x'00')", "unix_timestamp(interval 1 day)", "1 LIMIT NULL", "round(1e308)",
		"abs(interval 1 day)", "concat(interval 1 day)", "sum(interval 1 day)", "json_array(interval 1 day)",
	} {
		out = append(out, hostile{name: "panic " + e, text: "SELECT " + e})
	}
	return append(out, hostile{name: "panic joins", text: "SELECT 1 FROM lair.n" + counted(70, " JOIN lair.n AS p%d ON n.v = p%[1]d.v"), needs: true})
}

// holders sort, group, join and insert without measure.
func holders() (out []hostile) {
	const cross = "lair.n x, lair.n y, lair.n z"
	for name, query := range map[string]string{
		"sort":          "SELECT x.id FROM " + cross + " ORDER BY concat(y.b, x.id, z.id) LIMIT 700000000, 1",
		"group":         "SELECT count(*) FROM (SELECT x.id, y.id AS ya, z.id AS za, count(*) FROM " + cross + " GROUP BY x.id, y.id, z.id) g",
		"distinct":      "SELECT count(*) FROM (SELECT DISTINCT x.id, y.id AS ya, z.id AS za FROM " + cross + ") d",
		"group_concat":  "SELECT length(group_concat(concat(x.b, y.b))) FROM " + cross,
		"json_arrayagg": "SELECT json_length(json_arrayagg(concat(x.b, y.b))) FROM " + cross,
		"hash join":     "SELECT count(*) FROM lair.n a LEFT JOIN (SELECT x.id + y.id AS id, z.b FROM " + cross + ") h ON a.id = h.id",
		"window":        "SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY x.id) AS r, y.b FROM " + cross + ") w",
		"insert":        "INSERT INTO lair.m VALUES (1)" + times(1_500_000, ",(1)"),
		"insert select": "INSERT INTO lair.m SELECT x.id FROM " + cross,
		"result":        "SELECT x.*, y.*, z.* FROM " + cross,
	} {
		out = append(out, hostile{name: "hold " + name, text: query, needs: true})
	}
	return out
}

// endless returns statements that run until they are ended.
func endless() []hostile {
	return []hostile{
		{name: "endless join", text: "SELECT count(*) FROM lair.n a, lair.n b, lair.n c, lair.n d", needs: true},
		{name: "endless delete", text: "DELETE FROM lair.n WHERE id IN (SELECT a.v FROM lair.n a, lair.n b, lair.n c WHERE a.v + c.v = -1)", needs: true},
		{name: "endless schema", text: "SELECT count(*) FROM information_schema.columns a, information_schema.columns b, information_schema.columns c"},
		{name: "endless sleep", text: "SELECT sleep(10000)"},
		{name: "endless lock", text: "SELECT get_lock('mine', 10000)"},
		{name: "all rows locked", text: "SELECT * FROM lair.n FOR UPDATE", needs: true},
	}
}

// ruling would take the node from everybody else.
func ruling() (out []hostile) {
	for _, s := range []string{
		"SET GLOBAL autocommit = 0", "SET GLOBAL sql_select_limit = 0", "SET GLOBAL isochron_node_memory = 1", "ALTER USER root IDENTIFIED BY 'x'", "DROP USER root",
		"CREATE USER mine IDENTIFIED BY 'x'", "GRANT ALL ON *.* TO nobody", "SELECT count(*) FROM plain.t", "DROP DATABASE plain",
	} {
		out = append(out, hostile{name: s, text: s, refused: true})
	}
	return out
}
