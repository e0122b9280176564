package lab

import (
	"slices"
	"time"

	"isochron/geo"
)

// Law is the theory of a protocol without conflicts and with no cost but the network's: of a
// transaction that writes on every shard, one shard led from each region, a replica of each in
// every region.
type Law struct {
	Protocol string
	// Formula is Span in words: L(a,b) is a round trip, a the client's region, b the leader's, i
	// any.
	Formula string
	// Commit returns the latency at a client in a.
	Commit func(w geo.WAN, a geo.Region) time.Duration
	// Span returns the contention span at a leader in b for a client in a.
	Span func(w geo.WAN, a, b geo.Region) time.Duration
	// Sources: the law is of a transaction over sources, one in each region, whose statements go in
	// one round, where no work of a database takes time either.
	Sources bool
}

const (
	twoRoundsText    = "max over i of L(a,i) + L(i,majority)"
	preCommitText    = "max over i of (L(a,i) + L(i,b) - L(a,b)) / 2"
	acknowledgedText = "max over i of the majority of replicas r of (L(a,i) + L(i,r) + L(r,b) - L(a,b)) / 2"
	replicaVotesText = "max over i of L(a,i)"
	majorityText     = replicaVotesText + ", a majority"
	farthestText     = replicaVotesText
	ownText          = "L(a,b)"
	sequentialText   = "max over i of L(a,i) + sum over i of L(a,i) + sum over i before b of L(a,i)"
)

// Laws returns the known ones: table 4 of the D2PC paper, which our protocols follow, and the
// commits that belong to it.
func Laws() []Law {
	return []Law{
		{Protocol: "2pc+occ", Formula: twoRoundsText, Commit: twoRounds, Span: heldToTheEnd},
		{Protocol: "2pc+2pl", Formula: twoRoundsText, Commit: twoRounds, Span: heldToTheEnd},
		{Protocol: "d2pc+occ", Formula: preCommitText, Commit: bypass, Span: heldToPreCommit},
		{Protocol: "d2pc+2pl", Formula: preCommitText, Commit: bypass, Span: heldToPreCommit},
		{Protocol: "r4", Formula: acknowledgedText, Commit: bypass, Span: heldToAcknowledged},
		{Protocol: "carousel-fast", Formula: replicaVotesText + ", four of five", Commit: replicaVotes(4), Span: heldToOpinions(4)},
		{Protocol: "tapir", Formula: replicaVotesText + ", four of five", Commit: replicaVotes(4), Span: heldToOpinions(4)},
		{Protocol: "gpac", Formula: "2 * " + majorityText, Commit: agreement, Span: heldToAgreement},
		{Protocol: "starry", Formula: replicaVotesText, Commit: replicaVotes(5), Span: heldToOpinions(5)},

		{Protocol: "ssp", Formula: sequentialText, Commit: sequentialPrepares, Span: heldSequentially, Sources: true},
		{Protocol: "ssp-parallel", Formula: "2 * " + farthestText, Commit: rounds(2), Span: heldFor(2), Sources: true},
		{Protocol: "ssp-local", Formula: farthestText, Commit: rounds(1), Span: heldFor(1), Sources: true},
		{Protocol: "quro", Formula: "2 * " + farthestText, Commit: rounds(2), Span: heldFor(2), Sources: true},
		{Protocol: "chiller", Formula: farthestText + "; L(a,b) where b is a", Commit: rounds(1), Span: heldOutside, Sources: true},
		{Protocol: "scalardb", Formula: farthestText + ", where all that is read is written", Commit: rounds(2), Span: heldFor(1), Sources: true},
		{Protocol: "geotp-o1", Formula: farthestText, Commit: rounds(1), Span: heldFor(1), Sources: true},
		{Protocol: "geotp-o1o2", Formula: ownText, Commit: rounds(1), Span: apart, Sources: true},
		{Protocol: "geotp", Formula: ownText, Commit: rounds(1), Span: apart, Sources: true},
	}
}

