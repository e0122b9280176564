package lint

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What pages name of the code is looked up by name. CHANGELOG.md names what there was.
var unchecked = []string{"CHANGELOG.md"}

// formerNames is the package of names that work for one release: pages have the present ones.
const formerNames = "internal/renamed"

// foreignFlags are flags in pages that belong to other programs and are in no script.
var foreignFlags = []string{}

// names has the names of a tree's code.
type names struct {
	declared map[string]map[string]bool // by directory: types, functions, methods, fields, values
	dirs     map[string][]string        // by a package's last element
	files    map[string]bool            // paths and base names of Go files
	literals map[string]bool            // strings of Go that are one name
	flags    map[string]bool
	targets  map[string]bool   // of the Makefile
	texts    map[string]string // files that are not Go, by path
}

var (
	flagMethod = regexp.MustCompile(`^(Bool|String|Int|Int64|Uint|Uint32|Uint64|Duration|Float64|StringSlice|StringArray|StringToString|IntSlice|Text|Func|BoolFunc|Count)?(Var)?P?F?$`)
	flagName   = regexp.MustCompile(`^[a-z][-a-z0-9]*$`)
	flagInText = regexp.MustCompile(`(?:^|[^-\w])--([a-z][-a-z0-9]*)`)
	targetOf   = regexp.MustCompile(`(?m)^([a-z][-a-z0-9]*):`)
)

func namesOf(t *Tree) (*names, error) {
	n := &names{map[string]map[string]bool{}, map[string][]string{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]string{}}
	for _, dir := range t.Dirs() {
		n.dirs[path.Base(dir)] = append(n.dirs[path.Base(dir)], dir)
		n.declared[dir] = map[string]bool{}
	}
	for _, f := range t.Files {
		n.files[f.Path], n.files[path.Base(f.Path)] = true, true
		if f.Dir != formerNames {
			n.readGo(f)
		}
	}
	for _, p := range t.Texts {
		text, err := os.ReadFile(filepath.Join(t.Root, p))
		if err != nil {
			return nil, err
		}
		n.texts[p] = string(text)
		if strings.HasSuffix(p, ".md") || strings.HasPrefix(p, "docs/") {
			continue
		}
		for _, m := range flagInText.FindAllStringSubmatch(string(text), -1) {
			n.flags[m[1]] = true
		}
		if p == "Makefile" {
			for _, m := range targetOf.FindAllStringSubmatch(string(text), -1) {
				n.targets[m[1]] = true
			}
		}
	}
	return n, nil
}

// readGo takes in the names of a Go file.
func (n *names) readGo(f *File) {
	declared := n.declared[f.Dir]
	ast.Inspect(f.AST, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			declared[node.Name.Name] = true
		case *ast.TypeSpec:
			declared[node.Name.Name] = true
		case *ast.ValueSpec:
			for _, name := range node.Names {
				declared[name.Name] = true
			}
		case *ast.Field:
			if node.Tag != nil {
				for _, m := range ourName.FindAllStringSubmatch(node.Tag.Value, -1) {
					n.literals[m[0]] = true
				}
			}
			for _, name := range node.Names {
				declared[name.Name] = true
			}
		case *ast.BasicLit:
			if s, err := strconv.Unquote(node.Value); err == nil && len(s) < 100 {
				n.literals[s] = true
			}
		case *ast.CallExpr:
			n.readCall(node)
		}
		return true
	})
}

// readCall takes in the flag that a call defines, if it may be such a call.
func (n *names) readCall(call *ast.CallExpr) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !flagMethod.MatchString(sel.Sel.Name) {
		return
	}
	for _, arg := range call.Args[:min(2, len(call.Args))] {
		if s, ok := stringOf(arg); ok && flagName.MatchString(s) {
			n.flags[s] = true
		}
	}
}

var (
	goName     = regexp.MustCompile(`^([a-z][a-z0-9]*(?:/[a-z][a-z0-9]*)*)\.([A-Z]\w*)(?:\.(\w+))?(?:\(\))?$`)
	goFile     = regexp.MustCompile(`[\w./*-]*\w\.go\b`)
	makeCall   = regexp.MustCompile(`^(?:\$ )?(?:[A-Z_]+=\S+ )*make ([a-z][-a-z0-9]*)`)
	ourName    = regexp.MustCompile(`\bisochron_[a-z0-9_]+(\*|\.\.\.)?`)
	pagePath   = regexp.MustCompile(`(?:^|[^/\w.-]|\.\./)(docs/[\w./-]+\.md)\b`)
	seriesOf   = regexp.MustCompile(`_(bucket|sum|count)$`)
	codeInLine = regexp.MustCompile("`([^`]+)`")
	storyName  = regexp.MustCompile(`^\d{1,2}(?:-[a-z0-9]+)+$`)
	storyFile  = regexp.MustCompile(`(?:^|[^\w-])(\d{1,2}-[a-z][a-z0-9-]*\.txt)\b`)
)

