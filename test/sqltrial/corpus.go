package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// statement is one statement of the corpus.
type statement struct {
	text   string
	form   string // set by the generator
	mysql8 bool   // MySQL 8 has the form and MariaDB 10.11 has not
}

// script is a list of statements that share a database.
type script struct {
	source     string // the table's row: where it comes from
	statements []statement
}

var (
	opening   = regexp.MustCompile(`(?is)^\s*\(*\s*(select|insert|update|delete|replace|with|create|alter|drop|truncate|rename|set|show|begin|start|commit|rollback|savepoint|release|call|explain|describe|desc|analyze|use|grant|revoke|lock|unlock|load|values|table|do|prepare|execute|deallocate|handler|kill|flush|xa|signal|checksum|optimize|check|help)\b`)
	beginning = regexp.MustCompile(`(?is)^\s*(create|select|insert|update|delete|replace|with|alter|drop|truncate|rename|set|show|begin|start transaction|commit|rollback|savepoint|release|call|explain|describe|use|grant|revoke|lock tables|load data|values|table|do|xa) .`)
	stored    = regexp.MustCompile(`(?is)^\s*(/\*.*?\*/\s*)*create\s+(or\s+replace\s+)?(definer\s*=\s*\S+\s+)?(procedure|function|trigger|event)\b`)
	verbs     = regexp.MustCompile(`%[-+]?\d*[dvsqx]`)
)

// split cuts a text at semicolons outside of quotes and comments. A routine is one statement.
func split(text string) []string {
	var out []string
	begin, quote := 0, byte(0)
	flush := func(end int) {
		if s := strings.TrimSpace(text[begin:end]); s != "" {
			out = append(out, s)
		}
		begin = end + 1
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == ';' && !stored.MatchString(text[begin:i]):
			flush(i)
		}
	}
	flush(len(text))
	return out
}

func statements(texts []string) []statement {
	var out []statement
	for _, t := range texts {
		if opening.MatchString(t) {
			out = append(out, statement{text: t})
		}
	}
	return out
}

// collect reads the repository's own statements and those of the caller's directories.
func collect(root string, cases []string) ([]script, error) {
	var out []script
	for _, dir := range append([]string{filepath.Join(root, "sql"), filepath.Join(root, "test"), filepath.Join(root, "sqlload")}, cases...) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if d.Name() == "sqltrial" {
					return fs.SkipDir
				}
				return nil
			}
			got, err := read(root, path)
			out = append(out, got...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].source < out[j].source })
	return out, nil
}

// read returns a file's scripts. Kinds of files it does not know have none.
func read(root, path string) ([]script, error) {
	slash := filepath.ToSlash(path)
	text := func() (string, error) { b, err := os.ReadFile(path); return string(b), err }
	switch {
	case strings.HasSuffix(slash, "classes.txt"):
		all, err := text()
		var out []script
		for line := range strings.Lines(all) {
			if s := statements(strings.Split(line, ";;")); len(s) > 0 {
				out = append(out, script{"cases: classes of wrong answers", s})
			}
		}
		return out, err
	case strings.HasSuffix(slash, ".case"):
		all, err := text()
		return readCases("cases: public reports", all), err
	case strings.Contains(slash, "sql/testdata/") && strings.HasSuffix(slash, ".cases"):
		all, err := text()
		return []script{{"sql/testdata", lines(all)}}, err
	case strings.Contains(slash, "sql/testdata/") && strings.HasSuffix(slash, ".txt"):
		all, err := text()
		return []script{{"sql/testdata", directives(all)}}, err
	case strings.Contains(slash, "dialect/testdata/cases/"):
		all, err := text()
		s := append([]statement{}, statements(split(dialectTables))...)
		return []script{{"sql/dialect/testdata", append(s, directives(all)...)}}, err
	case strings.Contains(slash, "sources/testdata/cases/"):
		all, err := text()
		return readCases("test/sources/testdata", all), err
	case strings.HasSuffix(slash, "_test.go"), strings.Contains(slash, "/sqlload/") && strings.HasSuffix(slash, ".go"):
		return readGo(root, path)
	case strings.Contains(slash, "test/clients/"):
		all, err := text()
		return readQuoted("test/clients", all), err
	}
	return nil, nil
}

