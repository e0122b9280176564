//go:build unix

package dialect

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
)

var (
	rewriteBuiltins = flag.Bool("builtins", false, "write builtins.txt from the servers of this machine, those of -ask and builtins_documented.txt")
	askBuiltins     = flag.String("ask", "", "further servers, separated by blanks: DSNs of the Go driver for MariaDB, postgres:// addresses")
)

// The rule of what may be sent, beside being built in. For PostgreSQL the server gives most of it: no
// form of the function is volatile or gives a set of rows, and one is of types that a value can have.
var (
	// unsafePrefixes are of functions that ask, change or wait for the server's own state.
	unsafePrefixes = [products][]string{
		mariaDB: {"wsrep_", "master_", "binlog_", "des_", "spider_", "column_", "sql_tsi_"},
		mySQL: {"ps_", "internal_", "can_access_", "get_dd_", "remove_dd_", "convert_cpu_", "convert_interval_", "is_visible_", "wait_", "master_", "source_", "binlog_", "gtid_",
			"asynchronous_", "group_replication_", "validate_password", "roles_"},
		postgreSQL: {"pg_", "lo_", "has_", "current_", "txid_", "inet_", "binary_upgrade", "database_to_", "schema_to_", "table_to_", "query_to_", "cursor_to_", "to_reg", "acl", "makeacl",
			"row_security_", "ri_", "xml", "json_populate", "jsonb_populate", "mxid_", "index_", "session_user"},
	}
	// unsafeNames are those of the client's session, of locks, of sequences and of files, those whose
	// value depends on the rows around (the gateway would not know that it is an aggregate), and words
	// before a parenthesis that are no functions.
	unsafeNames = words(`sleep benchmark get_lock release_lock release_all_locks is_free_lock is_used_lock load_file last_insert_id found_rows row_count connection_id
		user session_user system_user current_user current_role database schema version icu_version nextval lastval setval name_const rownum default encrypt decode encode
		password old_password st_collect grouping median percentile_cont percentile_disc binary not exists row all any some distinct case select table
		decode_oracle concat_operator_oracle match rollup cube sqlcode sqlerrm`)
	// volatile are functions of PostgreSQL whose value depends on chance or on the clock, and that
	// have no other effect.
	volatile = []string{"random", "gen_random_uuid", "clock_timestamp"}
)

