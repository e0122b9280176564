package decide

// Choice is a row's choice of who tells whom.
type Choice uint8

// The choices.
const (
	// LeaderVotes: each leader votes to the coordinator once its vote is
	// replicated; the coordinator decides and does not log (votes are recoverable).
	LeaderVotes Choice = iota
	// CoCoordinators: as LeaderVotes, and replicas acknowledge votes past their
	// leader, through the co-coordinator of their region, to the coordinator
	// (D2PC sections 3.3 and 4.1).
	CoCoordinators
)

func (c Choice) String() string {
	return [...]string{"leaders vote, coordinator decides", "replicas acknowledge to co-coordinators, coordinator decides"}[c]
}

// Bypasses reports whether replicas acknowledge votes past their leader.
func (c Choice) Bypasses() bool { return c == CoCoordinators }
