package decide

// Policy is a protocol's choice of how votes travel and where the decision is made.
type Policy uint8

// The choices.
const (
	// Unset is no choice; a protocol of the table that has it inherits one.
	Unset Policy = iota
	// LeaderVotes: each leader sends its vote to the coordinator once it is replicated; the
	// coordinator decides and does not log (votes are recoverable).
	LeaderVotes
	// CoCoordinators: as LeaderVotes, and replicas acknowledge votes past their
	// leader, through the co-coordinator of their region, to the coordinator
	// (D2PC sections 3.3 and 4.1).
	CoCoordinators
	// Participants: as LeaderVotes, and replicas acknowledge votes past their leader, to the
	// coordinator and to the leader of every participant; each of these counts them, and decides
	// for itself (R4, SoCC'24, reductions 1 and 3).
	Participants
	// AtLeader: as LeaderVotes, but the votes go to the leader of one participant, whose node
	// decides and notifies the others and the gateway (D2PC section 2.2, figure 1).
	AtLeader
	// ThroughLeader: as AtLeader, and the Prepares of the others go through that node too, half a
	// round trip more (the public prototype of D2PC, in one of its modes).
	ThroughLeader
	// LoggedDecision: as LeaderVotes, and the coordinator logs its decision in a shard before any
	// participant is notified. Then it need not follow from the votes, and participants may be data
	// sources, whose votes cannot be looked up.
	LoggedDecision
	// FastWithLeader: every replica validates and answers the coordinator. An answer of the leader
	// and most of the others counts immediately; meanwhile the leader replicates its own answer,
	// which counts otherwise (Carousel).
	FastWithLeader
	// FastUnanimous: as FastWithLeader, but all must agree, and the leader is asked only when they
	// do not (STARRY).
	FastUnanimous
	// FastQuorum: as FastWithLeader, without a leader: the coordinator proposes the result to a
	// majority when too few agree (TAPIR).
	FastQuorum
	// GPAC: every replica validates and votes to the coordinator. When a majority of every
	// participant's replicas has voted Yes it proposes the commit to all of them, and commits when
	// a majority of each has accepted: two round trips, none to a leader (G-PAC, PVLDB 12(5), 2019,
	// section 4: value discovery and fault-tolerant agreement).
	GPAC
	// Carousel: as LeaderVotes; and the leaders of a 2FI transaction vote while they read, and
	// meanwhile the coordinator logs its writes (Carousel Basic, SIGMOD'18).
	Carousel
)

// text presents a choice: its name in lists, and its meaning, cost and source, a sentence each.
type text struct{ name, meaning, cost, source string }

// texts has the text of each choice, in the order of the constants.
var texts = [...]text{
	{name: "unset"},
	{
		"leaders vote, coordinator decides",
		"Each leader sends its vote to the coordinator when a majority stores it; the coordinator decides and logs nothing, since the votes can be recovered.",
		"Two round trips: to the leaders, and from each leader to a majority of its replicas.",
		"D2PC section 5.1",
	},
	{
		"replicas acknowledge to co-coordinators, coordinator decides",
		"Replicas acknowledge votes past their leader, through the co-coordinator of their region, to the coordinator.",
		"More messages than leaders' votes alone.",
		"D2PC sections 3.3 and 4.1",
	},
	{
		"replicas acknowledge to the coordinator and the leaders of all participants, and each of these decides",
		"Replicas acknowledge votes to the coordinator and to the leader of every participant; each of these counts them and decides.",
		"The messages of a commit grow with the square of its participants.",
		"R4 (SoCC'24), reductions 1 and 3",
	},
	{
		"leaders vote to the leader of one participant, which decides",
		"Votes go to the leader of one participant, which decides and notifies the others and the gateway.",
		"The client's commit returns half a round trip later.",
		"D2PC section 2.2, figure 1",
	},
	{
		"prepares and votes go through the leader of one participant, which decides",
		"The gateway sends the transaction to the leader of one participant, which asks the others to prepare and decides.",
		"The client's commit returns one round trip later.",
		"the public prototype of D2PC",
	},
	{
		"leaders vote, coordinator decides and logs the decision before it sends it",
		"The coordinator logs its decision in a shard before it notifies any participant.",
		"Participants hold their locks for one more log write.",
		"textbook two-phase commit",
	},
	{
		"leader and most replicas agree, else the leader's replicated vote",
		"Every replica votes; the leader's vote counts if most replicas agree, otherwise when it is replicated.",
		"One round trip; two where replicas disagree.",
		"Carousel (SIGMOD'18), fast path",
	},
	{
		"all replicas agree, else the leader's replicated vote",
		"Every replica votes; a vote counts if all agree, otherwise the leader replicates one.",
		"One round trip; two and a half where any replica disagrees or does not reply.",
		"STARRY (VLDB'22)",
	},
	{
		"most replicas agree, else the coordinator proposes to a majority",
		"Every replica votes; if too few agree, the coordinator proposes the result to a majority. There is no leader.",
		"One round trip; two where replicas disagree.",
		"TAPIR (SOSP'15)",
	},
	{
		"a majority of every participant's replicas votes Yes, and a majority of each then accepts the commit",
		"Every replica votes; the coordinator proposes a commit to all of them, and a majority of each participant's replicas accepts it.",
		"Always two round trips, each to a majority of the replicas.",
		"G-PAC (PVLDB 12(5), 2019) section 4",
	},
	{
		"leaders vote while they read, coordinator logs the writes and decides",
		"Leaders vote on a 2FI transaction while they read for it, and the coordinator logs its writes meanwhile.",
		"The client declares the records at the start; other transactions take a round for each step.",
		"Carousel Basic (SIGMOD'18)",
	},
}

