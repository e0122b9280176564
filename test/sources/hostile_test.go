package sources

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/server/sourcedb/sourcetest"
)

// A client that may read and write one table of a source reaches nothing else there, whatever
// names, functions and texts its statements have and whatever mode it and the source are in. The
// servers show accesses: a view and functions that leave a mark when they are used, rows read by
// table, and their logs of statements.

const hostilePostgres = `
CREATE FUNCTION stranger(t text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE LOG 'STRANGER %', t; RETURN t; END $$;
CREATE FUNCTION fdef() RETURNS text LANGUAGE sql AS $$ SELECT stranger('fdef') $$;
CREATE VIEW secret AS SELECT stranger('secret') AS s;
GRANT ALL ON ALL TABLES IN SCHEMA public TO agent;
ALTER ROLE agent SET standard_conforming_strings = off;
ALTER ROLE agent SET search_path = pg_temp, public;
ALTER SYSTEM SET log_statement = 'all';
SELECT pg_reload_conf()`

const hostileMaria = `
CREATE TABLE marks (s TEXT) ENGINE=MyISAM;
CREATE TABLE secret (s TEXT);
INSERT INTO secret VALUES ('TOPSECRET');
CREATE FUNCTION fdef() RETURNS TEXT BEGIN INSERT INTO marks VALUES ('fdef'); RETURN 'TOPSECRET'; END;
SET GLOBAL userstat = 1, GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PIPES_AS_CONCAT', GLOBAL log_output = 'TABLE', GLOBAL general_log = 1`

// hostileForms have an attacker's text at %s in quotes as a name (%N) or a value (%S), or bare (%F).
var hostileForms = []string{
	"SELECT %N FROM %T", "SELECT 1 AS %N FROM %T", "SELECT %T.%N FROM %T", "SELECT %N.id FROM %T AS %N", "SELECT %N.* FROM %T AS %N", "SELECT %N(owner) FROM %T", "SELECT %N() FROM %T", "SELECT owner COLLATE %N FROM %T", "SELECT CONVERT(owner USING %N) FROM %T",
	"SELECT CAST(owner AS CHAR CHARACTER SET %N) FROM %T", "SELECT CHAR(65 USING %N) FROM %T", "SELECT DEFAULT(%N) FROM %T", "SELECT id + INTERVAL 1 %N FROM %T", "SELECT EXTRACT(%N FROM owner) FROM %T", "SELECT id FROM %T USE INDEX (%N)", "SELECT id FROM %T PARTITION (%N)",
	"SELECT a.id FROM %T a JOIN %T b USING (%N)", "SELECT SUM(id) OVER %N FROM %T WINDOW %N AS (ORDER BY id)", "WITH %N AS (SELECT 1 AS x) SELECT x FROM %N, %T", "WITH q (%N) AS (SELECT 1) SELECT * FROM q, %T", "SELECT * FROM (SELECT 1 AS a) AS %N, %T",
	"UPDATE %T SET %N = 1", "UPDATE %T SET owner = %S", "UPDATE %T SET owner = %N(owner)", "INSERT INTO %T (id, %N) VALUES (1, 2)", "INSERT INTO %T SET id = 2, %N = 1", "INSERT INTO %T (id, owner) VALUES (3, %S)", "INSERT INTO %T (id, owner) VALUES (4, %N())",
	"INSERT INTO %T (id) VALUES (1) ON DUPLICATE KEY UPDATE %N = VALUES(%N)", "INSERT INTO %T (id) VALUES (1) ON DUPLICATE KEY UPDATE owner = %N()", "REPLACE INTO %T (id, owner) VALUES (5, %S)", "DELETE %N FROM %T AS %N", "DELETE FROM %T WHERE owner = %S",
	"SELECT id FROM %T GROUP BY %N ORDER BY %N", "SELECT %S FROM %T", "SELECT id FROM %T WHERE owner LIKE %S", "SELECT GROUP_CONCAT(owner SEPARATOR %S) FROM %T", "SELECT id FROM %T WHERE owner LIKE 'x' ESCAPE %S", "SELECT _utf8mb4 %S FROM %T", "SELECT _binary %S FROM %T",
	"SELECT id AS %S FROM %T", "SELECT JSON_EXTRACT(owner, %S) FROM %T", "SELECT owner->%S FROM %T", "SELECT DATE_FORMAT(NOW(), %S) FROM %T", "SELECT STR_TO_DATE(owner, %S) FROM %T", "SELECT owner REGEXP %S FROM %T", "SELECT N%S, x%S FROM %T", "SELECT id FROM %N",
	"SELECT %F FROM %T", "SELECT id FROM %T WHERE %F", "SELECT id FROM %T ORDER BY %F", "SELECT id FROM %T GROUP BY id HAVING %F", "UPDATE %T SET owner = %F", "SELECT /*+ %F */ id FROM %T", "SELECT /*! %F, */ id FROM %T", "SELECT id FROM %T -- %F", "SELECT (SELECT %F) FROM %T",
	"SELECT id FROM %T LIMIT 1 %F", "SELECT id FROM %T a WHERE a.%F = 1", "%F",
}

