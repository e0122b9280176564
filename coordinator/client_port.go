package coordinator

import (
	"context"

	"isochron/geo"
	"isochron/routing"
	"isochron/txn"
)

// Port connects blocking client code to the coordinator's state machine: a channel and an event
// loop in server, a coroutine in sim.
type Port interface {
	// Do submits the request and waits for its response. If ctx ends first, or the node stops, it
	// returns immediately with KindUnknown (for OpCommit with writes) or KindUnavailable.
	Do(ctx context.Context, req *Request) Response
	// Post submits a request without waiting for a response.
	Post(req *Request)
	Directory() *routing.Directory
	ReadLocal(key txn.Key) (value []byte, version txn.Version, ok bool)
	Region() geo.Region
}

// Op is the kind of a Request.
type Op uint8

// The operations.
const (
	OpRead       Op = iota // one round of reads
	OpCommit               // commit, with the writes
	OpEnd                  // roll back; harmless after the end
	OpPublish              // publish writes of hot rows before the commit; no response
	OpUpdate               // one round of reads, and then the commit of the writes that Then makes of them
	OpContention           // without a transaction: ask all nodes for contention
	OpExecute              // one round of statements at sources
	OpAskSources           // without a transaction: ask agents
	OpConfirm              // check that the reads are still valid; the transaction continues
	OpFixedSet             // a whole 2FI transaction: Read.Gets, FixedSet and Then
)

// Request is one operation that a client requests.
type Request struct {
	Op   Op
	Txn  txn.ID // zero: the first request of a new transaction
	From Start  // of a new transaction
	Read txn.Read
	// Writes and SchemaChecks of a commit; SchemaChecks of a read as well.
	Writes       []txn.Write
	SchemaChecks []SchemaCheck
	// Then, of an OpUpdate or OpFixedSet, makes the writes from the rows read. It runs in the
	// node's loop: it must be quick, must not block, and must not use anything that its client
	// changes later. ok is false if it declines the rows: then nothing is committed, and the
	// transaction continues as after a read.
	Then func(rows []txn.Row) (writes []txn.Write, ok bool)
	// FixedSet, of an OpFixedSet, is the keys that Then may write; of an OpUpdate too, if known.
	FixedSet []txn.Key
	// Using, of an OpContention, are schema checks: list the transactions that have them.
	Using []string
	Known bool // of an OpContention: list transactions only
	// Statement is the number of the transaction's statement to which this read belongs.
	Statement int
	// Of, of an OpEnd without Txn, is the request that began the transaction.
	Of *Request
	// Statements of an OpExecute; Last as in txn.Sources. Writing: the transaction has written rows
	// of shards. Commit: with these, and Writes, it commits. Executed, of a commit: it has branches
	// at sources.
	Statements []txn.SourceStatement
	Last       bool
	Writing    bool
	Commit     bool
	Executed   bool
	// SourceQueries, of an OpAskSources.
	SourceQueries []txn.SourceQuery
	// Cause of an OpEnd.
	Cause txn.Cause
	// Done is called once, from the node's loop. Nil if no client waits.
	Done func(Response)

	begun txn.ID // the transaction begun by this request; set by the loop
}

// Start is the state that a new transaction inherits, and its bounds.
type Start struct {
	Age            txn.Age // without Start: a new age, of that priority
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
	Record         bool      // it reads or writes a transaction record: see txn_records.go
	AutoRetry      bool      // a retry by the gateway itself
	Lost           txn.Cause // why the try before was rolled back; with AutoRetry only
}

// SchemaCheck is one Txn.SchemaCheck.
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
	At            txn.Timestamp // for WantReadTS, or the timestamp that was read
	Version       txn.Version   // of a commit's writes
	Publish       []txn.Key     // rows to publish with OpPublish once they are written
	Stats         txn.Stats
	Rounds        []txn.RoundReport // the transaction's ended rounds; immutable
	Contention    *txn.ContentionReport
	Err           *txn.Error
	Results       []txn.SourceResult // of an OpExecute, after an error too
	SourceReplies []*txn.SourceReply // one for each of SourceQueries, nil for a failed one; after an error too
	// Declined: the Then of an OpUpdate declined the rows; nothing is committed. Over: the
	// transaction has ended with that, since it ran as a 2FI transaction.
	Declined, Over bool
	// Unexpected: the transaction expected rows not to exist (txn.Read.ExpectsAbsent), and aborted.
	Unexpected bool
}

// Commits reports whether a response without an error means that something is committed.
func (r *Request) Commits() bool {
	switch r.Op {
	case OpCommit:
		return len(r.Writes) > 0 || r.Executed
	case OpExecute:
		return r.Commit && (len(r.Writes) > 0 || !onlyRead(r.Statements))
	}
	return r.Op == OpUpdate || r.Op == OpFixedSet
}

// Failed is the response of a port that could not complete the request.
func (r *Request) Failed(reason string) Response {
	kind := txn.KindUnavailable
	if r.Commits() {
		kind = txn.KindUnknown
	}
	return Response{Txn: r.Txn, Err: txn.Errorf(kind, "%s", reason)}
}

// Refused is the response to a request that was not processed: nothing was executed.
func (r *Request) Refused(reason string) Response {
	return Response{Txn: r.Txn, Err: txn.Errorf(txn.KindUnavailable, "%s", reason)}
}

// answer delivers the response, if a client waits.
func (r *Request) answer(a Response) {
	if r != nil && r.Done != nil {
		r.Done(a)
	}
}
