package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"isochron/server"
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
				f(n.Node, r)
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
			s.Leader, s.Holders = 0, 0 // who leads in an older term leads no more
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
	up := 0
	for _, n := range s.Nodes {
		if n.Up {
			up++
		}
	}
	fmt.Fprintf(&b, "cluster %s, protocol %s: %d of %d nodes up\n\n", s.Cluster, s.Protocol, up, len(s.Nodes))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "node\tregion\tstate\taddress\topen\tunfinished\tround trips to other nodes, ms\n")
	for _, n := range s.Nodes {
		if n.Report == nil {
			fmt.Fprintf(w, "%d\t%s\tDOWN\t%s\t\t\t%s\n", n.Node, n.Region, n.Address, n.Error)
			continue
		}
		state := "up"
		if !n.Report.Ready {
			state = "not ready"
		}
		if n.Report.Draining {
			state += ", draining"
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d\t%d\t%s\n", n.Node, n.Region, state, n.Address, n.Report.Transactions, n.Report.Commitments, roundTrips(n.Report.Links))
	}
	_ = w.Flush() // into memory
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
	return b.String()
}

// changing says what is not ordinary of a shard's members.
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

func roundTrips(links []server.LinkReport) string {
	var out []string
	for _, l := range links {
		switch {
		case !l.Up:
			out = append(out, fmt.Sprintf("%d: none", l.Peer))
		case l.RTTMS == 0:
			out = append(out, fmt.Sprintf("%d: ?", l.Peer))
		default:
			out = append(out, fmt.Sprintf("%d: %.1f", l.Peer, l.RTTMS))
		}
	}
	return strings.Join(out, "  ")
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
