package coordinator

import (
	"slices"
	"time"

	"isochron/txn"
)

// knownMax bounds the ended transactions that a gateway lists.
const knownMax = 32_768

// ended are the clients' transactions that ended recently, in a ring.
type ended struct {
	ring []endedTxn
	next int // index of the next, once the ring is full
}

type endedTxn struct {
	id     txn.ID
	owner  uint64
	commit txn.Attempt
	at     time.Duration
	kind   txn.Kind // 0: committed
	cause  txn.Cause
}

func (e *ended) add(x endedTxn) {
	if x.owner == 0 {
		return
	}
	if len(e.ring) < knownMax {
		e.ring = append(e.ring, x)
		return
	}
	e.ring[e.next] = x
	e.next = (e.next + 1) % knownMax
}

// known lists them, the last first, until one is too old.
func (e *ended) known(now time.Duration) (out []txn.Known) {
	for i := range e.ring {
		x := &e.ring[(e.next+len(e.ring)-1-i)%len(e.ring)]
		if now-x.at > txn.KnownFor || len(out) == txn.ContentionKnownMax {
			break
		}
		out = append(out, txn.Known{Txn: x.id, SessionID: x.owner, Commit: x.commit, Ended: true, AgoNanos: int64(now - x.at),
			Committed: x.kind == 0, OutcomeLost: x.kind == txn.KindUnknown, Cause: x.cause})
	}
	return out
}

// Known lists the open transactions of clients, and the recently ended ones.
func (c *Coordinator) Known() (out []txn.Known) {
	now := c.env.Now().Mono
	for _, t := range c.txns { // order: sorted below
		if t.owner != 0 && t.failed == nil {
			out = append(out, txn.Known{Txn: t.id, SessionID: t.owner, AgoNanos: int64(now - t.began)})
		}
	}
	slices.SortFunc(out, func(a, b txn.Known) int {
		if a.Txn.Less(b.Txn) {
			return -1
		}
		return 1
	})
	return append(out[:min(len(out), txn.ContentionKnownMax)], c.reports.late.known(now)...)
}

// note records a transaction that has ended.
func (j *reports) note(t *transaction, e txn.TxnEndInfo, commit txn.Attempt, err *txn.Error) {
	x := endedTxn{id: t.id, owner: t.owner, at: j.env.Now().Mono, cause: e.Cause}
	if err != nil {
		x.kind = err.Kind
	} else {
		x.commit = commit
	}
	j.late.add(x)
}
