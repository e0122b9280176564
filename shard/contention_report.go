package shard

import (
	"slices"
	"strings"
	"time"

	"isochron/txn"
)

// Contention adds the leader's contention data to a node's answer.
func (r *Replica) Contention(out *txn.ContentionReply) {
	if !r.Serving() {
		return
	}
	now, locks := r.env.Now().Mono, r.lead.locks.Contention()
	queues, listed := map[txn.Key]int{}, map[txn.LockWait]bool{}
	for _, w := range locks.Waits {
		same := txn.LockWait{Txn: w.Txn, Key: w.Near}
		if listed[same] {
			continue // a resent request waits twice
		}
		listed[same] = true
		out.Waits = append(out.Waits, txn.LockWait{
			Shard: r.cfg.ID, Txn: w.Txn, Holder: w.For, Key: w.Near, WaitedNanos: int64(max(now-w.Since, time.Nanosecond)),
			Priority: w.Priority, HolderPriority: w.ForPriority})
		if w.Near != "" {
			queues[w.Near]++
		}
	}
	first := len(out.Hot)
	for _, h := range locks.Hot {
		lasted := max(now-h.Since, time.Millisecond)
		out.Hot = append(out.Hot, txn.HotKey{Shard: r.cfg.ID, Key: h.Key, Queue: queues[h.Key], Group: h.Group,
			MilliUpdates: uint64(float64(h.Updates) * 1000 / lasted.Seconds())})
		delete(queues, h.Key)
	}
	for k, n := range queues { // order: sorted below
		out.Hot = append(out.Hot, txn.HotKey{Shard: r.cfg.ID, Key: k, Queue: n})
	}
	slices.SortFunc(out.Hot[first:], func(a, b txn.HotKey) int { return strings.Compare(string(a.Key), string(b.Key)) })
}
