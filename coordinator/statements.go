package coordinator

import (
	"cmp"
	"slices"
	"time"

	"isochron/decide"
	"isochron/routing"
	"isochron/schedule"
	"isochron/txn"
)

// Statements for sources: a round of them is sent to all its sources in parallel, and the
// transaction has a branch at each source that it has touched.

// branches are those of a transaction.
//
// Invariant: the commit is the attempt under which the branches were begun, or there is none.
type branches struct {
	attempt   txn.Attempt
	decidedAt txn.ShardID // where a decision on them would be logged
	at        []branch    // rising by source
	last      bool        // they were asked to prepare with their last statement
	votes     []earlyVote // received before the commit
	over      bool        // committed or rolled back
	changes   bool        // a statement may have changed something
	alone     bool        // the only one commits with its statements, and its source has not answered
}

// branch is one of them.
type branch struct {
	source txn.ShardID
	step   uint64 // of the newest statements
	term   uint64 // the incarnation of its agent that began it; 0: no reply yet
	asked  bool   // to prepare
}

type earlyVote struct {
	from txn.NodeID
	vote *txn.Vote
}

// doubt is the error of a transaction that ends: if its only source was to commit with pending
// statements, the outcome is unknown.
func (b *branches) doubt(dir *routing.Directory, reason *txn.Error) *txn.Error {
	if b == nil || !b.alone || reason.Kind == txn.KindUnknown || !b.changes {
		return b.known(reason)
	}
	return txn.Errorf(txn.KindUnknown, "%s was to commit and has not answered: it may or may not have happened (%s)", called(dir, b.at[0].source), reason.Reason).Because(reason.Cause)
}

// known is the error of a transaction that ends; a read-only one never has an unknown outcome.
func (b *branches) known(reason *txn.Error) *txn.Error {
	if b == nil || b.changes || reason == nil || reason.Kind != txn.KindUnknown {
		return reason
	}
	return txn.Errorf(txn.KindAborted, "the reply of a source to a read-only transaction, or its agent, was lost; nothing was changed").Because(cmp.Or(reason.Cause, txn.CauseLeader))
}

// onlyRead reports whether statements change nothing.
func onlyRead(statements []txn.SourceStatement) bool {
	return !slices.ContainsFunc(statements, func(s txn.SourceStatement) bool { return !s.Reads })
}

// of is the branch at a source, begun if there is none.
func (b *branches) of(s txn.ShardID) *branch {
	i, ok := slices.BinarySearchFunc(b.at, s, func(x branch, s txn.ShardID) int { return cmp.Compare(x.source, s) })
	if !ok {
		b.at = slices.Insert(b.at, i, branch{source: s})
	}
	return &b.at[i]
}

// sources are the sources of the branches.
func (b *branches) sources() []txn.ShardID {
	out := make([]txn.ShardID, len(b.at))
	for i, x := range b.at {
		out[i] = x.source
	}
	return out
}

// statements runs rounds of statements.
type statements struct {
	cfg     *Config
	env     readEnv
	reads   *reads
	leaders *leaders
	commits *commitManager
}

// begin starts a round.
func (st *statements) begin(t *transaction, req *Request) {
	if err := st.check(t, req); err != nil {
		req.answer(t.response(err))
		return
	}
	if t.branches == nil {
		t.branches = st.commits.branch(t)
	}
	t.final, t.branches.changes = false, t.branches.changes || req.Writing || !onlyRead(req.Statements)
	r := &round{t: t, req: req, results: make([]txn.SourceResult, len(req.Statements))}
	parts := st.divide(r)
	if req.Last {
		st.askWithLast(t, parts)
	}
	t.round, r.began = r, st.env.Now().Mono
	t.stats.Rounds++
	for _, p := range parts {
		st.reads.add(p)
	}
	st.reads.leave(parts)
}

