package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"isochron/txn"
)

// Faults says what a nemesis may do.
type Faults struct {
	Crashes          bool // a node, a leader, a majority; restarts at once and later
	PowerLoss        bool // all nodes at one instant
	Partitions       bool // a node, a half, one direction of a link
	Clocks           bool // wall clocks jump
	Stalls           bool // a disk that is slow, a process that stands still
	Network          bool // loss, duplicates, overtaking
	Acknowledgements bool // a crash just before or just after one leaves
	Roles            bool // the loss of a role at one step of a transaction
	Replace          bool // a node loses its disk for ever, and a new node takes its place
}

// AllFaults is everything at once.
func AllFaults() Faults {
	return Faults{true, true, true, true, true, true, true, true, true}
}

// faultNames in the order of the fields of Faults.
var faultNames = []string{"crashes", "power", "partitions", "clocks", "stalls", "network", "acks", "roles", "replace"}

func (f *Faults) fields() []*bool {
	return []*bool{&f.Crashes, &f.PowerLoss, &f.Partitions, &f.Clocks, &f.Stalls, &f.Network, &f.Acknowledgements, &f.Roles, &f.Replace}
}

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

// Counts are numbers of things that happened, by name.
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

// kindOf names a message for the counts: the rare ones tell which paths a hunt
// has been on.
func kindOf(m *txn.Message) string {
	switch {
	case m.Raft != nil:
		return "raft"
	case m.Access != nil:
		return "access"
	case m.AccessReply != nil:
		return "access reply"
	case m.Prepare != nil:
		return "prepare"
	case m.Vote != nil && m.Vote.Yes:
		return "vote yes"
	case m.Vote != nil:
		return "vote no"
	case m.Decide != nil:
		return "decide"
	case m.DecideAck != nil:
		return "decide ack"
	case m.Inquire != nil:
		return "inquire"
	case m.Finding != nil:
		return "finding " + [...]string{"nothing", "yes", "no", "committed", "aborted"}[m.Finding.Result]
	}
	return upkeepKind(m)
}

func upkeepKind(m *txn.Message) string {
	switch {
	case m.Release != nil:
		return "release"
	case m.Wounded != nil:
		return "wounded"
	case m.Probe != nil:
		return "probe"
	case m.ProbeReply != nil:
		return "probe reply"
	case m.NotLeader != nil:
		return "not leader"
	case m.SnapFetch != nil:
		return "snapshot fetch"
	case m.SnapChunk != nil:
		return "snapshot chunk"
	}
	return "other"
}

// attemptOf is the attempt that a message is about, if any.
func attemptOf(m *txn.Message) (txn.Attempt, bool) {
	switch {
	case m.Prepare != nil:
		return m.Prepare.Attempt, true
	case m.Vote != nil:
		return m.Vote.Attempt, true
	case m.Decide != nil:
		return m.Decide.Attempt, true
	case m.DecideAck != nil:
		return m.DecideAck.Attempt, true
	case m.Inquire != nil:
		return m.Inquire.Attempt, true
	case m.Finding != nil:
		return m.Finding.Attempt, true
	}
	return txn.Attempt{}, false
}
