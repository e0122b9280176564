package coordinator

import (
	"slices"
	"time"

	"isochron/decide"
	"isochron/estimate"
	"isochron/routing"
	"isochron/txn"
)

// pendingCommit is a gateway's state of an attempt besides its decision: the transaction, the
// waiting client, and the cost.
type pendingCommit struct {
	*decide.Attempt
	t          *transaction // nil for the recovery of another coordinator's attempt
	req        *Request     // nil once the client was answered
	confirms   bool         // its transaction continues, whatever the result
	timestamps int          // tried before this one
	passes     int          // attempts before this one with the same requests, see mayPass
	answerBy   time.Duration
	began      time.Duration
	parts      []txn.PartReport // of participants, in their order; own transactions only
	own        bool             // a rollback of branches; req waits for that only
	undoing    Response         // to that req
	fixedSet   *fixedSetState   // nil: the writes were known when it was opened
	forwards   []*txn.Forward   // reads that wait for its commit
}

// commitManager runs the attempts of this gateway: its own, and the attempts of lost coordinators
// that it finishes.
type commitManager struct {
	cfg            *Config
	env            commitEnv
	txns           transactions
	policy         *policy
	classes        *classes
	leaders        *leaders
	attempts       *attempts
	decisions      *decisions
	reports        *reports
	protocolSwitch *protocolSwitch
	recent         *recentWrites
	clock          *txn.Clock
	snapshotReads  *snapshotReads
	reads          *reads
	ender          ender
	late           *latePrepares

	decider *decide.Decider
	all     map[txn.Attempt]*pendingCommit
	leased  leaseClock
	// branched are the transactions with branches that are not committing.
	branched map[txn.Attempt]*transaction
}

// commitEnv is the part of the node that commitManager uses.
type commitEnv interface {
	Now() txn.Now
	Directory() *routing.Directory
	Way(n txn.NodeID) (way estimate.Way, ok bool)
	RoundTrip(n txn.NodeID) (rtt time.Duration, ok bool)
	Send(to txn.Address, m txn.Message)
	NodeEvent(n txn.NodeEvent)
	Trace(format string, args ...any)
	Tracing() bool
}

// ender ends transactions.
type ender interface {
	end(t *transaction, reason *txn.Error) // no participant was asked for its commit
	fail(t *transaction, err *txn.Error)   // its client is notified with its next request
	// renamed gives the transaction another id, which its client uses from now on.
	renamed(t *transaction) *transaction
}

// begin starts the commit of a transaction with these writes.
func (cs *commitManager) begin(t *transaction, req *Request, writes []txn.Write) {
	readOnly := len(writes) == 0 && t.branches == nil && cs.policy.byLease() && (!t.readUncommitted || cs.cfg.Params.InjectedBugs.AnswerReadOnlyUncommitted)
	if len(writes) == 0 && t.branches == nil && (t.final || t.asOf != 0 || t.level != txn.Serializable && !t.readUncommitted || len(t.seen.rows)+len(t.spans) == 0) {
		delete(cs.txns, t.id)
		t.releaseLocks(cs.leaders)
		cs.attempts.giveBack(t)
		cs.reports.end(t, nil)
		req.answer(t.response(nil))
		return
	}
	if cs.lockFirst(t, req, writes) {
		return // it returns here
	}
	prepares, err := divide(cs.env.Directory(), t, writes, cs.protocolSwitch.seq)
	if err != nil {
		cs.ender.end(t, err)
		req.answer(t.response(err))
		return
	}
	if cs.classes.matter() {
		cs.classes.prepares(t, prepares)
	}
	if len(cs.all) >= maxCommitments {
		err := txn.Errorf(txn.KindUnavailable, "this gateway's limit of %d concurrent commits is reached; nothing was executed; retry later", maxCommitments)
		cs.ender.end(t, err)
		req.answer(t.response(err))
		return
	}
	cs.attempts.changeMind(t, writes)
	if b := t.branches; b != nil && cs.attempts.reserve(t) != b.attempt {
		err := txn.Errorf(txn.KindAborted, "a published value has changed since the branches at sources were named; retry the transaction")
		cs.ender.end(t, err)
		req.answer(t.response(err))
		return
	}
	k := cs.open(t, req, prepares, readOnly)
	for _, tc := range t.touched {
		if tc.holds() && !slices.Contains(k.Participants, tc.shard) {
			cs.leaders.send(tc.shard, txn.Message{Release: &txn.Release{Shard: tc.shard, Txn: t.id}})
		}
	}
	cs.late.ask(k)
	if t.branches != nil { // they may have voted already
		cs.follow(k)
	}
}

