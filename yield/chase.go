package yield

import (
	"cmp"
	"slices"
	"time"

	"isochron/txn"
)

// Deadlocks over several shards are found by chasing edges (Chandy, Misra and Haas,
// 1983), in two laps.
//
// The first lap. A leader that has somebody wait for a holder for long, older than it,
// starts a chase: the coordinator of the holder knows at which shards it waits, their
// leaders know for whom, the coordinators of those know where these wait, and so on. A
// chase goes on through transactions older than its start alone: so each cycle has one
// chase that goes all around it, that of its youngest. It carries the waits that it has
// seen. One that comes to somebody who waits for its start has seen a cycle, wait by wait.
//
// The second lap. Waits that were seen one after the other need not have stood together:
// locks are let go early here. So each leader on the path is asked whether the waits that
// it told of still stand. A wait is known by the number of its request, which it keeps as
// long as it waits, and by the tenure of whom it waits for, which is another as soon as that one lets
// go of anything. What stands in both laps stood all the time between; so at the
// instant between the laps all of it stood together, and that is a deadlock: no phantom is ever ended.
//
// Who ends. The youngest: ages are kept over tries, so the oldest is never chosen, and
// nobody starves. But if somebody of the cycle waits for the youngest and has gone on from
// its value, that one would be undone with it: then that one is chosen, and the youngest lives.
//
// A vote that depends on undecided writers waits for attempts that have all their votes, and these
// wait for no lock: so dependencies are never part of a cycle, and nobody follows them.
//
// listWaits count that stand, not those that will: who stands in a chain waits once it asks
// for its vote. Everything is bounded, and all of it is best effort: a message that
// is lost delays, and what is beyond a bound ends by the bound of its wait.

// The bounds of one look, and of one step of a chase.
const (
	followMax    = 64                    // transactions that are looked at in one step
	backOffMost  = 1                     // doublings of the time between chases of one holder
	looksPerWait = 8                     // looks in the time after which somebody is chased
	lookEvery    = 20 * time.Millisecond // at most
)

// Suspect is a holder for whom somebody older has waited for long.
type Suspect struct {
	Txn  txn.ID
	Age  txn.Age
	Turn int            // chases of it before this one
	Into []txn.WaitEdge // waits for it
}

// Suspects lists who is to be chased now, at most so many of them: those for whom
// somebody older has waited for at least as long as after. here is a WaitEdge that
// names this leader. It looks a few times in that while and else finds nobody.
func (t *Table) Suspects(now, after time.Duration, most int, here txn.WaitEdge) []Suspect {
	if t.count == 0 || now < t.lookAt {
		return nil
	}
	t.lookAt = now + max(after/looksPerWait, lookEvery)
	t.looks++
	var found []*Holder
	into := map[txn.ID][]*Waiter{}
	for _, w := range t.longWaits(now, after) {
		t.holdersBefore(w, func(h *Holder, _ uint64) {
			if now-h.Since < after || now < h.chaseAt || !w.Age.Older(h.Age) {
				return
			}
			if h.chased != t.looks {
				h.chased = t.looks
				found = append(found, h)
			}
			into[h.Txn] = append(into[h.Txn], w)
		})
	}
	slices.SortFunc(found, func(a, b *Holder) int {
		if a.chaseAt < b.chaseAt || a.chaseAt == b.chaseAt && a.Txn.Less(b.Txn) {
			return -1
		}
		return 1
	})
	var out []Suspect
	for _, h := range found[:min(len(found), most)] {
		s := Suspect{Txn: h.Txn, Age: h.Age, Turn: h.chases}
		h.chaseAt = now + after<<min(h.chases, backOffMost)
		h.chases++
		for _, w := range into[h.Txn] {
			t.edges(w, here, func(e txn.WaitEdge, _ txn.Age, _ bool) {
				if e.For == h.Txn && len(s.Into) < txn.ChaseIntoMax {
					s.Into = append(s.Into, e)
				}
			})
		}
		out = append(out, s)
	}
	return out
}

