package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// result is the outcome of one mutation.
type result struct {
	Name    string  `json:"name"`
	Package string  `json:"package"`
	Rule    string  `json:"rule"`
	Same    string  `json:"same,omitempty"` // why no check can fail
	Sights  []sight `json:"sights,omitempty"`
	Error   string  `json:"error,omitempty"` // why it could not be tried
	Seconds float64 `json:"seconds"`
}

func (r *result) seen() bool {
	for _, s := range r.Sights {
		if s.Sees {
			return true
		}
	}
	return false
}

// by names the checks that failed.
func (r *result) by() string {
	var out []string
	for _, s := range r.Sights {
		if s.Sees {
			out = append(out, s.What)
		}
	}
	switch {
	case r.Error != "":
		return "NOT TRIED: " + strings.SplitN(r.Error, "\n", 2)[0]
	case r.Same != "":
		return "changes nothing: " + r.Same
	case len(out) == 0:
		return "NOTHING"
	}
	return strings.Join(out, "; ")
}

// report is the whole run.
type report struct {
	Mutations []result `json:"mutations"`
}

// Print writes the table.
func (r *report) Print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "mutation\trule\tseen by\tseconds")
	for i := range r.Mutations {
		m := &r.Mutations[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t%.0f\n", m.Name, m.Rule, m.by(), m.Seconds)
	}
	_ = t.Flush()
	for _, m := range r.Mutations {
		if m.Error != "" {
			fmt.Fprintf(w, "\n%s: %s\n", m.Name, m.Error)
		}
	}
	seen, same := 0, 0
	for i := range r.Mutations {
		if r.Mutations[i].seen() {
			seen++
		} else if r.Mutations[i].Same != "" {
			same++
		}
	}
	fmt.Fprintf(w, "\n%d mutations: %d were seen, %d change nothing, %d survived or could not be tried\n",
		len(r.Mutations), seen, same, len(r.Mutations)-seen-same)
}

// err names the surviving mutations.
func (r *report) err() error {
	var left []string
	for i := range r.Mutations {
		if m := &r.Mutations[i]; m.Error != "" || !m.seen() && m.Same == "" {
			left = append(left, m.Name)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("nothing saw %s", strings.Join(left, ", "))
	}
	return nil
}

// printList prints the list.
func printList(w io.Writer, list []mutation) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "mutation\tpackage\trule\tshould be seen by")
	for _, m := range list {
		var by []string
		for _, c := range m.seen {
			by = append(by, c.String())
		}
		if m.same != "" {
			by = []string{"nothing: " + m.same}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", m.name, m.in, m.rule, strings.Join(by, "; "))
	}
	_ = t.Flush()
}

// meter is a progress bar of the mutations that were tried.
type meter struct {
	w     io.Writer
	total int
	drawn bool
}

const meterWidth = 30

func (m *meter) show(done int, doing string) {
	full := meterWidth * done / max(m.total, 1)
	fmt.Fprintf(m.w, "\r\x1b[K[%s%s] %d of %d  %s", strings.Repeat("=", full), strings.Repeat(" ", meterWidth-full), done, m.total, doing)
	m.drawn = true
}

func (m *meter) clear() {
	if m.drawn {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}
