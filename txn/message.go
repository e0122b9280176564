package txn

import "bytes"

// Message is the union of all messages between nodes: exactly one field is set.
// The messages in the life of a transaction:
//
//	coordinator            shard leader
//	Access        ->                          reads, with locks if requested
//	              <-       AccessReply
//	Reserve       ->                          earlier reads, where rows are reserved
//	Publish       ->                          uncommitted values of hot rows
//	Prepare       ->                          concurrency control, then the log
//	              <-       Vote               after a majority has the vote
//	Decide        ->                          reveal, release, log
//	              <-       DecideAck          after a majority has the decision
//
// Where co-coordinators take part (cocoordinate.go), replicas acknowledge votes
// to them, and they have the leaders of their region end the contention span early.
// Protocols in which every replica validates have more messages (integrated.go).
//
// Leaders with long waits run deadlock detection with each other (deadlock.go).
//
// A node that does not know the outcome of an attempt sends Inquire, which a leader
// answers from the log alone, and logs a fence if the log has no vote.
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

// Raft carries one Raft message of a shard. SentNanos is the sender's monotonic time, on messages
// of a leader; a follower returns the latest one as EchoNanos: it has promised not to elect
// another leader for one election timeout after it received that message. The leader's lease
// depends on this promise.
type Raft struct {
	Shard     ShardID `cbor:"1,keyasint,omitempty"`
	Data      []byte  `cbor:"2,keyasint,omitempty"` // raftpb.Message
	SentNanos int64   `cbor:"3,keyasint,omitempty"`
	EchoNanos int64   `cbor:"4,keyasint,omitempty"`
	Draining  bool    `cbor:"5,keyasint,omitempty"` // of a follower: it will not become leader
	Gone      bool    `cbor:"6,keyasint,omitempty"` // without Data: the receiver is no longer a member
	// Lost, without Data: the sender, which has no vote, has lost all entries it had acknowledged.
	Lost bool `cbor:"7,keyasint,omitempty"`
	// Committed, without Data: the entry of this index and of CommittedTerm is committed.
	Committed     uint64 `cbor:"8,keyasint,omitempty"`
	CommittedTerm uint64 `cbor:"9,keyasint,omitempty"`
	// Body is Data decoded, a *raftpb.Message, for a receiver in this process. It is never changed.
	Body any `cbor:"-"`
}

// Access is the reads of one round at one shard. Any replica answers it from its applied state
// if Nearest is set; otherwise only the leader.
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
	WaitMillis int64   `cbor:"11,keyasint,omitempty"` // bound of a lock wait
	// SchemaChecks are checked by the leader that answers an OnlyRead read, and by the replica that
	// answers a snapshot read as of its read timestamp.
	SchemaChecks []ReadCheck `cbor:"12,keyasint,omitempty"`
	// AsOf, if not 0, is the read timestamp: the answer has all commits up to it and none after.
	// It takes no locks. ProtectMillis asks that the versions of that timestamp be kept for so
	// long.
	AsOf          Timestamp `cbor:"13,keyasint,omitempty"`
	ProtectMillis int64     `cbor:"14,keyasint,omitempty"`
	// WantReadTS asks only for a read timestamp that is not before any commit here that was
	// acknowledged.
	WantReadTS bool `cbor:"15,keyasint,omitempty"`
	// HoldsNothing: the transaction holds no locks anywhere and has no other request pending.
	HoldsNothing bool `cbor:"16,keyasint,omitempty"`
	// Since, if not 0, refuses a read with locks of a row that was written or deleted after
	// that timestamp.
	Since Timestamp `cbor:"17,keyasint,omitempty"`
	// Clock asks for a timestamp in the answer that is not before any version in it.
	Clock bool `cbor:"18,keyasint,omitempty"`
	// WaitsOnlyHere: the transaction has no request at another shard now, so it waits nowhere else.
	WaitsOnlyHere bool `cbor:"19,keyasint,omitempty"`
	// ProtocolSeq is the number of the transaction's protocol: see Drained.
	ProtocolSeq uint64 `cbor:"23,keyasint,omitempty"`
	// CommittedOnly: it reads committed values only, because it was aborted too often with the writers it had read.
	CommittedOnly bool `cbor:"20,keyasint,omitempty"`
	// Reserves: the rows read are reserved, with the priority of Age (Bonspiel section 3.1.2).
	Reserves bool `cbor:"25,keyasint,omitempty"`
	// Batch is for a source and replaces the reads.
	Batch *StatementBatch `cbor:"24,keyasint,omitempty"`
	// Temperatures asks for the update rates of the rows read: the gateway has no replica of them.
	Temperatures bool `cbor:"28,keyasint,omitempty"`
}

