package faults

import (
	"slices"
	"time"
)

// role is the target of a fault of the gap table, relative to the rows that its clients update.
type role string

const (
	ofNoNode  role = ""
	ofLeader  role = "the leader"
	ofGateway role = "a gateway" // that leads none of the rows
	ofBoth    role = "a gateway and the leader"
	ofMany    role = "the leader among them"
)

// gapFault is a line of the gap table.
type gapFault struct {
	kind Kind
	of   role
}

// None is no fault: what clients wait in ordinary times.
const None Kind = "nothing"

// gapFaults are all lines of the table.
var gapFaults = []gapFault{
	{None, ofNoNode},
	{KillOne, ofLeader}, {KillOne, ofGateway}, {Terminate, ofLeader}, {Terminate, ofGateway}, {Pause, ofLeader}, {Pause, ofGateway},
	{CutNode, ofLeader}, {CutNode, ofGateway}, {CutOneWay, ofLeader}, {CutOneWay, ofGateway}, {CutDeaf, ofLeader}, {CutDeaf, ofGateway},
	{CutPair, ofBoth}, {DiskFull, ofLeader}, {KillMajority, ofMany}, {KillAll, ofMany},
}

// The longest gaps that are allowed: while a majority is there, and after it is back.
const (
	gapMax      = 3 * time.Second
	recoveryMax = 5 * time.Second
)

func (f gapFault) String() string {
	if f.of == ofNoNode {
		return string(f.kind)
	}
	return string(f.kind) + ", " + string(f.of)
}

// stops reports whether the fault removes a majority.
func (f gapFault) stops() bool { return f.of == ofMany }

// bound returns the longest allowed gap.
func (f gapFault) bound() time.Duration {
	if f.stops() {
		return recoveryMax
	}
	return gapMax
}

// hits are the nodes that the fault is done to, and lost those whose clients have to go
// elsewhere. Which gateway it is changes from one repetition to the next.
func (f gapFault) hits(leader, nodes, repetition int) (hit, lost []int) {
	others := make([]int, 0, nodes-1)
	for i := range nodes - 1 {
		others = append(others, (leader+1+(repetition+i)%(nodes-1))%nodes)
	}
	switch {
	case f.kind == None:
		return nil, nil
	case f.kind == KillAll:
		return append([]int{leader}, others...), nil
	case f.kind == KillMajority:
		return append([]int{leader}, others[:nodes/2]...), nil
	case f.of == ofBoth:
		return []int{others[0], leader}, others[:1]
	case f.of == ofGateway:
		return others[:1], others[:1]
	}
	return []int{leader}, []int{leader}
}

// split divides clients into those at some nodes and the others.
func split(clients []*gapClient, nodes []int) (there, elsewhere []*gapClient) {
	for _, c := range clients {
		if slices.Contains(nodes, c.home) {
			there = append(there, c)
		} else {
			elsewhere = append(elsewhere, c)
		}
	}
	return there, elsewhere
}
