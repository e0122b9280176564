package sourcedb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"isochron/source"
)

// A statement's meaning depends on settings of the server, the account and the database: whether a backslash escapes
// a quote, whether double quotes enclose a name or a string, a text's character set, the order of a date's parts.
// Statements are written for one set of values; under another, a value may end its string early and be executed. So
// each connection is set to these values when it is made, and is not used unless the server confirms them: an
// account may be denied a setting, and a proxy may change one.

// pin is a setting of a connection.
type pin struct {
	name, value string
	shows       string // the server's form of the value, if it differs
}

// shown returns the value as the server shows it.
func (p pin) shown() string {
	if p.shows != "" {
		return p.shows
	}
	return p.value
}

// pgPins are PostgreSQL's. The path keeps the account's own schemas, which triggers may need, between the built-in
// and the temporary one.
var pgPins = []pin{
	{"standard_conforming_strings", "on", ""}, {"backslash_quote", "safe_encoding", ""}, {"escape_string_warning", "off", ""},
	{"client_encoding", "UTF8", ""}, {"bytea_output", "hex", ""}, {"xmlbinary", "base64", ""}, {"xmloption", "content", ""},
	{"DateStyle", "ISO, YMD", ""}, {"IntervalStyle", "postgres", ""}, {"TimeZone", "UTC", ""}, {"extra_float_digits", "1", ""},
	{"lc_monetary", "C", ""}, {"lc_numeric", "C", ""}, {"lc_time", "C", ""}, {"array_nulls", "on", ""}, {"transform_null_equals", "off", ""},
	{"gin_fuzzy_search_limit", "0", ""}, {"exit_on_error", "off", ""}, {"default_transaction_deferrable", "off", ""},
}

// pgPath sets the path for names without a schema, and returns it. Its functions have their schema: the path before
// it may find others of these names first.
const pgPath = `pg_catalog.set_config('search_path', 'pg_catalog, ' || pg_catalog.regexp_replace(pg_catalog.current_setting('search_path'), '^pg_catalog, (.*), pg_temp$', '\1') || ', pg_temp', false)`

// pinned sets a new connection's session and checks the server's confirmation.
func (c *pgConn) pinned(ctx context.Context) error {
	var texts []string
	for _, p := range pgPins {
		texts = append(texts, fmt.Sprintf("pg_catalog.set_config('%s', '%s', false)", p.name, p.value))
	}
	rows, err := c.rows(ctx, "SELECT "+strings.Join(texts, ", ")+", "+pgPath)
	if err != nil {
		e := asError(err)
		e.Ends, e.Text = true, "the source's session settings cannot be set: "+e.Text
		return e
	}
	for i, p := range pgPins {
		if got := string(rows[0][i]); got != p.shown() {
			return notPinned(p.name, got, p.shown())
		}
	}
	if path := string(rows[0][len(pgPins)]); !strings.HasPrefix(path, "pg_catalog, ") || !strings.HasSuffix(path, ", pg_temp") {
		return notPinned("search_path", path, "pg_catalog, ..., pg_temp")
	}
	return nil
}

// myPins are MariaDB's and MySQL's. Otherwise a NULL is found by the account's last number, rows beyond a bound are
// omitted, and a view, a trigger or WEEK() is read differently.
var myPins = []pin{
	{"character_set_client", "utf8mb4", ""}, {"character_set_connection", "utf8mb4", ""}, {"character_set_results", "utf8mb4", ""},
	{"collation_connection", "utf8mb4_general_ci", ""}, {"sql_auto_is_null", "0", ""}, {"sql_safe_updates", "0", ""}, {"sql_big_selects", "1", ""},
	{"sql_select_limit", "18446744073709551615", ""}, {"foreign_key_checks", "1", ""}, {"unique_checks", "1", ""}, {"completion_type", "0", "NO_CHAIN"},
	{"div_precision_increment", "4", ""}, {"default_week_format", "0", ""}, {"lc_time_names", "'en_US'", "en_US"}, {"time_zone", "'+00:00'", "+00:00"},
	{"autocommit", "1", ""},
}

// mariaPins are MariaDB's only.
var mariaPins = []pin{{"check_constraint_checks", "1", ""}, {"system_versioning_asof", "DEFAULT", "DEFAULT"}}

// myModes are the SQL modes kept as the server has them: they affect refusals, rounding and
// numbering. All others change how a text is parsed.
var myModes = []string{
	"STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "NO_ZERO_IN_DATE", "NO_ZERO_DATE", "ALLOW_INVALID_DATES", "ERROR_FOR_DIVISION_BY_ZERO", "NO_ENGINE_SUBSTITUTION",
	"ONLY_FULL_GROUP_BY", "NO_AUTO_VALUE_ON_ZERO", "NO_UNSIGNED_SUBTRACTION", "TIME_ROUND_FRACTIONAL", "TIME_TRUNCATE_FRACTIONAL",
}

// pinned sets a new connection's session and checks the server's confirmation. mode and version are the server's.
func (c *myConn) pinned(ctx context.Context, mode, version string) error {
	keep := slices.DeleteFunc(strings.Split(mode, ","), func(m string) bool { return !slices.Contains(myModes, m) })
	pins := append([]pin{{"sql_mode", "'" + strings.Join(keep, ",") + "'", ""}}, myPins...)
	pins[0].shows = strings.Join(keep, ",")
	if maria := strings.Contains(strings.ToLower(version), "mariadb"); maria {
		pins = append(pins, mariaPins...)
	}
	var sets, asks []string
	for _, p := range pins {
		sets, asks = append(sets, "SESSION "+p.name+" = "+p.value), append(asks, "@@SESSION."+p.name)
	}
	rows, err := c.rows(ctx, "SET "+strings.Join(sets, ", ")+"; SELECT "+strings.Join(asks, ", "))
	if err != nil {
		e := asError(err)
		e.Ends, e.Text = true, "the source's session settings cannot be set: "+e.Text
		return e
	}
	for i, p := range pins {
		if got := string(rows[0][i]); got != p.shown() && !(p.name == "sql_mode" && sameModes(got, keep)) {
			return notPinned(p.name, got, p.shown())
		}
	}
	return nil
}

// sameModes reports whether a server's modes, in its own order, are these.
func sameModes(got string, want []string) bool {
	have := slices.DeleteFunc(strings.Split(got, ","), func(m string) bool { return m == "" })
	slices.Sort(have)
	want = slices.DeleteFunc(slices.Clone(want), func(m string) bool { return m == "" })
	slices.Sort(want)
	return slices.Equal(have, want)
}

// notPinned is the error of a connection that is not used.
func notPinned(name, got, want string) *source.Error {
	return &source.Error{
		Code: 1231, State: "42000", Ends: true,
		Text: fmt.Sprintf("nothing is sent to the source: its session has %s = '%.80s', but statements need '%s'; allow the agent's account to set it, and no proxy to change it", name, got, want),
	}
}