// open opens an attempt; nothing is sent yet.
func (cs *commitManager) open(t *transaction, req *Request, prepares []*txn.Prepare, readOnly bool) *pendingCommit {
	now := cs.env.Now().Mono
	participants := make([]txn.ShardID, len(prepares))
	for i, p := range prepares {
		participants[i] = p.Shard
	}
	k := &pendingCommit{
		t: t, req: req, answerBy: now + commitWait(cs, t), began: now, parts: make([]txn.PartReport, len(prepares)),
	}
	id, at := cs.attempts.reserve(t), txn.Timestamp(0)
	if cs.cfg.Spec.Decide.CoordinatorTimestamps() {
		at = cs.clock.Next(cs.env.Now())
	}
	if cs.cfg.Spec.Yield.RowLeases {
		at = cs.leased.at(t, prepares)
	}
	for _, p := range prepares {
		p.Retired, p.At = cs.attempts.retiredBelow(), at
		p.SchemaChecks = schemaChecksAt(req.SchemaChecks, p.Shard)
	}
	o := decide.AttemptInit{ID: id, Txn: t.id, Participants: participants, Prepares: prepares, ReadOnly: readOnly, Asked: k, Underway: t.branches.underway()}
	switch {
	case len(prepares) > 0 && prepares[0].FixedSet != nil:
		o.FixedSet, o.RecordShard = true, cs.decisions.placeNear(participants)
	case !readOnly:
		o.RecordShard = cs.decisions.place(participants, t.branches)
	}
	k.Attempt = cs.decider.Open(o)
	cs.all[id] = k
	t.commit, t.reserved = k, 0
	t.stats.CommitRounds++
	cs.settle(k, now)
	return k
}

// commitWait returns how long the client of a transaction waits for its commit.
func commitWait(cs *commitManager, t *transaction) time.Duration {
	if t.commitWait > 0 {
		return time.Duration(t.commitWait) * time.Millisecond
	}
	return cs.cfg.Params.CommitWait
}

func (cs *commitManager) wake(k *pendingCommit) {
	now := cs.env.Now().Mono
	if k.req != nil && now >= k.answerBy {
		cs.giveUpWaiting(k)
	}
	if k.AwaitsVotes() && k.ReadOnly && k.req == nil {
		cs.finish(k) // no participant holds anything for it, and no client waits
		return
	}
	if k.Attempt.Due(now) {
		k.Wake()
		cs.follow(k)
	}
}

// Due reports whether wake has something to do: the attempt is due, or the client's wait has timed
// out.
func (k *pendingCommit) Due(now time.Duration) bool {
	return k.req != nil && now >= k.answerBy || k.Attempt.Due(now)
}

// NextWake is when it is due if nothing else happens before.
func (k *pendingCommit) NextWake() time.Duration {
	at := k.Attempt.NextWake()
	if k.req != nil {
		at = min(at, k.answerBy)
	}
	return at
}

// giveUpWaiting answers the client; the attempt continues without it.
func (cs *commitManager) giveUpWaiting(k *pendingCommit) {
	err := txn.Errorf(txn.KindUnknown, "the commit was not confirmed in time: it may or may not have happened")
	if v, _ := k.Verdict(); k.Decided() && v == decide.Commit {
		err = nil // some participants have not acknowledged
	} else if k.ReadOnly {
		err = txn.Errorf(txn.KindUnavailable, "the reads could not be confirmed in time; nothing was written")
	}
	cs.reply(k, err)
}

// reply answers the attempt's client, once.
func (cs *commitManager) reply(k *pendingCommit, err *txn.Error) {
	if k.own && k.req != nil {
		k.req.answer(k.undoing)
		k.req = nil
	}
	if k.t == nil || k.req == nil {
		return
	}
	if k.confirms {
		req := k.req
		k.req = nil
		req.answer(Response{Err: err})
		return
	}
	if !k.wrote() {
		err = k.t.branches.known(err)
	}
	cs.reports.commit(k, err)
	r := k.t.response(err)
	if err == nil {
		r.Version = k.ID
		_, r.At = k.Verdict()
		r.Results = k.t.results
	}
	r.Unexpected = k.t.expectsAbsent && err != nil && err.Kind == txn.KindAborted
	if k.fixedSet != nil && k.fixedSet.gaveUp {
		r = k.t.response(nil)
		r.Declined, r.Over = true, true
	}
	req := k.req
	k.req = nil
	delete(cs.txns, k.Txn)
	req.answer(r)
}

