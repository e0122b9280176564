package node

import (
	"cmp"
	"slices"
	"time"

	"isochron/protocol"
	"isochron/replica"
	"isochron/routing"
	"isochron/shard"
	"isochron/txn"
	"isochron/yield"
)

// participant is a replica of a shard of either kind: one of a Raft group, or
// one that validates for itself.
type participant interface {
	Deliver(from txn.NodeID, m *txn.Message)
	Tick()
	Process()
	Peek(k txn.Key) txn.Row
	Leader() (txn.NodeID, uint64)
	Serving() bool
	Seen() txn.Timestamp
	Survey(out *txn.SurveyReply)
	Undecided() int
	Holders() int
	InDoubt(max int) []shard.InDoubt
	Status() string
	Standing() shard.Standing
	LockWork() yield.Work
	Holds() (rows, logs int64)
	Want(w shard.Wish)
	Settled() bool
	SetDraining(on bool)
	CanHandOver() bool
	Out() bool
	Retire()
	Drained() bool
}

var (
	_ participant = (*shard.Replica)(nil)
	_ participant = unordered{}
)

func (n *Node) openReplica(s routing.Shard) (participant, error) {
	if n.cfg.Row.Replicates == protocol.ByLog {
		return shard.Open(n.shardConfig(s))
	}
	members := nodeIDs(s.FoundedBy())
	slices.SortStableFunc(members, func(a, b txn.NodeID) int { return cmp.Compare(n.away(s, a), n.away(s, b)) })
	r, err := replica.Open(replica.Config{
		ID: txn.ShardID(s.ID), Self: n.cfg.ID, Members: members, Engine: n.cfg.Engine, Row: n.cfg.Row,
		Params: n.cfg.Params, Env: (*shardEnv)(n), Ephemeral: n.cfg.Process != nil, Rows: n.cfg.Rows, Genesis: n.genesis(txn.ShardID(s.ID)),
	})
	return unordered{r, txn.ShardID(s.ID), n}, err
}

// LockWork is what the lock tables of its replicas have done: locks granted and freed, and
// steps of walks over who waits for whom. A replica that leads anew begins from nothing.
func (n *Node) LockWork() (locks, steps uint64) {
	for _, id := range n.order {
		w := n.replicas[id].LockWork()
		locks, steps = locks+w.Locks, steps+w.Steps
	}
	return locks, steps
}

// away is 0 for a node of the region from which the shard should be led, else 1.
func (n *Node) away(s routing.Shard, id txn.NodeID) int {
	if n.dir.RegionOf(uint32(id)) == s.Leader {
		return 0
	}
	return 1
}

// unordered is a replica without a log, seen as one that has one. Its members are
// fixed: it is always settled, and can neither be drained nor go.
type unordered struct {
	*replica.Replica
	id   txn.ShardID
	node *Node
}

func (unordered) Process()                {}
func (unordered) Seen() txn.Timestamp     { return 0 }
func (unordered) Survey(*txn.SurveyReply) {}
func (unordered) Want(shard.Wish)         {}
func (unordered) Settled() bool           { return true }
func (unordered) SetDraining(bool)        {}
func (unordered) CanHandOver() bool       { return false }
func (unordered) Out() bool               { return false }
func (unordered) Retire()                 {}
func (unordered) Drained() bool           { return true }

// Standing tells of a view where a shard with a log tells of a term.
func (u unordered) Standing() shard.Standing {
	leader, view := u.Leader()
	role := "takes part"
	if u.Serving() {
		role = "leads"
	}
	counts := u.Counts()
	return shard.Standing{Shard: u.id, Role: role, Serving: u.Serving(), Term: view, Leader: leader,
		Undecided: u.Undecided(), Holders: u.Holders(), Voters: u.Members(),
		Counts: shard.Counts{Proposals: counts.Proposals, Refusals: counts.Refusals, Campaigns: counts.ViewChanges}}
}

// Holds is what is kept in memory of rows, in bytes; there is no log.
func (u unordered) Holds() (rows, logs int64) { return u.Replica.RowsHeld(), 0 }

// LockWork is none: it has no lock table.
func (unordered) LockWork() yield.Work { return yield.Work{} }

// InDoubt lists the oldest attempts without a decision, at most max of them.
func (u unordered) InDoubt(max int) []shard.InDoubt {
	now := u.node.now.Mono
	var out []shard.InDoubt
	u.Undecideds(func(p *txn.Prepare, since time.Duration) bool {
		out = append(out, shard.InDoubt{Shard: u.id, Txn: p.Txn, Attempt: p.Attempt, Participants: p.Participants, Age: now - since})
		return true
	})
	slices.SortStableFunc(out, func(a, b shard.InDoubt) int { return cmp.Compare(b.Age, a.Age) })
	return out[:min(max, len(out))]
}
