package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mutation removes one rule.
type mutation struct {
	name string
	rule string // broken by it, in a sentence
	in   string // the package, as a folder of the repository
	old  string // occurs once in the package, outside its tests; see pattern
	new  string
	seen []check // checks that should fail, the quickest first
	same string  // why no check can fail; "": one must
}

// check is a run of tests or a fault run.
type check struct {
	pkg   string // whose tests; "": it is a fault run
	run   string // pattern of go test -run; "": all
	row   string // protocol of a fault run
	seeds int
	among string // protocols between which the cluster switches; "": it keeps its protocol
}

// tests is a check by the tests of a package whose names match.
func tests(pkg, run string) check { return check{pkg: pkg, run: run} }

// faultRun is a check by fault runs of a protocol with so many seeds.
func faultRun(row string, seeds int) check { return check{row: row, seeds: seeds} }

func (c check) String() string {
	switch {
	case c.pkg != "" && c.run == "":
		return "tests of " + c.pkg
	case c.pkg != "":
		return c.pkg + " " + c.run
	case c.among != "":
		return fmt.Sprintf("fault run of %s, switching", c.row)
	}
	return "fault run of " + c.row
}

// all is the list, in the order of the floors.
func all() []mutation {
	return slices.Concat(ofStore, ofMoves, ofYield, ofNatto, ofGroup, ofShard, ofReplica, ofCoordinator, ofNode, ofSource, ofServer)
}

// pattern is the regular expression of the old text: it may be at any depth of indentation, and an
// @ is any one identifier, so that it survives when code moves or a receiver is renamed.
func (m *mutation) pattern() *regexp.Regexp {
	lines := strings.Split(m.old, "\n")
	for i, line := range lines {
		lines[i] = regexp.QuoteMeta(strings.TrimLeft(line, "\t"))
	}
	return regexp.MustCompile(strings.ReplaceAll(strings.Join(lines, `\n\t*`), "@", `(\w+)`))
}

// place finds the file of the tree with the old text of a mutation, and returns the file's text
// before and after. An error means that the text occurs nowhere, or more than once.
func (m *mutation) place(tree string) (path, text, mutated string, err error) {
	files, err := filepath.Glob(filepath.Join(tree, m.in, "*.go"))
	if err != nil {
		return "", "", "", err
	}
	times, old := 0, m.pattern()
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			return "", "", "", err
		}
		found := old.FindAllSubmatchIndex(b, -1)
		if times += len(found); len(found) > 0 {
			path, text, mutated = f, string(b), m.applied(string(b), found[0])
		}
	}
	if times != 1 {
		return "", "", "", fmt.Errorf("%s: its text occurs %d times in %s instead of once: %q", m.name, times, m.in, m.old)
	}
	return path, text, mutated, nil
}

// applied returns the text with the mutation at a match; each @ of the new text is the first
// identifier that an @ of the old has matched.
func (m *mutation) applied(text string, at []int) string {
	fresh := m.new
	if len(at) > 2 {
		fresh = strings.ReplaceAll(fresh, "@", text[at[2]:at[3]])
	}
	return text[:at[0]] + fresh + text[at[1]:]
}
