package coordinator

import (
	"isochron/coverage"
	"isochron/txn"
)

// A transaction that has lost again and again takes its locks before it asks for
// votes: reads take theirs as they go (policy.lockOf), and here what it writes
// without having locked it. A vote that meets an older holder, or one that has voted,
// gives way at once and would be asked for again and again; a lock is waited for. Where rows have
// leases each does so that asks several shards: what is locked has a lease that does not grow.

// lockFirst locks what a commit writes and does not hold; false: nothing is left to
// be locked, and the commit may go on.
func (cs *commitManager) lockFirst(t *transaction, req *Request, writes []txn.Write) bool {
	if len(writes) > 0 {
		cs.classes.begins(t, writes[0].Key)
	}
	sure := cs.policy.committedOnly(t)
	if cs.cfg.Spec.Yield.NeverLocks || !sure && !cs.leasesFirst(t, writes) || t.lockedAll {
		return false
	}
	t.lockedAll = true // once is enough: what is refused ends the transaction
	var keys []txn.Key
	for _, w := range writes {
		if r, ok := t.seen.get(w.Key); !ok || r.lock != txn.LockExclusive {
			keys = append(keys, w.Key)
		}
	}
	if len(keys) == 0 {
		return false
	}
	cs.cfg.Params.Rules.HitIf(sure, coverage.LocksFirst)
	cs.reads.begin(t, &Request{
		Op: OpRead, Txn: t.id, SchemaChecks: req.SchemaChecks, Read: txn.Read{Gets: keys, Lock: txn.LockExclusive, ForWrite: true},
		Done: func(r Response) {
			if r.Err == nil {
				cs.begin(t, req, writes)
				return
			}
			err := r.Err
			if err.Kind == txn.KindLockTimeout {
				err = txn.Errorf(txn.KindAborted, "%s", err.Reason).Because(txn.CauseLockTimeout)
				cs.reports.timedOutWhole()
			}
			if cs.txns[t.id] == t {
				cs.ender.end(t, err)
			}
			req.answer(t.response(err))
		}})
	return true
}