// longWaits lists waiters who have waited for so long: all that wait for a holder and, of
// each queue, of those for whom the same is in the way the oldest, and its first.
// Who holds nothing keeps up those behind it in a queue alone, and is left out elsewhere.
func (t *Table) longWaits(now, after time.Duration) (out []*Waiter) {
	type kind struct {
		key              txn.Key
		exclusive, joins bool
		upgrades, sure   bool // the one goes first, whatever its age, and is in the way of the rest
	}
	oldest := map[kind]*Waiter{}
	for _, ws := range t.byTxn { // order: sorted below
		for _, w := range ws {
			switch {
			case w.Fresh || now-w.Since < after:
			case w.on != nil:
				out = append(out, w)
			default:
				h := t.holders[w.Txn]
				k := kind{w.Key, w.Exclusive, h == nil || len(h.chained) == 0, w.upgrades, w.Sure}
				if o := oldest[k]; o == nil || w.before(o) {
					oldest[k] = w
				}
			}
		}
	}
	for k, w := range oldest { // order: sorted below
		out = append(out, w)
		if p, ok := t.points.Get(k.key); ok && p.queue.len() > 0 {
			out = append(out, p.queue.ws[0])
		}
	}
	slices.SortFunc(out, func(a, b *Waiter) int { return cmp.Compare(a.seq, b.seq) })
	return slices.Compact(out)
}

// holdersBefore visits the holders that are in a waiter's way, with the number of what
// they have there. Of a group that is full it is the leader, whose end opens it.
func (t *Table) holdersBefore(w *Waiter, visit func(h *Holder, tenure uint64)) {
	if w.on != nil {
		visit(w.on, w.seq)
		return
	}
	p, ok := t.points.Get(w.Key)
	if !ok {
		return
	}
	one := func(h *Holder) {
		if h != nil && h.Txn != w.Txn {
			visit(h, h.tenure)
		}
	}
	if at := p.place(w.Txn); at >= 0 { // whoever comes later waits for it
		for _, h := range p.chain[:at] {
			one(h)
		}
		return
	}
	one(p.exclusive)
	if w.Exclusive {
		for _, h := range p.shared {
			one(h)
		}
	}
	for _, h := range t.chainBefore(p, w) {
		one(h)
	}
}

// chainBefore lists those of a row's chain who must leave it before the waiter gets the row.
func (t *Table) chainBefore(p *point, w *Waiter) []*Holder {
	if len(p.chain) == 0 {
		return nil
	}
	if !w.Exclusive || w.Sure || !t.joins(Execute, w.Txn, []txn.Key{w.Key}) {
		return p.chain
	}
	if t.policy.Hot == Retire {
		var younger []*Holder
		for _, h := range p.chain {
			if w.Age.Older(h.Age) {
				younger = append(younger, h)
			}
		}
		return younger
	}
	if p.hot == nil || p.hot.granted < t.bounds.GroupSize || !w.Fresh && !t.policy.Detect {
		return nil
	}
	if at := p.place(p.hot.leader); at >= 0 {
		return p.chain[at : at+1]
	}
	return nil
}

// edges visits the waits of a waiter: for holders, and in a queue for the first of it and
// for those before it who may wait elsewhere too. alone: whom it waits for waits here and nowhere else.
func (t *Table) edges(w *Waiter, here txn.WaitEdge, visit func(e txn.WaitEdge, of txn.Age, alone bool)) {
	here.Txn, here.Request = w.Txn, w.Number
	t.holdersBefore(w, func(h *Holder, tenure uint64) {
		e := here
		e.For, e.Tenure, e.Undone = h.Txn, tenure, slices.Contains(t.behind(h.Txn, ""), w.Txn)
		visit(e, h.Age, t.waitsHereAlone(h.Txn))
	})
	t.queueBefore(w, func(o *Waiter) {
		if o.place > 1 && o.Alone {
			return
		}
		e := here
		e.For, e.Tenure = o.Txn, o.Number
		visit(e, o.Age, o.Alone)
	})
}

// queueBefore visits those in a queue who go before the waiter.
func (t *Table) queueBefore(w *Waiter, visit func(o *Waiter)) {
	if w.place <= 1 {
		return
	}
	p, _ := t.points.Get(w.Key)
	for _, o := range p.queue.ws {
		if o.Txn != w.Txn && o.before(w) {
			visit(o)
		}
	}
}

