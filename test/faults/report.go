package faults

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"isochron/sqlload"
)

// Report is the result of a run.
type Report struct {
	Seed       uint64                     `json:"seed"`
	Dir        string                     `json:"dir"`
	Seconds    float64                    `json:"seconds"`
	DiskFull   bool                       `json:"disk_full"` // a disk could be filled
	Events     []Event                    `json:"events"`
	Kinds      []KindReport               `json:"kinds"`
	Loads      map[string]sqlload.Figures `json:"loads"`
	Records    int                        `json:"history_records"`
	Violations []string                   `json:"violations"`
}

// KindReport sums up the faults of a kind; times are in seconds. Continues is zero
// where a majority was hit.
type KindReport struct {
	Kind            Kind    `json:"kind"`
	Count           int     `json:"count"`
	ContinuesMedian float64 `json:"goes_on_median_s"`
	ContinuesWorst  float64 `json:"goes_on_worst_s"`
	ResumesMedian   float64 `json:"resumes_median_s"`
	ResumesWorst    float64 `json:"resumes_worst_s"`
}

func (r *Report) finish(loads []*load, took time.Duration) {
	r.Seconds, r.Loads = took.Seconds(), map[string]sqlload.Figures{}
	for _, l := range loads {
		r.Loads[l.name] = l.total
	}
	r.Kinds = kindReports(Kinds, r.Events, func(e Event) (Kind, float64, float64) { return e.Kind, e.Continues, e.Resumes })
}

// kindReports sums up events by their kinds, in the order of kinds, without kinds that did not
// happen; times returns an event's kind, Continues and Resumes.
func kindReports[E any](kinds []Kind, events []E, times func(E) (Kind, float64, float64)) (out []KindReport) {
	for _, kind := range kinds {
		var continues, resumes []float64
		for _, e := range events {
			k, on, back := times(e)
			if k != kind {
				continue
			}
			resumes = append(resumes, back)
			if on >= 0 {
				continues = append(continues, on)
			}
		}
		if len(resumes) > 0 {
			out = append(out, kindReport(kind, continues, resumes))
		}
	}
	return out
}

// kindReport sums up the faults of a kind: one of resumes for each.
func kindReport(kind Kind, continues, resumes []float64) KindReport {
	k := KindReport{Kind: kind, Count: len(resumes)}
	k.ContinuesMedian, k.ContinuesWorst = medianAndWorst(continues)
	k.ResumesMedian, k.ResumesWorst = medianAndWorst(resumes)
	return k
}

// kindsHead is above the lines of kinds.
const kindsHead = "\nfault\ttimes\tothers go on, s\tworst\tall back after healing, s\tworst\t\n"

// line writes a kind's; others: there were nodes that were not hit.
func (k KindReport) line(w io.Writer, others bool) {
	continues := "-\t-"
	if others {
		continues = fmt.Sprintf("%.1f\t%.1f", k.ContinuesMedian, k.ContinuesWorst)
	}
	fmt.Fprintf(w, "%s\t%d\t%s\t%.1f\t%.1f\t\n", k.Kind, k.Count, continues, k.ResumesMedian, k.ResumesWorst)
}

func medianAndWorst(times []float64) (median, worst float64) {
	if len(times) == 0 {
		return 0, 0
	}
	slices.Sort(times)
	return times[len(times)/2], times[len(times)-1]
}

// Print is for people.
func (r *Report) Print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, kindsHead)
	for _, k := range r.Kinds {
		k.line(w, k.Kind != KillAll && k.Kind != KillMajority)
	}
	fmt.Fprint(w, "\t\t\t\t\t\t\nload\tcommits\tunknown\taborted tries\tcut off\tgave up\t\n")
	for _, name := range []string{"bank", "list-append", "tpcc"} {
		f := r.Loads[name]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t\n", name, f.Commits, f.Unknown, f.Aborts, f.Disconnect, f.GaveUp)
	}
	_ = w.Flush() // a failed write does not change the verdict
	for _, v := range r.Violations {
		fmt.Fprintln(out, "VIOLATION:", v)
	}
	fmt.Fprintf(out, "\nseed %d, %.0f s, %d faults, %d records of list-append judged, %d violations\n",
		r.Seed, r.Seconds, len(r.Events), r.Records, len(r.Violations))
}
