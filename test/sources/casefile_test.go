package sources

import (
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A file of cases, line by line:
//
//	case NAME                  begins a case
//	table NAME (...)           a table, in MariaDB's words; at two sources divided by the remainder of id
//	postgres NAME (...)        the same table's columns at a PostgreSQL, where the usual translation is wrong
//	everywhere                 at two sources the tables are the same at both
//	not PLACE, PLACE: why      where the case does not apply
//	STATEMENT                  of the session m
//	a: STATEMENT               of the session a (or b, c)
//	STATEMENT << 1, 'x', x'ff' the statement is prepared, and sent with these values
//	=> ok N                    done, N rows were changed
//	=> rows 1|x; 2|NULL        the rows, in any order unless the statement has ORDER BY; or "rows none"
//	=> error 1062              MariaDB's number
//	mysql: ANSWER              MySQL 8's, where it differs; it holds everywhere but at the MariaDB itself
//	at PLACE, PLACE: ANSWER (why)   the right answer there, such as a refusal
//	known PLACE, PLACE: why    there the answer is still wrong; the test fails once it is right
//
// The places are those of casePlaces.
type sourceCase struct {
	name       string
	tables     []caseTable
	everywhere bool
	not        map[string]string
	steps      []*caseStep
}

type caseTable struct{ name, columns, postgres string }

type caseStep struct {
	where         string // file and line
	line          int
	session, text string
	args          []any
	want, mysql   string
	at, known     map[string]string
}

var (
	caseTableLine = regexp.MustCompile(`^(table|postgres) (\w+) (\(.*)$`)
	caseMarkLine  = regexp.MustCompile(`^(not|at|known) ([a-z+, ]+): (.+)$`)
	caseSession   = regexp.MustCompile(`^([abc]): (.+)$`)
	caseWhy       = regexp.MustCompile(`^(.*) \([^()]+\)$`)
)

// readCases reads a file of cases.
func readCases(path string) (cases []*sourceCase, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c *sourceCase
	for i, line := range strings.Split(string(b), "\n") {
		where := fmt.Sprintf("%s:%d", path, i+1)
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(line, "case "); ok {
			c = &sourceCase{name: name, not: map[string]string{}}
			cases = append(cases, c)
			continue
		}
		if c == nil {
			return nil, fmt.Errorf("%s: it is before the first case", where)
		}
		if err := c.take(line, where, i); err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
	}
	return cases, nil
}

// take adds a line to the case.
func (c *sourceCase) take(line, where string, number int) error {
	last := &caseStep{}
	if len(c.steps) > 0 {
		last = c.steps[len(c.steps)-1]
	}
	if m := caseTableLine.FindStringSubmatch(line); m != nil {
		if m[1] == "table" {
			c.tables = append(c.tables, caseTable{name: m[2], columns: m[3]})
			return nil
		}
		for i, t := range c.tables {
			if t.name == m[2] {
				c.tables[i].postgres = m[3]
			}
		}
		return nil
	}
	if m := caseMarkLine.FindStringSubmatch(line); m != nil {
		for _, place := range strings.Split(m[2], ", ") {
			if !isCasePlace(place) {
				return fmt.Errorf("there is no place %q", place)
			}
			switch m[1] {
			case "not":
				c.not[place] = m[3]
			case "known":
				last.known[place] = m[3]
			default:
				reason := caseWhy.FindStringSubmatch(m[3])
				if reason == nil {
					return fmt.Errorf("it does not say why, in brackets at its end")
				}
				last.at[place] = reason[1]
			}
		}
		return nil
	}
	if line == "everywhere" {
		c.everywhere = true
	} else if want, ok := strings.CutPrefix(line, "=> "); ok {
		last.want = want
	} else if want, ok := strings.CutPrefix(line, "mysql: "); ok {
		last.mysql = want
	} else {
		return c.takeStatement(line, where, number)
	}
	return nil
}

func (c *sourceCase) takeStatement(line, where string, number int) (err error) {
	s := &caseStep{where: where, line: number, session: "m", at: map[string]string{}, known: map[string]string{}}
	if m := caseSession.FindStringSubmatch(line); m != nil {
		s.session, line = m[1], m[2]
	}
	text, values, prepared := strings.Cut(line, " << ")
	s.text = text
	if prepared {
		for _, v := range strings.Split(values, ", ") {
			value, err := caseValue(v)
			if err != nil {
				return err
			}
			s.args = append(s.args, value)
		}
	}
	c.steps = append(c.steps, s)
	return nil
}

// caseValue is a value of a prepared statement.
func caseValue(text string) (any, error) {
	switch {
	case text == "NULL":
		return nil, nil
	case strings.HasPrefix(text, "x'"):
		return hex.DecodeString(strings.Trim(text[1:], "'"))
	case strings.HasPrefix(text, "'"):
		return strings.Trim(text, "'"), nil
	case strings.Contains(text, "."):
		return strconv.ParseFloat(text, 64)
	}
	return strconv.ParseInt(text, 10, 64)
}

// right returns the expected answer of the step at a place.
func (s *caseStep) right(place string) string {
	if want, ok := s.at[place]; ok {
		return want
	}
	if s.mysql != "" && place != "mariadb" {
		return s.mysql
	}
	return s.want
}

// caseCell is a value as answers have it.
func caseCell(b []byte) string {
	if b == nil {
		return "NULL"
	}
	text := strings.NewReplacer("|", `\x7c`, "; ", `\x3b `).Replace(string(b))
	for _, r := range text {
		if !strconv.IsPrint(r) || r == '\uFFFD' {
			return strings.Trim(strconv.QuoteToASCII(text), `"`)
		}
	}
	return text
}

var caseTypes = []struct {
	mysql *regexp.Regexp
	to    string
}{
	{regexp.MustCompile(`\bint auto_increment\b`), "serial"},
	{regexp.MustCompile(`\b(datetime|time)\b([^(])`), "$1(0)$2"},
	{regexp.MustCompile(`\bdatetime\b`), "timestamp"},
	{regexp.MustCompile(`\btimestamp null\b`), "timestamptz(0)"},
	{regexp.MustCompile(`\bdouble\b`), "double precision"},
	{regexp.MustCompile(`\btinyint\b`), "smallint"},
	{regexp.MustCompile(`\b(?:blob|varbinary\(\d+\))`), "bytea"},
	{regexp.MustCompile(`\bjson\b`), "jsonb"},
	{regexp.MustCompile(` collate \w+| unsigned\b`), ""},
	{regexp.MustCompile("`"), `"`},
}

// atPostgres is the table's definition at a PostgreSQL.
func (t caseTable) atPostgres() string {
	columns := t.postgres
	if columns == "" {
		columns = t.columns
		for _, c := range caseTypes {
			columns = c.mysql.ReplaceAllString(columns, c.to)
		}
	}
	return "CREATE TABLE " + t.name + " " + columns
}

// atMySQL is the table's definition at a MariaDB and for a native table.
func (t caseTable) atMySQL() string {
	return "CREATE TABLE " + t.name + " " + t.columns + " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci"
}
