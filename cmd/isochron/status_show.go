package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"isochron/server"
	"isochron/server/deploy"
	"isochron/server/memory"
)

// joinShards makes of the replicas' reports one line for each shard.
func joinShards(nodes []nodeStatus) []shardStatus {
	byID := map[uint64]*shardStatus{}
	each := func(f func(node uint32, r server.ShardReport)) {
		for _, n := range nodes {
			if n.Report == nil {
				continue
			}
			for _, r := range n.Report.Shards {
				if r.Kind.Native() {
					f(n.Node, r)
				}
			}
		}
	}
	each(func(node uint32, r server.ShardReport) {
		s := byID[uint64(r.Shard)]
		if s == nil {
			s = &shardStatus{Shard: uint64(r.Shard), Lag: map[uint32]uint64{}}
			byID[s.Shard] = s
		}
		if r.Term > s.Term {
			s.Leader, s.Holders = 0, 0 // a leader of an older term no longer leads
		}
		if r.Serving && r.Term >= s.Term {
			s.Leader, s.Holders = node, r.Holders
			s.Voters, s.Outgoing, s.Learners = r.Voters, r.Outgoing, r.Learners
		}
		s.Term, s.Applied, s.Undecided = max(s.Term, r.Term), max(s.Applied, r.Applied), max(s.Undecided, r.Undecided)
	})
	each(func(node uint32, r server.ShardReport) {
		s := byID[uint64(r.Shard)]
		s.Lag[node] = s.Applied - r.Applied
	})
	out := []shardStatus{}
	// order: sorted below.
	for _, s := range byID {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b shardStatus) int { return cmp.Compare(a.Shard, b.Shard) })
	return out
}

// statusText is the status for a person.
func statusText(s clusterStatus) string {
	var b strings.Builder
	up, all := 0, 0
	for _, n := range s.Nodes {
		if !n.Removed {
			all++
			if n.Up {
				up++
			}
		}
	}
	fmt.Fprintf(&b, "cluster %s, protocol %s: %d of %d nodes up\n", s.Cluster, cmp.Or(s.Protocol, "unknown"), up, all)
	writeChange(&b, s)
	writeVersions(&b, s.Nodes)
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "node\tregion\tstate\taddress\topen\tunfinished\tversion\n")
	for _, n := range s.Nodes {
		if n.Report == nil && n.Removed {
			fmt.Fprintf(w, "%d\t%s\tremoved\t%s\n", n.Node, n.Region, n.Address)
			continue
		}
		if n.Report == nil {
			fmt.Fprintf(w, "%d\t%s\t%sDOWN\t%s\t%s\n", n.Node, n.Region, roleMark(n.Role), n.Address, cut(n.Error, errorMax))
			continue
		}
		state := "up"
		if !n.Report.Ready {
			state = "not ready"
		}
		if n.Report.Draining {
			state += ", draining"
		}
		if n.Removed {
			state = "removed"
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d\t%d\t%s\n", n.Node, n.Region, roleMark(n.Role)+state, n.Address, n.Report.Transactions, n.Report.Commitments, n.version())
	}
	_ = w.Flush() // into memory
	for _, n := range s.Nodes {
		if n.Stopped != "" {
			fmt.Fprintf(&b, "node %d has stopped: %s\n", n.Node, n.Stopped)
		}
		if n.Report == nil {
			continue
		}
		for _, c := range n.Report.Verify.Different {
			b.WriteString(strings.Join(c.Lines()[1:], "\n") + "\n")
		}
	}
	writeMemory(&b, s.Nodes)
	writeLinks(&b, s.Nodes)
	writeSources(&b, s.Sources)
	if len(s.Shards) == 0 {
		return b.String()
	}
	fmt.Fprint(w, "\nshard\tleader\tterm\tapplied\tundecided\tlock holders\tbehind the foremost replica, log entries\n")
	for _, sh := range s.Shards {
		leader := "NONE"
		if sh.Leader != 0 {
			leader = fmt.Sprintf("node %d", sh.Leader)
		}
		fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%d\t%d\t%s\n", sh.Shard, leader, sh.Term, sh.Applied, sh.Undecided, sh.Holders, lags(s.Nodes, sh.Lag)+sh.changing())
	}
	_ = w.Flush()
	writeInDoubt(&b, s.InDoubt)
	return b.String()
}

// version is which build a node that answers runs.
func (n nodeStatus) version() string {
	if n.Report.Build == nil {
		return "older"
	}
	return n.Report.Build.Short()
}

// writeVersions reports that the nodes have different versions.
func writeVersions(b *strings.Builder, nodes []nodeStatus) {
	var versions []string
	for _, n := range nodes {
		if n.Report != nil && !n.Removed && !slices.Contains(versions, n.version()) {
			versions = append(versions, n.version())
		}
	}
	if len(versions) > 1 {
		fmt.Fprintf(b, "the nodes run %d versions: %s\n", len(versions), strings.Join(versions, ", "))
	}
}

// roleMark precedes the state of a node that holds no data.
func roleMark(role string) string {
	if role == deploy.RoleGateway {
		return role + ", "
	}
	return ""
}

// writeChange reports a switch of the protocol that is under way or was cancelled.
func writeChange(b *strings.Builder, s clusterStatus) {
	p := s.Change
	switch {
	case p == nil:
	case p.Under():
		fmt.Fprintf(b, "going over to %s: no transactions are begun\n", p.To)
		for _, n := range s.Nodes {
			if n.Report != nil && n.Report.Left != "" {
				fmt.Fprintf(b, "  node %d has %s\n", n.Node, n.Report.Left)
			}
		}
	case p.Failed != "":
		fmt.Fprintf(b, "the last change of the protocol was given up: %s\n", p.Failed)
	}
}

