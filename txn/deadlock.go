package txn

// The messages that look for deadlocks over several shards. The rule is in package
// yield (chase.go).
//
//	leader                coordinator           another leader
//	Chase           ->                                             what does it wait for?
//	                      Chase           ->                       it waits at your shard
//	                      Chase           <-                       and there for this one
//	                                            Recheck   ->       does all of it still stand?

// WaitEdge is one wait as a leader sees it: the request Request of Txn waits at the
// shard for For. Leader, of Term, sees it; its numbers are its own. An edge that is seen
// again with the same Request and Tenure has stood all the time between.
type WaitEdge struct {
	Txn     ID      `cbor:"1,keyasint,omitempty"`
	Shard   ShardID `cbor:"2,keyasint,omitempty"`
	Leader  NodeID  `cbor:"3,keyasint,omitempty"`
	Term    uint64  `cbor:"4,keyasint,omitempty"`
	Request uint64  `cbor:"5,keyasint,omitempty"`
	For     ID      `cbor:"6,keyasint,omitempty"`
	// Tenure numbers what For has there that is in the way; it changes when For lets
	// go of any of it.
	Tenure uint64 `cbor:"7,keyasint,omitempty"`
	// Cascades: Txn has gone on from a value of For, and is undone with it.
	Cascades bool `cbor:"8,keyasint,omitempty"`
}

// DeadlockProbe follows waits from Start, the youngest of the deadlock that is looked for. Shard 0
// asks the coordinator of Txn where that waits; else it asks the leader of the shard
// for whom Txn waits there. Best effort: one that is lost is sent again later.
type DeadlockProbe struct {
	Shard ShardID `cbor:"1,keyasint,omitempty"`
	Txn   ID      `cbor:"2,keyasint,omitempty"`
	Start ID      `cbor:"3,keyasint,omitempty"`
	Age   Age     `cbor:"4,keyasint,omitempty"` // of Start
	// Path are the waits from Start to Txn; none at first.
	Path []WaitEdge `cbor:"5,keyasint,omitempty"`
	// Into are waits for Start, as seen where the chase began.
	Into []WaitEdge `cbor:"6,keyasint,omitempty"`
	// Budget is how many messages may follow from this one.
	Budget int `cbor:"7,keyasint,omitempty"`
	// VisitedShard is a shard where what Txn waits for was looked at already.
	VisitedShard ShardID `cbor:"8,keyasint,omitempty"`
	// Round counts the chases of Start: where not all can be followed, others are next time.
	Round int `cbor:"9,keyasint,omitempty"`
}

// The bounds of a chase.
const (
	DeadlockProbePathMax   = 16 // waits of a deadlock that can be found
	DeadlockProbeIntoMax   = 8
	DeadlockProbeBudgetMax = 64
)

// WellFormed reports whether the chase is within its bounds.
func (m *DeadlockProbe) WellFormed() bool {
	return len(m.Path) <= DeadlockProbePathMax && len(m.Into) <= DeadlockProbeIntoMax && m.Budget >= 0 && m.Budget <= DeadlockProbeBudgetMax && m.Round >= 0
}

// Share divides the budget among n messages: how many of them can be sent, and what
// each may spend further.
func (m *DeadlockProbe) Share(n int) (sent, each int) {
	sent = min(n, m.Budget)
	if sent == 0 {
		return 0, 0
	}
	return sent, (m.Budget - sent) / sent
}

// DeadlockConfirm goes over the waits of a cycle a second time, shard by shard. The leader of
// Shard looks at those that it has told of; if all still stand it passes the message on
// along Route or, at its end, ends the wait of the victim.
type DeadlockConfirm struct {
	Shard  ShardID    `cbor:"1,keyasint,omitempty"`
	Cycle  []WaitEdge `cbor:"2,keyasint,omitempty"`
	Victim int        `cbor:"3,keyasint,omitempty"` // whose wait, of Cycle, is ended
	Route  []ShardID  `cbor:"4,keyasint,omitempty"` // still to be asked after Shard
}

// WellFormed reports whether the message tells of a cycle: each waits for the next, the last
// for the first.
func (m *DeadlockConfirm) WellFormed() bool {
	n := len(m.Cycle)
	if n < 2 || n > DeadlockProbePathMax+2 || m.Victim < 0 || m.Victim >= n || len(m.Route) > n {
		return false
	}
	for i, e := range m.Cycle {
		if e.For != m.Cycle[(i+1)%n].Txn {
			return false
		}
	}
	return true
}

// ReportCycle words a cycle of waits for whoever reads a trace.
func ReportCycle(cycle []WaitEdge) string {
	text := cycle[0].Txn.String() + " waits for "
	for _, e := range cycle[1:] {
		text += e.Txn.String() + ", which waits for "
	}
	return text + cycle[0].Txn.String()
}