// LawOf returns the law of a protocol; false if there is none.
func LawOf(protocol string) (Law, bool) {
	all := Laws()
	i := slices.IndexFunc(all, func(l Law) bool { return l.Protocol == protocol })
	if i < 0 {
		return Law{}, false
	}
	return all[i], true
}

// apart returns the round trip between two nodes: one region has one node here.
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

// nth returns the n-th shortest of a value for each region, from 0.
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

// bypass is the commit of D2PC and of R4: for each shard, acknowledgements of a majority go from
// the replicas straight to the client's region.
func bypass(w geo.WAN, a geo.Region) time.Duration { return acknowledged(w, a, a) }

// acknowledged is when a region knows of a majority for each shard of a commit from a client in a.
func acknowledged(w geo.WAN, a, at geo.Region) time.Duration {
	return most(w, func(leader geo.Region) time.Duration {
		return nth(w, len(w.Regions)/2, func(replica geo.Region) time.Duration {
			return (apart(w, a, leader) + apart(w, leader, replica) + apart(w, replica, at)) / 2
		})
	})
}

// heldToAcknowledged ends when b's leader knows of these majorities by itself, or receives the
// coordinator's decision, whichever is first.
func heldToAcknowledged(w geo.WAN, a, b geo.Region) time.Duration {
	return min(acknowledged(w, a, b)-apart(w, a, b)/2, bypass(w, a))
}

// heldToPreCommit ends when the votes of all leaders have reached b's region.
func heldToPreCommit(w geo.WAN, a, b geo.Region) time.Duration {
	return most(w, func(i geo.Region) time.Duration { return (apart(w, a, i) + apart(w, i, b) - apart(w, a, b)) / 2 })
}

// replicaVotes is the commit with a fast path of replica votes: all of three, or of out of five.
func replicaVotes(of int) func(w geo.WAN, a geo.Region) time.Duration {
	return func(w geo.WAN, a geo.Region) time.Duration {
		return nth(w, min(of, len(w.Regions))-1, func(i geo.Region) time.Duration { return apart(w, a, i) })
	}
}

// heldToOpinions ends when the decision has arrived: it left when the commit was known.
func heldToOpinions(of int) func(w geo.WAN, a, b geo.Region) time.Duration {
	return func(w geo.WAN, a, _ geo.Region) time.Duration { return replicaVotes(of)(w, a) }
}

// agreement is a commit that takes a majority of replicas twice: of their votes, and of what they
// have accepted.
func agreement(w geo.WAN, a geo.Region) time.Duration {
	return 2 * replicaVotes(len(w.Regions)/2+1)(w, a)
}

func heldToAgreement(w geo.WAN, a, _ geo.Region) time.Duration { return agreement(w, a) }

// sequentialPrepares is a commit that prepares one participant after the other, and sends them the decision
// so too.
func sequentialPrepares(w geo.WAN, a geo.Region) (d time.Duration) {
	for _, i := range w.Regions {
		d += 2 * apart(w, a, i)
	}
	return d
}

// heldSequentially ends when the decision reaches b: the executions are over and all have prepared.
func heldSequentially(w geo.WAN, a, b geo.Region) time.Duration {
	d := rounds(1)(w, a) + sequentialPrepares(w, a)/2
	for _, i := range w.Regions {
		if i == b {
			return d
		}
		d += apart(w, a, i)
	}
	return d
}

// rounds is a commit of n round trips to the farthest participant.
func rounds(n int) func(w geo.WAN, a geo.Region) time.Duration {
	return func(w geo.WAN, a geo.Region) time.Duration {
		return time.Duration(n) * most(w, func(i geo.Region) time.Duration { return apart(w, a, i) })
	}
}

// heldFor is a span of n of these: the execution is one.
func heldFor(n int) func(w geo.WAN, a, b geo.Region) time.Duration {
	return func(w geo.WAN, a, _ geo.Region) time.Duration { return rounds(n)(w, a) }
}

// heldOutside is the span of a client that executes in its own region when all others have.
func heldOutside(w geo.WAN, a, b geo.Region) time.Duration {
	if a == b {
		return 0
	}
	return rounds(1)(w, a)
}
