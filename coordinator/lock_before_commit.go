package coordinator

import (
	"isochron/coverage"
	"isochron/txn"
)

// A transaction that was aborted repeatedly takes its locks before it asks for votes: reads lock as
// they go (policy.lockOf), and here it locks the rows that it writes without a lock. A vote that
// conflicts with an older holder, or with a voted one, aborts immediately, and again in each retry;
// a lock request waits instead. Under row leases every commit over several shards does so: a locked
// row's lease does not grow.

// lockFirst locks the unlocked writes of a commit; false: nothing is left to be locked, and the
// commit may proceed.
func (cs *commitManager) lockFirst(t *transaction, req *Request, writes []txn.Write) bool {
	if len(writes) > 0 {
		cs.classes.begins(t, writes[0].Key)
	}
	committedOnly := cs.policy.committedOnly(t)
	if cs.cfg.Spec.Yield.NeverLocks || !committedOnly && !cs.leasesFirst(t, writes) || t.lockedAll {
		return false
	}
	t.lockedAll = true // once is enough: a refusal ends the transaction
	var keys []txn.Key
	for _, w := range writes {
		if r, ok := t.seen.get(w.Key); !ok || r.lock != txn.LockExclusive {
			keys = append(keys, w.Key)
		}
	}
	if len(keys) == 0 {
		return false
	}
	cs.cfg.Params.Rules.HitIf(committedOnly, coverage.LocksFirst)
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
