package sources

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"isochron/server/sourcedb/sourcetest"
)

// fillCases has the answers that are missing in the files of cases written there, as a MariaDB gives them.
var fillCases = flag.Bool("fill", false, "write what a MariaDB answers into the cases that have no answer")

// casePlaces are where each case runs: a MariaDB by itself, which gives the right answers, native
// tables, tables at one source of each kind, and at two.
var casePlaces = []struct {
	name    string
	sources []string
}{
	{"mariadb", nil}, {"native", nil}, {"my", []string{"my_a"}}, {"pg", []string{"pg_a"}},
	{"my+my", []string{"my_a", "my_b"}}, {"pg+pg", []string{"pg_a", "pg_b"}}, {"pg+my", []string{"pg_a", "my_a"}},
}

func isCasePlace(name string) bool {
	for _, p := range casePlaces {
		if p.name == name {
			return true
		}
	}
	return false
}

// caseHost is the server of one of the cluster's sources.
func caseHost(source string) *sourcetest.Server {
	return map[string]*sourcetest.Server{"pg_a": house.pg, "pg_b": house.pg2, "my_a": house.my, "my_b": house.my2}[source]
}

func caseDatabase(place string) string { return "cases_" + strings.ReplaceAll(place, "+", "_") }

// caseConnect is a connection to the database of a place.
func caseConnect(t *testing.T, place string) *client {
	t.Helper()
	address := house.door.Addr().String()
	if place == "mariadb" {
		address = house.my2.Addr()
	}
	db, err := sql.Open("mysql", fmt.Sprintf("root@tcp(%s)/%s?time_zone=%%27%%2B00%%3A00%%27&innodb_lock_wait_timeout=2", address, caseDatabase(place)))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return &client{t, conn}
}

// Each case has one answer: a MariaDB's, on native tables, at one source of each kind and at two.
func TestCasesHaveOneAnswerEverywhere(t *testing.T) {
	sourcetest.LeaveOut(t, house.err)
	paths, err := filepath.Glob("testdata/cases/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases: ", err)
	}
	var all []*sourceCase
	from := map[string][]*sourceCase{}
	for _, path := range paths {
		cases, err := readCases(path)
		if err != nil {
			t.Fatal(err)
		}
		from[path], all = cases, append(all, cases...)
	}
	prepareCases(t, all)
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range casePlaces {
				if *fillCases && p.name != "mariadb" {
					continue
				}
				t.Run(p.name, func(t *testing.T) {
					if reason, ok := c.not[p.name]; ok {
						t.Skip("it does not apply: ", reason)
					}
					c.run(t, p.name, p.sources)
				})
			}
		})
	}
	if *fillCases {
		for path, cases := range from {
			if err := fillAnswers(path, cases); err != nil {
				t.Error(err)
			}
		}
	}
}

