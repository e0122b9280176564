package shard

import (
	"cmp"
	"slices"
	"time"

	"isochron/txn"
	"isochron/yield"
)

// Standing is how a replica stands, for whoever looks at it from outside.
type Standing struct {
	Shard     txn.ShardID
	Role      string
	Serving   bool // leads, and answers requests
	Term      uint64
	Leader    txn.NodeID // 0: unknown
	Applied   uint64     // index of the newest log entry in the state
	Last      uint64     // of the newest in the log
	Undecided int
	Holders   int // transactions that hold locks
	Waiters   int // requests that wait for locks
	Counts    Counts
	Voters    []txn.NodeID
	Outgoing  []txn.NodeID // who has a vote until a change under way has ended
	Learners  []txn.NodeID // follow without a vote
	Draining  bool
	// ProtocolSeq is under which change of the protocol the shard is, 0: what it began with.
	ProtocolSeq uint64
}

// Counts are totals since the replica was opened.
type Counts struct {
	Proposals          uint64 // commands proposed to the log; several may share an entry
	Wounds             uint64 // transactions that lost their locks to an older one
	LockWaits          uint64 // waits for a lock that were begun
	Refusals           uint64 // votes of No
	Deadlocks          uint64 // requests that would have waited for themselves, by waits at this shard
	WideDeadlocks      uint64 // deadlocks over several shards that were ended here
	Chases             uint64 // begun here, to look for such
	Cascades           uint64 // transactions undone because one whose value they had read was
	Campaigns          uint64 // elections begun here
	SnapshotsSent      uint64
	SnapshotsInstalled uint64
}

// Standing tells how this replica stands now.
func (r *Replica) Standing() Standing {
	s := Standing{
		Shard: r.cfg.ID, Role: r.role.String(), Serving: r.Serving(), Term: r.term, Leader: r.leader,
		Applied: r.state.applied.Index, Last: r.log.last(), Undecided: r.Undecided(), Holders: r.Holders(),
		Counts: r.counts, Draining: r.draining, ProtocolSeq: r.state.applied.Protocol.Seq,
		Voters: nodeIDs(r.log.meta.Voters), Outgoing: nodeIDs(r.log.meta.Outgoing), Learners: nodeIDs(r.log.meta.Learners),
	}
	if r.lead != nil {
		s.Waiters = r.lead.locks.Waiting()
	}
	return s
}

// LockWork is what the lock table has done since this replica leads.
func (r *Replica) LockWork() yield.Work {
	if r.lead == nil {
		return yield.Work{}
	}
	return r.lead.locks.Work()
}

// InDoubt is a vote of Yes whose decision has not come.
type InDoubt struct {
	Shard        txn.ShardID
	Txn          txn.ID
	Attempt      txn.Attempt
	Participants []txn.ShardID
	Age          time.Duration // since this replica learnt of it
}

// InDoubt lists the oldest votes without a decision, at most max of them.
func (r *Replica) InDoubt(max int) []InDoubt {
	now := int64(r.env.Now().Mono)
	var out []InDoubt
	for _, v := range r.state.byIndex() {
		out = append(out, InDoubt{Shard: r.cfg.ID, Txn: v.Txn, Attempt: v.Attempt,
			Participants: slices.Clone(v.Participants), Age: time.Duration(now - v.since)})
	}
	slices.SortStableFunc(out, func(a, b InDoubt) int { return cmp.Compare(b.Age, a.Age) })
	return out[:min(max, len(out))]
}

// arrival is when a request came, and for whom it has waited since.
type arrival struct {
	txn.Now
	number    uint64 // of all that came to this replica, from 1
	waitedFor txn.ID
}

func (r *Replica) arrives() arrival {
	r.arrivals++
	return arrival{Now: r.env.Now(), number: r.arrivals}
}

// behind is the arrival of a request that has waited for a holder.
func (a arrival) behind(h *yield.Holder) arrival {
	a.waitedFor = h.Txn
	return a
}

// waited is how long the request waited for locks, and for whom last.
func (a arrival) waited(now txn.Now) (nanos int64, whom txn.ID) {
	if a.waitedFor.IsZero() {
		return 0, txn.ID{}
	}
	return int64(now.Mono - a.Mono), a.waitedFor
}