// check refuses an invalid round of statements; the transaction continues.
func (st *statements) check(t *transaction, req *Request) *txn.Error {
	dir, bytes := st.env.Directory(), 0
	for i := range req.Statements {
		s := &req.Statements[i]
		bytes += s.Bytes()
		if e, ok := dir.Shard(uint64(s.Source)); !ok || e.Kind.Native() {
			return txn.Errorf(txn.KindInvalidRequest, "%d is no source and executes no statements", s.Source)
		}
	}
	switch n := len(req.Statements); {
	case n == 0 || n > txn.StatementsMax || bytes > txn.StatementBytesMax:
		return txn.Errorf(txn.KindInvalidRequest, "a round of %d statements of %d bytes; it has 1 to %d of them, and %d bytes at most", n, bytes, txn.StatementsMax, txn.StatementBytesMax)
	case t.asOf != 0:
		return txn.Errorf(txn.KindInvalidRequest, "a source cannot be read as of a past timestamp")
	case !st.cfg.Spec.Leases():
		return txn.Errorf(txn.KindInvalidRequest, "without a log no decision can be logged, which a source needs")
	case t.branches != nil && t.branches.last:
		return txn.Errorf(txn.KindInvalidRequest, "the transaction has already sent its last statements; it can only be committed or rolled back")
	}
	return nil
}

// divide divides a round among the sources, rising.
func (st *statements) divide(r *round) (parts []*shardRequest) {
	t, of := r.t, map[txn.ShardID]*shardRequest{}
	order := st.cfg.Spec.Arrive.Order(len(r.req.Statements), func(i int) schedule.Statement {
		s := &r.req.Statements[i]
		return schedule.Statement{Writes: s.Writes, Records: s.Records}
	})
	for i := range r.req.Statements {
		if order != nil {
			i = order[i]
		}
		s := r.req.Statements[i]
		p := of[s.Source]
		if p == nil {
			b := t.branches.of(s.Source)
			b.step++
			p = newPart(r, txn.Access{Shard: s.Source, Txn: t.id, Age: t.age, WaitMillis: t.lockWait, ProtocolSeq: st.reads.protocolSwitch.seq, Batch: &txn.StatementBatch{
				Attempt: t.branches.attempt, Step: b.step, RecordShard: t.branches.decidedAt, Term: b.term, Level: t.level, SilenceMillis: t.silence, Retired: st.commits.attempts.retiredBelow()}})
			of[s.Source] = p
			parts = append(parts, p)
		}
		p.access.Batch.Statements = append(p.access.Batch.Statements, s.Statement)
		if st.cfg.Params.SourceWaits > 0 {
			p.access.Batch.Locks = append(p.access.Batch.Locks, txn.Locked{Records: s.Records, Writes: s.Writes})
		}
		p.items, p.named = append(p.items, i), append(p.named, s.Records...)
	}
	slices.SortFunc(parts, func(a, b *shardRequest) int { return cmp.Compare(a.access.Shard, b.access.Shard) })
	peers := st.peers(t)
	for _, p := range parts {
		p.access.Batch.Peers = peers
	}
	return parts
}

// peers are the addresses of the transaction's sources; nil if there is only one.
func (st *statements) peers(t *transaction) (out []txn.Peer) {
	if len(t.branches.at) < 2 {
		return nil
	}
	for _, b := range t.branches.at {
		if n, _ := st.leaders.of(b.source, 0); n != 0 {
			out = append(out, txn.Peer{Node: n, Shard: b.source})
		}
	}
	return out
}

