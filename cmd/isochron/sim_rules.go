package main

import (
	"fmt"
	"io"

	"isochron/sim"
)

// protocolRules are the rules that can bite on a row, as machines read them.
type protocolRules struct {
	Protocol string       `json:"protocol"`
	Rules    []ruleCounts `json:"rules"`
	Never    []string     `json:"never"`
}

// ruleCounts is one of them.
type ruleCounts struct {
	Rule    string `json:"rule"`
	Package string `json:"package"`
	Text    string `json:"says"`
	Times   uint64 `json:"times"`
	Seeds   int    `json:"seeds"` // in how many
	First   uint64 `json:"first_seed,omitempty"`
}

// rulesOf are those of all rows of a hunt; nil if it did not count them.
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

// printRules is the table of a row's rules.
func printRules(out io.Writer, r protocolRules) {
	fmt.Fprintf(out, "\nRules of the core that can bite on %s:\n", r.Protocol)
	fmt.Fprintf(out, "  %-12s %-23s %12s %8s %11s  %s\n", "package", "rule", "times", "in seeds", "first seed", "what it says")
	for _, b := range r.Rules {
		first := fmt.Sprint(b.First)
		if b.Times == 0 {
			first = "NEVER"
		}
		fmt.Fprintf(out, "  %-12s %-23s %12d %8d %11s  %s\n", b.Package, b.Rule, b.Times, b.Seeds, first, b.Text)
	}
	fmt.Fprintf(out, "%d of %d rules have bitten.\n", len(r.Rules)-len(r.Never), len(r.Rules))
}
