package sim

import (
	"fmt"
	"time"

	"isochron/coordinator"
	"isochron/txn"
)

// What the nemesis does at messages: it checks promises in them, and crashes hosts at some.

// incarnation is the part of a transaction's name that identifies one boot of a node.
type incarnation struct {
	node  txn.NodeID
	epoch uint32
}

// onAnswer is called before a client receives the answer to its commit.
func (n *nemesis) onAnswer(_ *host, req *coordinator.Request, res *coordinator.Response) sendAction {
	if res.Err != nil || !isCommit(req) {
		return leaves
	}
	n.checkCommit(req, res)
	return n.acknowledges("client", 40)
}

// onSend counts every message, crashes hosts at some, and delays others.
func (n *nemesis) onSend(h *host, env *txn.Envelope) sendAction {
	m := &env.Msg
	n.countMessage(h.id, m)
	n.checkName(h, m)
	n.checkPromise(h, m)
	n.w.cfg.Databases.receives(m)
	if !n.active || n.resting {
		return leaves
	}
	if f := n.onMessage(h, env); f != leaves || n.biased == nil {
		return f
	}
	return n.biased.onSend(env)
}

// onMessage may crash a host at a message that it sends.
func (n *nemesis) onMessage(h *host, env *txn.Envelope) sendAction {
	m := &env.Msg
	if n.budget == 0 {
		return leaves
	}
	if f := n.onStep(h, env); f != leaves {
		return f
	}
	switch {
	case m.Vote != nil && m.Vote.Yes:
		return n.acknowledges("vote", 120)
	case m.Ack != nil && m.Ack.Replica == h.id:
		return n.acknowledges("entry on disk", 300)
	case m.ReplicaVote != nil && m.ReplicaVote.Result == txn.ValidationOK:
		return n.acknowledges("replica vote", 400)
	case m.Accepted != nil:
		return n.acknowledges("acceptance", 300)
	case m.DecideAck != nil:
		return n.acknowledges("decide", 150)
	case m.InquireReply != nil:
		return n.acknowledges("inquire reply", 30)
	case m.Raft != nil:
		return n.acknowledges("raft", 2500)
	}
	return leaves
}

// checkName checks that no two lives of a node give transactions the same names. The consequences
// are too rare to see in a history.
func (n *nemesis) checkName(h *host, m *txn.Message) {
	var id txn.ID
	switch {
	case m.Access != nil:
		id = m.Access.Txn
	case m.Prepare != nil && m.Prepare.Attempt.Node == h.id: // others only forward it
		id = m.Prepare.Txn
	default:
		return
	}
	name := incarnation{id.Node, id.Epoch}
	if boots, used := n.boots[name]; used && boots != h.boots {
		n.broken = append(n.broken, fmt.Sprintf("%v is named as in an earlier boot of n%d", id, h.id))
	}
	n.boots[name] = h.boots
}

// acknowledges may draw a crash at an acknowledgement: of its sender, or of all hosts at the same
// time, so that only synced data supports it.
func (n *nemesis) acknowledges(what string, odds int) sendAction {
	if !n.active || n.resting || !n.faults.Acknowledgements || n.budget == 0 || n.steps.IntN(odds) > 0 {
		return leaves
	}
	n.budget--
	n.counts["crashes at an acknowledgement: "+what]++
	when := lostCrash + sendAction(n.steps.IntN(2))
	n.w.log(nil, "a crash at an acknowledgement: %s", what)
	if n.steps.IntN(3) == 0 {
		n.w.After(0, n.crashAll)
	}
	n.w.After(time.Duration(n.steps.Int64N(int64(8*n.unit))), n.restartAll)
	return when
}

func (n *nemesis) crashAll() {
	for _, h := range n.w.hosts {
		h.crash(strictly)
	}
}

func (n *nemesis) restartAll() {
	for _, h := range n.w.hosts {
		h.restart()
	}
}
