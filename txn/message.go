package txn

import "bytes"

// Message is everything one node says to another: exactly one field is set.
// The narrated life of a transaction that these messages carry:
//
//	coordinator            shard leader
//	Access        ->                          reads, with locks if asked
//	              <-       AccessReply
//	Reserve       ->                          what was read before, where rows are reserved
//	Publish       ->                          of hot rows, what is not committed yet
//	Prepare       ->                          concurrency control, then the log
//	              <-       Vote               after a majority has the vote
//	Decide        ->                          reveal, release, log
//	              <-       DecideAck          after a majority has the decision
//
// Where co-coordinators take part (cocoordinate.go), replicas acknowledge votes
// to them, and they let the leaders of their region end the contention span early.
// Where every replica validates for itself there is more to say (integrated.go).
//
// Leaders that have somebody wait for long look for deadlocks with others (deadlock.go).
//
// Whoever does not know how an attempt ended sends Inquire, which a leader
// answers from the log alone, writing a fence there if it finds no vote.
type Message struct {
	Raft               *Raft               `cbor:"1,keyasint,omitempty"`
	Access             *Access             `cbor:"2,keyasint,omitempty"`
	AccessReply        *AccessReply        `cbor:"3,keyasint,omitempty"`
	Prepare            *Prepare            `cbor:"4,keyasint,omitempty"`
	Vote               *Vote               `cbor:"5,keyasint,omitempty"`
	Decide             *Decide             `cbor:"6,keyasint,omitempty"`
	DecideAck          *DecideAck          `cbor:"7,keyasint,omitempty"`
	Inquire            *Inquire            `cbor:"8,keyasint,omitempty"`
	InquireReply       *InquireReply       `cbor:"9,keyasint,omitempty"`
	Release            *Release            `cbor:"10,keyasint,omitempty"`
	Wounded            *Wounded            `cbor:"11,keyasint,omitempty"`
	TxnStatusQuery     *TxnStatusQuery     `cbor:"12,keyasint,omitempty"`
	TxnStatusReply     *TxnStatusReply     `cbor:"13,keyasint,omitempty"`
	NotLeader          *NotLeader          `cbor:"14,keyasint,omitempty"`
	SnapFetch          *SnapFetch          `cbor:"15,keyasint,omitempty"`
	SnapChunk          *SnapChunk          `cbor:"16,keyasint,omitempty"`
	Ack                *Ack                `cbor:"17,keyasint,omitempty"`
	PreCommit          *PreCommit          `cbor:"18,keyasint,omitempty"`
	DependencyDecided  *DependencyDecided  `cbor:"19,keyasint,omitempty"`
	QueryDecision      *QueryDecision      `cbor:"20,keyasint,omitempty"`
	Decision           *Decision           `cbor:"21,keyasint,omitempty"`
	ReplicaVote        *ReplicaVote        `cbor:"22,keyasint,omitempty"`
	SlowPathRequest    *SlowPathRequest    `cbor:"23,keyasint,omitempty"`
	Accept             *Accept             `cbor:"24,keyasint,omitempty"`
	Accepted           *Accepted           `cbor:"25,keyasint,omitempty"`
	ChangeView         *ChangeView         `cbor:"26,keyasint,omitempty"`
	ViewRecord         *ViewRecord         `cbor:"27,keyasint,omitempty"`
	StartView          *StartView          `cbor:"28,keyasint,omitempty"`
	AntiEntropyRequest *AntiEntropyRequest `cbor:"29,keyasint,omitempty"`
	AntiEntropyReply   *AntiEntropyReply   `cbor:"30,keyasint,omitempty"`
	Publish            *Publish            `cbor:"31,keyasint,omitempty"`
	ContentionQuery    *ContentionQuery    `cbor:"32,keyasint,omitempty"`
	ContentionReply    *ContentionReply    `cbor:"33,keyasint,omitempty"`
	DeadlockProbe      *DeadlockProbe      `cbor:"34,keyasint,omitempty"`
	DeadlockConfirm    *DeadlockConfirm    `cbor:"35,keyasint,omitempty"`
	Drained            *Drained            `cbor:"48,keyasint,omitempty"`
	SourceQuery        *SourceQuery        `cbor:"49,keyasint,omitempty"`
	SourceReply        *SourceReply        `cbor:"50,keyasint,omitempty"`
	Reserve            *Reserve            `cbor:"51,keyasint,omitempty"`
	FixedSetReads      *FixedSetReads      `cbor:"60,keyasint,omitempty"`
	Forward            *Forward            `cbor:"61,keyasint,omitempty"`
}