// dialectTables are the tables over which sql/dialect's cases run.
const dialectTables = `CREATE TABLE accounts (id INT PRIMARY KEY, owner VARCHAR(40), balance BIGINT, n INT, price DECIMAL(8,2), active TINYINT(1), note TEXT, made DATETIME, born DATE, rate DOUBLE, raw VARBINARY(40), at TIMESTAMP NULL, day TIME);
CREATE TABLE orders (id INT PRIMARY KEY, account INT, item VARCHAR(40), qty INT DEFAULT 1, paid TINYINT(1) DEFAULT 0)`

// lines reads one statement a line; answers begin with =>.
func lines(all string) []statement {
	var out []string
	for line := range strings.Lines(all) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' && !strings.HasPrefix(line, "=>") {
			out = append(out, split(line)...)
		}
	}
	return statements(out)
}

// directives reads datadriven files: a command, statements, a line of dashes, the answer, an empty line.
func directives(all string) []statement {
	var out []statement
	for block := range strings.SplitSeq(all, "\n\n") {
		input, _, ok := strings.Cut(block, "\n----")
		if !ok {
			continue
		}
		if _, body, ok := strings.Cut(strings.TrimLeft(input, "\n"), "\n"); ok {
			out = append(out, statements(split(body))...)
		}
	}
	return out
}

var (
	speaker  = regexp.MustCompile(`^[A-Za-z]\w*: `)
	bindings = regexp.MustCompile(` << .*$`)
)

// readCases reads files of cases: "#case" or "case" begins one, "table x (...)" and "T: " define tables,
// "name: statement" is sent by that connection, "=>" is an answer.
func readCases(source, all string) []script {
	var out []script
	cur := script{source: source}
	flush := func() {
		if len(cur.statements) > 0 {
			out = append(out, cur)
		}
		cur = script{source: source}
	}
	for line := range strings.Lines(all) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#case") || strings.HasPrefix(line, "case ") {
			flush()
			continue
		}
		if line == "" || line[0] == '#' || strings.HasPrefix(line, "=>") || strings.HasPrefix(line, "postgres ") || strings.HasPrefix(line, "not ") {
			continue
		}
		if strings.HasPrefix(line, "table ") {
			line = "create " + line
		}
		line = bindings.ReplaceAllString(speaker.ReplaceAllString(line, ""), "")
		cur.statements = append(cur.statements, statements(split(line))...)
	}
	flush()
	return out
}

// readGo reads the string literals of a Go file that begin like statements. Verbs of formats become
// names and numbers; fragments of statements are left out later, since the yardstick refuses them.
func readGo(root, path string) ([]script, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, 0)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return nil, err
	}
	source := strings.SplitN(filepath.ToSlash(rel), "/", 2)[0] + " (Go files)"
	cur := script{source: source}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && beginning.MatchString(s) {
				cur.statements = append(cur.statements, formats(s)...)
			}
		}
		return true
	})
	return []script{cur}, nil
}

func formats(s string) []statement {
	if verbs.MatchString(s) && !strings.Contains(strings.ToLower(s), " like ") {
		s = verbs.ReplaceAllStringFunc(s, func(v string) string {
			if strings.ContainsAny(v, "dvx") {
				return "1"
			}
			if strings.HasSuffix(v, "q") {
				return "'q'"
			}
			return "t"
		})
	}
	return statements(split(s))
}

var quoted = regexp.MustCompile(`"([^"\n]+)"|'([^'\n]*(?:'\w[^'\n]*'[^'\n]*)?)'`)

// readQuoted reads what stands in quotes in scripts of other languages.
func readQuoted(source, all string) []script {
	cur := script{source: source}
	for _, m := range quoted.FindAllStringSubmatch(all, -1) {
		s := m[1] + m[2]
		if beginning.MatchString(s) {
			cur.statements = append(cur.statements, formats(strings.ReplaceAll(s, "%s", "?"))...)
		}
	}
	return []script{cur}
}
