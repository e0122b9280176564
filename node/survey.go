package node

import (
	"cmp"
	"slices"

	"isochron/coordinator"
	"isochron/txn"
)

// surveyed is what the shards led here know of contention, and what the
// gateway has counted.
func surveyed(m *txn.Survey, coord *coordinator.Coordinator, hosts *hosts) *txn.SurveyReply {
	out := &txn.SurveyReply{Request: m.Request, Rollbacks: coord.Rollbacks(), Retried: coord.Retried(), Admission: coord.Admission()}
	hosts.survey(out)
	slices.SortStableFunc(out.Hot, func(a, b txn.HotKey) int {
		return cmp.Or(cmp.Compare(b.Queue+b.Group, a.Queue+a.Group), cmp.Compare(b.MilliUpdates, a.MilliUpdates))
	})
	slices.SortStableFunc(out.Waits, func(a, b txn.LockWait) int { return cmp.Compare(b.WaitedNanos, a.WaitedNanos) })
	out.Hot = out.Hot[:min(len(out.Hot), txn.SurveyHotMax)]
	out.Waits = out.Waits[:min(len(out.Waits), txn.SurveyWaitsMax)]
	return out
}