// Raft carries one raft message of a shard. SentNanos is the sender's
// monotonic time on messages of a leader; a follower sends the latest stamp
// back as EchoNanos: it promised not to elect another for one election timeout
// after it heard that stamp, which is what a leader's lease rests on.
type Raft struct {
	Shard     ShardID `cbor:"1,keyasint,omitempty"`
	Data      []byte  `cbor:"2,keyasint,omitempty"` // raftpb.Message
	SentNanos int64   `cbor:"3,keyasint,omitempty"`
	EchoNanos int64   `cbor:"4,keyasint,omitempty"`
	Draining  bool    `cbor:"5,keyasint,omitempty"` // of a follower: it will not lead
	Gone      bool    `cbor:"6,keyasint,omitempty"` // without Data: the receiver is a member no more
	// Lost, without Data: the sender, which has no vote, has lost all that it had acknowledged.
	Lost bool `cbor:"7,keyasint,omitempty"`
	// Committed, without Data: the entry of this index and of CommittedTerm is committed.
	Committed     uint64 `cbor:"8,keyasint,omitempty"`
	CommittedTerm uint64 `cbor:"9,keyasint,omitempty"`
	// Body is the same, a *raftpb.Message, instead of Data: for a receiver in this process. Nobody changes it.
	Body any `cbor:"-"`
}

// Access is one round's reads at one shard. Any replica answers it when Nearest
// is set, from its applied state; else the leader alone.
type Access struct {
	Shard      ShardID `cbor:"1,keyasint,omitempty"`
	Request    uint64  `cbor:"2,keyasint,omitempty"` // echoed in the reply
	Txn        ID      `cbor:"3,keyasint,omitempty"`
	Age        Age     `cbor:"4,keyasint,omitempty"`
	Keys       []Key   `cbor:"5,keyasint,omitempty"`
	Scans      []Scan  `cbor:"6,keyasint,omitempty"`
	Lock       Lock    `cbor:"7,keyasint,omitempty"`
	Wait       Wait    `cbor:"8,keyasint,omitempty"`
	Nearest    bool    `cbor:"9,keyasint,omitempty"`
	OnlyRead   bool    `cbor:"10,keyasint,omitempty"` // needs the lease: the answer will not be validated
	WaitMillis int64   `cbor:"11,keyasint,omitempty"` // bound of a wait for a lock
	// SchemaChecks are checked by a leader that answers a Final read, and by who answers a
	// read at a moment as they stood then.
	SchemaChecks []ReadCheck `cbor:"12,keyasint,omitempty"`
	// AsOf, if not 0, asks for the rows as they stood at that moment: all commits
	// up to it and none after. It takes no locks. ProtectMillis asks that the
	// versions of that moment be kept for so long.
	AsOf          Timestamp `cbor:"13,keyasint,omitempty"`
	ProtectMillis int64     `cbor:"14,keyasint,omitempty"`
	// WantReadTS asks for nothing but a moment that is not before any commit here
	// that was acknowledged to anybody.
	WantReadTS bool `cbor:"15,keyasint,omitempty"`
	// HoldsNothing: the transaction holds nothing anywhere and asks for nothing else now.
	HoldsNothing bool `cbor:"16,keyasint,omitempty"`
	// Since, if not 0, refuses a read with locks that meets something written after
	// that moment, a deletion too.
	Since Timestamp `cbor:"17,keyasint,omitempty"`
	// Clock asks for a moment in the answer that is not before anything shown in it.
	Clock bool `cbor:"18,keyasint,omitempty"`
	// WaitsOnlyHere: the transaction asks no other shard now, so it waits nowhere else.
	WaitsOnlyHere bool `cbor:"19,keyasint,omitempty"`
	// ProtocolSeq is under which protocol the transaction runs: see Drained.
	ProtocolSeq uint64 `cbor:"23,keyasint,omitempty"`
	// CommittedOnly: it goes on from committed values alone, for it was undone too often with others.
	CommittedOnly bool `cbor:"20,keyasint,omitempty"`
	// Reserves: what is read is reserved, with the priority of Age (Bonspiel section 3.1.2).
	Reserves bool `cbor:"25,keyasint,omitempty"`
	// Batch is for a source, in place of all that is read.
	Batch *StatementBatch `cbor:"24,keyasint,omitempty"`
	// Temperatures asks how often what is read is updated: the gateway has no replica of it.
	Temperatures bool `cbor:"28,keyasint,omitempty"`
}

