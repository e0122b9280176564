package sim

import (
	"fmt"
	"slices"

	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
)

// unvalidated finds writes that were shown to readers before every leader had voted Yes on them,
// where that is when they may be. Where the locks are kept the readers' votes would find out what
// is taken back, and no history tell of it; what is lost is that nobody is aborted with another
// unless a node fails (Bonspiel section 3.1.4).
//
// It hears all that nodes say, to themselves too. A nil one looks at nothing. What it keeps is as
// much as one run has attempts.
type unvalidated struct {
	participants map[txn.Attempt][]txn.ShardID // of attempts with several
	yes          map[vote]bool
	shown        map[txn.Attempt]bool
	found        []string
}

// vote is one participant's.
type vote struct {
	attempt txn.Attempt
	shard   txn.ShardID
}

// newUnvalidated is nil if the row reveals otherwise. Of rows in which values are passed on before
// any vote nothing can be said, nor of runs in which the row changes.
func newUnvalidated(spec protocol.Spec, switches int) *unvalidated {
	if !spec.Reveal.WhenVoted() || spec.Yield.Hot.Publishes() || switches > 0 {
		return nil
	}
	return &unvalidated{participants: map[txn.Attempt][]txn.ShardID{}, yes: map[vote]bool{}, shown: map[txn.Attempt]bool{}}
}

// observe has a node be heard.
func (u *unvalidated) observe(cfg *node.Config) {
	if u != nil {
		cfg.TracesAll = u.observes
	}
}

// observes takes in what a node says.
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

// shows judges a row that is shown; each attempt once.
func (u *unvalidated) shows(row txn.Row) {
	a := row.Version
	if u.shown[a] {
		return
	}
	u.shown[a] = true
	all := u.participants[a]
	if i := slices.IndexFunc(all, func(s txn.ShardID) bool { return !u.yes[vote{a, s}] }); i >= 0 {
		u.found = append(u.found, fmt.Sprintf("what %v has written was shown, and shard %d had not voted on it", a, all[i]))
	}
}