var hostileTexts = []string{
	"a, (select s from secret)", "utf8mb4_bin, (select s from bank.secret)", "utf8mb4), (select s from bank.secret), lower(owner", "lower(owner), (select s from bank.secret), upper", "fdef", "bank.fdef", "public.fdef", "@a, (select s from bank.secret)",
	"x'), (select s from bank.secret), ('", "\\'), (select s from bank.secret) -- ", "' union select s from bank.secret -- ", "\\' union select s from secret -- ", "` union select s from bank.secret -- ", "\" union select s from bank.secret -- ", "a\\", "secret", "bank.secret",
	"fdef()", "(select s from secret)", "(select s from bank.secret)", "owner from accounts; delete from bank.secret; -- ", "xmin", "ctid", "accounts", "lower(fdef())", "pg_sleep(1)", "query_to_xml('select * from secret', true, true, '')", "load_file('/etc/passwd')",
	"set_config('standard_conforming_strings', 'off', false)", "exists (select 1 from secret)", "day), (select s from bank.secret), (1", "é\u00bf' or 1=1 -- ", "\u00bf\x27 union select s from secret -- ", "$$ || (select s from secret) || $$", "E'\\' || (select s from secret) || '", "", "%", "a`b", "a\"b", "a'b",
}

var hostileModes = []string{"", "ANSI_QUOTES", "PIPES_AS_CONCAT", "ANSI", "NO_BACKSLASH_ESCAPES", "NO_BACKSLASH_ESCAPES,ANSI_QUOTES", "STRICT_ALL_TABLES", "NO_AUTO_VALUE_ON_ZERO"}

// hostile is a hostile client's connections, and its check.
type hostile struct {
	mallory *sql.DB
	logAt   int64 // up to where PostgreSQL's log was judged
}

// lure makes the tables and the account; what a run before it has left is taken away.
func lure(tb testing.TB) *hostile {
	tb.Helper()
	sourcetest.LeaveOut(tb, house.err)
	for _, s := range []struct {
		at   *sourcetest.Server
		text string
	}{{house.pg, hostilePostgres}, {house.my, hostileMaria}} {
		for _, text := range strings.Split(strings.TrimSpace(s.text), ";\n") {
			if err := s.at.Exec(text); err != nil {
				tb.Fatalf("%s: %v", text, err)
			}
		}
	}
	root, err := sql.Open("mysql", fmt.Sprintf("root@tcp(%s)/", house.door.Addr()))
	if err != nil {
		tb.Fatal(err)
	}
	texts := []string{"CREATE USER mallory IDENTIFIED BY 'm'"}
	for db, at := range map[string]string{"hostile_my": "my_a", "hostile_pg": "pg_a"} { // order: any will do
		texts = append(texts, "CREATE DATABASE "+db, fmt.Sprintf("CALL isochron.import_table('%s', '%s', 'accounts')", at, db), "DELETE FROM "+db+".accounts",
			"INSERT INTO "+db+".accounts (id, owner) VALUES (1, 'x')", "GRANT SELECT, INSERT, UPDATE, DELETE ON "+db+".accounts TO mallory")
	}
	for _, text := range texts {
		if _, err := root.Exec(text); err != nil {
			tb.Fatalf("%s: %v", text, err)
		}
	}
	h := &hostile{}
	if h.mallory, err = sql.Open("mysql", fmt.Sprintf("mallory:m@tcp(%s)/?multiStatements=true", house.door.Addr())); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		h.mallory.Close()
		for _, text := range []string{"DROP USER mallory", "DROP DATABASE hostile_my", "DROP DATABASE hostile_pg"} {
			if _, err := root.Exec(text); err != nil {
				tb.Errorf("%s: %v", text, err)
			}
		}
		root.Close()
		for at, texts := range map[*sourcetest.Server][]string{ // order: any will do
			house.pg: {"ALTER SYSTEM RESET log_statement", "SELECT pg_reload_conf()", "ALTER ROLE agent RESET ALL", "DROP VIEW secret", "DROP FUNCTION fdef, stranger"},
			house.my: {"SET GLOBAL general_log = 0, GLOBAL userstat = 0, GLOBAL sql_mode = DEFAULT", "DROP TABLE secret, marks", "DROP FUNCTION fdef"},
		} {
			for _, text := range texts {
				_ = at.Exec(text) // the servers end with the package
			}
		}
	})
	_ = h.judge() // what made them
	return h
}

