package sim

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"isochron/protocol"
)

// clusterLine is a story's command for a new cluster.
var clusterLine = regexp.MustCompile(`(?m)^cluster .*\bprotocol=(\S+)`)

// The table of stories has each file under every protocol that it makes a cluster with.
func TestStories(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	number := func(path string) int {
		digits, _, _ := strings.Cut(filepath.Base(path), "-")
		n, err := strconv.Atoi(digits)
		if err != nil {
			t.Fatalf("%s begins with no number", path)
		}
		return n
	}
	slices.SortFunc(paths, func(a, b string) int { return number(a) - number(b) })
	found := map[string][]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range clusterLine.FindAllStringSubmatch(string(text), -1) {
			if name := filepath.Base(path); !slices.Contains(found[m[1]], name) {
				found[m[1]] = append(found[m[1]], name)
			}
		}
	}
	for name := range found {
		if !slices.Equal(found[name], stories[name]) {
			t.Errorf("the stories of %s are %q, and the table has %q", name, found[name], stories[name])
		}
	}
	for name := range stories {
		if found[name] == nil {
			t.Errorf("no story runs under %s; the table has %q", name, stories[name])
		}
	}
	if len(found) < 20 {
		t.Errorf("stories run under %v only", slices.Sorted(maps.Keys(found)))
	}
}

// A protocol without a story has those of its base.
func TestStoriesOfABase(t *testing.T) {
	for _, s := range protocol.Table() {
		under, paths := Stories(s)
		if len(paths) == 0 || len(stories[s.Name]) > 0 && under != s.Name {
			t.Errorf("%s has the stories %q of %s", s.Name, paths, under)
		}
	}
	for name, base := range map[string]string{"d2pc+2pl": "d2pc+2pl", "2pc+2pl-home": "2pc+2pl", "bonspiel+wait-die": "r4+gdcc"} {
		s, err := protocol.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if under, _ := Stories(s); under != base {
			t.Errorf("%s: the stories are those of %s, want %s", name, under, base)
		}
	}
}
