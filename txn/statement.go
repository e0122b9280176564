package txn

import (
	"context"
	"time"
)

// Requests of a transaction to sources: external databases, each behind an agent
// (package source). A transaction has a branch at each source that it touches, which is a
// transaction of that database. Its statements are sent as Access.Batch, and their results
// return as AccessReply.Batch.

// Statement is one statement in a source's own dialect.
type Statement struct {
	Text string   `cbor:"1,keyasint,omitempty"`
	Args [][]byte `cbor:"2,keyasint,omitempty"` // values of its placeholders, as text; nil is NULL
	// MaxRows bounds the answer, 0: the bound of any answer. A larger answer is an error and
	// ends nothing.
	MaxRows int `cbor:"3,keyasint,omitempty"`
	// Kinds are the kinds of Args; arguments beyond its end are ArgText. A source
	// that infers the types of placeholders, as PostgreSQL does, needs none.
	Kinds []ArgKind `cbor:"4,keyasint,omitempty"`
	// Locks: the rows read stay unchanged until the transaction ends, by locks that Text and Guard
	// take. A source whose isolation uses locks needs nothing else then. An agent of an
	// earlier version leaves this to its source.
	Locks bool `cbor:"5,keyasint,omitempty"`
	// Guard runs before the statement, in the same trip; its results are not returned. If Least is
	// not 0, it runs only if the statement has returned or changed fewer rows, or failed with a
	// duplicate key; then the statement is rolled back and runs again after its guard.
	Guard []string `cbor:"6,keyasint,omitempty"`
	Least int      `cbor:"7,keyasint,omitempty"`
	// Locked, if not empty, runs after Guard in place of Text, with the same values: it
	// also locks the rows that it finds and does not change.
	Locked string `cbor:"9,keyasint,omitempty"`
	// Zone is the time zone of the client's session, for reading and writing times: a name
	// such as Europe/Paris or an offset such as +05:30; "": +00:00. An agent of an earlier version
	// leaves its source's own.
	Zone string `cbor:"8,keyasint,omitempty"`
	// Look: it reads without locks, also at a level at which the source's reads lock: its answer
	// may or may not contain uncommitted changes of others, and contains the transaction's own. The
	// rows found are only candidates. An agent of an earlier version reads as usual.
	Look bool `cbor:"10,keyasint,omitempty"`
}

// ArgKind is the kind of an argument's value. An agent of an earlier version treats all as
// text.
type ArgKind uint8

// The kinds. A number is written as in SQL, such as -12, 0.50 or 1e3; any other text of kind
// ArgNumber is treated as text.
const (
	ArgText ArgKind = iota
	ArgNumber
)

// Kind returns the kind of an argument.
func (s *Statement) Kind(arg int) ArgKind {
	if arg < len(s.Kinds) {
		return s.Kinds[arg]
	}
	return ArgText
}

// Column describes a column of an answer or a table. Type is the source's own word for it,
// such as "bigint" or "character varying(20)".
type Column struct {
	Name string `cbor:"1,keyasint,omitempty"`
	Type string `cbor:"2,keyasint,omitempty"`
	Null bool   `cbor:"3,keyasint,omitempty"` // it may be NULL
	Auto bool   `cbor:"4,keyasint,omitempty"` // of a table: the source generates the value if none is given
	// Collation, of a table at a MySQL, is the collation of the column's text; "": none.
	Collation string `cbor:"5,keyasint,omitempty"`
}

// Result is a statement's result. Values are as text; nil is NULL.
type Result struct {
	Columns  []Column   `cbor:"1,keyasint,omitempty"`
	Rows     [][][]byte `cbor:"2,keyasint,omitempty"`
	Affected int64      `cbor:"3,keyasint,omitempty"`
	InsertID int64      `cbor:"4,keyasint,omitempty"` // MySQL's LAST_INSERT_ID, 0: none
}

// Fault is a source's error code for a failed statement, beside the reason.
type Fault struct {
	Code  uint16 `cbor:"1,keyasint,omitempty"` // MySQL's number for it, whatever the dialect; 0: none
	State string `cbor:"2,keyasint,omitempty"` // SQLSTATE
}

// MySQL's numbers for a source that cannot be reached, or whose connection is lost. Other faults
// are the source's own.
const (
	FaultNotReached = 1429
	FaultLost       = 2013
)

// Lost reports whether the source could not be reached, or its connection was lost.
func (f *Fault) Lost() bool {
	return f != nil && (f.Code == FaultNotReached || f.Code == FaultLost)
}

// Peer is the address of a participant.
type Peer struct {
	Node  NodeID  `cbor:"1,keyasint,omitempty"`
	Shard ShardID `cbor:"2,keyasint,omitempty"`
}

