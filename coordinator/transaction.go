package coordinator

import (
	"slices"
	"time"

	"isochron/estimate"
	"isochron/txn"
)

// transactions are those of this gateway that have not ended.
type transactions map[txn.ID]*transaction

// ownerOf returns the session of a transaction.
func (o transactions) ownerOf(id txn.ID) (owner uint64, ok bool) {
	t := o[id]
	if t == nil {
		return 0, false
	}
	return t.owner, true
}

// using lists the transactions that have one of these schema checks and may still commit.
func (o transactions) using(guards []string) (out []txn.User) {
	for _, t := range o { // order: sorted below
		if t.failed == nil && slices.ContainsFunc(t.schemaChecks, func(g SchemaCheck) bool { return slices.Contains(guards, g.Name) }) {
			out = append(out, txn.User{Txn: t.id, SessionID: t.owner})
		}
	}
	slices.SortFunc(out, func(a, b txn.User) int {
		if a.Txn.Less(b.Txn) {
			return -1
		}
		return 1
	})
	return out[:min(len(out), txn.ContentionUsersMax)]
}

// open lists the transactions that have not failed and are not committing.
func (o transactions) open() []*transaction {
	var out []*transaction
	for _, t := range o { // order: sorted below
		if t.commit == nil && t.failed == nil {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *transaction) int {
		if a.id.Less(b.id) {
			return -1
		}
		return 1
	})
	return out
}

// transaction is one that has not ended.
type transaction struct {
	id              txn.ID
	age             txn.Age
	try             int
	lockWait        int64
	silence         int64         // ms without a reply of a source's agent; 0: the default
	commitWait      int64         // ms that a client waits for a commit; 0: the default
	asOf            txn.Timestamp // 0: reads at its commit timestamp
	protect         int64         // ms
	readOnly        bool
	level           txn.Level
	owner           uint64
	readTS          txn.Timestamp // of a weaker level; 0 before the first plain read
	readTSChosenAt  time.Duration // when it was chosen
	statement       int           // in which it was chosen
	seen            readSet       // the newest rows: checked at the commit
	shown           readSet       // rows at the read timestamp
	spans           []readSpan
	leases          *leases             // of its reads; nil: no row leases, or no reads
	touched         []participantState  // rising by shard
	first           [1]participantState // space for touched: most transactions touch one shard
	round           *round
	commit          *pendingCommit
	failed          *txn.Error
	final           bool // its only round was final, at one leader
	stats           txn.Stats
	began           time.Duration // with its first request
	region          string        // of the leaders that it touches, where that matters; multi-region: one of them
	away            bool          // region is not the gateway's
	journal         []txn.RoundReport
	reserved        uint64      // the attempt of its commit, 0: none yet
	published       []txn.Write // under that attempt
	readUncommitted bool        // it has read uncommitted rows: it votes though it writes nothing
	publish         []txn.Key   // rows of its last round for which others wait
	upkeep          bool
	record          bool // see Start
	far             bool // it has read by temperature records that are led elsewhere
	expectsAbsent   bool // rows that it has not read are in seen
	lockedAll       bool // its writes were locked before its commit, or need not be
	admission       admissionState
	footprint       *estimate.Footprint // nil: no statistics
	branches        *branches           // at sources; nil: none
	results         []txn.SourceResult  // of its last round of statements
	schemaChecks    []SchemaCheck       // of its last request
}

// participantState is a transaction's state at a shard.
type participantState struct {
	shard    txn.ShardID
	lockTerm uint64 // of the leader that granted locks, 0 if none were requested
	locked   bool   // locks may be held there
	reserved bool   // reservations may be held there
	// led: the leader has answered a read. A near replica may not have those rows yet: later reads
	// go to a leader too, so that time does not run backwards inside a transaction.
	led bool
}

// class is a transaction's class while it executes.
func (t *transaction) class() txn.Class {
	return txn.Class{Try: t.try, ReadOnly: t.readOnly}
}

// touch is the state at a shard, nil if untouched. The pointer is valid until another shard is
// touched.
func (t *transaction) touch(s txn.ShardID) *participantState {
	for i := range t.touched {
		if t.touched[i].shard == s {
			return &t.touched[i]
		}
	}
	return nil
}

// touches returns the state at a shard, made if there is none.
func (t *transaction) touches(s txn.ShardID) *participantState {
	if tc := t.touch(s); tc != nil {
		return tc
	}
	i := 0
	for i < len(t.touched) && t.touched[i].shard < s {
		i++
	}
	t.touched = slices.Insert(t.touched, i, participantState{shard: s})
	t.stats.Shards++
	return &t.touched[i]
}

// locked reports whether the transaction may hold locks anywhere.
func (t *transaction) locked() bool {
	return slices.ContainsFunc(t.touched, func(tc participantState) bool { return tc.locked })
}

// readSet is the set that a round at this read timestamp extends and uses.
func (t *transaction) readSet(at txn.Timestamp) *readSet {
	if at != 0 {
		return &t.shown
	}
	return &t.seen
}

func (t *transaction) response(err *txn.Error) Response {
	return Response{Txn: t.id, Age: t.age, Stats: t.stats, Rounds: t.journal, Err: err}
}

// holds reports whether the transaction may hold something there.
func (tc *participantState) holds() bool { return tc.locked || tc.reserved }

// releaseLocks makes the leaders drop the locks and reservations that the transaction may have.
func (t *transaction) releaseLocks(l *leaders) {
	for _, tc := range t.touched {
		if tc.holds() {
			l.send(tc.shard, txn.Message{Release: &txn.Release{Shard: tc.shard, Txn: t.id}})
		}
	}
}
