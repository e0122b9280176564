package txn

import (
	"context"
	"time"
)

// What a transaction asks of sources: databases that are not ours, each behind an agent
// (package source). A transaction has a branch at each source that it touches, a
// transaction of that database. Its statements travel as the Work of an Access, and what
// they gave as the Worked of its reply.

// Statement is one statement in a source's own dialect.
type Statement struct {
	Text string   `cbor:"1,keyasint,omitempty"`
	Args [][]byte `cbor:"2,keyasint,omitempty"` // values of its placeholders, as text; nil is NULL
	// MaxRows bounds the answer, 0: as far as any answer may go. One that is larger is an
	// error, and ends nothing.
	MaxRows int `cbor:"3,keyasint,omitempty"`
	// Kinds says what kind of value each of Args is; those beyond its end are ArgText. A source
	// that infers the types of placeholders by itself, as PostgreSQL does, needs none.
	Kinds []ArgKind `cbor:"4,keyasint,omitempty"`
	// Locks: what it reads stays as it was read until the transaction ends, by locks that its text
	// and Guard take. A source whose isolation rests on locks needs no more then. An agent of an
	// earlier version has its source see to that.
	Locks bool `cbor:"5,keyasint,omitempty"`
	// Guard is run before it, in the same trip; nothing is told of its answer. If Least is not 0 it
	// is run only if the statement has given or changed fewer rows, or was refused for a key that is
	// there already; then what the statement did is undone, and it is run anew behind its guard.
	Guard []string `cbor:"6,keyasint,omitempty"`
	Least int      `cbor:"7,keyasint,omitempty"`
	// Locked, if not empty, is what is run behind Guard in place of Text, with the same values: it
	// locks what it finds and does not change, too.
	Locked string `cbor:"9,keyasint,omitempty"`
	// Zone is the time zone of the client's session, by which moments are read and written: a name
	// such as Europe/Paris or a distance such as +05:30; "": +00:00. An agent of an earlier version
	// leaves its source's own.
	Zone string `cbor:"8,keyasint,omitempty"`
	// Look: it reads without locks, also at a level at which the source's reads lock: what others
	// have not committed may be in its answer or not, and what the transaction itself has changed
	// is. What it finds is only where to look. An agent of an earlier version reads as ever.
	Look bool `cbor:"10,keyasint,omitempty"`
}

// ArgKind is what kind of value an argument is. An agent of an earlier version takes all for
// text.
type ArgKind uint8

// The kinds. A number is written as SQL has it, such as -12, 0.50 or 1e3; what is none is
// taken for text.
const (
	ArgText ArgKind = iota
	ArgNumber
)

// Kind is what kind of value an argument is.
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
	Auto bool   `cbor:"4,keyasint,omitempty"` // of a table: the source numbers rows by itself, if nobody gives a value
	// Collation, of a table at a MySQL, is how the column's text is compared; "": it is none.
	Collation string `cbor:"5,keyasint,omitempty"`
}

// Result is what a statement gave. Values are as text; nil is NULL.
type Result struct {
	Columns  []Column   `cbor:"1,keyasint,omitempty"`
	Rows     [][][]byte `cbor:"2,keyasint,omitempty"`
	Affected int64      `cbor:"3,keyasint,omitempty"`
	InsertID int64      `cbor:"4,keyasint,omitempty"` // MySQL's LAST_INSERT_ID, 0: none
}

// Fault is what a source says of a statement that failed, beside the reason.
type Fault struct {
	Code  uint16 `cbor:"1,keyasint,omitempty"` // MySQL's number for it, whatever the dialect; 0: none
	State string `cbor:"2,keyasint,omitempty"` // SQLSTATE
}

// MySQL's numbers for a source that is not to be reached, or is lost in the middle. Other faults
// are a source's own, and are told in its own words.
const (
	FaultNotReached = 1429
	FaultLost       = 2013
)

// Lost reports whether the source was not to be reached, or was lost.
func (f *Fault) Lost() bool {
	return f != nil && (f.Code == FaultNotReached || f.Code == FaultLost)
}

// Peer is where a participant is reached.
type Peer struct {
	Node  NodeID  `cbor:"1,keyasint,omitempty"`
	Shard ShardID `cbor:"2,keyasint,omitempty"`
}

