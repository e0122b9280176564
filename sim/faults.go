package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Faults are the faults that a nemesis may use.
type Faults struct {
	Crashes          bool // a node, a leader, a majority; restarts immediately or later
	PowerLoss        bool // all nodes at the same time
	Partitions       bool // a node, a half, one direction of a link
	Clocks           bool // wall clocks are wrong from the start, and jump
	Stalls           bool // a slow disk, a stalled process
	Network          bool // loss, duplicates, reordering
	Acknowledgements bool // a crash just before or just after one is sent
	Roles            bool // the loss of a role at one step of a transaction
	Replace          bool // a node loses its disk permanently, and a new node replaces it
	Transfers        bool // leaders are asked to transfer leadership, nodes to lead nothing for a while
	Forced           bool // rare paths are made common: see biasedFaults
}

// AllFaults has every fault.
func AllFaults() Faults {
	return Faults{true, true, true, true, true, true, true, true, true, true, true}
}

// faultNames are in the order of the fields of Faults.
var faultNames = []string{"crashes", "power", "partitions", "clocks", "stalls", "network", "acks", "roles", "replace", "transfers", "forced"}

func (f *Faults) fields() []*bool {
	return []*bool{&f.Crashes, &f.PowerLoss, &f.Partitions, &f.Clocks, &f.Stalls, &f.Network, &f.Acknowledgements, &f.Roles, &f.Replace, &f.Transfers, &f.Forced}
}

// FaultNames returns the names that ParseFaults accepts, without all and none.
func FaultNames() []string { return slices.Clone(faultNames) }

// ParseFaults reads "all", "none" or a list such as "crashes,acks".
func ParseFaults(text string) (Faults, error) {
	var f Faults
	switch text {
	case "all":
		return AllFaults(), nil
	case "none", "":
		return f, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		i := slices.Index(faultNames, strings.TrimSpace(name))
		if i < 0 {
			return f, fmt.Errorf("there is no fault %q; choose all, none, or some of: %s", name, strings.Join(faultNames, ", "))
		}
		*f.fields()[i] = true
	}
	return f, nil
}

func (f Faults) String() string {
	var names []string
	for i, on := range f.fields() {
		if *on {
			names = append(names, faultNames[i])
		}
	}
	switch len(names) {
	case 0:
		return "none"
	case len(faultNames):
		return "all"
	}
	return strings.Join(names, ",")
}

// Counts are numbers of events, by name.
type Counts map[string]int

func (c Counts) add(o Counts) {
	// order: sums.
	for name, n := range o {
		c[name] += n
	}
}

func (c Counts) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(c)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, c[name]))
	}
	return strings.Join(parts, ", ")
}
