package main

import (
	"bufio"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"
)

// runMax bounds a run.
const runMax = 15 * time.Minute

//go:embed testdata/clients.sql
var clientsText string

func main() {
	root := flag.String("root", filepath.Join("..", ".."), "the repository")
	cases := flag.String("cases", "", "further directories with cases, separated by commas")
	many := flag.Int("n", 40, "statements drawn of each generated form")
	details := flag.String("details", "", "write every refusal and difference into this file")
	only := flag.String("only", "", "parsers, binder or expressions: only that part")
	flag.Parse()
	if err := run(*root, *cases, *many, *details, *only); err != nil {
		fmt.Fprintln(os.Stderr, "sqltrial:", err)
		os.Exit(1)
	}
}

func run(root, cases string, many int, details, only string) error {
	began := time.Now()
	var more []string
	if cases != "" {
		more = strings.Split(cases, ",")
	}
	scripts, err := collect(root, more)
	if err != nil {
		return err
	}
	scripts = append(scripts, script{"clients and ORMs", lines(clientsText)}, generated(many))
	log := bufio.NewWriter(nowhere{})
	if details != "" {
		f, err := os.Create(details)
		if err != nil {
			return err
		}
		defer f.Close()
		log = bufio.NewWriter(f)
	}
	defer log.Flush()
	y, err := startYardstick()
	if err != nil {
		return err
	}
	defer y.close()
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-ended:
		case <-time.After(runMax):
		}
		y.close()
		fmt.Fprintln(os.Stderr, "sqltrial: interrupted, or not done within", runMax)
		os.Exit(1)
	}()
	fmt.Printf("yardstick: MariaDB %s\n", y.query("SELECT VERSION()").rows[0][0])
	if only != "expressions" {
		t := newTrial(y, log)
		for i, s := range scripts {
			at := time.Now()
			t.script(i, s)
			fmt.Fprintf(log, "script\t%s\t%d\t%.1f\n", s.source, len(s.statements), time.Since(at).Seconds())
		}
		t.print(os.Stdout)
	}
	if only == "" || only == "expressions" {
		expressions(y, log, os.Stdout)
	}
	fmt.Printf("\ntime: %.0f s\n", time.Since(began).Seconds())
	return nil
}

type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }

// count is the result of one family.
type count struct {
	functions, translated, without                   int
	calls, right, wrong, design, unanswered, classes int
}

// calling compares the calls of one function and returns how many are wrong.
func (c *count) calling(f function, y *yardstick, log *bufio.Writer) int {
	bad := 0
	for _, call := range f.calls {
		got := evaluate(call)
		var want value
		if !f.free && f.expected == "" {
			want = y.measure(call)
		}
		v := judge(f, call, got, want)
		c.calls++
		switch v {
		case right:
			c.right++
			if !f.free && f.expected == "" && !got.failed && !got.null && got.class != want.class {
				c.classes++
				fmt.Fprintf(log, "type\t%s\t%s\t%s\t%s\n", f.family, call, got.class, want.class)
			}
		case wrong, missing:
			c.wrong++
			bad++
			fmt.Fprintf(log, "value\t%s\t%s\t%s\t%s\n", f.family, call, got, want)
		case differs:
			c.design++
		case withoutAnswer:
			c.unanswered++
		}
	}
	return bad
}

// expressions compares evalengine with the yardstick over the catalogue and prints it by family.
func expressions(y *yardstick, log *bufio.Writer, out *os.File) {
	byFamily, order := map[string]*count{}, []string{}
	type own struct{ family, name string }
	var missed []own
	var faulty []string
	for _, f := range functions() {
		c := byFamily[f.family]
		if c == nil {
			c = &count{}
			byFamily[f.family] = c
			order = append(order, f.family)
		}
		c.functions++
		base := evaluate(f.base)
		if base.untranslated {
			c.without++
			missed = append(missed, own{f.family, f.name})
			continue
		}
		c.translated++
		bad := c.calling(f, y, log)
		if bad > 0 {
			faulty = append(faulty, fmt.Sprintf("%s %d/%d", f.name, bad, len(f.calls)))
		}
	}
	fmt.Fprintln(out, "\nexpressions: evalengine, by family of MySQL's manual")
	fmt.Fprintf(out, "%-28s %9s %10s %7s | %6s %6s %6s %9s %6s %6s\n", "family", "functions", "translated", "not", "calls", "right", "wrong", "by design", "none", "type")
	sum := count{}
	row := func(name string, c *count) {
		fmt.Fprintf(out, "%-28s %9d %10d %7d | %6d %6d %6d %9d %6d %6d\n", name, c.functions, c.translated, c.without, c.calls, c.right, c.wrong, c.design, c.unanswered, c.classes)
	}
	for _, name := range order {
		c := byFamily[name]
		row(name, c)
		sum.functions += c.functions
		sum.translated += c.translated
		sum.without += c.without
		sum.calls += c.calls
		sum.right += c.right
		sum.wrong += c.wrong
		sum.design += c.design
		sum.unanswered += c.unanswered
		sum.classes += c.classes
	}
	row("all", &sum)
	var absent []string
	last := ""
	for _, m := range missed {
		if m.family != last {
			absent = append(absent, "\n  "+m.family+":")
			last = m.family
		}
		absent = append(absent, m.name+";")
	}
	fmt.Fprintln(out, "\nto be written (family: names)", strings.Join(absent, " "))
	fmt.Fprintln(out, "\nto be corrected (wrong calls of calls)\n ", strings.Join(faulty, "; "))
}

// keys returns a map's keys in order.
func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return slices.Clip(out)
}