// StatementBatch is what a source is to do in a transaction's branch.
type StatementBatch struct {
	// Attempt is what the commit will be. It names the branch from its start.
	Attempt Attempt `cbor:"1,keyasint,omitempty"`
	// Step counts the works of a branch from 1, with which it begins. A work that comes
	// twice is done once.
	Step       uint64      `cbor:"2,keyasint,omitempty"`
	Statements []Statement `cbor:"3,keyasint,omitempty"` // in this order; the first that fails is the last
	// Last, if not nil, is what to prepare as soon as the statements are done: they are the
	// transaction's last here. The vote is not asked for. If it is OnePhase the branch is
	// committed then, and the answer says so (Worked.Committed), or why not; the answer comes
	// when that is known. Nothing else of it is set then: the work says it.
	Last *Prepare `cbor:"4,keyasint,omitempty"`
	// Peers are the other sources of the transaction: who fails tells them.
	Peers []Peer `cbor:"5,keyasint,omitempty"`
	// RecordShard is as in a Prepare.
	RecordShard ShardID `cbor:"6,keyasint,omitempty"`
	// Term is the incarnation of the agent that is addressed; another refuses, for it does
	// not know whether the work was done before it.
	Term  uint64 `cbor:"7,keyasint,omitempty"`
	Level Level  `cbor:"8,keyasint,omitempty"`
	// Retired is as in a Prepare.
	Retired uint64 `cbor:"9,keyasint,omitempty"`
	// Locks says of each of Statements which records it locks, or is empty. An agent concludes from
	// it who waits for whom, where its database does not say.
	Locks []Locked `cbor:"10,keyasint,omitempty"`
	// SilenceMillis is Options.SilenceMillis.
	SilenceMillis int64 `cbor:"11,keyasint,omitempty"`
}

// SourceSilence is Options.SilenceMillis where nothing else is asked for.
const SourceSilence = 10 * time.Second

// Locked is what a statement locks, as far as that is known: at a source that locks what is read,
// it waits for all who have locked any of it otherwise than shared.
type Locked struct {
	Records []Key `cbor:"1,keyasint,omitempty"` // any names, as long as one record has one; none: it is not known
	Writes  bool  `cbor:"2,keyasint,omitempty"` // exclusively
}

// BatchResult is what came of a Work.
type BatchResult struct {
	Results []Result `cbor:"1,keyasint,omitempty"` // of its first statements, in order
	// Fault, if not nil, is what the statement after these failed with. If the reply is not
	// refused the branch lives.
	Fault *Fault `cbor:"2,keyasint,omitempty"`
	// Going: it is under way, and nothing else is set.
	Going bool `cbor:"3,keyasint,omitempty"`
	// Committed: the branch, its transaction's only one, is committed.
	Committed bool `cbor:"4,keyasint,omitempty"`
}

// SourceStatement is a statement for one source.
type SourceStatement struct {
	Source ShardID
	Statement
	// Records names those that it locks, as far as that is known, for the forecast of hot
	// records: any names, as long as one record has one.
	Records []Key
	// Writes: it changes the records that it names, and reads nothing that it does not name.
	Writes bool
	// Reads: it changes nothing, so that it is never in doubt whether it has happened.
	Reads bool
}

// SourceResult is what came of a SourceStatement.
type SourceResult struct {
	Result
	Done bool // it was executed without an error
}

// Sources is implemented by transactions that can have branches at sources.
type Sources interface {
	// Execute runs statements: those of one source in their order, all sources at once, in
	// one round. Results are in the order of the statements; those that are not Done were
	// not executed, or failed. The error is the first in that order. After KindStatement
	// the transaction lives, as the source has it; after KindAborted, which a source may
	// give too (its Code is set then), it has ended.
	//
	// last promises that no statement for any source follows: where the row says so, sources
	// prepare at once. An error ends the transaction then, whatever it is.
	Execute(ctx context.Context, statements []SourceStatement, last bool) ([]SourceResult, error)
}

// Finishing is implemented by Sources that take a commit with the last statements.
type Finishing interface {
	// ExecuteAndCommit is an Execute of the last statements and a Commit of the transaction, in
	// one trip if one source is all that the transaction has touched. KindUnknown is what it
	// gives if nobody can say whether the commit happened; after KindInvalidRequest the transaction
	// lives, after any other error it has ended.
	ExecuteAndCommit(ctx context.Context, statements []SourceStatement) ([]SourceResult, error)
}

// Bounds of one call of Execute.
const (
	StatementsMax     = 4096
	StatementBytesMax = 16 << 20 // of texts and arguments together
)

// Bytes is about how much a statement takes on its way.
func (s *Statement) Bytes() int {
	n := len(s.Text)
	for _, a := range s.Args {
		n += len(a) + 4
	}
	return n
}

// Bytes is about how much a result takes on its way.
func (r *Result) Bytes() int {
	n := 0
	for _, row := range r.Rows {
		for _, v := range row {
			n += len(v) + 4
		}
	}
	return n
}
