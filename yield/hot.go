package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// HotRowConfig is when a row is hot and how large its groups are.
type HotRowConfig struct {
	HotWaiters int // a row with more waiters is hot; 32
	// HotDelay: a row with fewer waiters, but two at least, is hot if waiters x hold time exceeds
	// this; 32 ms. With a hold time of one disk sync the threshold remains 32 waiters, with one
	// wide-area round trip it is two. Negative: only HotWaiters counts.
	HotDelay  time.Duration
	GroupSize int // 10
	// RollbackPercent: if more of the last rollbackSample members of a row's chain were aborted,
	// the row is not published for GroupingOffFor. Defaults 95 and 1 s: then of a group of ten not
	// even one commits, and groups gain nothing over holding the row.
	RollbackPercent int
	GroupingOffFor  time.Duration
	Off             bool // no row is hot
}

// rollbackSample is some 25 groups: groups abort as a whole, so a few groups may mostly abort by
// chance.
const rollbackSample = 256

func (b HotRowConfig) withDefaults() HotRowConfig {
	set := func(n *int, v int) {
		if *n == 0 {
			*n = v
		}
	}
	set(&b.HotWaiters, 32)
	if b.HotDelay == 0 {
		b.HotDelay = 32 * time.Millisecond
	}
	set(&b.GroupSize, 10)
	set(&b.RollbackPercent, 95)
	if b.GroupingOffFor == 0 {
		b.GroupingOffFor = time.Second
	}
	return b
}

// tooMany reports whether so many waiters, with this hold time, make a row hot.
func (b HotRowConfig) tooMany(waiters int, turn time.Duration) bool {
	return waiters > b.HotWaiters || b.HotDelay > 0 && waiters >= 2 && time.Duration(waiters)*turn > b.HotDelay
}

// HotRow is the state of a row with many waiters.
type HotRow struct {
	Key        txn.Key
	Since      time.Duration
	Updates    uint64 // grants
	AbortCount uint64 // aborted members of the chain
	Queue      int    // waiters
	Group      int    // members of the chain

	leader           txn.ID
	granted          int // grants in this group
	ended, bad       int // of the sample
	groupingOffUntil time.Duration
}

// hotRows are the hot rows of a table and their groups.
type hotRows struct {
	rule   HotRule
	bounds HotRowConfig
	now    time.Duration // of the last grant
	byKey  map[txn.Key]*HotRow
	rows   *rows
}

func newHotRows(rule HotRule, b HotRowConfig, r *rows) hotRows {
	return hotRows{rule: rule, bounds: b.withDefaults(), byKey: map[txn.Key]*HotRow{}, rows: r}
}

// list lists them in key order.
func (l *hotRows) list() []HotRow {
	var out []HotRow
	for k, h := range l.byKey { // order: sorted below
		row := *h
		p, _ := l.rows.Get(k)
		row.Key, row.Queue, row.Group = k, p.queue.len(), len(p.chain)
		out = append(out, row)
	}
	slices.SortFunc(out, func(a, b HotRow) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	return out
}

// warm marks a row as hot if too many wait for it.
func (l *hotRows) warm(now time.Duration, k txn.Key, p *lockState) {
	if p.hot != nil || !l.rule.waits() || l.bounds.Off {
		return
	}
	if l.bounds.tooMany(p.queue.len(), p.holdTime(now)) {
		p.hot = &HotRow{Key: k, Since: now}
		l.byKey[k] = p.hot
	}
}

// cool unmarks a hot row without waiters and chain.
func (l *hotRows) cool(k txn.Key, p *lockState) {
	if p.hot != nil && p.queue.len() == 0 && len(p.chain) == 0 {
		delete(l.byKey, k)
		p.hot = nil
	}
}

// alone reports whether the lock set is only for hot rows. A transaction that holds nothing waits
// there without a walk, since no transaction waits for it.
func (l *hotRows) alone(c *LockSet) bool {
	if !l.rule.waits() || len(c.Shared)+len(c.Spans) > 0 {
		return false
	}
	for _, k := range c.Exclusive {
		if p, ok := l.rows.Get(k); !ok || p.hot == nil {
			return false
		}
	}
	return true
}

// passes reports whether a row is hot and grouping is on for it.
func (l *hotRows) passes(r *HotRow) bool {
	return r != nil && !l.bounds.Off && l.now >= r.groupingOffUntil
}

// noteGrant counts a grant of a row, and opens a new group if the last is full or its leader has
// ended.
func (l *hotRows) noteGrant(p *lockState, h *Holder) {
	r := p.hot
	if r == nil {
		return
	}
	r.Updates++
	if r.granted++; r.granted > l.bounds.GroupSize || p.chainIndex(r.leader) < 0 {
		r.leader, r.granted = h.Txn, 1
	}
}

// full reports whether a group has had as many grants as it may.
func (l *hotRows) full(r *HotRow) bool { return r.granted >= l.bounds.GroupSize }

// ended counts how a member left the chain of a row; with too many aborts grouping is off for a
// while.
func (l *hotRows) ended(r *HotRow, committed bool) {
	r.ended++
	if !committed {
		r.bad++
		r.AbortCount++
	}
	if r.ended >= rollbackSample {
		if r.bad*100 > l.bounds.RollbackPercent*r.ended {
			r.groupingOffUntil = l.now + l.bounds.GroupingOffFor
		}
		r.ended, r.bad = 0, 0
	}
}
