package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"isochron/protocol"
	"isochron/sim"
)

// rarePaths are the rare paths of a protocol, as --json prints them.
type rarePaths struct {
	Protocol   string         `json:"protocol"`
	Reached    map[string]int `json:"reached"`
	NotReached []string       `json:"not_reached"`
}

func pathsOf(r sim.ProtocolCounts) rarePaths {
	out := rarePaths{Protocol: r.Protocol, Reached: map[string]int{}, NotReached: []string{}}
	spec, err := protocol.ByName(r.Protocol)
	if err != nil {
		return out // not reached: the runs used the protocol
	}
	for _, p := range sim.SometimesGoals(spec, r.Counts) {
		if p.Times > 0 {
			out.Reached[p.Path] = p.Times
		} else {
			out.NotReached = append(out.NotReached, p.Path)
		}
	}
	return out
}

// printPaths prints which rare paths the runs reached, and which not.
func printPaths(out io.Writer, r sim.ProtocolCounts) {
	p := pathsOf(r)
	fmt.Fprintf(out, "\nRare paths of %s, and the number of times reached:\n", r.Protocol)
	for _, name := range slices.Sorted(maps.Keys(p.Reached)) {
		fmt.Fprintf(out, "  %8d  %s\n", p.Reached[name], name)
	}
	if len(p.NotReached) == 0 {
		return
	}
	fmt.Fprintf(out, "NOT reached, so not tested:\n")
	for _, name := range p.NotReached {
		fmt.Fprintf(out, "            %s\n", name)
	}
}

// countGroups are the kinds of counts, by the beginnings of their names.
var countGroups = []struct{ prefix, title string }{
	{"forced: ", "Forced"},
	{"note: ", "Events at nodes"},
	{"sent: ", "Messages sent"},
	{"path: ", ""}, // printPaths prints them
	{"", "Faults and outcomes"},
}

// printCounts prints the counts, a paragraph per kind.
func printCounts(out io.Writer, counts sim.Counts) {
	parts := make([][]string, len(countGroups))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		for i, g := range countGroups {
			if rest, ok := strings.CutPrefix(name, g.prefix); ok {
				parts[i] = append(parts[i], fmt.Sprintf("%s %d", rest, counts[name]))
				break
			}
		}
	}
	for i, g := range countGroups {
		if g.title != "" && len(parts[i]) > 0 {
			fmt.Fprintf(out, "%s: %s.\n", g.title, strings.Join(parts[i], ", "))
		}
	}
}

// foundBug is the result of the runs with an injected bug, as --json prints it.
type foundBug struct {
	Bug      string `json:"bug"`
	Protocol string `json:"protocol"`
	Found    bool   `json:"found"`
	Seeds    int    `json:"seeds"` // run, including the one that found the bug
	Seed     uint64 `json:"seed,omitempty"`
	Anomaly  string `json:"anomaly,omitempty"`
	Detail   string `json:"detail,omitempty"`
}

// runInjected injects bugs and reports which are found.
func (f faultRunFlags) runInjected(cfg sim.FaultRunConfig, out, progress io.Writer) error {
	names := sim.BugNames()
	if f.injectBug != "all" {
		names = strings.Split(f.injectBug, ",")
	}
	for _, name := range names {
		if _, _, err := sim.InjectBug(name); err != nil {
			return usageError{err}
		}
	}
	if f.trace && len(names) == 1 {
		cfg.Injected = names[0]
		cfg.InjectedBugs, _, _ = sim.InjectBug(names[0])
		_, err := sim.RunSeeds(cfg, progress)
		return err
	}
	all := []foundBug{}
	if !f.json {
		fmt.Fprintf(out, "%-22s %-14s %-22s %s\n", "bug", "protocol", "found", "by which anomaly")
	}
	err := sim.RunInjectedBugs(cfg, names, func(r sim.Found) {
		all = append(all, foundBug{r.Bug, r.Protocol, r.Anomaly != "", r.Seeds, r.Seed, r.Anomaly, r.Detail})
		if f.json {
			return
		}
		found := fmt.Sprintf("after %d seeds", r.Seeds)
		if r.Anomaly == "" {
			found = fmt.Sprintf("NOT in %d seeds", r.Seeds)
		}
		fmt.Fprintf(out, "%-22s %-14s %-22s %s\n", r.Bug, r.Protocol, found, r.Anomaly)
	})
	if f.json {
		return errorsFirst(err, json.NewEncoder(out).Encode(all))
	}
	return err
}
