package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// lateStatusQuery has a leader be told that a transaction is no more which has voted there meanwhile. A
// Prepare of one that holds locks waits on its way, until the leader asks its gateway whether it
// lives; the question waits until the votes were given, and the gateway has decided and forgotten
// the transaction, or has crashed and is back. Then it says so, truly, and decisions for that shard
// are lost for a while: the vote must stand.
type lateStatusQuery struct {
	n    *nemesis
	rand *rand.Rand
	odds int
	left int // how often in this run

	phase   probing
	prepare txn.Envelope // the last that was held back
	query   txn.Envelope // while it is asked
	until   time.Duration
}

// probing is how far an lateStatusQuery has come.
type probing uint8

const (
	notProbing    probing = iota
	untilAsked            // the Prepare waits
	untilEnded            // the question waits
	untilNotified         // it is on its way, or the answer
	wasNotified           // decisions are lost
)

// How long, at most, it waits for each of the next steps, and loses decisions at the end.
const (
	probingUnits = 40
	untoldUnits  = 16
)

// onSend holds messages of one transaction and one shard back.
func (o *lateStatusQuery) onSend(env *txn.Envelope) sendAction {
	if o.phase != notProbing && o.n.w.now >= o.until {
		o.phase = notProbing
	}
	m := &env.Msg
	if o.phase == notProbing {
		return o.begin(env)
	}
	p := o.prepare.Msg.Prepare
	ofIt := func(s txn.ShardID, a txn.Attempt) bool { return s == p.Shard && a == p.Attempt }
	switch {
	case m.Prepare != nil && ofIt(m.Prepare.Shard, m.Prepare.Attempt) && o.phase == untilAsked:
		o.prepare = *env
		return heldBack
	case m.Inquire != nil && ofIt(m.Inquire.Shard, m.Inquire.Attempt) && o.phase == untilAsked:
		return heldBack
	case m.TxnStatusQuery != nil && m.TxnStatusQuery.Txn == p.Txn && m.TxnStatusQuery.Shard == p.Shard:
		return o.asked(env)
	case m.Decide != nil && m.Decide.Attempt == p.Attempt:
		return o.decided(env.From, m.Decide)
	case m.TxnStatusReply != nil && m.TxnStatusReply.Txn == p.Txn && m.TxnStatusReply.Shard == p.Shard && o.phase == untilNotified:
		o.answered(m.TxnStatusReply)
	}
	return leaves
}

// begin takes up a transaction that holds locks where its Prepare goes, and has others to ask.
func (o *lateStatusQuery) begin(env *txn.Envelope) sendAction {
	p := env.Msg.Prepare
	if p == nil || o.left == 0 || p.LockTerm == 0 || p.ReadOnly || len(p.Participants) < 2 || env.From != p.Txn.Node || o.n.atSource(p.Shard) || o.rand.IntN(o.odds) > 0 {
		return leaves
	}
	o.left--
	o.prepare = *env
	o.next(untilAsked)
	return heldBack
}

func (o *lateStatusQuery) next(phase probing) {
	o.phase, o.until = phase, o.n.w.now+probingUnits*o.n.unit
}

// asked holds the question back, and lets the Prepare go.
func (o *lateStatusQuery) asked(env *txn.Envelope) sendAction {
	if o.phase == untilAsked {
		o.next(untilEnded)
		o.query = *env
		o.n.w.net.hold(o.prepare, 0)
		if o.rand.IntN(2) == 0 {
			o.n.w.After(o.n.unit*time.Duration(2+o.rand.IntN(4)), o.lose)
		}
	}
	if o.phase < untilNotified {
		return heldBack
	}
	return leaves
}

// lose has the gateway crash, if it has not decided yet, and be asked in its next life.
func (o *lateStatusQuery) lose() {
	gateway := o.n.w.host(o.query.To)
	if o.phase != untilEnded || !gateway.up() || !o.n.active {
		return
	}
	o.n.biased.count("a gateway is lost with votes on their way to it")
	gateway.crash(strictly)
	back := o.n.unit * time.Duration(1+o.rand.IntN(3))
	o.n.w.After(back, gateway.restart)
	o.ask(back)
}

// ask lets the question go.
func (o *lateStatusQuery) ask(later time.Duration) {
	o.next(untilNotified)
	o.n.w.net.hold(o.query, later)
}

// decided loses decisions for the shard. The first that leaves the gateway has it asked: it has
// answered its client. One before the shard was asked to vote ends all of it.
func (o *lateStatusQuery) decided(from txn.NodeID, d *txn.Decide) sendAction {
	p := o.prepare.Msg.Prepare
	if o.phase == untilAsked {
		o.phase = notProbing
		o.left++
		return leaves
	}
	if o.phase == untilEnded && from == p.Txn.Node {
		o.ask(0)
	}
	if d.Shard == p.Shard {
		return heldBack
	}
	return leaves
}

// answered has decisions be lost a little longer, after an answer that a vote outlives.
func (o *lateStatusQuery) answered(m *txn.TxnStatusReply) {
	o.phase = notProbing
	if m.Alive {
		return
	}
	o.phase, o.until = wasNotified, o.n.w.now+o.n.unit*time.Duration(untoldUnits/4+o.rand.IntN(untoldUnits))
	o.n.biased.count("a transaction that has voted is said to be no more")
}