// changing describes a change of a shard's members.
func (s shardStatus) changing() string {
	out := ""
	if len(s.Outgoing) > 0 {
		out += fmt.Sprintf("  votes change from %v to %v", s.Outgoing, s.Voters)
	}
	if len(s.Learners) > 0 {
		out += fmt.Sprintf("  learners %v", s.Learners)
	}
	return out
}

// errorMax keeps the line of a node that is down within the screen.
const errorMax = 56

// cut shortens a text to so many letters.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}

// writeMemory shows each node's limit, its use, and its largest users.
func writeMemory(b *strings.Builder, nodes []nodeStatus) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	output := false
	for _, n := range nodes {
		if n.Report == nil || n.Report.Memory.Setting == 0 { // of a version that does not tell
			continue
		}
		if !output {
			output = true
			fmt.Fprint(w, "\nnode\tmemory\tof\theld most of, of its share (--json has all)\n")
		}
		m := n.Report.Memory
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", n.Node, memory.Bytes(m.Resident), memory.Bytes(m.Setting), mostHeld(m.Parts))
	}
	_ = w.Flush() // into memory
}

// partsShown is the number of parts of a node's memory that fit into one line of the screen.
const partsShown = 3

func mostHeld(parts []memory.PartUse) string {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b memory.PartUse) int { return cmp.Compare(b.Holds, a.Holds) })
	var out []string
	for _, p := range parts[:min(partsShown, len(parts))] {
		out = append(out, fmt.Sprintf("%s %s of %s", p.Part, memory.Bytes(p.Holds), memory.Bytes(p.Share)))
	}
	return strings.Join(out, ", ")
}

// linksInLine is the number of links that fit into one line of the screen.
const linksInLine = 5

// writeLinks shows the round trips to the other nodes, measured, and what of them is added.
func writeLinks(b *strings.Builder, nodes []nodeStatus) {
	output := false
	for _, n := range nodes {
		if n.Report == nil {
			continue
		}
		for i, l := range n.Report.Links {
			switch {
			case !output:
				output = true
				fmt.Fprintf(b, "\nround trips in ms, from node: to node (added on the way there)\n%-3d", n.Node)
			case i == 0:
				fmt.Fprintf(b, "\n%-3d", n.Node)
			case i%linksInLine == 0:
				b.WriteString("\n   ")
			}
			b.WriteString("  " + roundTrip(l))
		}
	}
	if output {
		b.WriteString("\n")
	}
}

func roundTrip(l server.LinkReport) string {
	switch {
	case l.CutTo || l.CutFrom:
		return fmt.Sprintf("%d: %s", l.Peer, cutWord(l))
	case !l.Up:
		return fmt.Sprintf("%d: none", l.Peer)
	case l.RTTMS == 0:
		return fmt.Sprintf("%d: ?", l.Peer)
	case l.AddedMS == 0:
		return fmt.Sprintf("%d: %.1f", l.Peer, l.RTTMS)
	}
	return fmt.Sprintf("%d: %.1f (%.1f)", l.Peer, l.RTTMS, l.AddedMS)
}

// inDoubtShown bounds the transactions in doubt on the screen; --json has more.
const inDoubtShown = 10

func writeInDoubt(b *strings.Builder, list []inDoubt) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "in doubt\tage, s\tparticipants\tundecided at shards\n")
	for _, d := range list[:min(len(list), inDoubtShown)] {
		fmt.Fprintf(w, "%s\t%.1f\t%s\t%s\n", d.Txn, d.AgeMS/1000, numbers(d.Participants), numbers(d.Undecided))
	}
	_ = w.Flush()
	if more := len(list) - inDoubtShown; more > 0 {
		fmt.Fprintf(b, "and %d more\n", more)
	}
}

// numbers lists shards within bounds.
func numbers(shards []uint64) string {
	var out []string
	for _, s := range shards {
		out = append(out, fmt.Sprint(s))
	}
	return cut(strings.Join(out, " "), 30)
}

// joinInDoubt makes of the replicas' reports one line for each transaction, the oldest first.
func joinInDoubt(nodes []nodeStatus) []inDoubt {
	byTxn := map[string]*inDoubt{}
	for _, n := range nodes {
		if n.Report == nil {
			continue
		}
		for _, r := range n.Report.InDoubt {
			d := byTxn[r.Txn]
			if d == nil {
				d = &inDoubt{Txn: r.Txn, Undecided: []uint64{}}
				for _, p := range r.Participants {
					d.Participants = append(d.Participants, uint64(p))
				}
				byTxn[r.Txn] = d
			}
			d.AgeMS = max(d.AgeMS, r.AgeMS)
			if !slices.Contains(d.Undecided, uint64(r.Shard)) {
				d.Undecided = append(d.Undecided, uint64(r.Shard))
			}
		}
	}
	out := []inDoubt{}
	// order: sorted below.
	for _, d := range byTxn {
		slices.Sort(d.Undecided)
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b inDoubt) int {
		return cmp.Or(cmp.Compare(b.AgeMS, a.AgeMS), cmp.Compare(a.Txn, b.Txn))
	})
	return out
}

// cutWord returns the direction in which a link is cut by command.
func cutWord(l server.LinkReport) string {
	switch {
	case l.CutTo && l.CutFrom:
		return "CUT"
	case l.CutTo:
		return "CUT to it"
	}
	return "CUT from it"
}

func lags(nodes []nodeStatus, lag map[uint32]uint64) string {
	var out []string
	for _, n := range nodes {
		if l, ok := lag[n.Node]; ok {
			out = append(out, fmt.Sprintf("%d: %d", n.Node, l))
		}
	}
	return strings.Join(out, "  ")
}
