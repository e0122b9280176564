package sources

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"isochron/server/sourcedb/sourcetest"
)

// A function that a source has stored never runs for a client: not by its own name, not under a built-in
// function's name, in no clause. Each one here leaves a mark when it runs.

// likeBuiltins are MariaDB's functions with names of built-in ones. It takes them for calls with a
// database before the name, or, if the word is one of its syntax, with a space behind it.
var likeBuiltins = []string{"upper", "lower", "abs", "count", "now", "max", "substring", "json_value", "ifnull", "uuid_to_bin", "st_transform", "string_to_vector"}

// overloads makes a function in the schema public for each text function of PostgreSQL that a
// translation calls, for character varying: closer to a column of that type than PostgreSQL's own.
const overloads = `DO $do$ DECLARE f record; BEGIN
FOR f IN SELECT p.proname AS name, replace(pg_get_function_identity_arguments(p.oid), 'text', 'character varying') AS args FROM pg_proc p
	WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND NOT p.proretset AND 25 = ANY (p.proargtypes) AND p.provariadic = 0 AND p.proname IN ('upper', 'lower', 'char_length',
	'octet_length', 'bit_length', 'reverse', 'md5', 'ltrim', 'rtrim', 'btrim', 'replace', 'repeat', 'left', 'right', 'lpad', 'rpad', 'substr', 'strpos', 'string_to_array', 'convert_to', 'to_timestamp') LOOP
	EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS text LANGUAGE plpgsql AS $f$ BEGIN RAISE LOG ''STRANGER %s''; RETURN NULL; END $f$', f.name, f.args, f.name);
END LOOP; END $do$`

// aggregates is the same of aggregates.
const aggregates = `CREATE FUNCTION public.note(s text, v character varying) RETURNS text LANGUAGE plpgsql AS $f$ BEGIN RAISE LOG 'STRANGER note'; RETURN v; END $f$;
CREATE AGGREGATE public.max(character varying) (sfunc = public.note, stype = text);
CREATE AGGREGATE public.count(character varying) (sfunc = public.note, stype = text)`

// storedClauses have a call at %F.
var storedClauses = []string{
	"SELECT %F FROM goods", "SELECT DISTINCT %F AS x FROM goods", "SELECT id FROM goods WHERE %F = 'a'", "SELECT id FROM goods WHERE id IN (1, %F)", "SELECT owner FROM goods GROUP BY owner HAVING %F = 'a'",
	"SELECT COUNT(*) FROM goods GROUP BY %F", "SELECT id FROM goods ORDER BY %F", "SELECT id FROM goods ORDER BY %F LIMIT 1", "SELECT id FROM goods LIMIT %F", "SELECT s.id FROM goods s JOIN goods t ON %G = t.owner",
	"SELECT s.id FROM goods s LEFT JOIN goods t ON s.id = t.id AND %G = t.owner", "INSERT INTO goods (id, owner) VALUES (7, %F)", "INSERT INTO goods SET id = 7, owner = %F", "REPLACE INTO goods (id, owner) VALUES (7, %F)",
	"INSERT INTO goods (id, owner) SELECT id + 10, %F FROM goods", "UPDATE goods SET owner = %F", "UPDATE goods SET owner = 'a' WHERE %F = 'a'", "UPDATE goods SET owner = 'a' ORDER BY %F LIMIT 1",
	"INSERT INTO goods (id, owner) VALUES (1, 'b') ON DUPLICATE KEY UPDATE owner = %F", "INSERT INTO goods (id, owner) VALUES (8, 'b') RETURNING %F", "DELETE FROM goods WHERE %F = 'nope'", "DELETE FROM goods WHERE id = 99 RETURNING %F",
	"SELECT (SELECT %F FROM goods LIMIT 1)", "SELECT id FROM goods WHERE owner IN (SELECT %F FROM goods)", "SELECT x FROM (SELECT %F AS x FROM goods) AS d", "WITH q AS (SELECT %F AS x FROM goods) SELECT x FROM q",
	"WITH RECURSIVE q AS (SELECT 1 AS n, %F AS x FROM goods UNION ALL SELECT n + 1, x FROM q WHERE n < 2) SELECT x FROM q", "SELECT id FROM goods UNION SELECT %F FROM goods", "SELECT SUM(id) OVER (ORDER BY %F) FROM goods",
	"SELECT CASE %F WHEN 'a' THEN 1 END FROM goods", "SELECT id FROM goods WHERE %F = 'a' FOR UPDATE", "EXPLAIN SELECT %F FROM goods",
	"ALTER TABLE goods ADD CONSTRAINT c CHECK (%F = 'a')", "ALTER TABLE goods ALTER owner SET DEFAULT (%F)", "ALTER TABLE goods ADD COLUMN g TEXT AS (%F)", "CREATE TABLE made (id INT PRIMARY KEY, owner VARCHAR(20) DEFAULT (%F), CHECK (%F = 'a'))",
	"CREATE TABLE taken AS SELECT %F AS x FROM goods", "CREATE VIEW seen AS SELECT %F AS x FROM goods", "SELECT x FROM seen", "SELECT id FROM seen2 WHERE %F = 'a'", "DO %F", "SET @a = (SELECT %F FROM goods LIMIT 1)", "CALL bank.fdef()",
}