// StatementBatch is a request to a source in a transaction's branch.
type StatementBatch struct {
	// Attempt is the attempt under which it will commit. It names the branch from its start.
	Attempt Attempt `cbor:"1,keyasint,omitempty"`
	// Step numbers the batches of a branch from 1; batch 1 begins the branch. A batch received
	// twice is executed once.
	Step       uint64      `cbor:"2,keyasint,omitempty"`
	Statements []Statement `cbor:"3,keyasint,omitempty"` // in this order; the first failure ends the batch
	// Last, if not nil, is to be prepared as soon as the statements are done: they are the
	// transaction's last here. The vote is sent without a further request. If Last is OnePhase the
	// branch is committed then, and the answer, sent when the outcome is known, reports the commit
	// (BatchResult.Committed) or the reason of its failure. Then no other field of Last is set: the
	// batch has them.
	Last *Prepare `cbor:"4,keyasint,omitempty"`
	// Peers are the other sources of the transaction: a source that fails notifies them.
	Peers []Peer `cbor:"5,keyasint,omitempty"`
	// RecordShard is as in a Prepare.
	RecordShard ShardID `cbor:"6,keyasint,omitempty"`
	// Term is the incarnation of the addressed agent; another refuses the batch, because it does
	// not know whether it was executed before.
	Term  uint64 `cbor:"7,keyasint,omitempty"`
	Level Level  `cbor:"8,keyasint,omitempty"`
	// Retired is as in a Prepare.
	Retired uint64 `cbor:"9,keyasint,omitempty"`
	// Locks lists for each of Statements the records that it locks, or is empty. An agent derives
	// wait edges from it where its database does not report them.
	Locks []Locked `cbor:"10,keyasint,omitempty"`
	// SilenceMillis is Options.SilenceMillis.
	SilenceMillis int64 `cbor:"11,keyasint,omitempty"`
}

// SourceSilence is the default of Options.SilenceMillis.
const SourceSilence = 10 * time.Second

// Locked is the set of records that a statement locks, if known: at a source that locks its reads,
// it waits for all transactions that have locked any of them, unless all locks are shared.
type Locked struct {
	Records []Key `cbor:"1,keyasint,omitempty"` // arbitrary names, unique per record; none: unknown
	Writes  bool  `cbor:"2,keyasint,omitempty"` // exclusively
}

// BatchResult answers a StatementBatch.
type BatchResult struct {
	Results []Result `cbor:"1,keyasint,omitempty"` // of its first statements, in order
	// Fault, if not nil, is the error of the statement after these. If the reply is not
	// refused the branch is still open.
	Fault *Fault `cbor:"2,keyasint,omitempty"`
	// Going: the batch is being executed, and no other field is set.
	Going bool `cbor:"3,keyasint,omitempty"`
	// Committed: the branch, its transaction's only one, is committed.
	Committed bool `cbor:"4,keyasint,omitempty"`
}

// SourceStatement is a statement for one source.
type SourceStatement struct {
	Source ShardID
	Statement
	// Records names the records that it locks, if known, for the forecast of hot
	// records: arbitrary names, unique per record.
	Records []Key
	// Writes: it changes the named records, and reads no others.
	Writes bool
	// Reads: it changes nothing, so its execution is never in doubt.
	Reads bool
}

// SourceResult is the result of a SourceStatement.
type SourceResult struct {
	Result
	Done bool // it was executed without an error
}

// Sources is implemented by transactions that can have branches at sources.
type Sources interface {
	// Execute runs statements: those of one source in their order, all sources in parallel, in
	// one round. Results are in the order of the statements; a statement whose result is not Done
	// was not executed, or failed. The error is the first in that order. After KindStatement
	// the transaction is still open, as the source left it; after KindAborted, which a source may
	// report too (with its Code), it has ended.
	//
	// last promises that no statement for any source follows: in protocols that use it, sources
	// prepare immediately. Any error ends the transaction then.
	Execute(ctx context.Context, statements []SourceStatement, last bool) ([]SourceResult, error)
}

// Finishing is implemented by Sources that can commit with the last statements.
type Finishing interface {
	// ExecuteAndCommit is an Execute of the last statements and a Commit of the transaction, in
	// one trip if the transaction has touched a single source. KindUnknown: the outcome of the commit
	// cannot be determined. After KindInvalidRequest the transaction is still open, after any other
	// error it has ended.
	ExecuteAndCommit(ctx context.Context, statements []SourceStatement) ([]SourceResult, error)
}

// Bounds of one call of Execute.
const (
	StatementsMax     = 4096
	StatementBytesMax = 16 << 20 // of texts and arguments together
)

// Bytes estimates the size of a statement in a message.
func (s *Statement) Bytes() int {
	n := len(s.Text)
	for _, a := range s.Args {
		n += len(a) + 4
	}
	return n
}

// Bytes estimates the size of a result in a message.
func (r *Result) Bytes() int {
	n := 0
	for _, row := range r.Rows {
		for _, v := range row {
			n += len(v) + 4
		}
	}
	return n
}
