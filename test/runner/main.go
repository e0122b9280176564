package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// rerunMost is the number of failures that may be chance.
const rerunMost = 3

// group is one call of go test.
type group struct {
	env  []string // settings before the flags
	args []string // flags and packages
}

// groupsOf cuts the arguments at each "--".
func groupsOf(args []string) (out []group) {
	for _, a := range args {
		switch {
		case a == "--":
			out = append(out, group{})
		case len(out) == 0:
			return nil
		default:
			g := &out[len(out)-1]
			if len(g.args) == 0 && setting.MatchString(a) {
				g.env = append(g.env, a)
			} else {
				g.args = append(g.args, a)
			}
		}
	}
	return out
}

var setting = regexp.MustCompile(`^[A-Z_0-9]+=`)

// flags are the arguments before the first package.
func (g group) flags() []string {
	for i, a := range g.args {
		if strings.HasPrefix(a, "./") || strings.HasPrefix(a, "isochron") {
			return g.args[:i]
		}
	}
	return g.args
}

// goTest calls go test and gives its words to a reader.
type goTest func(env, args []string, read func(io.Reader)) error

func realGoTest(env, args []string, read func(io.Reader)) error {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	read(out)
	return cmd.Wait()
}

// run runs all groups, what failed once more, and prints the outcome. It reports whether all is well.
func run(groups []group, test goTest, out io.Writer) bool {
	began := time.Now()
	all := &outcome{}
	for _, g := range groups {
		all.add(runGroup(g, g.args, test, out), g)
	}
	var flaky, red []string
	for _, f := range all.failures {
		name := f.String()
		switch {
		case f.reason != "":
			red = append(red, name+": "+f.reason)
		case len(all.failures) > rerunMost:
			red = append(red, name)
		default:
			fmt.Fprintf(out, "== once more, alone: %s\n", name)
			if again := runGroup(f.group, f.again(), test, out); len(again.failures) > 0 || again.broken || again.passed == 0 {
				red = append(red, name+": it failed again")
			} else {
				flaky = append(flaky, name)
			}
		}
	}
	all.print(out, time.Since(began))
	for _, name := range red {
		fmt.Fprintln(out, "FAILED: "+name)
	}
	if len(all.failures) > rerunMost {
		fmt.Fprintf(out, "more than %d failed: none was run again\n", rerunMost)
	}
	for _, name := range flaky {
		fmt.Fprintln(out, "FLAKY: "+name+" failed once and passed when it was run again, alone: mend it next")
	}
	well := len(red) == 0 && !all.broken
	if all.broken && len(all.failures) == 0 {
		fmt.Fprintln(out, "FAILED: go test itself; see above")
	}
	fmt.Fprintf(out, "%d tests passed, %d failed, %d flaky, %d skipped, in %d packages\n", all.passed+len(flaky), len(red), len(flaky), all.skipped, len(all.packages))
	return well
}

func runGroup(g group, args []string, test goTest, out io.Writer) *outcome {
	fmt.Fprintf(out, "== %s go test %s\n", strings.Join(g.env, " "), brief(args))
	o := &outcome{}
	if err := test(g.env, args, func(r io.Reader) { o.read(r, out) }); err != nil && len(o.failures) == 0 {
		fmt.Fprintf(out, "go test: %v\n", err)
		o.broken = true
	}
	return o
}

// brief leaves out all packages of a long list.
func brief(args []string) string {
	const most = 14
	if len(args) > most {
		return strings.Join(args[:most], " ") + fmt.Sprintf(" ... and %d more", len(args)-most)
	}
	return strings.Join(args, " ")
}

func main() {
	groups := groupsOf(os.Args[1:])
	if len(groups) == 0 {
		fmt.Fprintln(os.Stderr, "usage: runner -- [NAME=value ...] [flags of go test] packages [-- ...]")
		os.Exit(2)
	}
	if !run(groups, realGoTest, os.Stdout) {
		os.Exit(1)
	}
}