// prepareCases makes the tables of all cases at all servers, and imports them.
func prepareCases(t *testing.T, cases []*sourceCase) {
	t.Helper()
	var mine, postgres []string
	names := map[string]bool{}
	for _, c := range cases {
		for _, table := range c.tables {
			if names[table.name] {
				t.Fatalf("two cases have a table %s", table.name)
			}
			names[table.name] = true
			mine = append(mine, table.atMySQL())
			postgres = append(postgres, table.atPostgres(), "GRANT ALL ON "+table.name+" TO agent")
		}
	}
	postgres = append(postgres, "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO agent")
	for server, texts := range map[*sourcetest.Server][]string{house.pg: postgres, house.pg2: postgres, house.my: mine, house.my2: mine} {
		if err := server.Exec(strings.Join(texts, ";\n")); err != nil {
			t.Fatal(err)
		}
	}
	yardstick := caseDatabase("mariadb")
	if err := house.my2.Exec("CREATE DATABASE " + yardstick + "; USE " + yardstick + ";" + strings.Join(mine, ";\n")); err != nil {
		t.Fatal(err)
	}
	if *fillCases {
		return
	}
	var each sync.WaitGroup
	for _, p := range casePlaces[1:] {
		c := connect(t, "")
		each.Go(func() {
			for _, text := range definitions(cases, p.name, p.sources) {
				if _, err := c.try(text); err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
	each.Wait()
}

// definitions give the tables of all cases to the database of a place.
func definitions(cases []*sourceCase, place string, at []string) []string {
	texts := []string{"CREATE DATABASE " + caseDatabase(place), "USE " + caseDatabase(place)}
	if len(at) == 1 {
		return append(texts, "CALL isochron.import_table('"+at[0]+"')")
	}
	for _, c := range cases {
		for _, table := range c.tables {
			full, list := caseDatabase(place)+"."+table.name, strings.Join(at, ",")
			if _, not := c.not[place]; not {
				continue
			}
			switch {
			case len(at) == 0:
				texts = append(texts, table.atMySQL())
			case c.everywhere:
				texts = append(texts, fmt.Sprintf("CALL isochron.import_broadcast_table('%s', '%s')", full, list))
			default:
				texts = append(texts, fmt.Sprintf("CALL isochron.import_sharded_table('%s', 'id', 'hash', '%s')", full, list))
			}
		}
	}
	return texts
}

func (c *sourceCase) run(t *testing.T, place string, at []string) {
	for _, source := range at {
		server := caseHost(source)
		var texts []string
		for _, table := range c.tables {
			text := "TRUNCATE " + table.name
			if server.Kind == "postgres" {
				text += " RESTART IDENTITY"
			}
			texts = append(texts, text)
		}
		if err := server.Exec(strings.Join(texts, "; ")); err != nil {
			t.Fatal(err)
		}
	}
	sessions := map[string]*client{}
	defer func() {
		for _, s := range sessions {
			s.try("ROLLBACK")
			s.Close()
		}
	}()
	for _, s := range c.steps {
		if sessions[s.session] == nil {
			sessions[s.session] = caseConnect(t, place)
		}
		got, detail := s.answer(sessions[s.session])
		if *fillCases && s.want == "" {
			s.want = got
		}
		want := s.right(place)
		known, wrong := s.known[place]
		switch same := got == want || want == "ok" && strings.HasPrefix(got, "ok "); {
		case same && wrong:
			t.Errorf("%s: %s\nis right: take away its mark %q", s.where, s.text, known)
		case !same && wrong:
			t.Logf("%s: %s\nis known to be wrong: %s (%s)", s.where, s.text, known, got)
		case !same:
			t.Errorf("%s: %s\nright %s\nat %s %s %s", s.where, s.text, want, place, got, detail)
		}
	}
}

var caseAsksRows = regexp.MustCompile(`(?i)^\(?(select|with|show)\b|\breturning\b`)

// answer executes the step, and returns its answer in the files' form.
func (s *caseStep) answer(c *client) (got, detail string) {
	ctx, stop := context.WithTimeout(context.Background(), statementTimeout)
	defer stop()
	if !caseAsksRows.MatchString(s.text) {
		r, err := c.ExecContext(ctx, s.text, s.args...)
		if err != nil {
			return caseError(err)
		}
		n, _ := r.RowsAffected()
		return fmt.Sprintf("ok %d", n), ""
	}
	rows, err := c.QueryContext(ctx, s.text, s.args...)
	if err != nil {
		return caseError(err)
	}
	defer rows.Close()
	names, _ := rows.Columns()
	var lines []string
	for rows.Next() {
		cells, at := make([]sql.RawBytes, len(names)), make([]any, len(names))
		for i := range cells {
			at[i] = &cells[i]
		}
		if err := rows.Scan(at...); err != nil {
			return caseError(err)
		}
		var line []string
		for _, cell := range cells {
			line = append(line, caseCell(cell))
		}
		lines = append(lines, strings.Join(line, "|"))
	}
	if rows.Err() != nil {
		return caseError(rows.Err())
	}
	if !strings.Contains(strings.ToLower(s.text), "order by") {
		sort.Strings(lines)
	}
	if len(lines) == 0 {
		return "rows none", ""
	}
	return "rows " + strings.Join(lines, "; "), ""
}

func caseError(err error) (got, detail string) {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return fmt.Sprintf("error %d", e.Number), e.Message
	}
	return "error of the client", err.Error()
}

// fillAnswers writes the answers that a file lacked behind their statements.
func fillAnswers(path string, cases []*sourceCase) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(string(b), "\n")
	slices.Reverse(cases)
	for _, c := range cases {
		slices.Reverse(c.steps)
		for _, s := range c.steps {
			if s.line+1 < len(lines) && strings.HasPrefix(lines[s.line+1], "=> ") {
				continue
			}
			lines = slices.Insert(lines, s.line+1, "=> "+s.want)
		}
	}
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644)
}
