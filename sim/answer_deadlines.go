package sim

import (
	"fmt"
	"time"

	"isochron/coordinator"
	"isochron/txn"
)

// readPatience is the time a coordinator waits for the reply to a read beyond the wait for locks;
// answerSlack is added for a process that stalls several times and for a slow disk.
const (
	readPatience = 10 * time.Second
	answerSlack  = 2 * time.Second
)

// answerWithin bounds the time in which a node that stays up answers a request.
func answerWithin(p txn.Params, op coordinator.Op) time.Duration {
	switch op {
	case coordinator.OpRead:
		return p.LockWait + readPatience + answerSlack
	case coordinator.OpUpdate, coordinator.OpExecute, coordinator.OpFixedSet:
		return 2*p.LockWait + readPatience + p.CommitWait + answerSlack
	}
	return p.LockWait + p.CommitWait + answerSlack
}

// overdue describes a request that waits, or waited, longer than its bound.
func (k *call) overdue() (string, bool) {
	w := k.client.w
	waited, most := w.now-k.since, w.held+answerWithin(w.cfg.Params, k.req.Op)
	if waited <= most {
		return "", false
	}
	return fmt.Sprintf("a request (operation %d of %v) at n%d has waited since %s ms for %v, longer than %v",
		k.req.Op, k.req.Txn, k.client.host.id, stamp(k.since), waited, most), true
}

// unanswered describes every request that was answered after its bound or still waits beyond it.
func (w *Cluster) unanswered() []string {
	all := w.late
	for _, h := range w.hosts {
		for _, k := range h.calls {
			if what, late := k.overdue(); late {
				all = append(all, what)
			}
		}
	}
	return all
}
