package coordinator

import "isochron/txn"

// A transaction that has lost again and again takes its locks before it asks for
// votes: reads take theirs as they go (Coordinator.lockOf), and here what it writes
// without having locked it. A vote that meets an older holder, or one that has voted,
// gives way at once and would be asked for again and again; a lock is waited for.

// lockFirst locks what a commit writes and does not hold; false: nothing is left to
// be locked, and the commit may go on.
func (c *Coordinator) lockFirst(t *transaction, req *Request, writes []txn.Write) bool {
	if c.cfg.Row.Yield.NeverLocks || !c.lost(t) || t.lockedAll {
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
	c.read(t, &Request{
		Op: OpRead, Txn: t.id, Guards: req.Guards, Read: txn.Read{Gets: keys, Lock: txn.LockExclusive, ForWrite: true},
		Done: func(r Response) {
			if r.Err == nil {
				c.commit(t, req, writes)
				return
			}
			err := r.Err
			if err.Kind == txn.KindLockTimeout {
				err = txn.Errorf(txn.KindAborted, "%s", err.Reason).Because(txn.CauseLockTimeout)
				c.reports.rollbacks[txn.CauseLockTimeout]-- // it was counted as a statement's, and now is as the transaction's
			}
			if c.txns[t.id] == t {
				c.end(t, err)
			}
			req.answer(t.response(err))
		}})
	return true
}
