package txn

// The messages of co-coordinators (D2PC section 4). One node of each region is
// the co-coordinator of an attempt there. In the coordinator's region that is the
// coordinator's own node; the coordinator alone decides.
//
//	replica               co-coordinator of its region       coordinator
//	Ack            ->                                        entry on disk here
//	                      Ack                     ->         relayed
//	               <-     PreCommit                          all votes are Yes
//	leader
//	DependencyDecided                              ->         the writers it depends on are decided
//	                                              <-  Decision, QueryDecision

// Ack reports that a Yes vote is in a log. It carries the vote to the co-coordinator of the sender's
// region, and to the coordinator, without a detour over the leader, the fact that one more replica
// has the vote on its disk.
type Ack struct {
	Shard        ShardID   `cbor:"1,keyasint,omitempty"`
	Attempt      Attempt   `cbor:"2,keyasint,omitempty"`
	Txn          ID        `cbor:"3,keyasint,omitempty"`
	Participants []ShardID `cbor:"4,keyasint,omitempty"`
	Proposed     Timestamp `cbor:"5,keyasint,omitempty"`
	// Replica has the entry at Index, of Term, on its disk, and its durable term
	// was Term then. 0: the message is the vote alone.
	Replica NodeID `cbor:"6,keyasint,omitempty"`
	Term    uint64 `cbor:"7,keyasint,omitempty"`
	Index   uint64 `cbor:"8,keyasint,omitempty"`
	// The entry is committed when majorities of Voters, and of Outgoing if there are
	// any, have it: the members as known to its leader when it proposed the entry.
	Voters   []NodeID `cbor:"9,keyasint,omitempty"`
	Outgoing []NodeID `cbor:"10,keyasint,omitempty"`
	// As in a Vote.
	Open           bool `cbor:"11,keyasint,omitempty"`
	AwaitsDecision bool `cbor:"12,keyasint,omitempty"`
	// No: the leader refused. Only No and Participants are set then.
	No bool `cbor:"13,keyasint,omitempty"`
	// Region is the transaction's priority.
	Region RegionPriority `cbor:"14,keyasint,omitempty"`
}

// PreCommit notifies a leader that every participant has voted Yes: the serial
// order is fixed, and At will be the timestamp if the attempt commits.
type PreCommit struct {
	Shard   ShardID   `cbor:"1,keyasint,omitempty"`
	Attempt Attempt   `cbor:"2,keyasint,omitempty"`
	Txn     ID        `cbor:"3,keyasint,omitempty"`
	At      Timestamp `cbor:"4,keyasint,omitempty"`
}

// DependencyDecided notifies a coordinator that all undecided writers that the attempt had read at
// the shard are committed or, if Doomed, that one of them aborted.
type DependencyDecided struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Attempt Attempt `cbor:"2,keyasint,omitempty"`
	Doomed  bool    `cbor:"3,keyasint,omitempty"`
	// Assumed: the message is about the attempts whose abort its vote assumes: all aborted or, Doomed, one committed.
	Assumed bool `cbor:"41,keyasint,omitempty"`
}

// QueryDecision asks a co-coordinator for the decision of an attempt.
type QueryDecision struct {
	Attempt Attempt `cbor:"1,keyasint,omitempty"`
}

// Decision notifies a co-coordinator of an attempt's outcome, or answers QueryDecision. Where a leader
// gathers the votes, it notifies the gateway.
type Decision struct {
	Attempt Attempt   `cbor:"1,keyasint,omitempty"`
	Commit  bool      `cbor:"2,keyasint,omitempty"`
	At      Timestamp `cbor:"3,keyasint,omitempty"`
	// Of an abort: the contents of the first No.
	Refused Kind   `cbor:"4,keyasint,omitempty"`
	Reason  string `cbor:"5,keyasint,omitempty"`
	Cause   Cause  `cbor:"6,keyasint,omitempty"`
	Known   bool   `cbor:"7,keyasint,omitempty"` // every participant has acknowledged the outcome
}