// storedCalls are calls of functions; %O is a column.
func storedCalls(db string) []string {
	calls := []string{"fdef()", "`fdef`()", "fdef ()", "bank.fdef()", "public.fdef()", "agent.fdef()", "FDEF()"}
	for _, name := range likeBuiltins {
		calls = append(calls, name+"(%O)", name+" (%O)", "`"+name+"`(%O)", "bank."+name+"(%O)", db+"."+name+"(%O)", "public."+name+"(%O)")
	}
	return append(calls, "now()", "count(*)", "reverse(%O)", "md5(%O)", "ltrim(%O)", "trim(%O)", "trim(BOTH 'a' FROM %O)", "replace(%O, 'a', 'b')", "repeat(%O, 2)", "left(%O, 1)", "right(%O, 1)", "lpad(%O, 3, 'x')", "substring(%O, 2)",
		"substring(%O FROM 2 FOR 1)", "position('a' IN %O)", "locate('a', %O, 1)", "instr(%O, 'a')", "find_in_set('a', %O)", "substring_index(%O, 'a', 1)", "char_length(%O)", "length(%O)", "hex(%O)", "sha2(%O, 256)", "str_to_date(%O, '%Y')",
		"coalesce(%O, 'a')", "greatest(%O, 'a')", "nullif(%O, 'a')", "cast(%O AS CHAR)", "concat(%O, 'a')", "concat_ws(',', %O)", "group_concat(%O)", "max(%O)", "count(DISTINCT %O)")
}