// say sends a statement as the client, in a transaction or alone, under a mode; the answer does not
// matter.
func (h *hostile) say(text, db, mode string, within bool) {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	c, err := h.mallory.Conn(ctx)
	if err != nil {
		return
	}
	defer c.Close()
	for _, t := range []string{"ROLLBACK", "USE " + db, "SET SESSION sql_mode = '" + mode + "'"} {
		_, _ = c.ExecContext(ctx, t) // a mode may be refused
	}
	if within {
		_, _ = c.ExecContext(ctx, "BEGIN")
	}
	rows, err := c.QueryContext(ctx, text)
	for more := err == nil; more; more = rows.NextResultSet() {
		for rows.Next() { // to its end
		}
	}
	if rows != nil {
		_ = rows.Close()
	}
	if within {
		_, _ = c.ExecContext(ctx, "ROLLBACK")
	}
}

// firstWordsOfAgents are what statements of agents begin with.
var firstWordsOfAgents = strings.Fields("SELECT INSERT UPDATE DELETE REPLACE WITH SET BEGIN START COMMIT ROLLBACK XA PREPARE EXECUTE KILL DO SHOW SAVEPOINT RELEASE LOCK")

var firstWord = regexp.MustCompile(`^[( ]*[A-Za-z]*`)

var pgStatement = regexp.MustCompile(`LOG:  (?:statement|execute [^:]*): *\(*([A-Za-z]+)`)

// judge returns the accesses since the last call; nil: nothing that was not granted.
func (h *hostile) judge() error {
	ctx, stop := context.WithTimeout(context.Background(), statementTimeout)
	defer stop()
	var errs []error
	for _, q := range []string{"SELECT s FROM marks", "SELECT table_name, rows_read, rows_changed FROM information_schema.table_statistics WHERE table_name = 'secret'"} {
		rows, err := house.my.Ask(ctx, q)
		if err != nil || len(rows) > 0 {
			errs = append(errs, fmt.Errorf("at the MariaDB: %v, %v", rows, err))
		}
	}
	rows, err := house.my.Ask(ctx, "SELECT argument FROM mysql.general_log WHERE user_host LIKE 'agent%' AND command_type IN ('Query', 'Prepare', 'Execute')")
	errs = append(errs, err)
	for _, r := range rows {
		if err := ofAnAgent(r[0]); err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, house.my.Exec("TRUNCATE mysql.general_log; TRUNCATE marks; FLUSH TABLE_STATISTICS"))
	log, at, err := house.pg.LogFrom(h.logAt)
	h.logAt = at
	errs = append(errs, err)
	if strings.Contains(log, "STRANGER") {
		errs = append(errs, errors.New("at the PostgreSQL: a function or a view was used:\n"+log))
	}
	for _, m := range pgStatement.FindAllStringSubmatch(log, -1) {
		if !strings.Contains(log, "reload") && !slices.Contains(firstWordsOfAgents, strings.ToUpper(m[1])) {
			errs = append(errs, fmt.Errorf("at the PostgreSQL: %s", m[0]))
		}
	}
	return errors.Join(errs...)
}

