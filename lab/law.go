package lab

import (
	"slices"
	"time"

	"isochron/geo"
)

// Law is what theory says of a protocol where nothing but the network costs time
// and nobody is in another's way: of a transaction that writes on every shard,
// one shard led from each region, a replica of each in every region.
type Law struct {
	Protocol string
	// Formula is Span in words: L(a,b) is a round trip, a the client's region, b the
	// leader's, i any.
	Formula string
	// Commit is the latency at a client in a.
	Commit func(w geo.WAN, a geo.Region) time.Duration
	// Span is the contention span at a leader in b for a client in a.
	Span func(w geo.WAN, a, b geo.Region) time.Duration
}

const (
	twoRoundsText = "max over i of L(a,i) + L(i,majority)"
	preCommitText = "max over i of (L(a,i) + L(i,b) - L(a,b)) / 2"
	opinionsText  = "max over i of L(a,i)"
)

// Laws are those that are known: table 4 of the D2PC paper, which our rows follow,
// and the commits that belong to it.
func Laws() []Law {
	return []Law{
		{"2pc+occ", twoRoundsText, twoRounds, heldToTheEnd},
		{"2pc+2pl", twoRoundsText, twoRounds, heldToTheEnd},
		{"d2pc+occ", preCommitText, bypass, heldToPreCommit},
		{"d2pc+2pl", preCommitText, bypass, heldToPreCommit},
		{"carousel-fast", opinionsText + ", four of five", opinions(4), heldToOpinions(4)},
		{"tapir", opinionsText + ", four of five", opinions(4), heldToOpinions(4)},
		{"starry", opinionsText, opinions(5), heldToOpinions(5)},
	}
}

// LawOf finds the law of a row; false if there is none.
func LawOf(protocol string) (Law, bool) {
	all := Laws()
	i := slices.IndexFunc(all, func(l Law) bool { return l.Protocol == protocol })
	if i < 0 {
		return Law{}, false
	}
	return all[i], true
}

// apart is the round trip between two nodes: one region has one node here.
func apart(w geo.WAN, a, b geo.Region) time.Duration {
	if a == b {
		return 0
	}
	return w.RTT(a, b)
}

func most(w geo.WAN, of func(i geo.Region) time.Duration) (d time.Duration) {
	for _, i := range w.Regions {
		d = max(d, of(i))
	}
	return d
}

// nth is the n-th shortest of a value for each region, from 0.
func nth(w geo.WAN, n int, of func(i geo.Region) time.Duration) time.Duration {
	var all []time.Duration
	for _, i := range w.Regions {
		all = append(all, of(i))
	}
	slices.Sort(all)
	return all[n]
}

// twoRounds is the commit of 2PC: to every leader, and from there to its majority.
func twoRounds(w geo.WAN, a geo.Region) time.Duration {
	return most(w, func(i geo.Region) time.Duration { return apart(w, a, i) + w.QuorumRTT(i, w.Regions) })
}

func heldToTheEnd(w geo.WAN, a, _ geo.Region) time.Duration { return twoRounds(w, a) }

// bypass is the commit of D2PC: for each shard, acknowledgements of a majority
// go from the replicas straight to the client's region.
func bypass(w geo.WAN, a geo.Region) time.Duration {
	return most(w, func(leader geo.Region) time.Duration {
		return nth(w, len(w.Regions)/2, func(replica geo.Region) time.Duration {
			return (apart(w, a, leader) + apart(w, leader, replica) + apart(w, replica, a)) / 2
		})
	})
}

// heldToPreCommit ends when the votes of all leaders have reached b's region.
func heldToPreCommit(w geo.WAN, a, b geo.Region) time.Duration {
	return most(w, func(i geo.Region) time.Duration { return (apart(w, a, i) + apart(w, i, b) - apart(w, a, b)) / 2 })
}

// opinions is the commit of who hears as many replicas as make a fast path: all of
// three, or so many of five.
func opinions(of int) func(w geo.WAN, a geo.Region) time.Duration {
	return func(w geo.WAN, a geo.Region) time.Duration {
		return nth(w, min(of, len(w.Regions))-1, func(i geo.Region) time.Duration { return apart(w, a, i) })
	}
}

// heldToOpinions ends when the decision has come: it left when the commit was known.
func heldToOpinions(of int) func(w geo.WAN, a, b geo.Region) time.Duration {
	return func(w geo.WAN, a, _ geo.Region) time.Duration { return opinions(of)(w, a) }
}
