package sourcedb

import (
	"fmt"
	"strings"
	"testing"

	"isochron/server/sourcedb/sourcetest"
	"isochron/source"
)

// hostile are settings of a server that change the meaning of statements written for the usual ones.
var hostile = map[string][]string{
	"mariadb": {"--sql-mode=NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PIPES_AS_CONCAT,IGNORE_SPACE,HIGH_NOT_PRECEDENCE,STRICT_ALL_TABLES", "--skip-character-set-client-handshake",
		"--character-set-server=latin1", "--div-precision-increment=9", "--lc-time-names=de_DE", "--completion-type=1", "--default-week-format=3"},
	"postgres": {"-c", "standard_conforming_strings=off", "-c", "backslash_quote=on", "-c", "DateStyle=German", "-c", "IntervalStyle=iso_8601", "-c", "bytea_output=escape",
		"-c", "extra_float_digits=-5", "-c", "TimeZone=Asia/Tokyo", "-c", "transform_null_equals=on", "-c", "search_path=pg_temp, public"},
}

// An agent's statements keep their meaning under any settings of the server.
func TestTextsMeanTheSameEverywhere(t *testing.T) {
	apart(t, hostile, func(t *testing.T, k *kit) {
		texts := map[string]string{}
		if k.name_() == "postgres" {
			texts[`SELECT 'a\'`] = `a\`
			texts[`SELECT DATE '2024-02-03'`] = "2024-02-03"
			texts[`SELECT TIMESTAMPTZ '2024-02-03 00:00:00'`] = "2024-02-03 00:00:00+00"
			texts[`SELECT '\x41'::bytea`] = `\x41`
			texts[`SELECT 0.1::float8 + 0.2::float8`] = "0.30000000000000004"
			texts[`SELECT count(*) FROM (SELECT 1) AS x (n) WHERE NULL = NULL`] = "0"
			texts[`SELECT INTERVAL '1 day'`] = "1 day"
		} else {
			texts[`SELECT 'a\\'`] = `a\`
			texts[`SELECT "a"`] = "a"
			texts[`SELECT 1 || 0`] = "1"
			texts[`SELECT NOT 1 BETWEEN -5 AND 5`] = "0"
			texts[`SELECT 'é'`] = "é"
			texts[`SELECT CHAR_LENGTH('é')`] = "1"
			texts[`SELECT 1 / 3`] = "0.3333"
			texts[`SELECT DAYNAME('2024-02-05')`] = "Monday"
			texts[`SELECT @@sql_mode`] = "STRICT_ALL_TABLES"
		}
		for text, want := range texts {
			b, _ := k.begin(source.BranchOptions{})
			if got := string(k.do2(b, text).Rows[0][0]); got != want {
				t.Errorf("%s gives %s, want %s", text, got, want)
			}
			k.must(b.Commit(k.ctx))
		}
		value := `\'; DROP TABLE x; -- é`
		b, _ := k.begin(source.BranchOptions{})
		r := k.do(b, "SELECT "+map[string]string{"postgres": "$1::text", "mariadb": "?"}[k.name_()]+" FROM (SELECT 1 AS x) AS t -- %s", value)
		if got := string(r.Rows[0][0]); got != value {
			t.Errorf("a value is returned as %s", got)
		}
		k.must(b.Commit(k.ctx))
	})
}

// A connection whose session settings the server does not confirm is not used.
func TestASessionWithWrongSettings(t *testing.T) {
	for _, c := range []struct {
		of   *dialect
		pins *[]pin
		bad  pin
	}{
		{dialects[0], &pgPins, pin{"standard_conforming_strings", "on", "off"}},
		{dialects[1], &myPins, pin{"sql_auto_is_null", "0", "1"}},
		{dialects[0], &pgPins, pin{"no.such", "x", "y"}},
		{dialects[1], &myPins, pin{"no_such", "1", ""}},
	} {
		s, err := c.of.server()
		sourcetest.LeaveOut(t, err)
		k := newKit(t, c.of, s)
		before := *c.pins
		*c.pins = append([]pin{c.bad}, before...)
		_, err = k.open(Options{}).Begin(k.ctx, k.name(), source.BranchOptions{})
		*c.pins = before
		e := asError(err)
		if e == nil || !e.Ends || !strings.Contains(e.Text, c.bad.name) {
			t.Errorf("%v: %v", c.bad, err)
		}
		b := k.beginAt(k.open(Options{}), k.name(), source.BranchOptions{})
		k.must(b.Rollback(k.ctx))
	}
}

// A session is set by PostgreSQL's own functions, wherever they are on the account's path.
func TestASessionIsSetByBuiltInFunctions(t *testing.T) {
	onPostgres(t, func(k *kit) {
		k.pg(fmt.Sprintf(`CREATE SCHEMA shadow; ALTER ROLE %s SET search_path = shadow, pg_catalog; GRANT USAGE ON SCHEMA shadow TO %[1]s;
			CREATE FUNCTION shadow.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS $$ SELECT 'taken'::text $$;
			CREATE FUNCTION shadow.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT 'taken'::text $$`, sourcetest.User))
		b := k.beginAt(k.open(Options{}), k.name(), source.BranchOptions{})
		if got := string(k.do2(b, "SELECT 1").Rows[0][0]); got != "1" {
			t.Error(got)
		}
		k.must(b.Rollback(k.ctx))
	})
}

// The account's schemas stay on the path, after the built-in one.
func TestTheSearchPathBeginsWithPgCatalog(t *testing.T) {
	onPostgres(t, func(k *kit) {
		k.pg(fmt.Sprintf(`CREATE SCHEMA own; ALTER ROLE %s SET search_path = own, "we, ird"; CREATE FUNCTION own.now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT '-infinity'::timestamptz $$;
			GRANT USAGE ON SCHEMA own TO %[1]s; ALTER ROLE %[1]s SET standard_conforming_strings = off`, sourcetest.User))
		b := k.beginAt(k.open(Options{}), k.name(), source.BranchOptions{})
		if got := string(k.do2(b, "SHOW search_path").Rows[0][0]); got != `pg_catalog, own, "we, ird", pg_temp` {
			t.Errorf("the path is %s", got)
		}
		if got := string(k.do2(b, "SELECT now() > '2000-01-01'").Rows[0][0]); got != "t" {
			t.Error("now() is the account's own function")
		}
		k.must(b.Rollback(k.ctx))
	})
}
