package node

import (
	"cmp"
	"slices"

	"isochron/txn"
)

// answerSurvey tells what the shards led here know of contention, and what the
// gateway has counted.
func (n *Node) answerSurvey(to txn.NodeID, m *txn.Survey) {
	out := &txn.SurveyReply{Request: m.Request, Rollbacks: n.coord.Rollbacks(), Retried: n.coord.Retried(), Admission: n.coord.Admission()}
	for _, id := range n.order {
		if s := n.replicas[id].survey; s != nil {
			s.Survey(out)
		}
	}
	slices.SortStableFunc(out.Hot, func(a, b txn.HotKey) int {
		return cmp.Or(cmp.Compare(b.Queue+b.Group, a.Queue+a.Group), cmp.Compare(b.MilliUpdates, a.MilliUpdates))
	})
	slices.SortStableFunc(out.Waits, func(a, b txn.LockWait) int { return cmp.Compare(b.WaitedNanos, a.WaitedNanos) })
	out.Hot = out.Hot[:min(len(out.Hot), txn.SurveyHotMax)]
	out.Waits = out.Waits[:min(len(out.Waits), txn.SurveyWaitsMax)]
	n.send(txn.Coordinator(to), txn.Message{SurveyReply: out})
}