func TestStoredFunctionsNeverRun(t *testing.T) {
	h := lure(t)
	root, err := sql.Open("mysql", fmt.Sprintf("root@tcp(%s)/", house.door.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	must := func(err error, what string) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	const table = "CREATE TABLE goods (id bigint PRIMARY KEY, owner varchar(20))"
	must(house.pg.Exec(table+"; GRANT ALL ON goods TO agent; ALTER ROLE agent RESET search_path"), table)
	must(house.my.Exec(table), table)
	must(house.pg.Exec(overloads), "overloads")
	must(house.pg.Exec(aggregates), "aggregates")
	for _, name := range likeBuiltins {
		text := fmt.Sprintf("CREATE FUNCTION bank.`%s` (t TEXT) RETURNS TEXT BEGIN INSERT INTO marks VALUES ('%[1]s'); RETURN 'a'; END", name)
		must(house.my.Exec(text), text)
	}
	t.Cleanup(func() {
		for _, name := range likeBuiltins {
			_ = house.my.Exec("DROP FUNCTION bank.`" + name + "`") // the servers end with the package
		}
		_ = house.my.Exec("DROP TABLE goods")
		_ = house.pg.Exec("DROP TABLE goods; DROP AGGREGATE public.max(character varying); DROP AGGREGATE public.count(character varying); DROP FUNCTION public.note")
		_ = house.pg.Exec(strings.NewReplacer("CREATE FUNCTION public.%I(%s) RETURNS text LANGUAGE plpgsql AS $f$ BEGIN RAISE LOG ''STRANGER %s''; RETURN NULL; END $f$', f.name, f.args, f.name",
			"DROP FUNCTION public.%I(%s)', f.name, f.args").Replace(overloads))
	})
	// The functions leave marks, and take the place of PostgreSQL's own where the schema is not named.
	must(house.pg.Exec("INSERT INTO goods VALUES (1, 'x')"), "INSERT")
	for at, texts := range map[*sourcetest.Server][]string{ // order: each by itself
		house.my: {"SELECT bank.upper('x')", "SELECT bank.count('x')", "SELECT uuid_to_bin('x')"},
		house.pg: {"SELECT upper(owner) FROM goods", "SELECT max(owner) FROM goods", "SELECT strpos(owner, 'a') FROM goods"},
	} {
		for _, text := range texts {
			_ = h.judge()
			must(at.Exec(text), text)
			if h.judge() == nil {
				t.Errorf("%s was not seen", text)
			}
		}
	}
	must(house.pg.Exec("DELETE FROM goods"), "DELETE")
	for db, at := range map[string]string{"hostile_my": "my_a", "hostile_pg": "pg_a"} { // order: any will do
		for _, text := range []string{fmt.Sprintf("CALL isochron.import_table('%s', '%s', 'goods')", at, db), "INSERT INTO " + db + ".goods VALUES (1, 'a'), (2, 'b')", "GRANT ALL ON " + db + ".* TO mallory",
			"CREATE VIEW " + db + ".seen2 AS SELECT id, owner FROM " + db + ".goods"} {
			_, err := root.Exec(text)
			must(err, text)
		}
	}
	_ = h.judge()
	calls, reached := 0, map[string]int{}
	for _, db := range []string{"hostile_my", "hostile_pg"} {
		for i, clause := range storedClauses {
			for j, call := range storedCalls(db) {
				mode := ""
				if (i+j)%3 == 0 {
					mode = "IGNORE_SPACE"
				}
				calls++
				h.say(strings.NewReplacer("%F", strings.ReplaceAll(call, "%O", "owner"), "%G", strings.ReplaceAll(call, "%O", "s.owner")).Replace(clause), db, mode, (i+j)%2 == 0)
			}
			rows, err := house.my.Ask(t.Context(), "SELECT COUNT(*) FROM mysql.general_log WHERE user_host LIKE 'agent%' AND argument LIKE '%goods%'")
			must(err, "general_log")
			n, _ := strconv.Atoi(rows[0][0])
			log, _, err := house.pg.LogFrom(h.logAt)
			must(err, "log")
			reached["hostile_my"], reached["hostile_pg"] = reached["hostile_my"]+n, reached["hostile_pg"]+strings.Count(log, `"goods"`)
			if err := h.judge(); err != nil {
				t.Errorf("at %s: %s:\n%.2000v", db, clause, err)
			}
		}
	}
	// They were understood: built-in functions did reach the sources.
	for db, want := range map[string]string{"hostile_my": "A", "hostile_pg": "A"} { // order: each by itself
		var got string
		if _, err := root.Exec("REPLACE INTO " + db + ".goods VALUES (1, 'a')"); err != nil {
			t.Fatal(err)
		}
		if err := root.QueryRow("SELECT upper(owner) FROM " + db + ".goods WHERE id = 1").Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q, %v", db, got, err)
		}
	}
	t.Log(calls, "calls; statements that reached the sources:", reached)
	if reached["hostile_my"] < calls/20 || reached["hostile_pg"] < calls/20 {
		t.Error("too few statements reached the sources to tell")
	}
}