// WarmKey is a record that is updated often.
type WarmKey struct {
	Key          Key    `cbor:"1,keyasint,omitempty"`
	MilliUpdates uint64 `cbor:"2,keyasint,omitempty"` // in a thousand seconds, of late
}

// WarmMax bounds the records of which one answer tells.
const WarmMax = 64

// Reserve reserves what a transaction read before it was known to touch several regions, as an
// Access does for what it reads. Nobody answers, and where it is lost the rows are not reserved.
type Reserve struct {
	Shard ShardID `cbor:"1,keyasint,omitempty"`
	Txn   ID      `cbor:"2,keyasint,omitempty"`
	Age   Age     `cbor:"3,keyasint,omitempty"`
	Keys  []Key   `cbor:"4,keyasint,omitempty"`
	Spans []Span  `cbor:"5,keyasint,omitempty"`
}

// Row is a row as read. A row that does not exist, deleted or never written, has
// Value nil and Version zero.
type Row struct {
	Key     Key     `cbor:"1,keyasint,omitempty"`
	Value   []byte  `cbor:"2,keyasint,omitempty"`
	Version Version `cbor:"3,keyasint,omitempty"`
}

// ScanRows answers one Scan: live rows in the order asked. More says that the
// scan stopped at its limit (or the bound of one answer) before the span's end;
// it covers the keys up to its last row only.
type ScanRows struct {
	Rows []Row `cbor:"1,keyasint,omitempty"`
	More bool  `cbor:"2,keyasint,omitempty"`
}

// AccessReply answers Access. If Refused is set, nothing else is.
type AccessReply struct {
	Shard   ShardID    `cbor:"1,keyasint,omitempty"`
	Request uint64     `cbor:"2,keyasint,omitempty"`
	Rows    []Row      `cbor:"3,keyasint,omitempty"` // one for each key asked
	Scans   []ScanRows `cbor:"4,keyasint,omitempty"`
	// HasUndecidedWrite: a write of an undecided attempt lies on something asked for, and
	// the answer is from before it. Only a nearest read says so; a leader waits.
	HasUndecidedWrite bool   `cbor:"5,keyasint,omitempty"`
	Refused           Kind   `cbor:"6,keyasint,omitempty"`
	Reason            string `cbor:"7,keyasint,omitempty"`
	Term              uint64 `cbor:"8,keyasint,omitempty"` // of the leader that answered; locks were granted in it
	OnlyRead          bool   `cbor:"9,keyasint,omitempty"` // linearizable as it stands
	// WaitedNanos is how long the request waited for locks, WaitedFor who held them last.
	WaitedNanos int64     `cbor:"10,keyasint,omitempty"`
	WaitedFor   ID        `cbor:"11,keyasint,omitempty"`
	At          Timestamp `cbor:"12,keyasint,omitempty"` // answers Present and Clock
	// Publish are rows, granted exclusively, for which others wait: see Publish.
	Publish []Key `cbor:"13,keyasint,omitempty"`
	// Uncommitted: some of it has been passed on, and may yet be undone. Its reader
	// cannot vouch for it by versions alone: whatever it wrote or not, it has to vote.
	Uncommitted bool  `cbor:"14,keyasint,omitempty"`
	Cause       Cause `cbor:"15,keyasint,omitempty"` // of a refusal
	// ProtocolSeq, of a refusal: under which protocol the shard is.
	ProtocolSeq uint64 `cbor:"23,keyasint,omitempty"`
	// Batch answers Work. A refusal has it too if a source said why.
	Batch *BatchResult `cbor:"24,keyasint,omitempty"`
	// Warm answers Temperatures: of what was asked for, records that were updated more than once
	// of late, at most WarmMax.
	Warm []WarmKey `cbor:"28,keyasint,omitempty"`
	// Leases are those of Rows, in their order, where rows have leases. Leased is at or above the
	// ends of all leases of the shard, in an answer to Scans.
	Leases []Lease   `cbor:"62,keyasint,omitempty"`
	Leased Timestamp `cbor:"63,keyasint,omitempty"`
}

// ReadCheck is a row that was read and must still have this version.
type ReadCheck struct {
	Key     Key     `cbor:"1,keyasint,omitempty"`
	Version Version `cbor:"2,keyasint,omitempty"`
}

