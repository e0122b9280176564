package coordinator

import (
	"slices"
	"time"

	"isochron/txn"
)

// The cost of a transaction and where its time went. A report is immutable once it is in a journal:
// clients read it concurrently with the loop.

// reports reports to clients and operators the cost and the end of transactions.
type reports struct {
	env       reportEnv
	left      func(*transaction, *txn.Error) // called with each ended transaction before the operator's log
	rollbacks [txn.Causes]uint64
	retried   [txn.Causes]uint64 // of these, the tries that the gateway retried
	late      ended              // ended recently
}

// reportEnv is the part of the node that reports uses.
type reportEnv interface {
	Now() txn.Now
	Wide(n txn.NodeID) bool
	TxnEnded(e txn.TxnEndInfo)
}

// timedOut counts a statement whose wait for a lock, or for admission, timed out; its transaction
// may continue.
func (j *reports) timedOut() { j.rollbacks[txn.CauseLockTimeout]++ }

// timedOutWhole removes such a statement from the count: its transaction ends with it, and is
// counted then.
func (j *reports) timedOutWhole() { j.rollbacks[txn.CauseLockTimeout]-- }

// redone counts a transaction that was lost for a cause and that the gateway retried by itself.
func (j *reports) redone(reason txn.Cause) { j.retried[reason]++ }

// counted returns the rolled-back transactions, and those of them that were retried, by cause.
func (j *reports) counted() (rollbacks, retried []uint64) {
	return slices.Clone(j.rollbacks[:]), slices.Clone(j.retried[:])
}

// rolledBack is the error of a transaction whose client rolled it back, or is gone.
func rolledBack(reason txn.Cause) *txn.Error {
	return txn.Errorf(txn.KindInvalidRequest, "the transaction was rolled back").Because(reason)
}

// part is the report on a participant, nil for the recovery of another coordinator's attempt.
func (k *pendingCommit) part(s txn.ShardID) *txn.PartReport {
	i := slices.Index(k.Participants, s)
	if k.req == nil || i < 0 || i >= len(k.parts) {
		return nil
	}
	return &k.parts[i]
}

// AskedFor implements decide.Asked.
func (k *pendingCommit) AskedFor(s txn.ShardID, n txn.NodeID) {
	if p := k.part(s); p != nil {
		p.Shard, p.Node, p.Tries = s, n, p.Tries+1
	}
}

// received records a participant's first vote.
func (k *pendingCommit) received(v *txn.Vote, now time.Duration) {
	if p := k.part(v.Shard); p != nil && !p.Answered {
		p.Answered, p.Took = true, now-k.began
		p.Waited, p.WaitedFor = time.Duration(v.WaitedNanos), v.WaitedFor
	}
}

// wrote reports whether the transaction writes anywhere. A read-only one may be logged
// nevertheless.
func (k *pendingCommit) wrote() bool {
	return slices.ContainsFunc(k.Prepares, func(p *txn.Prepare) bool { return len(p.Writes) > 0 })
}

// part is the report on a part of a round; m is nil if it was not answered.
func (j *reports) part(p *shardRequest, m *txn.AccessReply) txn.PartReport {
	out := txn.PartReport{Shard: p.access.Shard, Node: p.to, Tries: p.tries, Took: j.env.Now().Mono - p.began}
	if m != nil {
		out.Answered, out.Waited, out.WaitedFor = true, time.Duration(m.WaitedNanos), m.WaitedFor
	}
	return out
}

// round records a finished round of reads.
func (j *reports) round(r *round) {
	if r.began == 0 && len(r.parts) == 0 {
		return // answered from earlier reads
	}
	kind := txn.RoundRead
	if r.locks {
		kind = txn.RoundLock
	}
	j.enter(r.t, txn.RoundReport{Kind: kind, Start: r.began, Wide: r.wide, Parts: r.parts})
}

// enter completes a report and adds it to the transaction's journal.
func (j *reports) enter(t *transaction, r txn.RoundReport) {
	if len(t.journal) >= txn.RoundReportsMax {
		return
	}
	r.Took = j.env.Now().Mono - r.Start
	r.Start -= t.began
	if t.journal == nil {
		t.journal = make([]txn.RoundReport, 0, 2) // one of reads, one of votes
	}
	t.journal = append(t.journal, r)
}

// commit records the commit round and the end of the transaction, when its client is answered.
func (j *reports) commit(k *pendingCommit, err *txn.Error) {
	now := j.env.Now().Mono
	r := txn.RoundReport{Kind: txn.RoundPrepare, Start: k.began, Parts: k.parts}
	for i := range k.parts {
		if p := &k.parts[i]; !p.Answered {
			p.Took = now - k.began
		}
		r.Wide = r.Wide || k.parts[i].Node != 0 && j.env.Wide(k.parts[i].Node)
	}
	j.enter(k.t, r)
	e := j.ended(k.t, err)
	e.Wrote, e.Commit, e.Participants = k.wrote(), now-k.began, k.Participants
	j.note(k.t, e, k.ID, err)
	j.env.TxnEnded(e)
}

// end records the end of a transaction that asked no shard to commit.
func (j *reports) end(t *transaction, err *txn.Error) {
	if t.failed != nil {
		err = t.failed
	}
	e := j.ended(t, err)
	j.note(t, e, txn.Attempt{}, err)
	j.env.TxnEnded(e)
}

func (j *reports) ended(t *transaction, err *txn.Error) txn.TxnEndInfo {
	e := txn.TxnEndInfo{ID: t.id, Took: j.env.Now().Mono - t.began, Stats: t.stats}
	switch {
	case err != nil && (err.Cause == txn.CauseClient || err.Cause == txn.CauseConnection):
		e.RolledBack = true
	case err != nil:
		e.Outcome = err.Kind
	}
	if err != nil && err.Kind != txn.KindUnknown {
		e.Cause = err.AbortCause()
		j.rollbacks[e.Cause]++
	}
	j.left(t, err)
	return e
}
