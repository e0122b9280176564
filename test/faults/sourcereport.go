package faults

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// SourcesReport is the result of a run over sources.
type SourcesReport struct {
	Seed    uint64        `json:"seed"`
	Dir     string        `json:"dir"`
	Seconds float64       `json:"seconds"`
	Events  []SourceEvent `json:"events"`
	Kinds   []KindReport  `json:"kinds"`
	// Moves that were acknowledged, that were refused, and of which their clients know nothing.
	Acknowledged int64            `json:"acknowledged"`
	Refused      int64            `json:"refused"`
	Unknown      int64            `json:"unknown"`
	Errors       map[string]int64 `json:"errors"` // by MySQL's number
	Violations   []string         `json:"violations"`
}

// SourceEvent is one fault, from its begin to its end.
type SourceEvent struct {
	Kind    Kind    `json:"kind"`
	At      float64 `json:"at_s"` // since the beginning
	Hit     string  `json:"hit"`  // nodes by number, databases by the name of their source
	Seconds float64 `json:"seconds"`
	// Continues is after how long, counted from the fault, moves among the places that were not hit
	// committed through each gateway that was not; negative: none was left.
	Continues float64 `json:"goes_on_s"`
	// Resumes is the same through each gateway over all places, counted from the restart of the
	// ended processes.
	Resumes float64 `json:"resumes_s"`
}

func (e SourceEvent) String() string {
	continues := "no node is left"
	if e.Continues >= 0 {
		continues = fmt.Sprintf("others %5.1f s", e.Continues)
	}
	return fmt.Sprintf("%7.1f s  %-36s  %-6s  %5.1f s long, %s, all back in %5.1f s", e.At, e.Kind, e.Hit, e.Seconds, continues, e.Resumes)
}

func (r *SourcesReport) finish(m *movers, took time.Duration) {
	r.Seconds = took.Seconds()
	if m != nil {
		r.Acknowledged, r.Refused, r.Unknown, r.Errors = m.count(acknowledged), m.count(refused), m.count(unknownOutcome), m.errors
	}
	r.Kinds = kindReports(SourceKinds, r.Events, func(e SourceEvent) (Kind, float64, float64) { return e.Kind, e.Continues, e.Resumes })
}

// Print is for people.
func (r *SourcesReport) Print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, kindsHead)
	for _, k := range r.Kinds {
		k.line(w, k.Kind != KillEverything)
	}
	_ = w.Flush() // a failed write does not change the verdict
	var text []string
	for number, n := range r.Errors { // order: sorted below
		text = append(text, fmt.Sprintf("%s: %d", number, n))
	}
	slices.Sort(text)
	fmt.Fprintf(out, "\n%d moves acknowledged, %d refused, %d with an outcome unknown to the client; errors %s\n", r.Acknowledged, r.Refused, r.Unknown, strings.Join(text, ", "))
	for _, v := range r.Violations {
		fmt.Fprintln(out, "VIOLATION:", v)
	}
	fmt.Fprintf(out, "\nseed %d, %.0f s, %d faults over sources, %d violations\n", r.Seed, r.Seconds, len(r.Events), len(r.Violations))
}
