package decide

import "isochron/txn"

// atLeader is the vote path of protocols in which a participant's leader coordinates. The gateway
// asks all leaders and names the node that receives their votes; that node decides, notifies the
// leaders, and reports twice to the gateway: the outcome, and that every leader knows it.
//
// Both nodes have an attempt of this kind, under one id. Only the gateway sends Prepares, so that
// no leader is asked in two terms. What the elected node does not report in time the gateway finds
// in the participants' logs, as in any recovery; both nodes derive the same decision from them.
type atLeader struct {
	leaders
	elected bool // votes arrive here for the attempt of another node
	known   bool // the elected node has reported that every participant knows the decision
	sent    bool // at the elected node: reported; at the gateway: it has waited for the elected node once
}

// elects opens an attempt of the gateway, or one of a coordinator that seems lost.
func (d *Decider) elects(o AttemptInit) *Attempt { return d.opens(o, false) }

// Elect opens the attempt of a gateway whose votes are sent to this node. It begins with the first
// message about it, and asks the logs when votes do not arrive in time.
func (d *Decider) Elect(o txn.Orphan) *Attempt {
	a := d.opens(AttemptInit{ID: o.Attempt, Txn: o.Txn, Participants: o.Participants, RecordShard: o.RecordShard}, true)
	a.terminateAt = d.Env.Now().Mono + 4*d.Params.ResendAfter
	a.resend()
	return a
}

func (d *Decider) opens(o AttemptInit, elected bool) *Attempt {
	x := &struct {
		Attempt
		s atLeader
	}{}
	a := &x.Attempt
	a.votePath = &x.s
	x.s.Attempt, x.s.elected = a, elected
	return a.opened(d, o)
}

func (l *atLeader) ask() {
	switch {
	case l.elected:
		l.resend() // the gateway asks
		return
	case l.tries == 0 && !l.ReadOnly && len(l.Participants) > 1:
		l.elect()
		if l.decider.Policy.ForwardsPrepares() && l.delegated() && l.through() {
			return
		}
	}
	l.leaders.ask()
}

// through sends all Prepares to the elected node, which forwards those for other leaders unchanged;
// false: nothing was sent, since a leader or its term is unknown here. A silent participant is
// asked directly the next time.
func (l *atLeader) through() bool {
	var first txn.Prepare
	for _, s := range l.Participants {
		n, term := l.decider.Env.Leader(s, 0)
		if n == 0 || term == 0 {
			return false
		}
		switch p := l.addressed(s, term); {
		case n == p.VotesTo && first.Shard == 0:
			pass := first.Delegated
			first = *p
			first.Delegated = pass
		default:
			first.Delegated = append(first.Delegated, txn.DelegatedPrepare{To: n, Prepare: p})
		}
	}
	for _, p := range l.Prepares {
		n, _ := l.decider.Env.Leader(p.Shard, 0)
		l.asked(p.Shard, n)
	}
	l.resend()
	l.tries++
	l.decider.Env.Send(txn.Participant(first.VotesTo, first.Shard), txn.Message{Prepare: &first})
	return true
}

// elect names a leader, by the attempt's number: the participants' leaders take turns. If none is
// known, or it is at the gateway, the gateway decides.
func (l *atLeader) elect() {
	chosen := l.Participants[l.ID.Seq%uint64(len(l.Participants))]
	n, _ := l.decider.Env.Leader(chosen, 0)
	if n == l.ID.Node {
		return
	}
	for _, p := range l.Prepares {
		p.VotesTo = n
	}
}

// delegated reports whether another node decides.
func (l *atLeader) delegated() bool { return len(l.Prepares) > 0 && l.Prepares[0].VotesTo != 0 }

func (l *atLeader) receive(_ txn.NodeID, m *txn.Message) {
	d := m.Decision
	if d == nil || !l.delegated() {
		return
	}
	if l.phase != deciding {
		if d.Refused != 0 {
			l.refused(txn.Errorf(d.Refused, "%s", d.Reason).Because(d.Cause))
			l.noted(gaveWay(d.Cause))
		}
		l.tally.Learned(d.Commit, d.At)
	}
	l.known = l.known || d.Known
	l.done = l.done || l.known && l.phase == deciding
}

// share reports the outcome to the gateway.
func (l *atLeader) share() {
	if l.elected {
		l.report(false)
	}
}

func (l *atLeader) report(known bool) {
	v, at := l.tally.Verdict()
	d := &txn.Decision{Attempt: l.ID, Commit: v == Commit, At: at, Known: known}
	if reason := l.reason; reason != nil && !d.Commit {
		d.Refused, d.Reason, d.Cause = reason.Kind, reason.Reason, reason.Cause
	}
	l.decider.Env.Send(txn.Coordinator(l.ID.Node), txn.Message{Decision: d})
}

// send first leaves it to the elected node to notify the leaders.
func (l *atLeader) send() {
	switch {
	case l.known:
		l.done = true
	case l.delegated() && !l.asksLogs && !l.sent:
		l.sent = true
		l.resend()
	default:
		l.leaders.send()
		l.over()
	}
}

func (l *atLeader) ended(s txn.ShardID) {
	l.leaders.ended(s)
	l.over()
}

func (l *atLeader) acknowledged(s txn.ShardID, by txn.NodeID) {
	l.leaders.acknowledged(s, by)
	l.over()
}

// over reports to the gateway, once, that every leader knows the decision.
func (l *atLeader) over() {
	if l.elected && l.done && !l.sent {
		l.sent = true
		l.report(true)
	}
}
