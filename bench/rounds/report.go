package main

import (
	"fmt"
	"io"
	"strings"
)

// report has the statements of all builds.
type report struct {
	Map        string      `json:"map"`
	Builds     []string    `json:"builds"`
	Statements []*measured `json:"statements"`
}

// measured is a statement on each build, in their order.
type measured struct {
	Of   string       `json:"of"`
	Text string       `json:"text"`
	On   []*statement `json:"on"` // nil: it was not run there
}

func (r *report) add(list []*statement) {
	n := 0
	for _, m := range r.Statements {
		n = max(n, len(m.On))
	}
	for _, s := range list {
		m := r.find(s)
		for len(m.On) < n {
			m.On = append(m.On, nil)
		}
		m.On = append(m.On, s)
	}
}

func (r *report) find(s *statement) *measured {
	for _, m := range r.Statements {
		if m.Of == s.Of && m.Text == s.Text {
			return m
		}
	}
	m := &measured{Of: s.Of, Text: s.Text}
	r.Statements = append(r.Statements, m)
	return m
}

// Print prints a table, and how many statements have cost more than EXPLAIN says, or than on the last build.
func (r *report) Print(out io.Writer) {
	fmt.Fprintf(out, "%s; rounds (EXPLAIN's) of %s\n\n", r.Map, strings.Join(r.Builds, ", "))
	over, more := 0, 0
	for _, m := range r.Statements {
		var cells []string
		for i := range r.Builds {
			if i >= len(m.On) || m.On[i] == nil {
				cells = append(cells, "-")
				continue
			}
			s := m.On[i]
			cells = append(cells, s.cell())
			if i == 0 && !s.covered() {
				over++
			}
			if i > 0 && m.On[0] != nil && m.On[0].Rounds > s.Rounds {
				more++
			}
		}
		fmt.Fprintf(out, "%-9s  %-14s  %s\n", m.Of, strings.Join(cells, "  "), strings.Join(strings.Fields(m.Text), " "))
	}
	fmt.Fprintf(out, "\n%d statements; on the first build %d have cost more than EXPLAIN says, %d more than on another\n", len(r.Statements), over, more)
}

// cell is what a statement has cost, and what EXPLAIN says.
func (s *statement) cell() string {
	cost := fmt.Sprint(s.Rounds)
	if s.Least < s.Rounds {
		cost = fmt.Sprintf("%d-%d", s.Least, s.Rounds)
	}
	return fmt.Sprintf("%s (%s)", cost, strings.ReplaceAll(s.Explain, " ", ","))
}