// vote handles a vote.
func (cs *commitManager) vote(from txn.NodeID, m *txn.Message) {
	cs.protocolSwitch.observe(m.Vote.ProtocolSeq)
	if cs.cfg.Spec.Yield.RowLeases {
		cs.leased.observe(m.Vote)
	}
	if v := *m.Vote; v.Fault.Lost() {
		v.Reason = called(cs.env.Directory(), v.Shard) + ": " + v.Reason
		m = &txn.Message{Vote: &v}
	}
	if k := cs.all[m.Vote.Attempt]; k != nil {
		k.received(m.Vote, cs.env.Now().Mono)
		cs.served(k, m.Vote.Shard, m.Vote.Rows)
	} else {
		cs.early(from, m)
	}
	cs.receive(m.Vote.Attempt, from, m)
}

// receive passes a node's message to its attempt.
func (cs *commitManager) receive(a txn.Attempt, from txn.NodeID, m *txn.Message) {
	if k := cs.all[a]; k != nil {
		k.Receive(from, m)
		cs.follow(k)
	}
}

// rule passes the reply of the log of decisions to its attempt.
func (cs *commitManager) rule(id txn.Attempt, answer decide.LogAnswer) {
	if k := cs.all[id]; k != nil {
		k.Rule(answer)
		cs.follow(k)
	}
}

// follow acts on a changed attempt.
func (cs *commitManager) follow(k *pendingCommit) {
	cs.maybeDecide(k)
	if k.Done() {
		cs.finish(k)
	}
}

// maybeDecide acts on the tally's verdict, once.
func (cs *commitManager) maybeDecide(k *pendingCommit) {
	verdict, at, ok := k.Take()
	if !ok {
		return
	}
	answerForwarded(cs, k)
	commit := verdict == decide.Commit
	if commit {
		cs.snapshotReads.observe(at)
	}
	if !commit {
		if next := cs.again(k); next != nil {
			k.Announce()
			next.Ask()
			return
		}
	}
	if commit && k.t != nil && k.req != nil && !k.ReadOnly {
		now := cs.env.Now().Mono
		for _, p := range k.Prepares {
			if len(p.Writes) > 0 { // for a 2FI transaction its keys are enough
				cs.recent.add(now, p.Shard, p.Writes)
			}
		}
	}
	if cs.env.Tracing() {
		cs.env.Trace("%v of %v: %v", k.ID, k.Txn, verdict)
	}
	if k.AskedLogs() {
		cs.env.NodeEvent(k.Note(txn.EventRecovered, commit))
	}
	if commit && !cs.awaitsAll(k) {
		cs.reply(k, nil)
	} else if !commit {
		cs.reply(k, k.Reason())
	}
	k.Announce()
}

// awaitsAll reports whether the client is answered only when all participants know of the commit:
// then it can read its writes at a source through another connection, and its locks there are
// released.
func (cs *commitManager) awaitsAll(k *pendingCommit) bool {
	return k.t != nil && k.t.branches != nil && !cs.cfg.Params.AnswerDecided
}

// finish drops an attempt whose decision every participant knows.
func (cs *commitManager) finish(k *pendingCommit) {
	delete(cs.all, k.ID)
	cs.decisions.expunge(k)
	if k.own {
		cs.attempts.retire(k.ID.Seq)
	}
	if k.own {
		cs.reply(k, nil)
	}
	if k.t == nil {
		return
	}
	if cs.awaitsAll(k) && k.Decided() {
		cs.reply(k, nil) // unless it was answered
	}
	if k.confirms {
		cs.attempts.retire(k.ID.Seq)
		return
	}
	cs.forgetTxn(k)
	if k.ReadOnly {
		k.t.releaseLocks(cs.leaders)
	}
	cs.attempts.retire(k.ID.Seq)
}

// forgetTxn drops a transaction, unless a later attempt continues it.
func (cs *commitManager) forgetTxn(k *pendingCommit) {
	if t := cs.txns[k.Txn]; t != nil && (t.commit == nil || t.commit == k) {
		delete(cs.txns, k.Txn)
	}
}

// due lists the due attempts, in a fixed order.
func (cs *commitManager) due(now time.Duration) (out []*pendingCommit) {
	for _, k := range cs.all { // order: sorted below
		if k.Due(now) {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b *pendingCommit) int {
		if a.ID.Less(b.ID) {
			return -1
		}
		return 1
	})
	return out
}

// sweep wakes the due attempts.
func (cs *commitManager) sweep(now time.Duration) {
	for _, k := range cs.due(now) {
		if k.Due(now) { // still, after those before it
			cs.wake(k)
		}
	}
}

// nextWake is when the next is due.
func (cs *commitManager) nextWake() time.Duration {
	at := txn.Never
	for _, k := range cs.all { // order: the least of all
		at = min(at, k.NextWake())
	}
	return at
}
