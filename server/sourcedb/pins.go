package sourcedb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"isochron/source"
)

// What a text means depends on settings of the server, the account and the database: whether a
// backslash escapes a quote, whether a name or a string stands within double quotes, which
// character set a text is in, in which order the parts of a date come. What is sent was written
// for one meaning, and under another a value may end its string early and be run. So each
// connection is set to that meaning when it is made, and is not used unless the server says that it
// holds: an account may be kept from a setting, and a proxy between may have its own mind.

// pin is a setting of a connection.
type pin struct {
	name, value string
	shows       string // what the server calls the value, where it is not the value itself
}

// shown is the value as the server shows it.
func (p pin) shown() string {
	if p.shows != "" {
		return p.shows
	}
	return p.value
}

// pgPins are PostgreSQL's. The path keeps the account's own schemas, which triggers may need, between
// what is built in and what is temporary.
var pgPins = []pin{
	{"standard_conforming_strings", "on", ""}, {"backslash_quote", "safe_encoding", ""}, {"escape_string_warning", "off", ""},
	{"client_encoding", "UTF8", ""}, {"bytea_output", "hex", ""}, {"xmlbinary", "base64", ""}, {"xmloption", "content", ""},
	{"DateStyle", "ISO, YMD", ""}, {"IntervalStyle", "postgres", ""}, {"TimeZone", "UTC", ""}, {"extra_float_digits", "1", ""},
	{"lc_monetary", "C", ""}, {"lc_numeric", "C", ""}, {"lc_time", "C", ""}, {"array_nulls", "on", ""}, {"transform_null_equals", "off", ""},
	{"gin_fuzzy_search_limit", "0", ""}, {"exit_on_error", "off", ""}, {"default_transaction_deferrable", "off", ""},
}

// pgPath sets the path on which names without a schema are looked for, and asks for it.
// Its functions have their schema: the path before it may have others of these names first.
const pgPath = `pg_catalog.set_config('search_path', 'pg_catalog, ' || pg_catalog.regexp_replace(pg_catalog.current_setting('search_path'), '^pg_catalog, (.*), pg_temp$', '\1') || ', pg_temp', false)`

// pinned sets a new connection's session, and holds the server to it.
func (c *pgConn) pinned(ctx context.Context) error {
	var texts []string
	for _, p := range pgPins {
		texts = append(texts, fmt.Sprintf("pg_catalog.set_config('%s', '%s', false)", p.name, p.value))
	}
	rows, err := c.rows(ctx, "SELECT "+strings.Join(texts, ", ")+", "+pgPath)
	if err != nil {
		e := asError(err)
		e.Ends, e.Text = true, "the source's session cannot be set as its texts need it: "+e.Text
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

// myPins are MariaDB's and MySQL's, in which a NULL of the account's is found by its own number
// otherwise, rows beyond a bound are left out, and a view, a trigger or WEEK() read another way.
var myPins = []pin{
	{"character_set_client", "utf8mb4", ""}, {"character_set_connection", "utf8mb4", ""}, {"character_set_results", "utf8mb4", ""},
	{"collation_connection", "utf8mb4_general_ci", ""}, {"sql_auto_is_null", "0", ""}, {"sql_safe_updates", "0", ""}, {"sql_big_selects", "1", ""},
	{"sql_select_limit", "18446744073709551615", ""}, {"foreign_key_checks", "1", ""}, {"unique_checks", "1", ""}, {"completion_type", "0", "NO_CHAIN"},
	{"div_precision_increment", "4", ""}, {"default_week_format", "0", ""}, {"lc_time_names", "'en_US'", "en_US"}, {"time_zone", "'+00:00'", "+00:00"},
	{"autocommit", "1", ""},
}

// mariaPins are those that only MariaDB has.
var mariaPins = []pin{{"check_constraint_checks", "1", ""}, {"system_versioning_asof", "DEFAULT", "DEFAULT"}}

// myModes are the SQL modes that stay as the server has them: they say what is refused, rounded or
// numbered. All others change how a text is read.
var myModes = []string{
	"STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "NO_ZERO_IN_DATE", "NO_ZERO_DATE", "ALLOW_INVALID_DATES", "ERROR_FOR_DIVISION_BY_ZERO", "NO_ENGINE_SUBSTITUTION",
	"ONLY_FULL_GROUP_BY", "NO_AUTO_VALUE_ON_ZERO", "NO_UNSIGNED_SUBTRACTION", "TIME_ROUND_FRACTIONAL", "TIME_TRUNCATE_FRACTIONAL",
}

// pinned sets a new connection's session, and holds the server to it. mode and version are what the
// server says of itself.
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
		e.Ends, e.Text = true, "the source's session cannot be set as its texts need it: "+e.Text
		return e
	}
	for i, p := range pins {
		if got := string(rows[0][i]); got != p.shown() && !(p.name == "sql_mode" && sameModes(got, keep)) {
			return notPinned(p.name, got, p.shown())
		}
	}
	return nil
}

// sameModes reports whether a server's modes are these, in its own order.
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
		Text: fmt.Sprintf("nothing is sent to the source: its session has %s = '%.80s', and what is sent was written for '%s'; let the agent's account set it, and no proxy change it", name, got, want),
	}
}
