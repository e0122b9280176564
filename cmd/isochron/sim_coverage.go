package main

import (
	"fmt"
	"io"

	"isochron/sim"
)

// protocolRules are the coverage marks that a protocol can hit, as --json prints them.
type protocolRules struct {
	Protocol string       `json:"protocol"`
	Rules    []ruleCounts `json:"rules"`
	Never    []string     `json:"never"`
}

// ruleCounts is one coverage mark.
type ruleCounts struct {
	Rule    string `json:"rule"`
	Package string `json:"package"`
	Text    string `json:"says"`
	Times   uint64 `json:"times"`
	Seeds   int    `json:"seeds"` // number of seeds with a hit
	First   uint64 `json:"first_seed,omitempty"`
}

// rulesOf returns the marks of all protocols; nil if the runs did not count them.
func rulesOf(all []sim.ProtocolRules) (out []protocolRules) {
	for _, r := range all {
		one := protocolRules{Protocol: r.Protocol, Rules: []ruleCounts{}, Never: append([]string{}, r.Never()...)}
		for _, b := range r.Rules {
			one.Rules = append(one.Rules, ruleCounts{b.Rule.Name(), b.Rule.Package(), b.Rule.String(), b.Times, b.Seeds, b.First})
		}
		out = append(out, one)
	}
	return out
}

// printRules prints the marks of a protocol as a table.
func printRules(out io.Writer, r protocolRules) {
	fmt.Fprintf(out, "\nCoverage marks that %s can hit:\n", r.Protocol)
	fmt.Fprintf(out, "  %-12s %-23s %12s %8s %11s  %s\n", "package", "rule", "times", "in seeds", "first seed", "meaning")
	for _, b := range r.Rules {
		first := fmt.Sprint(b.First)
		if b.Times == 0 {
			first = "NEVER"
		}
		fmt.Fprintf(out, "  %-12s %-23s %12d %8d %11s  %s\n", b.Package, b.Rule, b.Times, b.Seeds, first, b.Text)
	}
	fmt.Fprintf(out, "%d of %d marks were hit.\n", len(r.Rules)-len(r.Never), len(r.Rules))
}
