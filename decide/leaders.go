package decide

import (
	"slices"
	"time"

	"isochron/txn"
)

// leaderWait is the time after which an unknown leader is looked up again.
const leaderWait = 50 * time.Millisecond

// leaders is the vote path of protocols in which each participant's leader votes, once its vote is
// replicated, and replicates the decision.
type leaders struct {
	*Attempt
	acked []txn.ShardID // participants that know the decision
}

// ask sends each Prepare to one leader in one term; if that leader is gone, only the logs know its
// vote.
func (l *leaders) ask() {
	w := l.decider.Env
	l.resend()
	for _, s := range l.decider.Prepares.next(l.tally.Missing()) {
		p := l.prepare(s)
		if l.tries == 0 && slices.Contains(l.Underway, s) {
			continue
		}
		leader, term := w.Leader(s, l.tries)
		l.asked(s, leader)
		switch {
		case leader == 0:
			l.wakeAt = w.Now().Mono + leaderWait
			continue
		case term == 0 && !l.ReadOnly:
			// The term is unknown. A Prepare of term 0 is never processed, and its refusal contains
			// the term.
			w.Send(txn.Participant(leader, s), txn.Message{Prepare: &txn.Prepare{Shard: s, Attempt: l.ID, Txn: l.Txn}})
			continue
		case p.Term != 0 && p.Term != term && !l.ReadOnly:
			l.Terminate()
			return
		}
		if p.Term != term || p.Validate != l.asksAgain {
			p = l.addressed(s, term)
		}
		w.Send(txn.Participant(leader, s), txn.Message{Prepare: p})
		l.retransmits.asked(s)
	}
	l.tries++
}

// addressed makes a participant's Prepare one for a leader of this term. A Prepare that was sent is
// copied, never changed.
func (l *leaders) addressed(s txn.ShardID, term uint64) *txn.Prepare {
	i := slices.Index(l.Participants, s)
	if l.tries > 0 || l.asksAgain {
		q := *l.Prepares[i]
		l.Prepares[i] = &q
	}
	l.Prepares[i].Term, l.Prepares[i].Validate = term, l.asksAgain
	return l.Prepares[i]
}

func (l *leaders) inquire() {
	l.sleep()
	for _, s := range l.tally.Missing() {
		l.paced(s, func() txn.Message {
			return txn.Message{Inquire: &txn.Inquire{Shard: s, Attempt: l.ID, Txn: l.Txn}}
		})
	}
	l.tries++
}

// paced sends a participant's leader a message if it is due, and sets the attempt's wake-up for the
// next one.
func (l *leaders) paced(s txn.ShardID, message func() txn.Message) {
	w := l.decider.Env
	now, every, e := w.Now().Mono, l.decider.Params.ResendAfter, l.retransmits.of(s)
	n, _ := w.Leader(s, l.tries)
	if n == 0 {
		l.wakeAt = min(l.wakeAt, now+every)
		return
	}
	if e.at <= now {
		e.noteSent(now, every)
		w.Send(txn.Participant(n, s), message())
	}
	l.wakeAt = min(l.wakeAt, e.at)
}

// sleep sets the wake-up after the longest interval; paced makes it earlier.
func (l *leaders) sleep() {
	l.wakeAt = l.decider.Env.Now().Mono + l.decider.Params.ResendAfter<<retransmitDoublings
}

func (l *leaders) send() {
	l.sleep()
	open := false
	for _, s := range l.Participants {
		if slices.Contains(l.acked, s) || open && l.decider.Prepares == Sequential {
			continue
		}
		open = true
		l.paced(s, func() txn.Message { return txn.Message{Decide: l.decision(s)} })
	}
	l.tries++
	l.done = !open
}

func (l *leaders) ended(s txn.ShardID) {
	if slices.Contains(l.Participants, s) && !slices.Contains(l.acked, s) {
		l.acked = append(l.acked, s)
	}
}

func (l *leaders) acknowledged(s txn.ShardID, _ txn.NodeID) {
	news := !slices.Contains(l.acked, s)
	l.ended(s)
	if l.done = len(l.acked) == len(l.Participants); !l.done && news && l.decider.Prepares == Sequential {
		l.tries = 0 // the next participant in turn was not notified before
		l.send()
	}
}

func (*leaders) receive(txn.NodeID, *txn.Message) {}
func (*leaders) queryDecision()                   {}
func (*leaders) share()                           {}
