package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"isochron/internal/renamed"
)

// Every old name of the table works as the new one does, with a notice, and is hidden; but a column
// has its new name only. CHANGELOG.md lists each pair.
func TestOldNamesWork(t *testing.T) {
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	c := initCluster(t)
	first, second := c.start(t, 0), c.start(t, 1)
	c.await(t, 0, first)
	c.await(t, 1, second)
	db := c.connect(t, 0)
	_, metrics := c.get(t, 0, "/metrics")
	for _, n := range renamed.Names {
		if !regexp.MustCompile(`\b`+n.Old+"`").Match(changes) || !regexp.MustCompile(`\b`+n.New+"`").Match(changes) {
			t.Errorf("CHANGELOG.md does not list the %s %s", n.Kind, n.Old)
		}
		switch n.Kind {
		case renamed.Flag:
			oldFlagWorks(t, n)
		case renamed.Command:
			first := func(text string) string { line, _, _ := strings.Cut(text, "\n"); return line }
			if old, now := helpOf(t, n.Old), helpOf(t, n.New); first(old) != first(now) {
				t.Errorf("isochron %s is not isochron %s:\n%s\n%s", n.Old, n.New, old, now)
			}
			parent, _, _ := strings.Cut(n.Old, " ")
			if last := n.Old[strings.LastIndex(n.Old, " ")+1:]; strings.Contains(helpOf(t, parent), "\n  "+last+" ") {
				t.Errorf("the help of %s lists %s", parent, n.Old)
			}
			if _, errs := runHere(t, exitOK, append(strings.Fields(n.Old), "--count", "1", "--dir", t.TempDir())...); errs != fmt.Sprintf("isochron: isochron %s is deprecated, use isochron %s\n", n.Old, n.New) {
				t.Errorf("isochron %s printed %q", n.Old, errs)
			}
		case renamed.Target:
			out, err := exec.Command("make", "-C", "../..", "-n", n.Old).CombinedOutput()
			if err != nil || !strings.Contains(string(out), fmt.Sprintf("make %s is deprecated, use make %s\"", n.Old, n.New)) {
				t.Errorf("make %s: %v, %s", n.Old, err, out)
			}
		case renamed.Procedure:
			for _, name := range []string{n.Old, n.New} { // 1305 is: there is no such procedure
				if _, err := db.Exec("CALL isochron." + name + "()"); err == nil || !strings.Contains(err.Error(), "1318") || !strings.Contains(err.Error(), n.New) {
					t.Errorf("CALL isochron.%s: %v", name, err)
				}
			}
		case renamed.Column:
			for column, works := range map[string]bool{n.Old: false, n.New: true} { // order: each by itself
				if _, err := db.Exec(fmt.Sprintf("SELECT %s FROM isochron.%s", column, n.Scope)); (err == nil) != works {
					t.Errorf("column %s of %s: %v", column, n.Scope, err)
				}
			}
		case renamed.Metric: // a source's are at its agent; package ops tests that each has both names
			if strings.Contains(metrics, "\n# TYPE "+n.New+" ") != strings.Contains(metrics, "\n# HELP "+n.Old+" deprecated, use "+n.New+"\n") {
				t.Errorf("only one of %s and %s is exported", n.Old, n.New)
			}
		default:
			t.Errorf("nothing tests the kind of %+v", n)
		}
	}
}

// helpOf returns the help of a command.
func helpOf(t *testing.T, name string) string {
	t.Helper()
	out, _ := runHere(t, exitOK, append(strings.Fields(name), "--help")...)
	return out
}

// oldFlagWorks sets a flag by its old name.
func oldFlagWorks(t *testing.T, n renamed.Name) {
	t.Helper()
	root := newRoot()
	var errs strings.Builder
	root.SetErr(&errs)
	root.SetOut(io.Discard)
	cmd, rest := subcommand(root, strings.Fields(n.Scope))
	if len(rest) > 0 {
		t.Fatalf("there is no command %s", n.Scope)
	}
	if help := helpOf(t, n.Scope); regexp.MustCompile(`--`+n.Old+`[ \n]`).MatchString(help) || !strings.Contains(help, "--"+n.New+" ") {
		t.Errorf("the help of %s has --%s, or not --%s", n.Scope, n.Old, n.New)
	}
	var value string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == n.New {
			value = map[string]string{"bool": "true", "duration": "7s", "float64": "0.7", "int": "7"}[f.Value.Type()]
			if value == "" {
				value = "seven"
			}
		}
	})
	ran := false
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ran = cmd.Flags().Changed(n.New)
		if got := strings.Trim(cmd.Flags().Lookup(n.New).Value.String(), "[]"); got != value {
			t.Errorf("--%s %s sets --%s to %s", n.Old, value, n.New, got)
		}
		return nil
	}
	root.SetArgs(append(strings.Fields(n.Scope), "--"+n.Old+"="+value))
	if err := root.ExecuteContext(context.Background()); err != nil || !ran {
		t.Errorf("%s --%s=%s: %v", n.Scope, n.Old, value, err)
	}
	if want := fmt.Sprintf("isochron: --%s is deprecated, use --%s\n", n.Old, n.New); errs.String() != want {
		t.Errorf("%s --%s printed %q", n.Scope, n.Old, &errs)
	}
}
