package dialect

import (
	"errors"
	"strings"
	"testing"
)

// A function goes to the versions that have it built in, and to no others.
func TestFunctionsByVersion(t *testing.T) {
	for _, c := range []struct {
		to      Dialect
		version string
		call    string
		sent    bool
	}{
		{MySQL, "10.5.8-MariaDB", "natural_sort_key(a)", false},
		{MySQL, "10.6.22-MariaDB-log", "natural_sort_key(a)", false},
		{MySQL, "10.7.1-MariaDB", "natural_sort_key(a)", true},
		{MySQL, "12.3.1-MariaDB-ubu2404", "natural_sort_key(a)", true},
		{MySQL, "8.4.3", "natural_sort_key(a)", false},
		{MySQL, "", "natural_sort_key(a)", false},
		{MySQL, "5.7.44", "regexp_replace(a, 'a', 'b')", false},
		{MySQL, "8.0.11", "regexp_replace(a, 'a', 'b')", true},
		{MySQL, "8.0.20", "json_value(a, '$.x')", false},
		{MySQL, "8.0.mysql_aurora.3.04.0", "json_value(a, '$.x')", false},
		{MySQL, "8.0.21-0ubuntu", "json_value(a, '$.x')", true},
		{MySQL, "10.11.19-MariaDB", "json_value(a, '$.x')", true},
		{MySQL, "8.4.0", "uuid_to_bin(a)", true},
		{MySQL, "10.11.19-MariaDB", "uuid_to_bin(a)", false},
		{MySQL, "9.5.0", "md5(a)", true},
		{MySQL, "9.6.0", "md5(a)", false},
		{MySQL, "9.9.1", "md5(a)", false},
		{MySQL, "5.6.10", "lower(a)", false}, // older than all that the list knows
		{MySQL, "a proxy", "lower(a)", true}, // not known: from the floors on
		{MySQL, "8.4.0", "sleep(1)", false},
		{MySQL, "10.11.19-MariaDB", "nextval(s)", false},
		{Postgres, "12.9", "uuid()", false},
		{Postgres, "13.1 (Debian 13.1-1)", "uuid()", true},
		{Postgres, "99.1", "uuid()", true},
		{Postgres, "", "uuid()", true},
		{Postgres, "10.4", "sha2(a, 256)", false},
		{Postgres, "11.0", "sha2(a, 256)", true},
		{Postgres, "9.6.3", "upper(a)", true},
		{Postgres, "9.5.3", "upper(a)", false},
		{Postgres, "9.6.3", "coalesce(a, 1)", true},
	} {
		tr, err := Translate("SELECT "+c.call+" FROM t", c.to, nil, Options{Server: ServerOf(c.to, c.version)})
		var refusal *ErrNotTranslated
		if c.sent != (err == nil) || err != nil && !errors.As(err, &refusal) {
			t.Errorf("%s for %s %q: %q, %v", c.call, c.to, c.version, tr.Text, err)
		}
	}
}

// Each function that a translation calls is on the list: the cases go to a PostgreSQL of a known version as
// they go to one that is not known, and to the oldest but for two functions.
func TestCasesByVersion(t *testing.T) {
	cases(t, func(c aCase) string {
		want, _ := c.translate()
		for _, version := range []string{"9.6.1", "13.4", "15.20", "18.0", "99.0"} {
			c.options.Server = ServerOf(Postgres, version)
			got, err := c.translate()
			if got.Text != want.Text && !(version == "9.6.1" && (strings.Contains(want.Text, "gen_random_uuid") || strings.Contains(want.Text, "sha2"))) {
				t.Errorf("%s for %s: %s, %v", c.text, version, got.Text, err)
			}
		}
		return c.expected
	})
}

// The calls in the finished text for PostgreSQL are checked again, whatever wrote them.
func TestForeignCall(t *testing.T) {
	for text, want := range map[string]string{
		`SELECT pg_catalog.upper("a"), COALESCE(NULL, 1) FROM "t" ("a")`: "",
		`SELECT upper("a")`:  "upper",
		`SELECT upper ("a")`: "upper",
		"SELECT f\n(1)":      "f",
		`SELECT 'f(1)', E'\'f(1)', "f(1)", '''f(', "a""f("`:   "",
		`SELECT E'a\\', f(1)`:                                 "f",
		`SELECT "f"(1)`:                                       `"f"`,
		`SELECT "public"."f"(1)`:                              `"f"`,
		`SELECT public.f(1)`:                                  "public.f",
		`SELECT "public".f(1)`:                                ".f",
		`SELECT pg_catalog.pg_sleep(1)`:                       "pg_sleep",
		`SELECT pg_catalog.set_config('a', 'b', false)`:       "set_config",
		`SELECT pg_catalog.f(1)`:                              "f",
		`SELECT pg_catalog.upper(lower('a'))`:                 "lower",
		`SELECT CAST('1' AS numeric(1,2)), (1) IN (SELECT 1)`: "",
	} {
		if got := foreignCall(ServerOf(Postgres, "15.4"), text); got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
	// Each version of the list is read.
	asked, list := readBuiltins(builtinText)
	for p := mariaDB; p < products; p++ {
		if len(asked[p]) < 4 {
			t.Errorf("%s: %v", productNames[p], asked[p])
		}
	}
	if len(list) < 1000 || strings.Contains(builtinText, "pg_sleep") {
		t.Error(len(list))
	}
}