// WarmKey is a frequently updated record.
type WarmKey struct {
	Key          Key    `cbor:"1,keyasint,omitempty"`
	MilliUpdates uint64 `cbor:"2,keyasint,omitempty"` // recent updates per thousand seconds
}

// WarmMax bounds the records in one answer.
const WarmMax = 64

// Reserve reserves the rows that a transaction read before it was known to touch several regions, as
// an Access does for its reads. It has no answer; if it is lost the rows are not reserved.
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

// ScanRows answers one Scan: live rows in the requested order. More: the scan stopped at its
// limit (or the bound of one answer) before the end of the span; it covers the keys up to its
// last row only.
type ScanRows struct {
	Rows []Row `cbor:"1,keyasint,omitempty"`
	More bool  `cbor:"2,keyasint,omitempty"`
}

// AccessReply answers Access. If Refused is set, the answer is a refusal.
type AccessReply struct {
	Shard   ShardID    `cbor:"1,keyasint,omitempty"`
	Request uint64     `cbor:"2,keyasint,omitempty"`
	Rows    []Row      `cbor:"3,keyasint,omitempty"` // one for each requested key
	Scans   []ScanRows `cbor:"4,keyasint,omitempty"`
	// HasUndecidedWrite: an undecided attempt writes a requested row, and the answer is from
	// before it. Only a nearest read reports it; a leader waits.
	HasUndecidedWrite bool   `cbor:"5,keyasint,omitempty"`
	Refused           Kind   `cbor:"6,keyasint,omitempty"`
	Reason            string `cbor:"7,keyasint,omitempty"`
	Term              uint64 `cbor:"8,keyasint,omitempty"` // of the leader that answered and granted the locks
	OnlyRead          bool   `cbor:"9,keyasint,omitempty"` // linearizable without validation
	// WaitedNanos is the time the request waited for locks, WaitedFor the last holder.
	WaitedNanos int64     `cbor:"10,keyasint,omitempty"`
	WaitedFor   ID        `cbor:"11,keyasint,omitempty"`
	At          Timestamp `cbor:"12,keyasint,omitempty"` // answers WantReadTS and Clock
	// Publish are rows, locked exclusively, that have waiters: see Publish.
	Publish []Key `cbor:"13,keyasint,omitempty"`
	// Uncommitted: some rows are uncommitted values of hot rows and may be rolled back. Comparing
	// versions cannot validate such reads: their reader has to vote, even if it writes nothing.
	Uncommitted bool  `cbor:"14,keyasint,omitempty"`
	Cause       Cause `cbor:"15,keyasint,omitempty"` // of a refusal
	// ProtocolSeq, of a refusal: the shard's protocol.
	ProtocolSeq uint64 `cbor:"23,keyasint,omitempty"`
	// Batch answers Access.Batch. A refusal has it too if a source reported a fault.
	Batch *BatchResult `cbor:"24,keyasint,omitempty"`
	// Warm answers Temperatures: the requested records that were updated more than once recently,
	// at most WarmMax.
	Warm []WarmKey `cbor:"28,keyasint,omitempty"`
	// Leases are the leases of Rows, in their order, in protocols with row leases. Leased, in an
	// answer to Scans, is not below the end of any lease of the shard.
	Leases []Lease   `cbor:"62,keyasint,omitempty"`
	Leased Timestamp `cbor:"63,keyasint,omitempty"`
}

// ReadCheck is a row that was read and must still have this version.
type ReadCheck struct {
	Key     Key     `cbor:"1,keyasint,omitempty"`
	Version Version `cbor:"2,keyasint,omitempty"`
}

// SpanCheck is a span that was read and must still hold the same versions of
// the same live rows: Digest covers them in key order.
type SpanCheck struct {
	Span   Span   `cbor:"1,keyasint,omitempty"`
	Digest uint64 `cbor:"2,keyasint,omitempty"`
	Count  int    `cbor:"3,keyasint,omitempty"`
	// From, in protocols with row leases, is not below the start of any of its leases at the time of the read.
	From Timestamp `cbor:"62,keyasint,omitempty"`
}

// Write is one row to write; Value nil deletes it.
type Write struct {
	Key   Key    `cbor:"1,keyasint,omitempty"`
	Value []byte `cbor:"2,keyasint,omitempty"`
}