// checkReferences reports names in pages that do not exist: of packages, Go files, stories, targets
// of make, flags, metrics and variables.
func checkReferences(t *Tree, all []page) ([]Finding, error) {
	n, err := namesOf(t)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, p := range all {
		if slices.Contains(unchecked, p.path) || !handWritten(p.path) {
			continue
		}
		for i, line := range p.lines {
			code := []string{line}
			if p.prose[i] != "" || line == "" {
				code = nil
				for _, m := range codeInLine.FindAllStringSubmatch(line, -1) {
					code = append(code, m[1])
				}
			}
			for _, c := range code {
				for _, wrong := range n.missing(p.path, c) {
					out = append(out, Finding{p.path, i + 1, "names " + wrong})
				}
			}
		}
	}
	return append(out, checkPagePaths(t, n)...), nil
}

// missing are the names in a piece of code of a page that are not there.
func (n *names) missing(from, code string) (out []string) {
	if m := goName.FindStringSubmatch(code); m != nil && !n.hasGo(m[1], m[2], m[3]) {
		out = append(out, code+", which the code does not have")
	}
	for _, file := range goFile.FindAllString(code, -1) {
		if !strings.Contains(file, "*") && !n.files[file] && !n.files[path.Join(path.Dir(from), file)] {
			out = append(out, file+", which does not exist")
		}
	}
	if storyName.MatchString(code) && !n.hasStory(code+".txt") {
		out = append(out, "the story "+code+", which does not exist")
	}
	if m := makeCall.FindStringSubmatch(code); m != nil && !n.targets[m[1]] {
		out = append(out, "make "+m[1]+", which the Makefile does not have")
	}
	for _, m := range flagInText.FindAllStringSubmatch(code, -1) {
		if !n.flags[m[1]] && !slices.Contains(foreignFlags, m[1]) {
			out = append(out, "--"+m[1]+", which no command has")
		}
	}
	for _, m := range ourName.FindAllStringSubmatch(code, -1) {
		if !n.hasOurs(strings.TrimSuffix(m[0], m[1]), m[1] != "") {
			out = append(out, m[0]+", which is no metric and no variable")
		}
	}
	return out
}

// hasStory reports whether a story has a file name.
func (n *names) hasStory(name string) bool {
	_, ok := n.texts["sim/testdata/"+name]
	return ok
}

// hasOurs reports whether a metric or a variable has a name, or begins with it.
func (n *names) hasOurs(name string, begins bool) bool {
	if !begins {
		return n.literals[name] || n.literals[seriesOf.ReplaceAllString(name, "")]
	}
	for literal := range n.literals {
		if strings.HasPrefix(literal, name) {
			return true
		}
	}
	return false
}

// checkPagePaths reports paths of pages, and files of stories, in code, scripts or pages that do not
// exist.
func checkPagePaths(t *Tree, n *names) (out []Finding) {
	look := func(file, text string) {
		for i, line := range strings.Split(text, "\n") {
			for _, m := range pagePath.FindAllStringSubmatch(line, -1) {
				if !slices.Contains(t.Texts, m[1]) {
					out = append(out, Finding{file, i + 1, "names " + m[1] + ", which does not exist"})
				}
			}
			for _, m := range storyFile.FindAllStringSubmatch(line, -1) {
				if !n.hasStory(m[1]) {
					out = append(out, Finding{file, i + 1, "names the story " + m[1] + ", which does not exist"})
				}
			}
		}
	}
	for _, f := range t.Files {
		if f.Unit != "internal/lint" { // its tests plant pages
			look(f.Path, string(f.text))
		}
	}
	for _, p := range t.Texts {
		if !slices.Contains(unchecked, p) && !strings.HasSuffix(p, ".json") && !strings.HasSuffix(p, ".svg") {
			look(p, n.texts[p])
		}
	}
	return out
}

// hasGo reports whether a package, by its path or the last element of that, has a name and a
// member. A package outside the tree counts as having it.
func (n *names) hasGo(pkg, name, member string) bool {
	dirs := n.dirs[path.Base(pkg)]
	known := false
	for _, dir := range dirs {
		if dir != pkg && path.Base(dir) != pkg {
			continue
		}
		known = true
		if n.declared[dir][name] && (member == "" || n.declared[dir][member]) {
			return true
		}
	}
	return !known
}