// mayBeSent applies the rule.
func mayBeSent(p product, name string) bool {
	if p != postgreSQL && unsafeNames[name] {
		return false
	}
	return !slices.ContainsFunc(unsafePrefixes[p], func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// postgresFunctions asks a PostgreSQL which functions of its own may be sent.
const postgresFunctions = `SELECT p.proname FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_type r ON r.oid = p.prorettype
	WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ '^[a-z0-9_]+$'
	GROUP BY p.proname HAVING p.proname IN ('%s') OR bool_and(p.provolatile <> 'v' AND NOT p.proretset) AND bool_or((r.typtype <> 'p' OR r.typname LIKE 'any%%') AND p.prorettype <> 'cstring'::regtype
		AND NOT ARRAY(SELECT t.typname::text FROM unnest(p.proargtypes) AS a JOIN pg_catalog.pg_type t ON t.oid = a) && '{internal,cstring}')`

func (p *postgres) functions(t *testing.T) (Server, map[string]bool) {
	t.Helper()
	out, err := p.script("\\t\nSELECT current_setting('server_version');\n" + fmt.Sprintf(postgresFunctions, strings.Join(volatile, "','")))
	if err != nil {
		t.Fatal(err, out)
	}
	version, names, _ := strings.Cut(strings.TrimSpace(out), "\n")
	return ServerOf(Postgres, version), safeOf(postgreSQL, strings.FieldsFunc(names, func(r rune) bool { return r == '\x1e' || r == '\n' }))
}

func safeOf(p product, names []string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		if n != "" && mayBeSent(p, n) {
			set[n] = true
		}
	}
	return set
}

// askedPostgres is the same of a server at an address.
func askedPostgres(t *testing.T, address string) (Server, map[string]bool) {
	t.Helper()
	c, err := pgconn.Connect(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	results, err := c.Exec(context.Background(), fmt.Sprintf(postgresFunctions, strings.Join(volatile, "','"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, row := range results[0].Rows {
		names = append(names, string(row[0]))
	}
	return ServerOf(Postgres, c.ParameterStatus("server_version")), safeOf(postgreSQL, names)
}

// arguments are the argument lists tried with a name: some functions take no list of values, or
// must be used over a window.
var arguments = []string{"1, 2, 3, 4, 5, 6, 7, 8, 9", "", "1", "1, 2", "1, 2, 3", "1, 2, 3, 4", "1, INTERVAL 1 DAY", "DATE, 'USA'", "DAY, 1, 2", "'a' IN 'b'", "DAY FROM 1", "1 AS CHAR", "1, CHAR"}

// candidates returns the names that a MariaDB may have built in: the ones that it lists itself, and
// the ones that others have.
func candidates(t *testing.T, db *sql.DB) []string {
	t.Helper()
	set := map[string]bool{}
	for name := range builtins() { // order: sorted next
		set[name] = true
	}
	for _, q := range []string{"SELECT `FUNCTION` FROM information_schema.SQL_FUNCTIONS", "SELECT WORD FROM information_schema.KEYWORDS"} {
		rows, err := db.Query(q)
		if err != nil {
			continue // MariaDB has had these tables since 10.6
		}
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			set[strings.ToLower(name)] = true
		}
		rows.Close()
	}
	var out []string
	for name := range set { // order: sorted next
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// mariaDBFunctions returns the functions that a MariaDB has built in: names that it does not take
// for a stored one in any form, and that are no syntax error in one.
func mariaDBFunctions(t *testing.T, db *sql.DB) (Server, map[string]bool) {
	t.Helper()
	var version string
	if err := db.QueryRow("SELECT VERSION()").Scan(&version); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("SET sql_mode = ''"); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range candidates(t, db) {
		if mayBeSent(mariaDB, name) && isBuiltin(db, name) {
			found = append(found, name)
		}
	}
	return ServerOf(MySQL, version), safeOf(mariaDB, found)
}

// isBuiltin asks what a name before a parenthesis is: some form is no syntax error, and with no
// arguments is a stored function looked for. An addition before it keeps words out that may begin a
// list of columns.
func isBuiltin(db *sql.DB, name string) bool {
	for _, over := range []string{"", " OVER (ORDER BY 1)"} {
		found := false
		for _, args := range arguments {
			rows, err := db.Query("EXPLAIN SELECT 1 + " + name + "(" + args + ")" + over + " FROM (SELECT 1 AS isochron) AS t")
			if err == nil {
				rows.Close()
			}
			var e *mysql.MySQLError
			switch {
			case !errors.As(err, &e):
				found = true
			case e.Number == 1305 || e.Number == 1630 || e.Number == 1046:
				return false
			case e.Number != 1064:
				found = true
			}
		}
		if found {
			return true
		}
	}
	return false
}

// The list has exactly the functions that the servers of this machine have built in; -builtins
// writes it.
func TestBuiltinList(t *testing.T) {
	asked, _ := readBuiltins(builtinText)
	type answer struct {
		server Server
		names  map[string]bool
	}
	var answers []answer
	note := func(s Server, names map[string]bool) { answers = append(answers, answer{s, names}) }
	note(startPostgres(t).functions(t))
	note(mariaDBFunctions(t, startMariaDB(t)))
	for _, address := range strings.Fields(*askBuiltins) {
		if strings.HasPrefix(address, "postgres://") {
			note(askedPostgres(t, address))
			continue
		}
		db, err := sql.Open("mysql", address)
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		note(mariaDBFunctions(t, db))
		db.Close()
	}
	if *rewriteBuiltins {
		known := map[product]map[release]map[string]bool{}
		set := func(p product, r release) map[string]bool {
			if known[p] == nil {
				known[p] = map[release]map[string]bool{}
			}
			if known[p][r] == nil {
				known[p][r] = map[string]bool{}
			}
			return known[p][r]
		}
		for p, releases := range asked {
			for _, r := range releases {
				for name, of := range builtins() { // order: into a map
					if product(p) != mySQL && of[p].includes(r) {
						set(product(p), r)[name] = true
					}
				}
			}
		}
		for _, a := range answers {
			clear(set(a.server.product, a.server.release))
			for name := range a.names { // order: into a map
				known[a.server.product][a.server.release][name] = true
			}
		}
		text, err := os.ReadFile("builtins_documented.txt")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("builtins.txt", []byte(writeBuiltins(t, known, string(text))), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, a := range answers {
		to := MySQL
		if a.server.product == postgreSQL {
			to = Postgres
		}
		for name := range builtins() { // order: independent names
			if a.server.has(to, name) && !a.names[name] {
				t.Errorf("%s of %s %s is on the list, and is not built in there or may not be sent", name, productNames[a.server.product], a.server.release)
			}
		}
		for name := range a.names { // order: independent names
			if !a.server.has(to, name) {
				t.Errorf("%s is built in at %s %s and not on the list: go test ./sql/dialect -run BuiltinList -builtins", name, productNames[a.server.product], a.server.release)
			}
		}
	}
}

// writeBuiltins is the list: for each function the first version that has it and, if it is gone, the last.
func writeBuiltins(t *testing.T, known map[product]map[release]map[string]bool, documented string) string {
	t.Helper()
	list, asked := map[string]*spans{}, [products][]release{}
	of := func(name string) *spans {
		if list[name] == nil {
			list[name] = &spans{}
		}
		return list[name]
	}
	for p, byRelease := range known { // order: into a map
		for r := range byRelease { // order: sorted next
			asked[p] = append(asked[p], r)
		}
		slices.SortFunc(asked[p], release.compare)
		for i, r := range asked[p] {
			for name := range byRelease[r] { // order: into a map
				s := &of(name)[p]
				if s.since == (release{}) {
					s.since = r
				} else if i > 0 && s.last != asked[p][i-1] {
					t.Errorf("%s of %s is built in, is not, and is again", name, productNames[p])
				}
				s.last = r
			}
		}
		for _, s := range list { // order: each by itself
			if len(asked[p]) > 0 && s[p].last == asked[p][len(asked[p])-1] {
				s[p].last = release{}
			}
		}
	}
	for line := range strings.Lines(documented) {
		f := strings.Fields(line)
		if len(f) < 4 || f[0] == "#" {
			continue
		}
		p, r := product(slices.Index(productNames[:], f[0])), releaseOf(f[1])
		for _, name := range f[3:] {
			if !mayBeSent(p, name) {
				continue
			}
			s := &of(name)[p]
			if f[2] == "-" {
				s.last = release{r[0], r[1] - 1, 65535}
			} else if s.since == (release{}) || r.compare(s.since) < 0 {
				s.since = r
			}
		}
		if p == mySQL && !slices.Contains(asked[p], r) {
			asked[p] = append(asked[p], r)
		}
	}
	var b strings.Builder
	fmt.Fprint(&b, "# Code generated by go test ./sql/dialect -run BuiltinList -builtins; DO NOT EDIT.\n")
	fmt.Fprint(&b, "# Functions that may be sent to a source, with the first version that has each and, behind -, the last.\n")
	for p, releases := range asked {
		if len(releases) == 0 {
			continue
		}
		slices.SortFunc(releases, release.compare)
		fmt.Fprint(&b, "versions")
		for _, r := range releases {
			fmt.Fprintf(&b, " %s=%s", productNames[p], r)
		}
		fmt.Fprintln(&b)
	}
	var sorted []string
	for name := range list { // order: sorted next
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for _, name := range sorted {
		line := name
		for p, s := range list[name] {
			if s.since == (release{}) {
				continue
			}
			line += fmt.Sprintf(" %s=%s", productNames[p], s.since)
			if s.last != (release{}) {
				line += "-" + s.last.String()
			}
		}
		fmt.Fprintln(&b, line)
	}
	return b.String()
}