func (c Policy) String() string { return texts[c].name }

// Explain returns the choice's meaning, cost and source.
func (c Policy) Explain() (meaning, cost, source string) {
	t := texts[c]
	return t.meaning, t.cost, t.source
}

// Logs reports whether the decision on an attempt of several participants is logged before any of
// them is notified.
func (c Policy) Logs() bool { return c == LoggedDecision }

// FixedSet reports whether leaders vote on 2FI transactions while they read.
func (c Policy) FixedSet() bool { return c == Carousel }

// LeaderDecides reports whether a participant's leader decides, and not the gateway.
func (c Policy) LeaderDecides() bool { return c == AtLeader || c == ThroughLeader }

// ForwardsPrepares reports whether the gateway asks the other leaders through that one.
func (c Policy) ForwardsPrepares() bool { return c == ThroughLeader }

// Bypasses reports whether replicas acknowledge votes past their leader.
func (c Policy) Bypasses() bool { return c == CoCoordinators || c == Participants }

// CoCoordinates reports whether replicas' acknowledgements reach the coordinator through the
// co-coordinators of their regions, which keep its decision for later queries.
func (c Policy) CoCoordinates() bool { return c == CoCoordinators }

// ParticipantsDecide reports whether the leaders of all participants count replicas'
// acknowledgements, and decide for themselves.
func (c Policy) ParticipantsDecide() bool { return c == Participants }

// CountsReplicaVotes reports whether replicas' votes are counted, and not leaders'.
func (c Policy) CountsReplicaVotes() bool {
	return c == FastWithLeader || c == FastUnanimous || c == FastQuorum || c == GPAC
}

// HasFastPath reports whether replicas' votes that agree count without a proposal.
func (c Policy) HasFastPath() bool { return c.CountsReplicaVotes() && c != GPAC }

// CoordinatorTimestamps reports whether the coordinator proposes an attempt's timestamp, so that
// all replicas validate the same; else each leader proposes its own.
func (c Policy) CoordinatorTimestamps() bool { return c.CountsReplicaVotes() }

// LeaderProposes reports whether the leader runs the slow path.
func (c Policy) LeaderProposes() bool { return c == FastWithLeader || c == FastUnanimous }

// AlwaysProposes reports whether the leader proposes whatever its result is.
func (c Policy) AlwaysProposes() bool { return c == FastWithLeader }

// UsesSlowPath reports whether a replica that finds a conflict notifies the leader.
func (c Policy) UsesSlowPath() bool { return c == FastUnanimous }

// FastPath returns how many of n replicas must agree for their answer to count immediately: so many
// that two fast paths and any majority have a replica in common. Then two opposite answers cannot
// both look decided to a majority asked afterwards. With n = 2f+1 it is f + ceil(f/2) + 1. Without
// a fast path it is more than n.
func (c Policy) FastPath(n int) int {
	switch c {
	case FastUnanimous:
		return n
	case GPAC:
		return n + 1
	}
	return n + 1 - (Majority(n)+1)/2
}

// FastPathPossible returns how many equal answers in a majority of n replicas mean that, with the
// others', they may have been a fast path; without a fast path, that they may have been proposed.
func (c Policy) FastPathPossible(n int) int {
	if !c.HasFastPath() {
		return Majority(n)
	}
	return c.FastPath(n) - (n - Majority(n))
}

// Majority is the size of a majority of n replicas.
func Majority(n int) int { return n/2 + 1 }