// waitsHereAlone: the transaction waits here, and nowhere else.
func (t *Table) waitsHereAlone(id txn.ID) bool {
	ws := t.byTxn[id]
	return len(ws) > 0 && !slices.ContainsFunc(ws, func(w *Waiter) bool { return !w.Alone })
}

// reached is a transaction to which a chase has come at this shard.
type reached struct {
	id    txn.ID
	from  int // in the list of them, -1 for the one that was asked of
	edge  txn.WaitEdge
	alone bool
}

// Follow carries a chase on at this shard, where its Txn may wait: over the waits here, to
// the cycle that it closes or, if it closes none, to those who may wait elsewhere, for their
// coordinators. here is a WaitEdge that names this leader.
func (t *Table) Follow(c *txn.Chase, here txn.WaitEdge) (cycle []txn.WaitEdge, next []*txn.Chase) {
	trail := []reached{{id: c.Txn, from: -1}}
	path := func(i int) []txn.WaitEdge {
		var back []txn.WaitEdge
		for ; trail[i].from >= 0; i = trail[i].from {
			back = append(back, trail[i].edge)
		}
		slices.Reverse(back)
		return append(slices.Clone(c.Path), back...)
	}
	known := func(id txn.ID) bool {
		return slices.ContainsFunc(trail, func(r reached) bool { return r.id == id }) ||
			slices.ContainsFunc(c.Path, func(e txn.WaitEdge) bool { return e.Txn == id })
	}
	for i := 0; i < len(trail) && cycle == nil; i++ {
		for _, w := range t.byTxn[trail[i].id] {
			t.edges(w, here, func(e txn.WaitEdge, of txn.Age, alone bool) {
				t.work.Steps++
				switch {
				case cycle != nil:
				case e.For == c.Start:
					cycle = append(path(i), e)
				case len(trail) >= followMax || c.Age.Older(of) || known(e.For):
				default:
					trail = append(trail, reached{e.For, i, e, alone})
					if into := slices.IndexFunc(c.Into, func(b txn.WaitEdge) bool { return b.Txn == e.For }); into >= 0 {
						cycle = append(path(len(trail)-1), c.Into[into])
					}
				}
			})
		}
	}
	if cycle != nil {
		return cycle, nil
	}
	return nil, onward(c, trail, path, here.Shard)
}

// onward asks the coordinators of those who may wait elsewhere, as far as the budget reaches.
func onward(c *txn.Chase, trail []reached, path func(int) []txn.WaitEdge, shard txn.ShardID) (next []*txn.Chase) {
	var at []int
	for i := 1; i < len(trail); i++ {
		if !trail[i].alone {
			at = append(at, i)
		}
	}
	sent, each := c.Share(len(at))
	for i := range sent {
		j := at[(i+c.Turn*sent)%len(at)]
		if p := path(j); len(p) <= txn.ChasePathMax {
			next = append(next, &txn.Chase{
				Txn: trail[j].id, Start: c.Start, Age: c.Age, Path: p, Into: c.Into, Budget: each, Seen: shard, Turn: c.Turn})
		}
	}
	return next
}

// renew gives a holder another tenure.
func (t *Table) renew(h *Holder) {
	t.seq++
	h.tenure = t.seq
}

// Stands reports whether a wait that was seen here stands still, and has without a break.
func (t *Table) Stands(e txn.WaitEdge) bool {
	w := t.Numbered(e.Txn, e.Request)
	if w == nil {
		return false
	}
	stands := false
	t.holdersBefore(w, func(h *Holder, tenure uint64) { stands = stands || h.Txn == e.For && tenure == e.Tenure })
	t.queueBefore(w, func(o *Waiter) { stands = stands || o.Txn == e.For && o.Number == e.Tenure })
	return stands
}

// Numbered is the request of a transaction that waits under this number, nil if none does.
func (t *Table) Numbered(id txn.ID, request uint64) *Waiter {
	for _, w := range t.byTxn[id] {
		if w.Number == request {
			return w
		}
	}
	return nil
}

// Victim is whose wait, of a cycle that begins with its youngest, is ended.
func Victim(cycle []txn.WaitEdge) int {
	at := 0
	for range cycle {
		before := (at + len(cycle) - 1) % len(cycle)
		if !cycle[before].Undone {
			return at
		}
		at = before
	}
	return 0 // each would be undone with the next
}
