package txn

// The messages of the integrated family, in which every replica of a
// participant validates by itself and no log orders the votes.
//
//	coordinator            every replica                    leader of the view
//	Prepare       ->                                        (as before)
//	              <-       ReplicaVote        each its own, on its disk
//	Accept        ->       Accepted           the slow path: the coordinator or the leader
//	                                          proposes the vote, and a majority accepts it
//	              <-                                         Vote
//	Decide        ->       DecideAck
//
// A view of a shard corresponds to a term of Raft: votes of replicas and acceptances count
// within one view, and a change of views settles undecided attempts.

// ValidationResult is the result of a replica's validation of an attempt.
type ValidationResult uint8

// The results. None means not validated.
const (
	ValidationNone    ValidationResult = iota
	ValidationOK                       // no conflict
	ValidationAbstain                  // conflict with an undecided transaction here
	ValidationRetry                    // conflict; a later timestamp would succeed
	ValidationNo                       // conflict with a committed transaction here
)

func (a ValidationResult) String() string {
	return [...]string{"none", "ok", "abstain", "retry", "no"}[a]
}

// ReplicaVote is one replica's answer to a Prepare. It is on the replica's disk and does not
// change within the view.
type ReplicaVote struct {
	Shard   ShardID          `cbor:"1,keyasint,omitempty"`
	Attempt Attempt          `cbor:"2,keyasint,omitempty"`
	Replica NodeID           `cbor:"3,keyasint,omitempty"`
	View    uint64           `cbor:"4,keyasint,omitempty"`
	Leads   bool             `cbor:"5,keyasint,omitempty"` // the replica leads the view
	Result  ValidationResult `cbor:"6,keyasint,omitempty"`
	Above   Timestamp        `cbor:"7,keyasint,omitempty"` // the least timestamp that succeeds here is above it
	Refused Kind             `cbor:"8,keyasint,omitempty"`
	Reason  string           `cbor:"9,keyasint,omitempty"`
	At      Timestamp        `cbor:"10,keyasint,omitempty"` // of the attempt
}

// SlowPathRequest asks the leader of a view to propose a vote, because the votes of the replicas
// differ or some are missing. It carries the Prepare in case the leader has not received it.
type SlowPathRequest struct {
	Shard   ShardID  `cbor:"1,keyasint,omitempty"`
	View    uint64   `cbor:"2,keyasint,omitempty"`
	Prepare *Prepare `cbor:"3,keyasint,omitempty"`
}

// Accept proposes, within a view, the shard's vote. At most one node proposes for an attempt:
// the leader of the view or the coordinator, as the protocol specifies.
type Accept struct {
	Shard   ShardID  `cbor:"1,keyasint,omitempty"`
	View    uint64   `cbor:"2,keyasint,omitempty"`
	Yes     bool     `cbor:"3,keyasint,omitempty"`
	Prepare *Prepare `cbor:"4,keyasint,omitempty"`
}

// Accepted reports that a replica has the proposal of the view on its disk.
type Accepted struct {
	Shard   ShardID   `cbor:"1,keyasint,omitempty"`
	Attempt Attempt   `cbor:"2,keyasint,omitempty"`
	View    uint64    `cbor:"3,keyasint,omitempty"`
	Replica NodeID    `cbor:"4,keyasint,omitempty"`
	Yes     bool      `cbor:"5,keyasint,omitempty"`
	At      Timestamp `cbor:"6,keyasint,omitempty"` // of the attempt
}

// Entry is a replica's state of an undecided attempt.
type Entry struct {
	Prepare Prepare          `cbor:"1,keyasint"`
	Result  ValidationResult `cbor:"2,keyasint,omitempty"`
	View    uint64           `cbor:"3,keyasint,omitempty"` // of the result
	// Final: Yes (true or false) was accepted or settled in View, and is not only this replica's vote.
	Final bool `cbor:"4,keyasint,omitempty"`
	Yes   bool `cbor:"5,keyasint,omitempty"`
	// Overtaken: a conflicting commit is known, with which the attempt cannot commit, whatever was
	// answered.
	Overtaken bool `cbor:"6,keyasint,omitempty"`
}

// DecidedEntry is a replica's state of a decided attempt, kept until the coordinator has
// reported that every participant knows the outcome. For a commit, Prepare holds its reads and
// writes.
type DecidedEntry struct {
	Attempt Attempt   `cbor:"1,keyasint,omitempty"`
	Result  Outcome   `cbor:"2,keyasint,omitempty"`
	At      Timestamp `cbor:"3,keyasint,omitempty"`
	Prepare *Prepare  `cbor:"4,keyasint,omitempty"`
}

// ChangeView asks every replica to enter a view in which the attempts of Fence are to be
// settled.
type ChangeView struct {
	Shard ShardID   `cbor:"1,keyasint,omitempty"`
	View  uint64    `cbor:"2,keyasint,omitempty"`
	Fence []Inquire `cbor:"3,keyasint,omitempty"`
}

// ViewRecord sends the leader of a new view the whole state of a replica. The
// replica has left all earlier views.
type ViewRecord struct {
	Shard   ShardID        `cbor:"1,keyasint,omitempty"`
	View    uint64         `cbor:"2,keyasint,omitempty"`
	Replica NodeID         `cbor:"3,keyasint,omitempty"`
	Normal  uint64         `cbor:"4,keyasint,omitempty"` // the last view in which it was active
	Entries []Entry        `cbor:"5,keyasint,omitempty"`
	Decided []DecidedEntry `cbor:"6,keyasint,omitempty"`
	Fence   []Inquire      `cbor:"7,keyasint,omitempty"`
}

// StartView starts a view with the state that its leader has merged from the records.
type StartView struct {
	Shard   ShardID        `cbor:"1,keyasint,omitempty"`
	View    uint64         `cbor:"2,keyasint,omitempty"`
	Entries []Entry        `cbor:"3,keyasint,omitempty"`
	Decided []DecidedEntry `cbor:"4,keyasint,omitempty"`
}

// AntiEntropyRequest asks another replica for what this one may lack: a newer view or
// decisions. View is the sender's; Count and Sum describe the decisions it has.
type AntiEntropyRequest struct {
	Shard ShardID `cbor:"1,keyasint,omitempty"`
	View  uint64  `cbor:"2,keyasint,omitempty"`
	Count int     `cbor:"3,keyasint,omitempty"`
	Sum   uint64  `cbor:"4,keyasint,omitempty"`
}

// AntiEntropyReply answers AntiEntropyRequest.
type AntiEntropyReply struct {
	Shard   ShardID        `cbor:"1,keyasint,omitempty"`
	Entries []DecidedEntry `cbor:"2,keyasint,omitempty"`
}
