package coordinator

import (
	"context"

	"isochron/geo"
	"isochron/routing"
	"isochron/txn"
)

// Port is how blocking client code reaches the coordinator's state machine: a
// channel and an event loop in server, a coroutine in sim.
type Port interface {
	// Do submits the request and waits for its answer. If ctx ends first, or the
	// node stops, it returns at once with KindUnknown (for OpCommit with writes)
	// or KindUnavailable.
	Do(ctx context.Context, req *Request) Response
	// Post submits a request whose answer nobody awaits.
	Post(req *Request)
	Directory() *routing.Directory
	ReadLocal(key txn.Key) (value []byte, version txn.Version, ok bool)
	Region() geo.Region
}

// Op says what a Request wants.
type Op uint8

// The requests.
const (
	OpRead       Op = iota // one round of reads
	OpCommit               // commit, with the writes
	OpEnd                  // roll back; harmless after the end
	OpPublish              // pass on what is written of hot rows, before the commit; nobody answers
	OpUpdate               // one round of reads, and then the commit of what Then makes of it
	OpContention           // of no transaction: ask all nodes
	OpExecute              // one round of statements at sources
	OpAskSources           // of no transaction: ask agents
	OpConfirm              // check that what was read stands; the transaction goes on
	OpFixedSet             // a declared transaction, whole: Read.Gets, Declares and Then
)

// Request is one thing a client wants of the coordinator.
type Request struct {
	Op   Op
	Txn  txn.ID // zero: the first request of a transaction, which it begins
	From Start  // of a new transaction
	Read txn.Read
	// Writes and Guards of a commit; Guards of a read as well.
	Writes       []txn.Write
	SchemaChecks []SchemaCheck
	// Then, of an OpUpdate or OpFixedSet, makes the writes of the rows that were read, in the
	// node's loop: it must be quick, wait for nothing, and use nothing that its
	// client changes later. ok is false if these rows are not for it: then nothing
	// is committed, and the transaction goes on as after a read.
	Then func(rows []txn.Row) (writes []txn.Write, ok bool)
	// FixedSet, of an OpFixedSet, is what Then may write; of an OpUpdate too, if it is known.
	FixedSet []txn.Key
	// Using, of an OpContention, are the guards whose users it asks for.
	Using []string
	Known bool // of an OpContention: it asks for transactions alone
	// Statement counts the statements of the transaction that this read belongs to.
	Statement int
	// Of, of an OpEnd without Txn, is the request that began the transaction.
	Of *Request
	// Statements of an OpExecute; Last as in txn.Sources. Writing: the transaction has written
	// rows of shards. Commit: with these, and Writes, it commits. Executed, of what commits: it
	// has branches at sources.
	Statements []txn.SourceStatement
	Last       bool
	Writing    bool
	Commit     bool
	Executed   bool
	// SourceQueries, of an OpAskSources.
	SourceQueries []txn.SourceQuery
	// Cause of an OpEnd.
	Cause txn.Cause
	// Done is called once, from the node's loop. Nil if nobody waits.
	Done func(Response)

	begun txn.ID // the transaction that this request began; the loop's own
}

// Start is what a new transaction inherits and is bound by.
type Start struct {
	Age            txn.Age // without Start: its own, of that priority
	Try            int     // 0 for the first
	LockWaitMillis int64
	SilenceMillis  int64
	CommitMillis   int64 // txn.Options.CommitWaitMillis
	AsOf           txn.Timestamp
	ProtectMillis  int64
	ReadOnly       bool // it will write nothing
	Level          txn.Level
	SessionID      uint64
	SystemTxn      bool
	Record         bool      // it is for a row of a decision: see decisions.go
	AutoRetry      bool      // the gateway does it again by itself
	Lost           txn.Cause // why the try before was rolled back; of Inside alone
}

// SchemaCheck is one Txn.Guard.
type SchemaCheck struct {
	Name    string
	Version txn.Version
}

// Response answers a Request.
type Response struct {
	Txn           txn.ID
	Age           txn.Age
	Rows          []txn.Row     // one for each of Read.Gets
	Scans         [][]txn.Row   // for each of Read.Scans, in its order, within its limit
	More          []bool        // for each of Scans, of a Page
	At            txn.Timestamp // answers Present, or is the moment that was read
	Version       txn.Version   // of a commit's writes
	Publish       []txn.Key     // rows of which OpPublish should tell once they are written
	Stats         txn.Stats
	Rounds        []txn.RoundReport // of the transaction, those that have ended; not to be changed
	Contention    *txn.ContentionReport
	Err           *txn.Error
	Results       []txn.SourceResult // of an OpExecute, after an error too
	SourceReplies []*txn.SourceReply // one for each of Asks, nil for those that have failed; after an error too
	// Declined: the Then of an OpUpdate did not want the rows; nothing is committed. Over: and its
	// transaction has ended with that, for it was declared.
	Declined, Over bool
}

// Commits reports whether a good answer says that something is committed.
func (r *Request) Commits() bool {
	switch r.Op {
	case OpCommit:
		return len(r.Writes) > 0 || r.Executed
	case OpExecute:
		return r.Commit && (len(r.Writes) > 0 || !onlyRead(r.Statements))
	}
	return r.Op == OpUpdate || r.Op == OpFixedSet
}

// Failed is the answer of a port that could not bring the request to an end.
func (r *Request) Failed(reason string) Response {
	kind := txn.KindUnavailable
	if r.Commits() {
		kind = txn.KindUnknown
	}
	return Response{Txn: r.Txn, Err: txn.Errorf(kind, "%s", reason)}
}

// Refused is the answer to a request that was not looked at: nothing was done.
func (r *Request) Refused(reason string) Response {
	return Response{Txn: r.Txn, Err: txn.Errorf(txn.KindUnavailable, "%s", reason)}
}

// answer tells whoever waits, if anybody does.
func (r *Request) answer(a Response) {
	if r != nil && r.Done != nil {
		r.Done(a)
	}
}