// SpanCheck is a span that was read and must still hold the same versions of
// the same live rows: Digest is over them, in key order.
type SpanCheck struct {
	Span   Span   `cbor:"1,keyasint,omitempty"`
	Digest uint64 `cbor:"2,keyasint,omitempty"`
	Count  int    `cbor:"3,keyasint,omitempty"`
	// From, where rows have leases, is at or above the beginnings of all of them when it was read.
	From Timestamp `cbor:"62,keyasint,omitempty"`
}

// Write is one row to write; Value nil deletes it.
type Write struct {
	Key   Key    `cbor:"1,keyasint,omitempty"`
	Value []byte `cbor:"2,keyasint,omitempty"`
}

// Same reports whether it writes the same value to the same row as the other.
func (w Write) Same(o Write) bool {
	return w.Key == o.Key && bytes.Equal(w.Value, o.Value) && (w.Value == nil) == (o.Value == nil)
}

// Prepare asks one participant to validate, to log and to vote. It is addressed
// to the leader of Term and to no other: a resend is the same attempt only at
// the same leader.
type Prepare struct {
	Shard        ShardID     `cbor:"1,keyasint,omitempty"`
	Attempt      Attempt     `cbor:"2,keyasint,omitempty"`
	Txn          ID          `cbor:"3,keyasint,omitempty"`
	Age          Age         `cbor:"4,keyasint,omitempty"`
	Participants []ShardID   `cbor:"5,keyasint,omitempty"`
	Reads        []ReadCheck `cbor:"6,keyasint,omitempty"`
	Spans        []SpanCheck `cbor:"7,keyasint,omitempty"`
	Writes       []Write     `cbor:"8,keyasint,omitempty"`
	// SchemaChecks are as Reads, but a mismatch is KindStale, and a shard that has no
	// such row has no opinion.
	SchemaChecks []ReadCheck `cbor:"9,keyasint,omitempty"`
	// LockTerm is the term whose leader granted locks in execution, 0 if none.
	LockTerm uint64 `cbor:"10,keyasint,omitempty"`
	// Term is the term of the leader addressed, 0 if the coordinator does not
	// know one: then the leader answers NotLeader with its term.
	Term uint64 `cbor:"11,keyasint,omitempty"`
	// OnePhase: this is the only participant; its Yes is the commit.
	OnePhase bool `cbor:"12,keyasint,omitempty"`
	// ReadOnly: the transaction wrote nothing anywhere. The leader validates
	// under its lease and logs nothing.
	ReadOnly bool `cbor:"13,keyasint,omitempty"`
	// Retired: every attempt of this coordinator incarnation below it is
	// finished at every participant.
	Retired uint64 `cbor:"14,keyasint,omitempty"`
	// At is the timestamp that the coordinator proposes, where every replica
	// validates for itself, or rows have leases; else 0, and the leaders propose.
	At Timestamp `cbor:"15,keyasint,omitempty"`
	// Since, if not 0, refuses writes of what was written after that moment.
	Since Timestamp `cbor:"16,keyasint,omitempty"`
	// RecordShard, if not 0, is the shard in which the decision is logged before anybody is
	// told: what is not there is not decided, whatever was voted. Of a declared transaction it is
	// where its writes are logged, without which it is not committed.
	RecordShard ShardID `cbor:"17,keyasint,omitempty"`
	// VotesTo is the node that gathers the votes and decides, 0: the one that asks.
	VotesTo NodeID `cbor:"18,keyasint,omitempty"`
	// Delegated is what that node sends the leaders of the other participants.
	Delegated []DelegatedPrepare `cbor:"19,keyasint,omitempty"`
	// ProtocolSeq as in an Access.
	ProtocolSeq uint64 `cbor:"23,keyasint,omitempty"`
	// Peers is as in a Work.
	Peers []Peer `cbor:"24,keyasint,omitempty"`
	// Validate: all participants are prepared; does what was read here, and is not written, stand
	// as it was read? Who had voted an open Yes answers with another, or with a No.
	Validate bool `cbor:"25,keyasint,omitempty"`
	// Record: it writes, by itself, what others act on as soon as they read it: how an attempt has
	// ended, or what it writes (RecordShard of that attempt's Prepares).
	Record bool `cbor:"26,keyasint,omitempty"`
	// FixedSet, if set, asks for rows as well: see declared.go.
	FixedSet *FixedSet `cbor:"40,keyasint,omitempty"`
	// Leases are those of Reads, in their order, where rows have leases.
	Leases []Lease `cbor:"62,keyasint,omitempty"`
}

