package shard

import (
	"slices"
	"strings"
	"time"

	"isochron/txn"
	"isochron/yield"
)

// Survey adds what a leader knows of contention to a node's answer.
func (r *Replica) Survey(out *txn.SurveyReply) {
	if !r.Serving() {
		return
	}
	now := r.env.Now().Mono
	queues, told := map[txn.Key]int{}, map[txn.LockWait]bool{}
	for _, w := range r.lead.locks.Queued() {
		same := txn.LockWait{Txn: w.Txn, Key: w.For}
		if told[same] {
			continue // a request that was sent again waits twice
		}
		told[same] = true
		out.Waits = append(out.Waits, txn.LockWait{
			Shard: r.cfg.ID, Txn: w.Txn, Holder: w.On().Txn, Key: w.For, WaitedNanos: int64(max(now-w.Since, time.Nanosecond))})
		if w.For != "" {
			queues[w.For]++
		}
	}
	first := len(out.Hot)
	for k, n := range queues { // order: sorted below
		out.Hot = append(out.Hot, txn.HotKey{Shard: r.cfg.ID, Key: k, Queue: n})
	}
	slices.SortFunc(out.Hot[first:], func(a, b txn.HotKey) int { return strings.Compare(string(a.Key), string(b.Key)) })
}

// waits completes a waiter for whoever looks at it.
func (l *leadership) waits(w *yield.Waiter, c yield.Claim, began arrival) {
	if w != nil {
		w.Since, w.For = began.Mono, w.On().Meets(c)
	}
}
