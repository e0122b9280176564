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

// Status returns the current state of this replica.
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

// LockWork returns the statistics of the lock table since this replica leads.
func (r *Replica) LockWork() yield.LockStats {
	if r.lead == nil {
		return yield.LockStats{}
	}
	return r.lead.locks.LockStats()
}

// InDoubt returns the oldest votes without a decision, at most max of them.
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

// arrival is the arrival of a request, and the last transaction it has waited for.
type arrival struct {
	txn.Now
	number    uint64 // of all requests to this replica, from 1
	waitedFor txn.ID
	queued    *yield.QueuedPrepare // its entry in the arrival queue, if it has one
}

func (r *Replica) arrives() arrival {
	r.arrivals++
	return arrival{Now: r.env.Now(), number: r.arrivals}
}

// behind returns the arrival of a request that has waited for a transaction, if it is not zero.
func (a arrival) behind(holder txn.ID) arrival {
	if !holder.IsZero() {
		a.waitedFor = holder
	}
	return a
}

// waited returns how long the request waited for locks, and the last holder.
func (a arrival) waited(now txn.Now) (nanos int64, holder txn.ID) {
	if a.waitedFor.IsZero() {
		return 0, txn.ID{}
	}
	return int64(now.Mono - a.Mono), a.waitedFor
}
