package txn

// The messages of the integrated family, in which every replica of a
// participant validates for itself and no log orders what they do.
//
//	coordinator            every replica                    leader of the view
//	Prepare       ->                                        (as before)
//	              <-       Opinion            each for itself, on its disk
//	Accept        ->       Accepted           the slow path: one of them proposes
//	                                          what counts, and a majority takes it in
//	              <-                                         Vote
//	Decide        ->       DecideAck
//
// A view is to a shard of this family what a term is to raft: opinions and
// acceptances count within one view, and a change of views settles what is open.

// ValidationResult is a replica's opinion of an attempt.
type ValidationResult uint8

// The answers. None is no opinion at all.
const (
	ValidationNone    ValidationResult = iota
	ValidationOK                       // it fits with all that is known here
	ValidationAbstain                  // it does not fit with what is undecided here
	ValidationRetry                    // it would fit at a later timestamp
	ValidationNo                       // it does not fit with what is committed here
)

func (a ValidationResult) String() string {
	return [...]string{"none", "ok", "abstain", "retry", "no"}[a]
}

// ReplicaVote is one replica's answer to a Prepare. It is on its disk, and stays
// what it is within the view.
type ReplicaVote struct {
	Shard   ShardID          `cbor:"1,keyasint,omitempty"`
	Attempt Attempt          `cbor:"2,keyasint,omitempty"`
	Replica NodeID           `cbor:"3,keyasint,omitempty"`
	View    uint64           `cbor:"4,keyasint,omitempty"`
	Leads   bool             `cbor:"5,keyasint,omitempty"` // it leads the view
	Result  ValidationResult `cbor:"6,keyasint,omitempty"`
	Above   Timestamp        `cbor:"7,keyasint,omitempty"` // a timestamp must be above it to fit here
	Refused Kind             `cbor:"8,keyasint,omitempty"`
	Reason  string           `cbor:"9,keyasint,omitempty"`
	At      Timestamp        `cbor:"10,keyasint,omitempty"` // that of the attempt
}

// SlowPathRequest asks the leader of a view to propose what shall count: opinions of
// an attempt differ, or some do not come. It carries the Prepare, in case the
// leader has not got it.
type SlowPathRequest struct {
	Shard   ShardID  `cbor:"1,keyasint,omitempty"`
	View    uint64   `cbor:"2,keyasint,omitempty"`
	Prepare *Prepare `cbor:"3,keyasint,omitempty"`
}

// Accept proposes, within a view, what counts as the shard's vote. One proposes
// at most for an attempt: the leader of the view or the coordinator, as the row says.
type Accept struct {
	Shard   ShardID  `cbor:"1,keyasint,omitempty"`
	View    uint64   `cbor:"2,keyasint,omitempty"`
	Yes     bool     `cbor:"3,keyasint,omitempty"`
	Prepare *Prepare `cbor:"4,keyasint,omitempty"`
}

// Accepted says that a replica has on its disk what was proposed in the view.
type Accepted struct {
	Shard   ShardID   `cbor:"1,keyasint,omitempty"`
	Attempt Attempt   `cbor:"2,keyasint,omitempty"`
	View    uint64    `cbor:"3,keyasint,omitempty"`
	Replica NodeID    `cbor:"4,keyasint,omitempty"`
	Yes     bool      `cbor:"5,keyasint,omitempty"`
	At      Timestamp `cbor:"6,keyasint,omitempty"` // that of the attempt
}

// Entry is what a replica remembers of an attempt that is not decided.
type Entry struct {
	Prepare Prepare          `cbor:"1,keyasint"`
	Result  ValidationResult `cbor:"2,keyasint,omitempty"`
	View    uint64           `cbor:"3,keyasint,omitempty"` // in which that was said
	// Final: Yes (or not) was accepted or settled, in View; it is no mere opinion.
	Final bool `cbor:"4,keyasint,omitempty"`
	Yes   bool `cbor:"5,keyasint,omitempty"`
	// Overtaken: a commit is known with which it cannot count any more, whatever was
	// answered.
	Overtaken bool `cbor:"6,keyasint,omitempty"`
}

// DecidedEntry is what a replica remembers of an attempt that is decided, until the
// coordinator has said that everybody knows. Of a commit Prepare is what it
// read and wrote.
type DecidedEntry struct {
	Attempt Attempt   `cbor:"1,keyasint,omitempty"`
	Result  Outcome   `cbor:"2,keyasint,omitempty"`
	At      Timestamp `cbor:"3,keyasint,omitempty"`
	Prepare *Prepare  `cbor:"4,keyasint,omitempty"`
}

// ChangeView asks every replica to go over to a view, in which what Fence asks
// after is to be settled.
type ChangeView struct {
	Shard ShardID   `cbor:"1,keyasint,omitempty"`
	View  uint64    `cbor:"2,keyasint,omitempty"`
	Fence []Inquire `cbor:"3,keyasint,omitempty"`
}

// ViewRecord tells the leader of a new view all that a replica remembers. The
// replica has left the views before it.
type ViewRecord struct {
	Shard   ShardID        `cbor:"1,keyasint,omitempty"`
	View    uint64         `cbor:"2,keyasint,omitempty"`
	Replica NodeID         `cbor:"3,keyasint,omitempty"`
	Normal  uint64         `cbor:"4,keyasint,omitempty"` // the last view it took part in
	Entries []Entry        `cbor:"5,keyasint,omitempty"`
	Decided []DecidedEntry `cbor:"6,keyasint,omitempty"`
	Fence   []Inquire      `cbor:"7,keyasint,omitempty"`
}

// StartView begins a view, with what its leader has made of the records.
type StartView struct {
	Shard   ShardID        `cbor:"1,keyasint,omitempty"`
	View    uint64         `cbor:"2,keyasint,omitempty"`
	Entries []Entry        `cbor:"3,keyasint,omitempty"`
	Decided []DecidedEntry `cbor:"4,keyasint,omitempty"`
}

// AntiEntropyRequest asks another replica for what this one may have missed: a newer view,
// or endings. View is its own; Count and Sum describe the endings it remembers.
type AntiEntropyRequest struct {
	Shard ShardID `cbor:"1,keyasint,omitempty"`
	View  uint64  `cbor:"2,keyasint,omitempty"`
	Count int     `cbor:"3,keyasint,omitempty"`
	Sum   uint64  `cbor:"4,keyasint,omitempty"`
}

// AntiEntropyReply answers Compare.
type AntiEntropyReply struct {
	Shard   ShardID        `cbor:"1,keyasint,omitempty"`
	Entries []DecidedEntry `cbor:"2,keyasint,omitempty"`
}