// askWithLast makes each source prepare when it has executed the statements of this round, its
// last, and immediately those without any in it. A transaction with one participant does not
// prepare: if it is to commit now, its source commits by itself.
func (st *statements) askWithLast(t *transaction, parts []*shardRequest) {
	t.branches.last = true
	participants := t.branches.sources()
	for _, tc := range t.touched {
		if !slices.Contains(participants, tc.shard) {
			participants = append(participants, tc.shard)
		}
	}
	req := parts[0].r.req
	alone := len(participants) == 1 && !req.Writing && !st.cfg.Spec.Prepares.Validates()
	t.branches.alone = alone && req.Commit
	if !t.branches.alone && (alone || st.cfg.Spec.Prepares != decide.Decentralized) {
		return
	}
	slices.Sort(participants)
	peers := st.peers(t)
	for i := range t.branches.at {
		b := &t.branches.at[i]
		b.asked = true
		j := slices.IndexFunc(parts, func(p *shardRequest) bool { return p.access.Shard == b.source })
		if alone && j >= 0 {
			parts[j].access.Batch.Last = commitsAlone
			continue
		}
		prepare := &txn.Prepare{Shard: b.source, Attempt: t.branches.attempt, Txn: t.id, Age: t.age, Participants: participants, RecordShard: t.branches.decidedAt, OnePhase: alone,
			LockTerm: b.term, Term: b.term, Retired: st.commits.attempts.retiredBelow(), ProtocolSeq: st.reads.protocolSwitch.seq, Peers: peers}
		if j >= 0 {
			parts[j].access.Batch.Last = prepare
			continue
		}
		st.leaders.send(b.source, txn.Message{Prepare: prepare})
	}
}

// commitsAlone is the immutable prepare of a branch that is the whole transaction and commits with
// its statements, whose message has the rest.
var commitsAlone = &txn.Prepare{OnePhase: true}

// address addresses a part to an incarnation of its agent; false: the branch was begun by another
// incarnation and is lost with it, unless that one has committed it.
func (rs *reads) address(p *shardRequest, term uint64) bool {
	w := p.access.Batch
	if w == nil || term == 0 || w.Term == term {
		return true
	}
	if p.tries == 0 {
		p.r.t.branches.alone = p.r.t.branches.alone && w.Step == 1 // no source was asked to commit
	}
	if w.Step > 1 || w.Term != 0 && p.r.t.branches.alone {
		rs.executor.fail(p.r.t, txn.Errorf(txn.KindAborted, "the agent of %s restarted and the transaction's branch there was lost; retry the transaction", called(rs.env.Directory(), p.access.Shard)).Because(txn.CauseLeader))
		return false
	}
	a, n := *p.access, *w
	n.Term, a.Batch = term, &n
	p.access = &a
	return true
}

// worked handles a source's reply.
func (rs *reads) worked(p *shardRequest, m *txn.AccessReply) {
	t, r := p.r.t, p.r
	now := rs.env.Now().Mono
	w := m.Batch
	if w == nil {
		w = new(txn.BatchResult)
	}
	if w.Going { // still executing
		p.deadline, p.wakeAt = now+rs.patience(p, 0), now+rs.cfg.Params.ResendAfter
		return
	}
	r.parts = append(r.parts, rs.reports.part(p, m))
	delete(rs.parts, p.id)
	if m.Refused == 0 && w.Fault == nil {
		rs.forecasts.executed(p)
	}
	rs.answered(r)
	reason := m.Reason
	if m.Refused != 0 && (w.Fault == nil || w.Fault.Lost()) {
		reason = called(rs.env.Directory(), p.access.Shard) + ": " + reason // the agent's own text names no source
	}
	err := txn.Errorf(cmp.Or(m.Refused, txn.KindStatement), "%s", reason).Because(m.Cause).Of(w.Fault)
	err = t.branches.known(err)
	t.branches.alone = t.branches.alone && m.Refused == 0
	if m.Refused != 0 {
		rs.protocolSwitch.observe(m.ProtocolSeq)
		rs.executor.fail(t, err)
		return
	}
	t.branches.of(p.access.Shard).term = m.Term
	t.touches(p.access.Shard).lockTerm = m.Term
	if len(w.Results) > len(p.items) || len(w.Results) < len(p.items) && w.Fault == nil {
		rs.executor.fail(t, txn.Errorf(txn.KindAborted, "%s has sent a reply that does not match the request", called(rs.env.Directory(), p.access.Shard)))
		return
	}
	for i, x := range w.Results {
		r.results[p.items[i]] = txn.SourceResult{Result: x, Done: true}
	}
	if w.Fault != nil {
		if i := p.items[len(w.Results)%len(p.items)]; r.fault == nil || i < r.faultAt {
			r.fault, r.faultAt = err, i
		}
	}
	r.committed = w.Committed
	if r.open == 0 {
		rs.endOfStatements(r)
	}
}

