package errorcodes

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"isochron/test/pages"
)

// unreachable are numbers of the engine that no client receives, and why.
var unreachable = map[int]string{
	1575: "BINLOG is refused before the engine executes it",
	1609: "BINLOG is refused before the engine executes it",
	1730: "BINLOG is refused before the engine executes it",
}

// The page of errors has every number that the code gives to an error, with the SQLSTATE of the code.
func TestPageOfErrors(t *testing.T) {
	c := collect(t)
	if n := len(c.found); n < 100 {
		t.Fatalf("only %d numbers were found in the code", n)
	}
	for _, wrong := range c.compare(All) {
		t.Error(wrong)
	}
	var b strings.Builder
	b.WriteString(`# Errors by number

The MySQL error numbers that a gateway sends. [Errors](../use/errors.md) explains those of
transactions: which to retry, and what the gateway retries itself. The text of an error has the
details.

An error of an external database has its SQLSTATE, and PostgreSQL's errors are sent under the MySQL
number of the same meaning. A MySQL or MariaDB database may send further numbers of its own. An
error without a SQLSTATE of its own has HY000.

| number | SQLSTATE | name | when | what to do |
|---|---|---|---|---|
`)
	for _, e := range All {
		state := map[string]string{OfSource: "of the database", Warning: "none: a warning"}[e.State]
		if state == "" {
			state = e.State
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", e.Number, state, e.Name, pages.Cell(e.When), pages.Cell(e.Do))
	}
	pages.Hold(t, "errors.md", b.String())
}

// A number that the table lacks, one that no code has, and another SQLSTATE are found.
func TestCompare(t *testing.T) {
	c := &code{found: map[int][]string{1000: {"HY000"}, 1001: {"42000"}}, states: map[int]string{}}
	good := []Error{{1000, "HY000", "ER_A", "when", "Do."}, {1001, "42000", "ER_B", "when", "Do."}}
	if wrong := c.compare(good); len(wrong) > 0 {
		t.Errorf("%q", wrong)
	}
	for want, bad := range map[string][]Error{
		"1001 is new":      good[:1],
		"no code has 1002": append(slices.Clone(good), Error{1002, "HY000", "ER_C", "when", "Do."}),
		"has the SQLSTATE": {good[0], {1001, "HY000", "ER_B", "when", "Do."}},
		"ascending":        {good[1], good[0]},
		"is incomplete":    {good[0], {1001, "42000", "ER_B", "when", ""}},
	} {
		if wrong := strings.Join(c.compare(bad), "\n"); !strings.Contains(wrong, want) {
			t.Errorf("want %q, found %q", want, wrong)
		}
	}
}

// code has the source files' facts about errors.
type code struct {
	found  map[int][]string // SQLSTATEs by number; none: a number without a state
	states map[int]string   // sqlStates of package sql, which replace those of the engine
	vitess map[string]int   // constants of the library of MySQL's protocol
}

// compare lists the differences of a table and the code.
func (c *code) compare(all []Error) (wrong []string) {
	listed, last := map[int]bool{}, 0
	for _, e := range all {
		listed[e.Number] = true
		if e.Number <= last {
			wrong = append(wrong, fmt.Sprintf("%d: the numbers are not ascending", e.Number))
		}
		last = e.Number
		if !strings.HasPrefix(e.Name, "ER_") || e.When == "" || !strings.HasSuffix(e.Do, ".") {
			wrong = append(wrong, fmt.Sprintf("%d is incomplete: %+v", e.Number, e))
		}
		states, found := c.found[e.Number]
		if !found {
			wrong = append(wrong, fmt.Sprintf("no code has %d", e.Number))
		}
		if s := c.states[e.Number]; s != "" {
			states = []string{s}
		}
		for _, s := range states {
			if !slices.Contains(strings.Split(e.State, ", "), s) {
				wrong = append(wrong, fmt.Sprintf("%d has the SQLSTATE %q, and the code %q", e.Number, e.State, s))
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(c.found)) {
		if !listed[n] && unreachable[n] == "" {
			wrong = append(wrong, fmt.Sprintf("%d is new: add it to All, with its cause and advice", n))
		}
	}
	return wrong
}

// note adds a number. Clients receive none from 2000 to 2999: they are a client library's own, and a
// gateway sends 1429 in their place.
func (c *code) note(n int, state string) {
	if n < 1000 || n >= 2000 && n < 3000 {
		return
	}
	c.found[n] = slices.Compact(append(c.found[n], states(state)...))
}

func states(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// collect reads the files of the packages that return errors, and of the engine.
func collect(t *testing.T) *code {
	t.Helper()
	root := pages.Root(t)
	c := &code{found: map[int][]string{}, states: map[int]string{}, vitess: constants(parse(t, directoryOf(t, root, "github.com/dolthub/vitess/go/mysql")))}
	read := map[string]bool{}
	c.readImported(t, root, "sql", read)
	for _, dir := range []string{"source", "server"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && !strings.HasSuffix(path, "test") {
				c.readPackage(parse(t, path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	c.readEngine(t, root)
	return c
}

// readImported reads the package in a directory and those of sql that it imports: what no client can
// reach is left out.
func (c *code) readImported(t *testing.T, root, dir string, read map[string]bool) {
	t.Helper()
	if read[dir] {
		return
	}
	read[dir] = true
	files := parse(t, filepath.Join(root, dir))
	c.readPackage(files)
	for _, file := range files {
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && strings.HasPrefix(path, "isochron/sql/") {
				c.readImported(t, root, strings.TrimPrefix(path, "isochron/"), read)
			}
		}
	}
}

// parse returns the files of a directory but tests.
func parse(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// codeName matches names of constants with a number.
var codeName = regexp.MustCompile(`^(code[A-Z]\w*|unknownCode|lockWaitTimeout)$`)

// numberTables are the variables that map texts or states to numbers, and numbers to states.
var numberTables = []string{"pgCodes", "recognised"}

// readPackage reads the numbers of one package.
func (c *code) readPackage(files []*ast.File) {
	numbers := maps.Clone(c.vitess)
	for name, n := range constants(files) {
		if codeName.MatchString(name) {
			numbers[name] = n
			c.note(n, "")
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				c.readCall(n, numbers)
			case *ast.CompositeLit:
				c.readFault(n, numbers)
			case *ast.ValueSpec:
				c.readTable(n, numbers)
			}
			return true
		})
	}
}

// readCall reads a call of mysql.NewSQLError or expr.NewError, or of a warning.
func (c *code) readCall(call *ast.CallExpr, numbers map[string]int) {
	if len(call.Args) < 2 {
		return
	}
	n, ok := numberOf(call.Args[0], numbers)
	if !ok {
		return
	}
	switch nameOf(call.Fun) {
	case "NewSQLError", "NewSQLErrorf", "NewError", "newError":
		c.note(n, textOf(call.Args[1]))
	case "Warn":
		c.note(n, "")
	}
}

// nameOf is the name of a function that is called.
func nameOf(e ast.Expr) string {
	switch f := e.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// readFault reads a literal with the fields Code and State. A gateway replaces the state of 1429.
func (c *code) readFault(lit *ast.CompositeLit, numbers map[string]int) {
	var number int
	var state string
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		switch key, _ := kv.Key.(*ast.Ident); {
		case key == nil:
			return
		case key.Name == "Code":
			number, _ = numberOf(kv.Value, numbers)
		case key.Name == "State":
			state = textOf(kv.Value)
		}
	}
	if number == 1429 {
		state = ""
	}
	c.note(number, state)
}

// readTable reads a variable of numberTables, or sqlStates.
func (c *code) readTable(v *ast.ValueSpec, numbers map[string]int) {
	if len(v.Values) != 1 {
		return
	}
	lit, ok := v.Values[0].(*ast.CompositeLit)
	if !ok {
		return
	}
	for _, e := range lit.Elts {
		switch e := e.(type) {
		case *ast.KeyValueExpr:
			if n, ok := numberOf(e.Key, numbers); ok && v.Names[0].Name == "sqlStates" {
				c.states[n] = textOf(e.Value)
				c.note(n, "")
			} else if n, ok := numberOf(e.Value, numbers); ok && slices.Contains(numberTables, v.Names[0].Name) {
				c.note(n, "")
			}
		case *ast.CompositeLit:
			if slices.Contains(numberTables, v.Names[0].Name) && len(e.Elts) == 2 {
				if n, ok := numberOf(e.Elts[1], numbers); ok {
					c.note(n, "")
				}
			}
		}
	}
}

// readEngine reads the numbers that the engine gives to its errors.
func (c *code) readEngine(t *testing.T, root string) {
	t.Helper()
	before := len(c.found)
	for _, file := range parse(t, directoryOf(t, root, "github.com/dolthub/go-mysql-server/sql")) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "newMySQLKind" {
					number, _ := numberOf(n.Args[1], c.vitess)
					c.note(number, "")
				}
			case *ast.FuncDecl:
				if n.Name.Name == "CastSQLError" {
					c.readCast(n)
				}
				return n.Name.Name != "newMySQLKind"
			}
			return true
		})
	}
	if len(c.found) == before {
		t.Error("no number of the engine was found")
	}
}

// readCast reads the assignments of numbers in the engine's function.
func (c *code) readCast(f *ast.FuncDecl) {
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 1 {
			if name, ok := a.Lhs[0].(*ast.Ident); ok && name.Name == "code" {
				number, _ := numberOf(a.Rhs[0], c.vitess)
				c.note(number, "")
			}
		}
		return true
	})
}

// constants are the numbers among the constants of a package.
func constants(files []*ast.File) map[string]int {
	numbers := map[string]int{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == len(v.Names) {
				for i, name := range v.Names {
					if n, ok := numberOf(v.Values[i], nil); ok {
						numbers[name.Name] = n
					}
				}
			}
			return true
		})
	}
	return numbers
}

// directoryOf returns the directory of a package's source files.
func directoryOf(t *testing.T, root, path string) string {
	t.Helper()
	p, err := build.Import(path, root, build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	return p.Dir
}

// numberOf is a number, or the value of a named one.
func numberOf(e ast.Expr, names map[string]int) (int, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		n, err := strconv.Atoi(e.Value)
		return n, err == nil && e.Kind == token.INT
	case *ast.Ident:
		n, ok := names[e.Name]
		return n, ok
	case *ast.SelectorExpr:
		n, ok := names[e.Sel.Name]
		return n, ok
	}
	return 0, false
}

// textOf is a string literal.
func textOf(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok {
		if s, err := strconv.Unquote(lit.Value); err == nil {
			return s
		}
	}
	return ""
}
