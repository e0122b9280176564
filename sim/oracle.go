package sim

import (
	"fmt"
	"time"

	"isochron/coordinator"
	"isochron/txn"
)

// The power could fail everywhere at every acknowledgement: the vote of a leader, the answer to a
// client. At every one of them the disks are cloned as they would be found then, with synced data
// and nothing else, and a majority of each participant's replicas must hold a record of the
// promise.

// checkPromise checks the promise of a message.
func (n *nemesis) checkPromise(h *host, m *txn.Message) {
	switch {
	case m.Vote != nil:
		n.checkVote(m.Vote)
	case m.Ack != nil && m.Ack.Replica == h.id:
		n.checkAck(h, m.Ack)
	case m.ReplicaVote != nil && m.ReplicaVote.Result == txn.ValidationOK:
		n.checkOpinion(h, m.ReplicaVote.Shard, m.ReplicaVote.Attempt)
	case m.Accepted != nil && m.Accepted.Yes:
		n.checkOpinion(h, m.Accepted.Shard, m.Accepted.Attempt)
	}
}

// checkAck checks that a replica that acknowledges an entry, bypassing its leader, has the entry on
// its own disk. A node that only forwards the Ack is not checked.
func (n *nemesis) checkAck(h *host, a *txn.Ack) {
	n.counts["crash clones"]++
	if !n.w.recorded(h.engine.CrashStrict(), a.Shard, a.Attempt) {
		n.volatile = append(n.volatile, fmt.Sprintf("n%d acknowledges entry %d of shard %d, with the vote of %v, and does not have it on its disk", h.id, a.Index, a.Shard, a.Attempt))
	}
}

// checkVote checks that a Yes is on a majority's disks. Reads alone leave no record.
func (n *nemesis) checkVote(v *txn.Vote) {
	if v.Yes && v.Proposed != 0 {
		n.mustBeRecorded("vote", v.Shard, v.Attempt)
	}
}

// checkCommit checks that a commit reported to a client is recorded wherever it wrote.
func (n *nemesis) checkCommit(req *coordinator.Request, res *coordinator.Response) {
	seen := map[txn.ShardID]bool{}
	for _, w := range req.Writes {
		id, _ := n.w.cfg.Directory.ShardOf(string(w.Key))
		if s := txn.ShardID(id); !seen[s] {
			seen[s] = true
			n.mustBeRecorded("commit", s, res.Version)
		}
	}
}

// leases is a node that reports its leases.
type leases interface {
	LeaseUntil(id txn.ShardID) time.Duration
}

// checkLeases checks that no lease of an earlier leader lasts when a leader begins to serve.
func (n *nemesis) checkLeases(self txn.NodeID, m txn.NodeEvent) {
	for _, h := range n.w.live() {
		st, ok := h.status(m.Shard)
		if !ok || h.id == self || !st.Serving || st.Term >= m.Term {
			continue
		}
		n.counts["path: two leaders"]++
		l, reports := h.node.(leases)
		if !reports {
			continue
		}
		if left := l.LeaseUntil(m.Shard) - h.now().Mono; left > 0 {
			n.leases = append(n.leases, fmt.Sprintf("n%d serves shard %d in term %d, and n%d has a lease of term %d for %v more", self, m.Shard, m.Term, h.id, st.Term, left))
		}
	}
}

func (n *nemesis) mustBeRecorded(what string, s txn.ShardID, a txn.Attempt) {
	n.counts["crash clones"]++
	if !n.onMajority(s, a) {
		m := n.members[s]
		n.volatile = append(n.volatile, fmt.Sprintf("the %s of %v at shard %d is on %d of %d disks", what, a, s, n.witnesses(m.voters, s, a), len(m.voters)))
	}
}