// Same reports whether w and o write the same value to the same row.
func (w Write) Same(o Write) bool {
	return w.Key == o.Key && bytes.Equal(w.Value, o.Value) && (w.Value == nil) == (o.Value == nil)
}

// Prepare asks one participant to validate, log and vote. It is addressed to the leader of
// Term and to no other: a resend is the same attempt only at the same leader.
type Prepare struct {
	Shard        ShardID     `cbor:"1,keyasint,omitempty"`
	Attempt      Attempt     `cbor:"2,keyasint,omitempty"`
	Txn          ID          `cbor:"3,keyasint,omitempty"`
	Age          Age         `cbor:"4,keyasint,omitempty"`
	Participants []ShardID   `cbor:"5,keyasint,omitempty"`
	Reads        []ReadCheck `cbor:"6,keyasint,omitempty"`
	Spans        []SpanCheck `cbor:"7,keyasint,omitempty"`
	Writes       []Write     `cbor:"8,keyasint,omitempty"`
	// SchemaChecks are as Reads, but a mismatch is KindStale, and a shard without such a row
	// passes the check.
	SchemaChecks []ReadCheck `cbor:"9,keyasint,omitempty"`
	// LockTerm is the term whose leader granted locks in execution, 0 if there are none.
	LockTerm uint64 `cbor:"10,keyasint,omitempty"`
	// Term is the term of the addressed leader, 0 if the coordinator does not know it:
	// then the leader answers NotLeader with its term.
	Term uint64 `cbor:"11,keyasint,omitempty"`
	// OnePhase: this is the only participant; its Yes is the commit.
	OnePhase bool `cbor:"12,keyasint,omitempty"`
	// ReadOnly: the transaction wrote nothing anywhere. The leader validates
	// under its lease and logs nothing.
	ReadOnly bool `cbor:"13,keyasint,omitempty"`
	// Retired: every attempt of this coordinator incarnation below it has
	// ended at every participant.
	Retired uint64 `cbor:"14,keyasint,omitempty"`
	// At is the timestamp that the coordinator proposes, in protocols in which every replica
	// validates or rows have leases; otherwise 0, and the leaders propose.
	At Timestamp `cbor:"15,keyasint,omitempty"`
	// Since, if not 0, refuses writes of rows that were written after that timestamp.
	Since Timestamp `cbor:"16,keyasint,omitempty"`
	// RecordShard, if not 0, is the shard in which the decision is logged before any node is
	// notified: without that record the attempt is undecided, whatever the votes. Of a 2FI
	// transaction it is the shard that logs its writes, without which it is not committed.
	RecordShard ShardID `cbor:"17,keyasint,omitempty"`
	// VotesTo is the node that gathers the votes and decides, 0: the sender.
	VotesTo NodeID `cbor:"18,keyasint,omitempty"`
	// Delegated are the Prepares that this node sends to the leaders of the other participants.
	Delegated []DelegatedPrepare `cbor:"19,keyasint,omitempty"`
	// ProtocolSeq as in an Access.
	ProtocolSeq uint64 `cbor:"23,keyasint,omitempty"`
	// Peers is as in a StatementBatch.
	Peers []Peer `cbor:"24,keyasint,omitempty"`
	// Validate: all participants are prepared; are the rows that were read here, and are not written,
	// unchanged? A participant that voted an open Yes answers with a final Yes or a No.
	Validate bool `cbor:"25,keyasint,omitempty"`
	// Record: it writes, by itself, a record that readers act on as soon as they see it: the outcome
	// of an attempt, or its writes (RecordShard of that attempt's Prepares).
	Record bool `cbor:"26,keyasint,omitempty"`
	// FixedSet, if set, makes this the Prepare of a 2FI transaction: see fixedset.go.
	FixedSet *FixedSet `cbor:"40,keyasint,omitempty"`
	// Leases are the leases of Reads, in their order, in protocols with row leases.
	Leases []Lease `cbor:"62,keyasint,omitempty"`
}

// DelegatedPrepare is a Prepare that reaches its leader through another node.
type DelegatedPrepare struct {
	To      NodeID   `cbor:"1,keyasint,omitempty"`
	Prepare *Prepare `cbor:"2,keyasint,omitempty"`
}