// endOfStatements answers the client of a round of statements.
func (rs *reads) endOfStatements(r *round) {
	t := r.t
	if r.fault != nil && r.req.Last {
		rs.executor.fail(t, txn.Errorf(txn.KindAborted, "%s", r.fault.Reason).Because(r.fault.Cause).Of(r.fault.Fault))
		return
	}
	t.round = nil
	rs.reports.round(r)
	switch t.results = r.results; {
	case r.committed:
		rs.executor.committed(t, r.req)
		return
	case r.req.Commit:
		rs.executor.commit(t, r.req, r.req.Writes)
		return
	}
	resp := t.response(r.fault)
	resp.Results = r.results
	r.req.answer(resp)
}

// branch begins a transaction's branches: they are named from the start.
func (cs *commitManager) branch(t *transaction) *branches {
	b := &branches{attempt: cs.attempts.reserve(t), decidedAt: cs.decisions.placeNear(nil)}
	cs.branched[b.attempt] = t
	return b
}

// committed ends a transaction that its only source has committed with its last statements.
func (cs *commitManager) committed(t *transaction, req *Request) {
	b := t.branches
	b.over, b.alone = true, false
	delete(cs.branched, b.attempt)
	delete(cs.txns, t.id)
	t.releaseLocks(cs.leaders)
	cs.attempts.giveBack(t)
	cs.reports.end(t, nil)
	resp := t.response(nil)
	resp.Version, resp.Results = b.attempt, t.results
	req.answer(resp)
}

// early handles a vote that arrives before the commit, of a source that was asked with its last
// statement.
func (cs *commitManager) early(from txn.NodeID, m *txn.Message) {
	t := cs.branched[m.Vote.Attempt]
	switch v := m.Vote; {
	case t == nil || t.failed != nil:
	case v.Yes:
		t.branches.votes = append(t.branches.votes, earlyVote{from, v})
	default:
		cs.ender.fail(t, txn.Errorf(v.Refused, "%s", v.Reason).Because(v.Cause).Of(v.Fault))
	}
}

// settle informs an opened attempt of the requests and votes of its transaction's sources so far.
func (cs *commitManager) settle(k *pendingCommit, now time.Duration) {
	b := k.t.branches
	if b == nil {
		return
	}
	b.over = true
	delete(cs.branched, b.attempt)
	for _, v := range b.votes {
		k.received(v.vote, now)
		k.Receive(v.from, &txn.Message{Vote: v.vote})
	}
}

// underway are the sources that were asked to prepare before the commit.
func (b *branches) underway() (out []txn.ShardID) {
	if b == nil {
		return nil
	}
	for _, x := range b.at {
		if x.asked {
			out = append(out, x.source)
		}
	}
	return out
}

// rollbackWait bounds a client's wait for sources to end rolled-back branches: one that does not
// answer ends them later.
const rollbackWait = 2 * time.Second

// answerRollback answers the client of a rolled-back transaction when no branch of it is left.
func answerRollback(cs *commitManager, t *transaction, req *Request, r Response) {
	if t != nil && t.branches != nil && req.Done != nil {
		if k := cs.all[t.branches.attempt]; k != nil && k.own && k.req == nil {
			k.req, k.undoing, k.answerBy = req, r, cs.env.Now().Mono+rollbackWait
			return
		}
	}
	req.answer(r)
}

// abandon rolls back the branches of a transaction that does not commit: all sources are notified
// until they have acknowledged.
func (cs *commitManager) abandon(t *transaction) {
	b := t.branches
	if b == nil || b.over {
		return
	}
	b.over, t.reserved = true, 0
	delete(cs.branched, b.attempt)
	k := &pendingCommit{Attempt: cs.decider.Open(decide.AttemptInit{ID: b.attempt, Txn: t.id, Participants: b.sources(), Prepares: []*txn.Prepare{}, RecordShard: b.decidedAt}), own: true}
	cs.all[b.attempt] = k
	decide.Abandon(k.Attempt)
	cs.follow(k)
}
