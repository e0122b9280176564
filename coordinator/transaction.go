package coordinator

import (
	"slices"
	"time"

	"isochron/estimate"
	"isochron/txn"
)

// transactions are those of this gateway that have not ended.
type transactions map[txn.ID]*transaction

// ownerOf is whose a transaction is.
func (o transactions) ownerOf(id txn.ID) (owner uint64, ok bool) {
	t := o[id]
	if t == nil {
		return 0, false
	}
	return t.owner, true
}

// using lists those that have one of these guards and may still commit.
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

// open lists the transactions that have not failed and are in no commit.
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
	silence         int64         // ms that a source's agent may answer nothing; 0: the default
	commitWait      int64         // ms that a commit is waited for; 0: the default
	asOf            txn.Timestamp // 0: of no moment but its commit's
	protect         int64         // ms
	readOnly        bool
	level           txn.Level
	owner           uint64
	readTS          txn.Timestamp // of a weaker level, 0 before the first plain read
	readTSChosenAt  time.Duration // when it was chosen
	statement       int           // in which it was
	seen            readSet       // the newest: what the commit checks
	shown           readSet       // of a moment
	spans           []readSpan
	leases          *leases             // of what it has read; nil: rows have none, or it has read nothing
	touched         []participantState  // rising by shard
	first           [1]participantState // room for it: most transactions touch one
	round           *round
	commit          *pendingCommit
	failed          *txn.Error
	final           bool // its only round was answered for good, by one leader
	stats           txn.Stats
	began           time.Duration // of its first request
	region          string        // of the leaders that it touches, where that matters; of several: one of them
	away            bool          // that is not the gateway's
	journal         []txn.RoundReport
	reserved        uint64      // the attempt that its commit will be, 0: none yet
	published       []txn.Write // passed on as that attempt
	readUncommitted bool        // it has read what was not committed: it votes though it writes nothing
	publish         []txn.Key   // rows of its last round for which others wait
	upkeep          bool
	record          bool // see Start
	far             bool // it has read by temperature what is led elsewhere
	lockedAll       bool // what it writes was locked before its commit, or need not be
	admission       admissionState
	footprint       *estimate.Footprint // nil: the gateway keeps no statistics
	branches        *branches           // at sources; nil: it has none
	results         []txn.SourceResult  // of its last round of statements
	schemaChecks    []SchemaCheck       // as its last request had them
}

// participantState is what a transaction did at a shard.
type participantState struct {
	shard    txn.ShardID
	lockTerm uint64 // of the leader that granted locks, 0 if none were asked for
	locked   bool   // locks may be held there
	reserved bool   // or something is reserved
	// led: the leader has answered a read. What it shows may not have come to a
	// near replica: later reads go to a leader too, so that time does not run
	// backwards inside a transaction.
	led bool
}

// class is what is known of a transaction while it executes.
func (t *transaction) class() txn.Class {
	return txn.Class{Try: t.try, ReadOnly: t.readOnly}
}

// touch is what was done at a shard, nil for nothing. It is good until another is touched.
func (t *transaction) touch(s txn.ShardID) *participantState {
	for i := range t.touched {
		if t.touched[i].shard == s {
			return &t.touched[i]
		}
	}
	return nil
}

// touches is touch for what is done now: it notes that something is.
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

// readSet is what a round of this moment adds to, and is answered from.
func (t *transaction) readSet(at txn.Timestamp) *readSet {
	if at != 0 {
		return &t.shown
	}
	return &t.seen
}

func (t *transaction) response(err *txn.Error) Response {
	return Response{Txn: t.id, Age: t.age, Stats: t.stats, Rounds: t.journal, Err: err}
}

// holds reports whether the transaction may have something there that has to be let go.
func (tc *participantState) holds() bool { return tc.locked || tc.reserved }

// releaseLocks has the leaders drop what the transaction may have locked or reserved.
func (t *transaction) releaseLocks(l *leaders) {
	for _, tc := range t.touched {
		if tc.holds() {
			l.send(tc.shard, txn.Message{Release: &txn.Release{Shard: tc.shard, Txn: t.id}})
		}
	}
}
