package decide

// Policy is a row's choice of who tells whom.
type Policy uint8

// The choices.
const (
	// Unset is no choice; a row of the table that has it takes another's.
	Unset Policy = iota
	// LeaderVotes: each leader votes to the coordinator once its vote is
	// replicated; the coordinator decides and does not log (votes are recoverable).
	LeaderVotes
	// CoCoordinators: as LeaderVotes, and replicas acknowledge votes past their
	// leader, through the co-coordinator of their region, to the coordinator
	// (D2PC sections 3.3 and 4.1).
	CoCoordinators
	// Participants: as LeaderVotes, and replicas acknowledge votes past their leader, to the
	// coordinator and to the leader of every participant; each of these counts them, and
	// decides for itself (R4, SoCC'24, reductions 1 and 3).
	Participants
	// AtLeader: as LeaderVotes, but the votes go to the leader of one participant, whose node
	// decides, tells the others and the gateway (D2PC section 2.2, figure 1).
	AtLeader
	// ThroughLeader: as AtLeader, and what is asked of the others goes through that node too,
	// half a round trip more (the public prototype of D2PC, in one of its modes).
	ThroughLeader
	// LoggedDecision: as LeaderVotes, and the coordinator has its decision logged in a
	// shard before anybody is told: then it need not follow from the votes, and a
	// participant may be one whose votes nobody can look up (a foreign database).
	LoggedDecision
	// FastWithLeader: every replica validates and answers the coordinator. What the
	// leader and most of the others agree on counts at once; meanwhile the leader
	// has a majority take in its own answer, which counts else (Carousel).
	FastWithLeader
	// FastUnanimous: as FastWithLeader, but all must agree, and the leader is only
	// asked to settle what is in dispute (STARRY).
	FastUnanimous
	// FastQuorum: as FastWithLeader, without a leader: the coordinator itself has a
	// majority take in what counts when too few agree (TAPIR).
	FastQuorum
	// GPAC: every replica validates and votes to the coordinator. When a majority of every
	// participant's replicas has voted Yes it proposes the commit to all of them, and commits when
	// a majority of each has taken that in: two round trips, none to a leader (G-PAC, PVLDB
	// 12(5), 2019, section 4: value discovery and fault-tolerant agreement).
	GPAC
	// Carousel: as LeaderVotes; and of a declared transaction leaders vote while they read for
	// it, and meanwhile the coordinator has logged what it writes (Carousel Basic, SIGMOD'18).
	Carousel
)

func (c Policy) String() string {
	return [...]string{
		"unset", "leaders vote, coordinator decides", "replicas acknowledge to co-coordinators, coordinator decides",
		"replicas acknowledge to the coordinator and the leaders of all participants, and each of these decides",
		"leaders vote to the leader of one of them, which decides",
		"all is sent to the leader of one of them, which asks the others and decides",
		"leaders vote, coordinator decides and has that logged before it tells anybody",
		"leader and most replicas agree, else the leader's replicated answer", "all replicas agree, else the leader settles the dispute",
		"most replicas agree, else the coordinator has a majority accept",
		"a majority of every participant's replicas votes Yes, and a majority of each then accepts the commit",
		"leaders vote as they read, coordinator has the writes logged and decides",
	}[c]
}

// Logs reports whether the decision on an attempt of several participants is logged
// before anybody is told.
func (c Policy) Logs() bool { return c == LoggedDecision }

// FixedSet reports whether declared transactions are voted on while they are read.
func (c Policy) FixedSet() bool { return c == Carousel }

// LeaderDecides reports whether a participant's leader decides, and not the gateway.
func (c Policy) LeaderDecides() bool { return c == AtLeader || c == ThroughLeader }

// PassesOn reports whether the gateway asks the other leaders through that one.
func (c Policy) PassesOn() bool { return c == ThroughLeader }

// Bypasses reports whether replicas acknowledge votes past their leader.
func (c Policy) Bypasses() bool { return c == CoCoordinators || c == Participants }

// CoCoordinates reports whether what replicas acknowledge reaches the coordinator through the
// co-coordinators of their regions, who keep its decision for those who ask.
func (c Policy) CoCoordinates() bool { return c == CoCoordinators }

// ParticipantsDecide reports whether the leaders of all participants count what replicas
// acknowledge, and decide for themselves.
func (c Policy) ParticipantsDecide() bool { return c == Participants }

// CountsOpinions reports whether what replicas say is counted, and not what leaders vote.
func (c Policy) CountsOpinions() bool {
	return c == FastWithLeader || c == FastUnanimous || c == FastQuorum || c == GPAC
}

// HasFastPath reports whether opinions that agree count without being proposed.
func (c Policy) HasFastPath() bool { return c.CountsOpinions() && c != GPAC }

// CoordinatorTimestamps reports whether the coordinator proposes the timestamp of an attempt, so that all
// who validate it compare the same thing; else leaders propose, each its own.
func (c Policy) CoordinatorTimestamps() bool { return c.CountsOpinions() }

// LeaderProposes reports whether the slow path is the leader's.
func (c Policy) LeaderProposes() bool { return c == FastWithLeader || c == FastUnanimous }

// ProposesAtOnce reports whether the leader proposes whatever it finds.
func (c Policy) ProposesAtOnce() bool { return c == FastWithLeader }

// UsesSlowPath reports whether a replica that finds a conflict tells the leader.
func (c Policy) UsesSlowPath() bool { return c == FastUnanimous }

// FastPath is how many of n replicas must agree for their answer to count at
// once: so many that two fast paths and any majority have a replica in common.
// Then no two opposite answers can look as if they had counted to a majority that
// asks afterwards. With n = 2f+1 it is f + ceil(f/2) + 1. Where there is no fast path it is
// more than there are.
func (c Policy) FastPath(n int) int {
	switch c {
	case FastUnanimous:
		return n
	case GPAC:
		return n + 1
	}
	return n + 1 - (Majority(n)+1)/2
}

// FastPathPossible is how many equal answers in a majority of n replicas mean that the
// others may have made a fast path of them; without a fast path, that they may be proposed.
func (c Policy) FastPathPossible(n int) int {
	if !c.HasFastPath() {
		return Majority(n)
	}
	return c.FastPath(n) - (n - Majority(n))
}

// Majority of n replicas.
func Majority(n int) int { return n/2 + 1 }
