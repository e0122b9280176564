package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// HotRowConfig are when a row is hot and how large its groups are.
type HotRowConfig struct {
	HotWaiters int // more than so many waiters make a row hot; 32
	// HotDelay: fewer do, but two at least, if the last of them is further than this
	// from the row by what its turns take; 32 ms. A turn that costs a sync of the disk
	// leaves 32 as the threshold, one that costs a wide-area round trip makes it two.
	// Negative: waiters alone count.
	HotDelay  time.Duration
	GroupSize int // 10
	// RollbackPercent of the last rollbackSample places in the chain of a row: if
	// more were undone, the row is held to the end for GroupingOffFor. 95: of a group of ten
	// not even one commits, so groups do no more than holding would; 1 s.
	RollbackPercent int
	GroupingOffFor  time.Duration
	Off             bool // no row is hot
}

// rollbackSample is some 25 groups: whole groups are undone together, and of a few
// groups most may be by chance.
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

// tooMany reports whether so many wait for turns that take so long that the row is hot.
func (b HotRowConfig) tooMany(waiters int, turn time.Duration) bool {
	return waiters > b.HotWaiters || b.HotDelay > 0 && waiters >= 2 && time.Duration(waiters)*turn > b.HotDelay
}

// HotRow is what is known of a row for which many wait.
type HotRow struct {
	Key        txn.Key
	Since      time.Duration
	Updates    uint64 // turns that were given out
	AbortCount uint64 // places in the chain that were undone
	Queue      int    // who waits
	Group      int    // places in the chain

	leader           txn.ID
	granted          int // turns of this group
	ended, bad       int // of the sample
	groupingOffUntil time.Duration
}

// hotRows is which rows of a table are hot, and in which groups their turns are given out.
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

// list lists them in the order of their keys.
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

// warm makes a row hot for which too many wait.
func (l *hotRows) warm(now time.Duration, k txn.Key, p *lockState) {
	if p.hot != nil || !l.rule.waits() || l.bounds.Off {
		return
	}
	if l.bounds.tooMany(p.queue.len(), p.holdTime(now)) {
		p.hot = &HotRow{Key: k, Since: now}
		l.byKey[k] = p.hot
	}
}

// cool forgets that a row was hot once nobody waits for it or stands in its chain.
func (l *hotRows) cool(k txn.Key, p *lockState) {
	if p.hot != nil && p.queue.len() == 0 && len(p.chain) == 0 {
		delete(l.byKey, k)
		p.hot = nil
	}
}

// alone reports whether the lock set is for hot rows alone: who holds nothing waits there
// in the queue without a walk, for nobody waits for it.
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

// passes reports whether a row is hot, and not one of which too much is undone.
func (l *hotRows) passes(r *HotRow) bool {
	return r != nil && !l.bounds.Off && l.now >= r.groupingOffUntil
}

// noteGrant counts that a row is given to a transaction.
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

// full reports whether as many turns of a group were given out as may be.
func (l *hotRows) full(r *HotRow) bool { return r.granted >= l.bounds.GroupSize }

// ended counts how a place in the chain of a row ended: if too many are undone, the row is
// not passed on for a while.
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