// DelegatedPrepare is a Prepare for a leader that reaches it through another node.
type DelegatedPrepare struct {
	To      NodeID   `cbor:"1,keyasint,omitempty"`
	Prepare *Prepare `cbor:"2,keyasint,omitempty"`
}

// Vote answers Prepare. A Yes is sent when a majority has logged it.
type Vote struct {
	Shard    ShardID   `cbor:"1,keyasint,omitempty"`
	Attempt  Attempt   `cbor:"2,keyasint,omitempty"`
	Yes      bool      `cbor:"3,keyasint,omitempty"`
	Proposed Timestamp `cbor:"4,keyasint,omitempty"` // above every version and read it conflicts with; of a No: one that would have been
	Refused  Kind      `cbor:"5,keyasint,omitempty"`
	Reason   string    `cbor:"6,keyasint,omitempty"`
	// As in an AccessReply.
	WaitedNanos int64 `cbor:"7,keyasint,omitempty"`
	WaitedFor   ID    `cbor:"8,keyasint,omitempty"`
	// Open: a Yes that holds if the writers of what was read commit, which is not
	// known yet. Doomed: one of them aborted, and so must this attempt. Of a source that is a store
	// of versions: if what was read stands when all have voted (Prepare.Validate).
	Open   bool `cbor:"9,keyasint,omitempty"`
	Doomed bool `cbor:"10,keyasint,omitempty"`
	// AwaitsDecision: though asked for in one phase, it is a vote like others, and its coordinator must decide.
	AwaitsDecision bool `cbor:"11,keyasint,omitempty"`
	// Cause of a refusal, as in an AccessReply.
	Cause Cause `cbor:"12,keyasint,omitempty"`
	// ProtocolSeq as in an AccessReply.
	ProtocolSeq uint64 `cbor:"23,keyasint,omitempty"`
	// Fault of a refusal, if a source said why.
	Fault *Fault `cbor:"24,keyasint,omitempty"`
	// Rows of a Yes are what a declared transaction reads, in case Served was lost.
	Rows []Row `cbor:"40,keyasint,omitempty"`
	// AssumesAborted are attempts, undecided here, on whose abort an open Yes rests, and PriorityAborted those that
	// have aborted here for its sake.
	AssumesAborted  []Attempt `cbor:"41,keyasint,omitempty"`
	PriorityAborted []Attempt `cbor:"42,keyasint,omitempty"`
}

// Decide carries the outcome to a participant.
type Decide struct {
	Shard   ShardID   `cbor:"1,keyasint,omitempty"`
	Attempt Attempt   `cbor:"2,keyasint,omitempty"`
	Txn     ID        `cbor:"3,keyasint,omitempty"`
	Commit  bool      `cbor:"4,keyasint,omitempty"`
	At      Timestamp `cbor:"5,keyasint,omitempty"`
	// Prepare is what was asked, for a replica that may have missed it.
	Prepare *Prepare `cbor:"6,keyasint,omitempty"`
	// Writes, of the commit of a declared transaction, are what it writes here.
	Writes []Write `cbor:"40,keyasint,omitempty"`
	// Tentative: a replica notes it and does nothing more. It comes again without this when a
	// majority has it noted (Params.EndsNotedFirst).
	Tentative bool `cbor:"41,keyasint,omitempty"`
}

// DecideAck says that a majority has the outcome: the participant will never
// ask for it again.
type DecideAck struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Attempt Attempt `cbor:"2,keyasint,omitempty"`
	// Tentative: the replica has the outcome noted, and has not acted on it.
	Tentative bool `cbor:"3,keyasint,omitempty"`
}

// Inquire asks what a participant's log says of an attempt. If it says nothing
// the leader logs a fence, a No for ever, before it answers.
type Inquire struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Attempt Attempt `cbor:"2,keyasint,omitempty"`
	Txn     ID      `cbor:"3,keyasint,omitempty"`
	// Participants, for a replica that must settle what it has never heard of.
	Participants []ShardID `cbor:"4,keyasint,omitempty"`
}

