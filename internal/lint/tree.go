package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Finding is one breach of one rule.
type Finding struct {
	File string // from the root, with slashes
	Line int    // 0: the whole file
	Rule string // the fault and its remedy
}

func (f Finding) String() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.File, f.Rule)
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Rule)
}

// Tree is a checkout, read once.
type Tree struct {
	Root  string
	Files []*File  // the Go files, by path
	Texts []string // every other file of the repository, by path
	fset  *token.FileSet
}

// File is one Go file.
type File struct {
	Path string // from the root, with slashes
	Dir  string
	Unit string
	Test bool // of a test, or of a package that helps tests, such as store/storetest
	AST  *ast.File
	fset *token.FileSet
	text []byte
}

// Read reads the tree below root. What git does not keep is left out.
func Read(root string) (*Tree, error) {
	t := &Tree{Root: root, fset: token.NewFileSet()}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if skipDir(rel, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if rel == ".git" {
			return nil // in a linked work tree it is a file
		}
		if !strings.HasSuffix(rel, ".go") {
			t.Texts = append(t.Texts, rel)
			return nil
		}
		return t.readGo(path, rel)
	})
	return t, err
}

func skipDir(rel, name string) bool {
	return name == ".git" || rel == "bin" || rel == "data"
}

func (t *Tree) readGo(path, rel string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	parsed, err := parser.ParseFile(t.fset, path, text, parser.ParseComments)
	if err != nil {
		return err
	}
	dir := filepath.ToSlash(filepath.Dir(rel))
	t.Files = append(t.Files, &File{
		Path: rel,
		Dir:  dir,
		Unit: unitOf(dir),
		Test: strings.HasSuffix(rel, "_test.go") || strings.HasSuffix(dir, "test"),
		AST:  parsed,
		fset: t.fset,
		text: text,
	})
	return nil
}

// Dirs are the directories that hold Go files, sorted.
func (t *Tree) Dirs() []string {
	var dirs []string
	for _, f := range t.Files {
		if !slices.Contains(dirs, f.Dir) {
			dirs = append(dirs, f.Dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// at makes a finding at a node of the file.
func (f *File) at(n ast.Node, format string, args ...any) Finding {
	return Finding{f.Path, f.fset.Position(n.Pos()).Line, fmt.Sprintf(format, args...)}
}

// imports maps the name under which each import is used to its path.
func (f *File) imports() map[string]string {
	out := map[string]string{}
	for _, spec := range f.AST.Imports {
		path := importPath(spec)
		name := path[strings.LastIndex(path, "/")+1:]
		if name == "v2" {
			name = filepath.Base(filepath.Dir(path))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		out[name] = path
	}
	return out
}

func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return path
}

// Check runs every rule over the tree.
func Check(t *Tree) ([]Finding, error) {
	var out []Finding
	for _, f := range t.Files {
		out = append(out, checkSize(f)...)
		out = append(out, checkShame(f.Path, f.text)...)
		if f.Test {
			continue
		}
		out = append(out, checkFloors(f)...)
		out = append(out, checkForeign(f)...)
		if slices.Contains(core, f.Unit) {
			out = append(out, checkCore(f)...)
		}
	}
	out = append(out, checkMethods(t)...)
	out = append(out, checkRows(t)...)
	out = append(out, checkHours(t)...)
	paper, err := checkPaper(t)
	if err != nil {
		return nil, err
	}
	out = append(out, paper...)
	written, err := markdown(t)
	if err != nil {
		return nil, err
	}
	out = append(out, checkLinks(t, written)...)
	references, err := checkReferences(t, written)
	if err != nil {
		return nil, err
	}
	out = append(out, references...)
	order, err := checkMapOrder(t)
	if err != nil {
		return nil, err
	}
	return append(out, order...), nil
}