// ofAnAgent holds a packet that a MariaDB logged to what agents send: statements without comments
// that begin as theirs do, of which one reads or changes rows.
func ofAnAgent(text string) error {
	parts, from := 0, 0
	part := func(to int) bool {
		word := strings.ToUpper(strings.TrimRight(firstWord.FindString(text[from:to]), "*"))
		from = to + 1
		switch word = strings.TrimLeft(word, "( "); word {
		case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH":
			parts++
		}
		return (word == "" || slices.Contains(firstWordsOfAgents, word)) && parts <= 1
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"' || c == '`':
			for i++; i < len(text) && text[i] != c; i++ { // a quote in it is two: it ends and begins
				if text[i] == '\\' && c != '`' {
					i++
				}
			}
		case c == '#' || strings.HasPrefix(text[i:], "/*") || strings.HasPrefix(text[i:], "-- "), c == ';' && !part(i):
			return fmt.Errorf("at the MariaDB: %s at byte %d", text, i)
		}
	}
	if !part(len(text)) {
		return fmt.Errorf("at the MariaDB: %s", text)
	}
	return nil
}

// hostileText is a statement of a form with a text in it.
func hostileText(form, text string) string {
	name, value := "`"+strings.ReplaceAll(text, "`", "``")+"`", "'"+strings.NewReplacer(`\`, `\\`, "'", "''").Replace(text)+"'"
	return strings.NewReplacer("%T", "accounts", "%N", name, "%S", value, "%F", text).Replace(form)
}

// FuzzHostileTexts: the seeds are all forms, with some of the texts each.
func FuzzHostileTexts(f *testing.F) {
	h := lure(f)
	for i, text := range hostileTexts {
		for form := range hostileForms {
			if (i+form)%4 == 0 {
				f.Add(uint8(form), text, uint8(7*i+form))
			}
		}
	}
	f.Fuzz(func(t *testing.T, form uint8, text string, way uint8) {
		if len(text) > 4096 {
			return
		}
		statement, db := hostileText(hostileForms[int(form)%len(hostileForms)], text), []string{"hostile_my", "hostile_pg"}[way&1]
		mode := hostileModes[int(way>>2)%len(hostileModes)]
		h.say(statement, db, mode, way&2 != 0)
		if err := h.judge(); err != nil {
			t.Errorf("%s at %s under %q:\n%v", statement, db, mode, err)
		}
	})
}

// The check sees the actions of an agent's account without a grant.
func TestHostileTextsAreClassified(t *testing.T) {
	h := lure(t)
	maria, err := sql.Open("mysql", agentDSN(house.my))
	if err != nil {
		t.Fatal(err)
	}
	defer maria.Close()
	for _, text := range []string{"SELECT s FROM secret", "SELECT 1 FROM accounts WHERE EXISTS (SELECT 1 FROM secret)", "SELECT fdef()", "DELETE FROM secret", "SELECT 1 /* a */", "SELECT 1; SELECT 2 # b", "CREATE TABLE made (a INT)"} {
		if _, err := maria.Exec(text); err != nil {
			t.Fatal(text, err)
		}
		if h.judge() == nil {
			t.Errorf("%s was not seen at the MariaDB", text)
		}
	}
	for _, text := range []string{"SELECT s FROM secret", "SELECT fdef()", "CREATE TABLE made (a INT)"} {
		if err := house.pg.Exec(text); err != nil {
			t.Fatal(text, err)
		}
		if h.judge() == nil {
			t.Errorf("%s was not seen at the PostgreSQL", text)
		}
	}
	if _, err := maria.Exec("SELECT id FROM accounts WHERE owner = 'a;b#' -- "); err != nil {
		t.Fatal(err)
	}
	_ = h.judge()
	if err := h.judge(); err != nil {
		t.Error("where nothing was reached: ", err)
	}
	for _, text := range []string{"DROP TABLE made"} {
		_, _ = house.my.Exec(text), house.pg.Exec(text)
	}
}

// agentDSN is the address of a server for its agent's account, as the Go driver has it.
func agentDSN(s *sourcetest.Server) string {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName = sourcetest.User, sourcetest.Password, "tcp", s.Addr(), sourcetest.Database
	cfg.MultiStatements = true
	return cfg.FormatDSN()
}
