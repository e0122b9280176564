package yield

import (
	"cmp"
	"slices"
	"time"

	"isochron/txn"
)

// The bounds of one search, and of one step of a probe.
const (
	probesPerScan = 8                     // probes that a leader starts in one search
	followMax     = 64                    // transactions visited in one step
	backOffMost   = 1                     // doublings of the time between probes of one holder
	looksPerWait  = 8                     // searches in DetectorConfig.After
	lookEvery     = 20 * time.Millisecond // minimum between searches
)

// pursuit is a detector's record of a holder.
type pursuit struct {
	next  time.Duration // when it may be probed again
	times int           // probes of it so far
	look  uint64        // search in which it was last found
}

// suspect is a holder for which an older transaction has waited long.
type suspect struct {
	txn      txn.ID
	age      txn.Age
	holdTime int            // probes of it before this one
	into     []txn.WaitEdge // wait edges to it
}

// suspects lists the holders to probe now, at most probesPerScan: those for which an older
// transaction has waited for at least after. It searches looksPerWait times in that time, and
// otherwise returns none.
func (c *DeadlockDetector) suspects(now time.Duration) []suspect {
	t, after := c.table, c.after
	if t.waits.count == 0 || now < c.lookAt {
		return nil
	}
	c.lookAt = now + max(after/looksPerWait, lookEvery)
	c.scans++
	var found []*Holder
	into := map[txn.ID][]*Waiter{}
	for _, w := range c.longWaits(now) {
		t.graph.holdersBefore(w, func(h *Holder, _ uint64) {
			if now-h.Since < after || now < h.lastProbed.next || !w.Age.Older(h.Age) {
				return
			}
			if h.lastProbed.look != c.scans {
				h.lastProbed.look = c.scans
				found = append(found, h)
			}
			into[h.Txn] = append(into[h.Txn], w)
		})
	}
	slices.SortFunc(found, func(a, b *Holder) int {
		if a.lastProbed.next < b.lastProbed.next || a.lastProbed.next == b.lastProbed.next && a.Txn.Less(b.Txn) {
			return -1
		}
		return 1
	})
	var out []suspect
	for _, h := range found[:min(len(found), probesPerScan)] {
		s := suspect{txn: h.Txn, age: h.Age, holdTime: h.lastProbed.times}
		h.lastProbed.next = now + after<<min(h.lastProbed.times, backOffMost)
		h.lastProbed.times++
		for _, w := range into[h.Txn] {
			t.graph.edges(w, c.here, func(e txn.WaitEdge, _ txn.Age, _ bool) {
				if e.For == h.Txn && len(s.into) < txn.DeadlockProbeIntoMax {
					s.into = append(s.into, e)
				}
			})
		}
		out = append(out, s)
	}
	return out
}

// longWaits lists waiters that have waited for after: all that wait for a holder and, of each
// queue, the oldest of each kind (those with the same conflicting holders) and the queue's first. A
// transaction that holds nothing delays only those behind it in a queue, and is left out otherwise.
func (c *DeadlockDetector) longWaits(now time.Duration) (out []*Waiter) {
	t := c.table
	type kind struct {
		key                     txn.Key
		exclusive, joins        bool
		upgrades, committedOnly bool // an upgrade precedes all others, whatever its age, and conflicts with them
	}
	oldest := map[kind]*Waiter{}
	for _, ws := range t.waits.byTxn { // order: sorted below
		for _, w := range ws {
			switch {
			case w.HoldsNothing || now-w.Since < c.after:
			case w.on != nil:
				out = append(out, w)
			default:
				h := t.holders.get(w.Txn)
				k := kind{w.Key, w.Exclusive, !h.inChain(), w.upgrades, w.CommittedOnly}
				if o := oldest[k]; o == nil || w.before(o) {
					oldest[k] = w
				}
			}
		}
	}
	for k, w := range oldest { // order: sorted below
		out = append(out, w)
		if p, ok := t.rows.Get(k.key); ok && p.queue.len() > 0 {
			out = append(out, p.queue.ws[0])
		}
	}
	slices.SortFunc(out, func(a, b *Waiter) int { return cmp.Compare(a.seq, b.seq) })
	return slices.Compact(out)
}
