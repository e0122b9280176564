package sim

import (
	"fmt"
	"time"

	"isochron/coordinator"
	"isochron/txn"
)

// readPatience is how long a coordinator asks for an answer to a read beyond
// the wait for locks; answerSlack what it may take besides: a process that
// stands still several times, a disk that is slow.
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

// overdue tells of a request that waits, or waited, for too long.
func (k *call) overdue() (string, bool) {
	w := k.client.w
	waited, most := w.now-k.since, w.held+answerWithin(w.cfg.Params, k.req.Op)
	if waited <= most {
		return "", false
	}
	return fmt.Sprintf("a request (operation %d of %v) at n%d has waited since %s ms for %v, longer than %v",
		k.req.Op, k.req.Txn, k.client.host.id, stamp(k.since), waited, most), true
}

// unanswered tells of every request that was answered too late or waits for too long.
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
