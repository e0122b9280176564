package txn

// The messages of distributed deadlock detection. The algorithm is in package
// yield (deadlock_detector.go).
//
//	leader                coordinator           another leader
//	DeadlockProbe   ->                                             where does the holder wait?
//	                      DeadlockProbe   ->                       it waits at your shard
//	                      DeadlockProbe   <-                       and there for this transaction
//	                                         DeadlockConfirm ->    are all these waits still valid?

// WaitEdge is one wait as a leader sees it: request Request of Txn waits at the shard for
// For. Leader is the leader of Term, and the numbers are its own. An edge seen again with
// the same Request and Tenure has existed without interruption in between.
type WaitEdge struct {
	Txn     ID      `cbor:"1,keyasint,omitempty"`
	Shard   ShardID `cbor:"2,keyasint,omitempty"`
	Leader  NodeID  `cbor:"3,keyasint,omitempty"`
	Term    uint64  `cbor:"4,keyasint,omitempty"`
	Request uint64  `cbor:"5,keyasint,omitempty"`
	For     ID      `cbor:"6,keyasint,omitempty"`
	// Tenure numbers the conflicting locks of For there; it changes when For releases any of them.
	Tenure uint64 `cbor:"7,keyasint,omitempty"`
	// Cascades: Txn has read an uncommitted value of For and aborts with it.
	Cascades bool `cbor:"8,keyasint,omitempty"`
}

// DeadlockProbe follows waits from Start, the youngest transaction of the suspected deadlock. Shard 0
// asks the coordinator of Txn where Txn waits; any other shard asks that shard's leader which
// transactions Txn waits for there. Best effort: a lost probe is sent again later.
type DeadlockProbe struct {
	Shard ShardID `cbor:"1,keyasint,omitempty"`
	Txn   ID      `cbor:"2,keyasint,omitempty"`
	Start ID      `cbor:"3,keyasint,omitempty"`
	Age   Age     `cbor:"4,keyasint,omitempty"` // of Start
	// Path are the waits from Start to Txn; none at first.
	Path []WaitEdge `cbor:"5,keyasint,omitempty"`
	// Into are waits for Start, as seen where the probe started.
	Into []WaitEdge `cbor:"6,keyasint,omitempty"`
	// Budget is the number of messages that may follow from this one.
	Budget int `cbor:"7,keyasint,omitempty"`
	// VisitedShard is a shard at which the waits of Txn were already followed.
	VisitedShard ShardID `cbor:"8,keyasint,omitempty"`
	// Round counts the probes of Start: if not all waits can be followed, the next round follows others.
	Round int `cbor:"9,keyasint,omitempty"`
}

// The bounds of a probe.
const (
	DeadlockProbePathMax   = 16 // waits of a deadlock that can be found
	DeadlockProbeIntoMax   = 8
	DeadlockProbeBudgetMax = 64
)

// WellFormed reports whether the probe is within its bounds.
func (m *DeadlockProbe) WellFormed() bool {
	return len(m.Path) <= DeadlockProbePathMax && len(m.Into) <= DeadlockProbeIntoMax && m.Budget >= 0 && m.Budget <= DeadlockProbeBudgetMax && m.Round >= 0
}

// Share divides the budget among n messages: sent of them can be sent, and each of these may
// spend each further messages.
func (m *DeadlockProbe) Share(n int) (sent, each int) {
	sent = min(n, m.Budget)
	if sent == 0 {
		return 0, 0
	}
	return sent, (m.Budget - sent) / sent
}

// DeadlockConfirm checks the waits of a cycle a second time, shard by shard. The leader of
// Shard checks the edges it reported. If all still exist, it forwards the message along Route
// or, at the end of Route, aborts the victim's wait.
type DeadlockConfirm struct {
	Shard  ShardID    `cbor:"1,keyasint,omitempty"`
	Cycle  []WaitEdge `cbor:"2,keyasint,omitempty"`
	Victim int        `cbor:"3,keyasint,omitempty"` // index in Cycle of the wait to abort
	Route  []ShardID  `cbor:"4,keyasint,omitempty"` // shards to ask after Shard
}

// WellFormed reports whether the edges form a cycle: each waits for the next, the last
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

// ReportCycle describes a cycle of waits for a trace.
func ReportCycle(cycle []WaitEdge) string {
	text := cycle[0].Txn.String() + " waits for "
	for _, e := range cycle[1:] {
		text += e.Txn.String() + ", which waits for "
	}
	return text + cycle[0].Txn.String()
}
