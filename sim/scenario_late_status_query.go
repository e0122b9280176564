package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// lateStatusQuery makes a leader learn that a transaction no longer exists after that transaction
// has voted there. The Prepare of a transaction that holds locks is delayed until the leader
// queries its gateway whether it is alive; the query is delayed until the votes were given, and the
// gateway has decided and dropped the transaction, or has crashed and restarted. Its reply, that
// the transaction is dead, is true. Decisions for that shard are lost for a while: the vote must
// remain valid.
type lateStatusQuery struct {
	n    *nemesis
	rand *rand.Rand
	odds int
	left int // repetitions left in this run

	phase   probing
	prepare txn.Envelope // the last that was delayed
	query   txn.Envelope // while it is delayed
	until   time.Duration
}

// probing is the step of a lateStatusQuery.
type probing uint8

const (
	notProbing    probing = iota
	untilAsked            // the Prepare is delayed
	untilEnded            // the query is delayed
	untilNotified         // the query or the reply is in transit
	wasNotified           // decisions are lost
)

// The longest waits for the next steps, and the time in which decisions are lost at the end.
const (
	probingUnits    = 40
	unnotifiedUnits = 16
)

// onSend delays messages of one transaction and one shard.
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

// begin selects a transaction that holds locks where its Prepare goes, and makes other transactions
// query it.
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

// asked delays the query, and releases the Prepare.
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

// lose crashes the gateway, if it has not decided yet; its next boot receives the query.
func (o *lateStatusQuery) lose() {
	gateway := o.n.w.host(o.query.To)
	if o.phase != untilEnded || !gateway.up() || !o.n.active {
		return
	}
	o.n.biased.count("a gateway is lost with votes in transit to it")
	gateway.crash(strictly)
	back := o.n.unit * time.Duration(1+o.rand.IntN(3))
	o.n.w.After(back, gateway.restart)
	o.ask(back)
}

// ask releases the query.
func (o *lateStatusQuery) ask(later time.Duration) {
	o.next(untilNotified)
	o.n.w.net.hold(o.query, later)
}

// decided loses decisions for the shard. The first decision that leaves the gateway releases the
// query: its client has its answer. A decision before the shard was asked to vote ends the
// scenario.
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

// answered loses decisions a little longer, after a reply that a vote outlives.
func (o *lateStatusQuery) answered(m *txn.TxnStatusReply) {
	o.phase = notProbing
	if m.Alive {
		return
	}
	o.phase, o.until = wasNotified, o.n.w.now+o.n.unit*time.Duration(unnotifiedUnits/4+o.rand.IntN(unnotifiedUnits))
	o.n.biased.count("a transaction that has voted is reported dead")
}
