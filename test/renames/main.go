package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// Where the stories and the table of renames are in a commit.
const (
	storiesDir = "sim/testdata"
	tablePath  = "docs/inside/renames.tsv"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: renames COMMIT COMMIT")
		os.Exit(2)
	}
	different, err := run(os.Args[1], os.Args[2], os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "renames: %v\n", err)
		os.Exit(2)
	}
	if different {
		os.Exit(1)
	}
}

// run compares the stories of two commits and reports whether one differs.
func run(first, second string, out io.Writer) (different bool, err error) {
	table, err := git("show", second+":"+tablePath)
	if err != nil {
		return false, err
	}
	before, err := stories(first)
	if err != nil {
		return false, err
	}
	after, err := stories(second)
	if err != nil {
		return false, err
	}
	if len(before) == 0 {
		return false, fmt.Errorf("%s has no stories in %s", first, storiesDir)
	}
	renames := messageRenames(string(table))
	differences := compare(before, after, renames)
	for _, d := range differences {
		fmt.Fprintln(out, d)
	}
	fmt.Fprintf(out, "%d stories of %s through %d renames of messages: %d differ from %s\n", len(before), first, len(renames), len(differences), second)
	return len(differences) > 0, nil
}

// stories returns the golden stories of a commit by path.
func stories(commit string) (map[string]string, error) {
	names, err := git("ls-tree", "-r", "--name-only", commit, "--", storiesDir)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, path := range strings.Fields(string(names)) {
		if !strings.HasSuffix(path, ".txt") {
			continue
		}
		text, err := git("show", commit+":"+path)
		if err != nil {
			return nil, err
		}
		all[path] = string(text)
	}
	return all, nil
}

// git runs git at the root of the clone.
func git(args ...string) ([]byte, error) {
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return nil, errors.New("this is no git clone")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = string(bytes.TrimSpace(root))
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s failed: %w", strings.Join(args, " "), err)
	}
	return text, nil
}

// messageRenames returns the new name of each message of the table that has one.
func messageRenames(table string) map[string]string {
	renames := map[string]string{}
	for _, line := range strings.Split(table, "\n") {
		if f := strings.Split(line, "\t"); len(f) == 3 && f[0] == "message" {
			renames[f[1]] = f[2]
		}
	}
	return renames
}

var wordOf = regexp.MustCompile(`\w+`)

// renamed replaces each whole word that is the former name of a message, outside of comments.
func renamed(text string, renames map[string]string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !isComment(line) {
			lines[i] = renamedWords(line, renames)
		}
	}
	return strings.Join(lines, "\n")
}

// isComment reports whether a line of a story is prose, where a word such as Compare may be English.
func isComment(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "#") }

// prose puts the comments of a story through the table: a message is named there by either name.
func prose(text string, renames map[string]string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if isComment(line) {
			lines[i] = renamedWords(line, renames)
		}
	}
	return strings.Join(lines, "\n")
}

func renamedWords(text string, renames map[string]string) string {
	return wordOf.ReplaceAllStringFunc(text, func(word string) string {
		if to, ok := renames[word]; ok {
			return to
		}
		return word
	})
}

// compare returns a line for each story that differs.
func compare(before, after, renames map[string]string) (out []string) {
	for _, path := range slices.Sorted(maps.Keys(before)) {
		text, ok := after[path]
		if !ok {
			out = append(out, path+": is in the first commit alone")
			continue
		}
		want := prose(renamed(before[path], renames), renames)
		text = prose(text, renames)
		if want == text {
			continue
		}
		was, is := strings.Split(want, "\n"), strings.Split(text, "\n")
		i := 0
		for i < len(was) && i < len(is) && was[i] == is[i] {
			i++
		}
		out = append(out, fmt.Sprintf("%s:%d:\n  - %s\n  + %s", path, i+1, at(was, i), at(is, i)))
	}
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if _, ok := before[path]; !ok {
			out = append(out, path+": is in the second commit alone")
		}
	}
	return out
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end)"
}
