package txn

// The messages of co-coordinators (D2PC section 4). One node of each region is
// the co-coordinator of an attempt there; the coordinator's own node is that of
// its region, and alone decides.
//
//	replica               co-coordinator of its region       coordinator
//	Ack            ->                                        entry on disk here
//	                      Ack                     ->         relayed
//	               <-     PreCommit                          all votes are Yes
//	leader
//	Resolved                                       ->         what it read is committed
//	                                              <-  Decision, Recall

// Ack says that a vote of Yes stands in a log: it carries the vote to the
// co-coordinator of the sender's region, and past the leader to the coordinator
// the news that one more replica has it on its disk.
type Ack struct {
	Shard        ShardID   `cbor:"1,keyasint,omitempty"`
	Attempt      Attempt   `cbor:"2,keyasint,omitempty"`
	Txn          ID        `cbor:"3,keyasint,omitempty"`
	Participants []ShardID `cbor:"4,keyasint,omitempty"`
	Proposed     Timestamp `cbor:"5,keyasint,omitempty"`
	// Replica has the entry at Index, of Term, on its disk, and its durable term
	// was Term then. 0: this is the vote alone.
	Replica NodeID `cbor:"6,keyasint,omitempty"`
	Term    uint64 `cbor:"7,keyasint,omitempty"`
	Index   uint64 `cbor:"8,keyasint,omitempty"`
	// The entry is committed when majorities of Voters, and of Outgoing if there
	// are any, have it: the members as its leader knew them when it proposed it.
	Voters   []NodeID `cbor:"9,keyasint,omitempty"`
	Outgoing []NodeID `cbor:"10,keyasint,omitempty"`
	// As in a Vote.
	Open           bool `cbor:"11,keyasint,omitempty"`
	AwaitsDecision bool `cbor:"12,keyasint,omitempty"`
	// No: the leader refused. Nothing else is said but who takes part.
	No bool `cbor:"13,keyasint,omitempty"`
	// Region is that of the transaction.
	Region RegionPriority `cbor:"14,keyasint,omitempty"`
}

// PreCommit tells a leader that every participant has voted Yes: the serial
// order is fixed, and At will be the timestamp if the attempt commits.
type PreCommit struct {
	Shard   ShardID   `cbor:"1,keyasint,omitempty"`
	Attempt Attempt   `cbor:"2,keyasint,omitempty"`
	Txn     ID        `cbor:"3,keyasint,omitempty"`
	At      Timestamp `cbor:"4,keyasint,omitempty"`
}

// DependencyDecided tells a coordinator that all that the attempt had read at the shard
// from undecided writers is committed or, Doomed, that some of it is not.
type DependencyDecided struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Attempt Attempt `cbor:"2,keyasint,omitempty"`
	Doomed  bool    `cbor:"3,keyasint,omitempty"`
	// Assumed: it is about those on whose abort its vote rests, which have all aborted, or not.
	Assumed bool `cbor:"41,keyasint,omitempty"`
}

// QueryDecision asks a co-coordinator whether it has heard how an attempt ended.
type QueryDecision struct {
	Attempt Attempt `cbor:"1,keyasint,omitempty"`
}

// Decision tells a co-coordinator how an attempt ended, or answers Recall. Where a leader
// gathered the votes it tells the gateway.
type Decision struct {
	Attempt Attempt   `cbor:"1,keyasint,omitempty"`
	Commit  bool      `cbor:"2,keyasint,omitempty"`
	At      Timestamp `cbor:"3,keyasint,omitempty"`
	// Of an abort, what the first No said.
	Refused Kind   `cbor:"4,keyasint,omitempty"`
	Reason  string `cbor:"5,keyasint,omitempty"`
	Cause   Cause  `cbor:"6,keyasint,omitempty"`
	Known   bool   `cbor:"7,keyasint,omitempty"` // every participant has the end
}
