package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/term"
)

// Count is what is counted for a form, and path.
type Count struct {
	Form       string          `json:"form"`
	Path       string          `json:"path,omitempty"`
	Statements int             `json:"statements"`
	Differ     int             `json:"differ"`    // with a difference that has no reason
	Explained  int             `json:"explained"` // all their differences have one
	Kinds      map[Kind]int    `json:"kinds"`     // of differences without a reason
	First      map[Kind]string `json:"first"`
}

// Class is a class of differences: of one kind, in the same operators, in the same way.
type Class struct {
	Name    string `json:"class"`
	Count   int    `json:"count"`
	Example string `json:"example"`
	Detail  string `json:"detail"`
}

// Report is what came of a run.
type Report struct {
	Seed       uint64    `json:"seed"`
	Ways       []string  `json:"ways"`
	Statements int       `json:"statements"`
	Differ     int       `json:"differ"`
	Forms      []*Count  `json:"forms"`
	Classes    []*Class  `json:"classes"`
	Reasons    []*Reason `json:"reasons"`
	Notes      []string  `json:"notes,omitempty"`
	findings   []*Finding
	whole      bool // all forms were run
	paths      []string
}

// classesShown bounds the classes that are printed.
const classesShown = 20

// newReport counts the results of a run.
func newReport(r *runner) *Report {
	out := &Report{Seed: r.opt.Seed, Statements: len(r.results), Reasons: r.reasons, Notes: r.notes, paths: r.opt.Paths, whole: len(r.opt.Forms) == len(forms)}
	for _, p := range r.opt.Ways {
		out.Ways = append(out.Ways, wayName(p))
	}
	classes := map[string]*Class{}
	for _, form := range r.opt.Forms {
		for _, path := range r.opt.Paths {
			out.Forms = append(out.Forms, r.count(form, path, classes))
		}
	}
	for _, c := range out.Forms {
		out.Differ += c.Differ
	}
	for _, res := range r.results {
		out.findings = append(out.findings, res.findings...)
	}
	slices.SortFunc(out.findings, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(a.Form, b.Form), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Way, b.Way), cmp.Compare(a.Kind, b.Kind))
	})
	for _, f := range out.findings {
		if f.Reason > 0 {
			for _, reason := range r.reasons {
				if reason.Line == f.Reason {
					reason.Hits++
				}
			}
		}
	}
	for _, c := range classes {
		out.Classes = append(out.Classes, c)
	}
	slices.SortFunc(out.Classes, func(a, b *Class) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	return out
}

// count counts the statements of a form on a path.
func (r *runner) count(form, path string, classes map[string]*Class) *Count {
	c := &Count{Form: form, Path: path, Kinds: map[Kind]int{}, First: map[Kind]string{}}
	first := map[Kind]int{}
	for _, res := range r.results {
		if res.form != form {
			continue
		}
		c.Statements++
		differs, explained := false, false
		seen := map[Kind]bool{}
		for _, f := range res.findings {
			if f.Path != path {
				continue
			}
			if f.Reason > 0 {
				explained = true
				continue
			}
			differs = true
			addClass(classes, f)
			if seen[f.Kind] {
				continue
			}
			seen[f.Kind] = true
			c.Kinds[f.Kind]++
			if at, ok := first[f.Kind]; !ok || f.Index < at {
				first[f.Kind] = f.Index
				c.First[f.Kind] = f.Shrunk + "  -- " + f.Detail
			}
		}
		switch {
		case differs:
			c.Differ++
		case explained:
			c.Explained++
		}
	}
	return c
}

// class names the class of a finding, on its path.
func (f *Finding) class() string {
	if f.Path != "" {
		return f.Path + ": " + f.Class
	}
	return f.Class
}

func addClass(classes map[string]*Class, f *Finding) {
	name := f.class()
	k := classes[name]
	if k == nil {
		k = &Class{Name: name}
		classes[name] = k
	}
	if k.Count++; k.Example == "" || len(f.Shrunk) < len(k.Example) || len(f.Shrunk) == len(k.Example) && f.Shrunk < k.Example {
		k.Example, k.Detail = f.Shrunk, f.Detail
	}
}

// quoted are values and names within messages.
var quoted = regexp.MustCompile("'[^']*'|\"[^\"]*\"|`[^`]*`|-?\\d[\\d.e+]*")

var numbersInDetail = regexp.MustCompile(`-?\d[\d.e+-]*`)