// InquireReply answers Inquire.
type InquireReply struct {
	Shard    ShardID   `cbor:"1,keyasint,omitempty"`
	Attempt  Attempt   `cbor:"2,keyasint,omitempty"`
	Result   Outcome   `cbor:"3,keyasint,omitempty"`
	Proposed Timestamp `cbor:"4,keyasint,omitempty"` // of a Yes
	At       Timestamp `cbor:"5,keyasint,omitempty"` // of a commit
	// Participants of a Yes, for one who finishes another's transaction.
	Participants []ShardID `cbor:"6,keyasint,omitempty"`
	// As in a Vote.
	Open   bool `cbor:"7,keyasint,omitempty"`
	Doomed bool `cbor:"8,keyasint,omitempty"`
	// Forgot, of a No of a source: it has never heard of the attempt, or has forgotten it with
	// an incarnation of its agent. A commit in one phase may have happened.
	Forgot bool `cbor:"9,keyasint,omitempty"`
	// As in a Vote, of a Yes.
	AssumesAborted  []Attempt `cbor:"41,keyasint,omitempty"`
	PriorityAborted []Attempt `cbor:"42,keyasint,omitempty"`
}

// Outcome is what a log says of an attempt.
type Outcome uint8

// The outcomes in a log.
const (
	OutcomeNone      Outcome = iota
	OutcomeYes               // voted Yes, undecided
	OutcomeNo                // a fence, or a logged No
	OutcomeCommitted         // decided: committed
	OutcomeAborted           // decided: aborted
)

// Release ends a transaction that prepared nothing at this shard: its locks go.
type Release struct {
	Shard ShardID `cbor:"1,keyasint,omitempty"`
	Txn   ID      `cbor:"2,keyasint,omitempty"`
}

// Wounded tells a coordinator that an older transaction took its locks.
type Wounded struct {
	Shard ShardID `cbor:"1,keyasint,omitempty"`
	Txn   ID      `cbor:"2,keyasint,omitempty"`
	By    ID      `cbor:"3,keyasint,omitempty"`
	// Cascade: By was undone, whose uncommitted value this one had read.
	Cascade bool `cbor:"4,keyasint,omitempty"`
	// ProtocolSeq, if not 0: nobody took them, the shard goes over to this protocol.
	ProtocolSeq uint64 `cbor:"23,keyasint,omitempty"`
}

// Publish passes on, before the commit, what a transaction has written of rows
// for which others wait (AccessReply.Publish): the leader of Term lets go of them,
// and the next goes on from there. Attempt is what the transaction will commit under.
type Publish struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Term    uint64  `cbor:"2,keyasint,omitempty"`
	Txn     ID      `cbor:"3,keyasint,omitempty"`
	Attempt Attempt `cbor:"4,keyasint,omitempty"`
	Writes  []Write `cbor:"5,keyasint,omitempty"`
}

// TxnStatusQuery asks a coordinator whether a transaction that holds locks still lives, or
// without one, whether the gateway does: SentNanos is of the clock of who asks.
type TxnStatusQuery struct {
	Shard     ShardID `cbor:"1,keyasint,omitempty"`
	Txn       ID      `cbor:"2,keyasint,omitempty"`
	SentNanos int64   `cbor:"3,keyasint,omitempty"`
}

// TxnStatusReply answers Probe, with its stamp.
type TxnStatusReply struct {
	Shard     ShardID `cbor:"1,keyasint,omitempty"`
	Txn       ID      `cbor:"2,keyasint,omitempty"`
	Alive     bool    `cbor:"3,keyasint,omitempty"`
	SentNanos int64   `cbor:"4,keyasint,omitempty"`
}

// NotLeader refuses a request without having looked at it. Leader is who leads,
// 0 if unknown; Term is the sender's.
type NotLeader struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Leader  NodeID  `cbor:"2,keyasint,omitempty"`
	Term    uint64  `cbor:"3,keyasint,omitempty"`
	Request uint64  `cbor:"4,keyasint,omitempty"` // of an Access
	Attempt Attempt `cbor:"5,keyasint,omitempty"` // of a Prepare or Inquire
}

// SnapFetch asks the leader for the next piece of its snapshot at Index.
type SnapFetch struct {
	Shard ShardID `cbor:"1,keyasint,omitempty"`
	Index uint64  `cbor:"2,keyasint,omitempty"`
	From  []byte  `cbor:"3,keyasint,omitempty"` // state key to go on from
}

// SnapChunk answers SnapFetch. Gone: that snapshot is no longer held.
type SnapChunk struct {
	Shard  ShardID  `cbor:"1,keyasint,omitempty"`
	Index  uint64   `cbor:"2,keyasint,omitempty"`
	From   []byte   `cbor:"3,keyasint,omitempty"`
	Keys   [][]byte `cbor:"4,keyasint,omitempty"`
	Values [][]byte `cbor:"5,keyasint,omitempty"`
	Next   []byte   `cbor:"6,keyasint,omitempty"` // nil at the end
	Gone   bool     `cbor:"7,keyasint,omitempty"`
}
