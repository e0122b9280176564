package shard

import (
	"cmp"
	"slices"
	"time"

	"isochron/participant"
	"isochron/routing"
	"isochron/txn"
	"isochron/yield"
)

// Status tells how this replica stands now.
func (r *Replica) Status() participant.Status {
	g, counts := r.group.Status(), r.counts
	counts.Proposals, counts.Campaigns = g.Counts.Proposals, g.Counts.Campaigns
	counts.SnapshotsSent, counts.SnapshotsInstalled = g.Counts.SnapshotsSent, g.Counts.SnapshotsInstalled
	s := participant.Status{
		Shard: r.cfg.ID, Kind: routing.Logged, Role: g.Role, Serving: r.Serving(), Term: g.Term, Leader: g.Leader,
		Applied: g.Applied, Last: g.Last, Undecided: r.Undecided(), Holders: r.Holders(),
		Counts: counts, Draining: g.Draining, ProtocolSeq: r.state.applied.Protocol.Seq,
	}
	s.Voters, s.Outgoing, s.Learners = r.group.Members()
	if r.lead != nil {
		s.Waiters = r.lead.locks.Waiting()
	}
	return s
}

// LockWork is what the lock table has done since this replica leads.
func (r *Replica) LockWork() yield.LockStats {
	if r.lead == nil {
		return yield.LockStats{}
	}
	return r.lead.locks.LockStats()
}

// InDoubt lists the oldest votes without a decision, at most max of them.
func (r *Replica) InDoubt(max int) []participant.InDoubt {
	now := int64(r.env.Now().Mono)
	var out []participant.InDoubt
	for _, v := range r.state.byIndex() {
		out = append(out, participant.InDoubt{Shard: r.cfg.ID, Txn: v.Txn, Attempt: v.Attempt,
			Participants: slices.Clone(v.Participants), Age: time.Duration(now - v.since)})
	}
	slices.SortStableFunc(out, func(a, b participant.InDoubt) int { return cmp.Compare(b.Age, a.Age) })
	return out[:min(max, len(out))]
}

// arrival is when a request came, and for whom it has waited since.
type arrival struct {
	txn.Now
	number    uint64 // of all that came to this replica, from 1
	waitedFor txn.ID
	queued    *yield.QueuedPrepare // as which it waits for its instant, if it does
}

func (r *Replica) arrives() arrival {
	r.arrivals++
	return arrival{Now: r.env.Now(), number: r.arrivals}
}

// behind is the arrival of a request that has waited for another, if for anybody.
func (a arrival) behind(whom txn.ID) arrival {
	if !whom.IsZero() {
		a.waitedFor = whom
	}
	return a
}

// waited is how long the request waited for locks, and for whom last.
func (a arrival) waited(now txn.Now) (nanos int64, whom txn.ID) {
	if a.waitedFor.IsZero() {
		return 0, txn.ID{}
	}
	return int64(now.Mono - a.Mono), a.waitedFor
}
