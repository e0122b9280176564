package sim

import (
	"fmt"
	"slices"

	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
)

// unvalidated finds writes that were shown to readers before every leader had voted Yes on them,
// for protocols that reveal on votes. Where the locks are kept, the readers' votes detect a write
// that is taken back, and no history shows the error; the lost property is that no transaction is
// aborted with another unless a node fails (Bonspiel section 3.1.4).
//
// It observes all messages of nodes, also those to themselves. A nil one checks nothing. Its memory
// is bounded by the attempts of one run.
type unvalidated struct {
	participants map[txn.Attempt][]txn.ShardID // of attempts with several participants
	yes          map[vote]bool
	shown        map[txn.Attempt]bool
	found        []string
}

// vote is the vote of one participant.
type vote struct {
	attempt txn.Attempt
	shard   txn.ShardID
}

// newUnvalidated returns nil for protocols that reveal at another time. It cannot check protocols
// that publish values before any vote, nor runs in which the protocol changes.
func newUnvalidated(spec protocol.Spec, switches int) *unvalidated {
	if !spec.Reveal.WhenVoted() || spec.Yield.Hot.Publishes() || switches > 0 {
		return nil
	}
	return &unvalidated{participants: map[txn.Attempt][]txn.ShardID{}, yes: map[vote]bool{}, shown: map[txn.Attempt]bool{}}
}

// observe makes a node's messages pass through the check.
func (u *unvalidated) observe(cfg *node.Config) {
	if u != nil {
		cfg.TracesAll = u.observes
	}
}

// observes records a message of a node.
func (u *unvalidated) observes(m *txn.Message) {
	switch {
	case m.Prepare != nil && len(m.Prepare.Participants) > 1:
		u.participants[m.Prepare.Attempt] = m.Prepare.Participants
	case m.Ack != nil && !m.Ack.No:
		u.yes[vote{m.Ack.Attempt, m.Ack.Shard}] = true
	case m.Vote != nil && m.Vote.Yes:
		u.yes[vote{m.Vote.Attempt, m.Vote.Shard}] = true
	case m.InquireReply != nil && (m.InquireReply.Result == txn.OutcomeYes || m.InquireReply.Result == txn.OutcomeCommitted):
		u.yes[vote{m.InquireReply.Attempt, m.InquireReply.Shard}] = true
	case m.AccessReply != nil:
		for _, row := range m.AccessReply.Rows {
			u.shows(row)
		}
		for _, s := range m.AccessReply.Scans {
			for _, row := range s.Rows {
				u.shows(row)
			}
		}
	}
}

// shows checks a row that is shown; each attempt once.
func (u *unvalidated) shows(row txn.Row) {
	a := row.Version
	if u.shown[a] {
		return
	}
	u.shown[a] = true
	all := u.participants[a]
	if i := slices.IndexFunc(all, func(s txn.ShardID) bool { return !u.yes[vote{a, s}] }); i >= 0 {
		u.found = append(u.found, fmt.Sprintf("a write of %v was shown before shard %d had voted on it", a, all[i]))
	}
}