// classify names the class of a difference: its kind, the operators and functions of the shrunk statement, and for
// types, codes and warnings what became of what.
func classify(tree *Node, d Difference) string {
	names := tree.names()
	slices.Sort(names)
	detail := ""
	switch d.Kind {
	case KindType, KindCode, KindWarning:
		detail = d.Detail
	case KindRefused:
		detail, _, _ = strings.Cut(d.Detail, ", ")
		if strings.HasSuffix(detail, "error 1105") { // its message is all that tells it from others
			names, detail = nil, detail+": "+clip(quoted.ReplaceAllString(d.Message, "X"), 60)
		}
	case KindAccepted:
		_, detail, _ = strings.Cut(d.Detail, "mariadb: ")
	case KindValue, KindStored:
		detail = shape(d.Detail)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", d.Kind, strings.Join(names, " "), detail))
}

// shape is a difference of values without the values: which of them are NULL, numbers or texts.
func shape(detail string) string {
	got, want, ok := strings.Cut(detail, ", mariadb: ")
	if !ok || strings.HasSuffix(want, " rows") {
		return ""
	}
	_, got, _ = strings.Cut(got, "isochron: ")
	what := func(s string) string {
		switch {
		case s == "NULL":
			return "NULL"
		case s == "":
			return "empty"
		case numbersInDetail.FindString(s) == s:
			return "number"
		}
		return "text"
	}
	return what(got) + " for " + what(want)
}

// Print writes the report for people.
func (r *Report) Print(out io.Writer) {
	fmt.Fprintf(out, "seed %d, %s\n\n", r.Seed, strings.Join(r.Ways, " and "))
	for _, n := range r.Notes {
		fmt.Fprintf(out, "%s\n\n", n)
	}
	used := r.usedKinds()
	fmt.Fprintf(out, "%-12s %10s %7s %9s", "form", "statements", "differ", "explained")
	for _, k := range used {
		fmt.Fprintf(out, " %8s", k)
	}
	fmt.Fprintln(out)
	total := &Count{Form: "all", Kinds: map[Kind]int{}}
	for _, c := range r.Forms {
		printCount(out, c, used, len(r.paths) > 1)
		total.Statements, total.Differ, total.Explained = total.Statements+c.Statements, total.Differ+c.Differ, total.Explained+c.Explained
		for k, n := range c.Kinds {
			total.Kinds[k] += n
		}
	}
	if len(r.Forms) > 1 && len(r.paths) == 1 {
		printCount(out, total, used, false)
	}
	fmt.Fprintln(out, "\nfirst of each kind:")
	for _, c := range r.Forms {
		for _, k := range used {
			if s := c.First[k]; s != "" {
				fmt.Fprintf(out, "  %s %s %s: %s\n", c.Form, c.Path, k, clip(s, 300))
			}
		}
	}
	fmt.Fprintf(out, "\nlargest of %d classes:\n", len(r.Classes))
	for _, c := range r.Classes[:min(len(r.Classes), classesShown)] {
		fmt.Fprintf(out, "  %6d  %s\n          %s  -- %s\n", c.Count, clip(c.Name, 160), clip(c.Example, 200), clip(c.Detail, 160))
	}
	fmt.Fprintf(out, "\nreasons:\n")
	for _, reason := range r.Reasons {
		note := ""
		if reason.Hits == 0 && r.whole {
			note = "  NO HITS: remove the line"
		}
		fmt.Fprintf(out, "  %6d  line %d, %s, %s: %s%s\n", reason.Hits, reason.Line, reason.Right, reason.Section, reason.Why, note)
	}
}

func printCount(out io.Writer, c *Count, used []Kind, paths bool) {
	name := c.Form
	if paths {
		name += "/" + c.Path
	}
	fmt.Fprintf(out, "%-12s %10d %7d %9d", name, c.Statements, c.Differ, c.Explained)
	for _, k := range used {
		fmt.Fprintf(out, " %8d", c.Kinds[k])
	}
	fmt.Fprintln(out)
}

// usedKinds are the kinds that have occurred.
func (r *Report) usedKinds() (out []Kind) {
	for _, k := range kinds {
		for _, c := range r.Forms {
			if c.Kinds[k] > 0 {
				out = append(out, k)
				break
			}
		}
	}
	return out
}

func (r *Report) err() error {
	if r.Differ > 0 {
		return fmt.Errorf("%d of %d statements differ without a reason", r.Differ, r.Statements*len(r.paths))
	}
	return nil
}

// clip bounds a text on one line.
func clip(s string, most int) string {
	s = strings.ReplaceAll(s, "\n", " ")
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

// writeDetails writes every finding, a line each: form, index, path, way, kind, the shrunk statement, the difference,
// the line of its reason, the statement as it was drawn, the message of Isochron's error.
func (r *Report) writeDetails(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	for _, d := range r.findings {
		fmt.Fprintf(f, "%s %d\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", d.Form, d.Index, d.Path, d.Way, d.Kind, clip(d.Shrunk, 1000), clip(d.Detail, 400), d.Reason, clip(d.Statement, 1000), clip(d.Message, 300))
	}
	return f.Close()
}

// bar is progress: drawn on a terminal, elsewhere a line for each tenth.
type bar struct {
	w           io.Writer
	total, done int
	differ      int
	shows       bool
}

const barWidth = 30

func newBar(w io.Writer, total int) *bar {
	f, ok := w.(*os.File)
	return &bar{w: w, total: total, shows: ok && term.IsTerminal(int(f.Fd()))}
}

func (b *bar) step(form string, differs bool) {
	b.done++
	if differs {
		b.differ++
	}
	if !b.shows {
		if b.done%max(b.total/10, 1000) == 0 {
			fmt.Fprintf(b.w, "%d of %d, %d differ\n", b.done, b.total, b.differ)
		}
		return
	}
	if b.done%50 != 0 {
		return
	}
	full := barWidth * b.done / max(b.total, 1)
	fmt.Fprintf(b.w, "\r\x1b[K[%s%s] %d of %d, %d differ  %s", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), b.done, b.total, b.differ, form)
}

func (b *bar) clear() {
	if b.shows {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