// Vote answers Prepare. A Yes is sent after a majority has logged it.
type Vote struct {
	Shard    ShardID   `cbor:"1,keyasint,omitempty"`
	Attempt  Attempt   `cbor:"2,keyasint,omitempty"`
	Yes      bool      `cbor:"3,keyasint,omitempty"`
	Proposed Timestamp `cbor:"4,keyasint,omitempty"` // above every version and read it conflicts with; of a No: a timestamp that would have succeeded
	Refused  Kind      `cbor:"5,keyasint,omitempty"`
	Reason   string    `cbor:"6,keyasint,omitempty"`
	// As in an AccessReply.
	WaitedNanos int64 `cbor:"7,keyasint,omitempty"`
	WaitedFor   ID    `cbor:"8,keyasint,omitempty"`
	// Open: a Yes that is valid only if the undecided writers of the rows read commit. Doomed: one
	// of them aborted, and so must this attempt. Of a source that keeps versions, Open: valid only
	// if the rows read are unchanged when all have voted (Prepare.Validate).
	Open   bool `cbor:"9,keyasint,omitempty"`
	Doomed bool `cbor:"10,keyasint,omitempty"`
	// AwaitsDecision: the vote answers a one-phase Prepare and still needs the coordinator's decision.
	AwaitsDecision bool `cbor:"11,keyasint,omitempty"`
	// Cause of a refusal, as in an AccessReply.
	Cause Cause `cbor:"12,keyasint,omitempty"`
	// ProtocolSeq as in an AccessReply.
	ProtocolSeq uint64 `cbor:"23,keyasint,omitempty"`
	// Fault of a refusal, if a source reported one.
	Fault *Fault `cbor:"24,keyasint,omitempty"`
	// Rows of a Yes are the reads of a 2FI transaction, in case FixedSetReads was lost.
	Rows []Row `cbor:"40,keyasint,omitempty"`
	// AssumesAborted are attempts, undecided here, whose abort an open Yes assumes. PriorityAborted
	// are attempts that were aborted here in favour of this one.
	AssumesAborted  []Attempt `cbor:"41,keyasint,omitempty"`
	PriorityAborted []Attempt `cbor:"42,keyasint,omitempty"`
}

// Decide sends the outcome to a participant.
type Decide struct {
	Shard   ShardID   `cbor:"1,keyasint,omitempty"`
	Attempt Attempt   `cbor:"2,keyasint,omitempty"`
	Txn     ID        `cbor:"3,keyasint,omitempty"`
	Commit  bool      `cbor:"4,keyasint,omitempty"`
	At      Timestamp `cbor:"5,keyasint,omitempty"`
	// Prepare is the attempt's Prepare, for a replica that may have missed it.
	Prepare *Prepare `cbor:"6,keyasint,omitempty"`
	// Writes, of the commit of a 2FI transaction, are its writes here.
	Writes []Write `cbor:"40,keyasint,omitempty"`
	// Tentative: a replica records the outcome and does not act on it. Decide is sent again without
	// Tentative when a majority has recorded it (Params.EndsNotedFirst).
	Tentative bool `cbor:"41,keyasint,omitempty"`
}

// DecideAck reports that a majority has the outcome: the participant will never
// ask for it again.
type DecideAck struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Attempt Attempt `cbor:"2,keyasint,omitempty"`
	// Tentative: the replica has recorded the outcome and has not acted on it.
	Tentative bool `cbor:"3,keyasint,omitempty"`
}

// Inquire asks for the state of an attempt in a participant's log. If the log has none,
// the leader logs a fence, a permanent No, before it answers.
type Inquire struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Attempt Attempt `cbor:"2,keyasint,omitempty"`
	Txn     ID      `cbor:"3,keyasint,omitempty"`
	// Participants, for a replica that must settle an attempt it does not know.
	Participants []ShardID `cbor:"4,keyasint,omitempty"`
}

// InquireReply answers Inquire.
type InquireReply struct {
	Shard    ShardID   `cbor:"1,keyasint,omitempty"`
	Attempt  Attempt   `cbor:"2,keyasint,omitempty"`
	Result   Outcome   `cbor:"3,keyasint,omitempty"`
	Proposed Timestamp `cbor:"4,keyasint,omitempty"` // of a Yes
	At       Timestamp `cbor:"5,keyasint,omitempty"` // of a commit
	// Participants of a Yes, for a node that finishes another's transaction.
	Participants []ShardID `cbor:"6,keyasint,omitempty"`
	// As in a Vote.
	Open   bool `cbor:"7,keyasint,omitempty"`
	Doomed bool `cbor:"8,keyasint,omitempty"`
	// Forgot, of a No of a source: it does not know the attempt, or lost it with an incarnation of
	// its agent. A one-phase commit may have happened.
	Forgot bool `cbor:"9,keyasint,omitempty"`
	// As in a Vote, of a Yes.
	AssumesAborted  []Attempt `cbor:"41,keyasint,omitempty"`
	PriorityAborted []Attempt `cbor:"42,keyasint,omitempty"`
}

