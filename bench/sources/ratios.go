package main

import (
	"fmt"
	"strings"
)

// place has the common properties of two cells whose systems are compared.
type place struct {
	deployment, load string
	distributed      int
	skew             float64
	clients          int
}

func (c cell) place() place { return place{c.Deployment, c.Load, c.Distributed, c.Skew, c.Clients} }

// sums are the figures of one system in one place, of all rounds together.
type sums struct {
	rounds              int
	rate, latency, tail float64    // commits a second and milliseconds, added up; latency is the mean of each
	ratesWithin         [2]float64 // the least and the most of a round
}

// add takes a cell that has figures; what failed has none.
func (s *sums) add(c cell) {
	if c.Total.Commits == 0 {
		return
	}
	if s.rounds == 0 || c.Total.Throughput < s.ratesWithin[0] {
		s.ratesWithin[0] = c.Total.Throughput
	}
	s.ratesWithin[1] = max(s.ratesWithin[1], c.Total.Throughput)
	s.rounds++
	s.rate, s.latency, s.tail = s.rate+c.Total.Throughput, s.latency+c.Total.LatencyMS.Mean, s.tail+c.Total.LatencyMS.P99
}

// over returns the ratio of two means.
func over(a float64, rounds int, b float64, otherRounds int) string {
	return fmt.Sprintf("%.2f", a/float64(rounds)/(b/float64(otherRounds)))
}

// ratios returns the table of each system's ratios to its baselines, cell by cell; "" if no two
// match. Throughput's is how many times as much, latency's how many times as long.
func ratios(cells []cell) string {
	at := map[place]map[string]*sums{}
	var places []place
	for _, c := range cells {
		if at[c.place()] == nil {
			at[c.place()] = map[string]*sums{}
			places = append(places, c.place())
		}
		if at[c.place()][c.System] == nil {
			at[c.place()][c.System] = &sums{}
		}
		at[c.place()][c.System].add(c)
	}
	var lines strings.Builder
	for _, p := range places {
		for _, s := range systems {
			for _, other := range s.over {
				a, b := at[p][s.name], at[p][other]
				if a == nil || b == nil || a.rounds == 0 || b.rounds == 0 || b.rate == 0 {
					continue
				}
				fmt.Fprintf(&lines, "| %s over %s, %s | %s | %d | %v | %d | %s | %s | %s | %s to %s, %s to %s |\n", s.name, other, p.deployment, p.load, p.distributed, p.skew, p.clients,
					over(a.rate, a.rounds, b.rate, b.rounds), over(a.latency, a.rounds, b.latency, b.rounds), over(a.tail, a.rounds, b.tail, b.rounds),
					digits(a.ratesWithin[0]), digits(a.ratesWithin[1]), digits(b.ratesWithin[0]), digits(b.ratesWithin[1]))
			}
		}
	}
	if lines.Len() == 0 {
		return ""
	}
	return "### Ratios, of the means of all rounds\n\n" +
		"| systems, databases | load | distributed | skew | clients | a second | mean ms | p99 ms | a second, least to most of a round |\n" +
		"|---|---|---:|---:|---:|---:|---:|---:|---|\n" + lines.String() + "\n"
}