// Outcome is the state of an attempt in a log.
type Outcome uint8

// The outcomes in a log.
const (
	OutcomeNone      Outcome = iota
	OutcomeYes               // voted Yes, undecided
	OutcomeNo                // a fence, or a logged No
	OutcomeCommitted         // decided: committed
	OutcomeAborted           // decided: aborted
)

// Release ends a transaction that prepared nothing at this shard: its locks are released.
type Release struct {
	Shard ShardID `cbor:"1,keyasint,omitempty"`
	Txn   ID      `cbor:"2,keyasint,omitempty"`
}

// Wounded notifies a coordinator that an older transaction took its transaction's locks.
type Wounded struct {
	Shard ShardID `cbor:"1,keyasint,omitempty"`
	Txn   ID      `cbor:"2,keyasint,omitempty"`
	By    ID      `cbor:"3,keyasint,omitempty"`
	// Cascade: By aborted, whose uncommitted value this transaction had read.
	Cascade bool `cbor:"4,keyasint,omitempty"`
	// ProtocolSeq, if not 0: the shard switches to this protocol; no other transaction took the locks.
	ProtocolSeq uint64 `cbor:"23,keyasint,omitempty"`
}

// Publish makes visible, before the commit, the values a transaction has written to rows with
// waiters (AccessReply.Publish): the leader of Term releases them, and the next transaction reads
// those values. Attempt is the one under which the transaction will commit.
type Publish struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Term    uint64  `cbor:"2,keyasint,omitempty"`
	Txn     ID      `cbor:"3,keyasint,omitempty"`
	Attempt Attempt `cbor:"4,keyasint,omitempty"`
	Writes  []Write `cbor:"5,keyasint,omitempty"`
}

// TxnStatusQuery asks a coordinator whether a transaction that holds locks is still open or,
// without a Txn, whether the gateway is alive. SentNanos is by the sender's clock.
type TxnStatusQuery struct {
	Shard     ShardID `cbor:"1,keyasint,omitempty"`
	Txn       ID      `cbor:"2,keyasint,omitempty"`
	SentNanos int64   `cbor:"3,keyasint,omitempty"`
}

// TxnStatusReply answers TxnStatusQuery and returns its SentNanos.
type TxnStatusReply struct {
	Shard     ShardID `cbor:"1,keyasint,omitempty"`
	Txn       ID      `cbor:"2,keyasint,omitempty"`
	Alive     bool    `cbor:"3,keyasint,omitempty"`
	SentNanos int64   `cbor:"4,keyasint,omitempty"`
}

// NotLeader rejects a request without processing it. Leader is the leader, 0 if unknown;
// Term is the sender's.
type NotLeader struct {
	Shard   ShardID `cbor:"1,keyasint,omitempty"`
	Leader  NodeID  `cbor:"2,keyasint,omitempty"`
	Term    uint64  `cbor:"3,keyasint,omitempty"`
	Request uint64  `cbor:"4,keyasint,omitempty"` // of an Access
	Attempt Attempt `cbor:"5,keyasint,omitempty"` // of a Prepare or Inquire
}

// SnapFetch asks the leader for the next chunk of its snapshot at Index.
type SnapFetch struct {
	Shard ShardID `cbor:"1,keyasint,omitempty"`
	Index uint64  `cbor:"2,keyasint,omitempty"`
	From  []byte  `cbor:"3,keyasint,omitempty"` // state key to continue from
}

// SnapChunk answers SnapFetch. Gone: the snapshot is no longer kept.
type SnapChunk struct {
	Shard  ShardID  `cbor:"1,keyasint,omitempty"`
	Index  uint64   `cbor:"2,keyasint,omitempty"`
	From   []byte   `cbor:"3,keyasint,omitempty"`
	Keys   [][]byte `cbor:"4,keyasint,omitempty"`
	Values [][]byte `cbor:"5,keyasint,omitempty"`
	Next   []byte   `cbor:"6,keyasint,omitempty"` // nil at the end
	Gone   bool     `cbor:"7,keyasint,omitempty"`
}
