package node

import (
	"cmp"
	"slices"

	"isochron/coordinator"
	"isochron/txn"
)

// withContention returns the contention at the shards led here, and the gateway's
// counters.
func withContention(m *txn.ContentionQuery, coord *coordinator.Coordinator, hosts *hostedParticipants) *txn.ContentionReply {
	if len(m.Using) > 0 {
		return &txn.ContentionReply{Request: m.Request, Users: coord.Using(m.Using)}
	}
	if m.Known {
		return &txn.ContentionReply{Request: m.Request, Known: coord.Known()}
	}
	out := &txn.ContentionReply{Request: m.Request, Rollbacks: coord.Rollbacks(), Retried: coord.Retried(), Admission: coord.Admission()}
	hosts.contention(out)
	addWarm(out, coord, hosts)
	slices.SortStableFunc(out.Hot, func(a, b txn.HotKey) int {
		return cmp.Or(cmp.Compare(b.Queue+b.Group, a.Queue+a.Group), cmp.Compare(b.MilliUpdates, a.MilliUpdates))
	})
	slices.SortStableFunc(out.Waits, func(a, b txn.LockWait) int { return cmp.Compare(b.WaitedNanos, a.WaitedNanos) })
	out.Hot = out.Hot[:min(len(out.Hot), txn.ContentionHotMax)]
	out.Waits = out.Waits[:min(len(out.Waits), txn.ContentionWaitsMax)]
	return out
}

// addWarm adds the hottest records of the shards that are led here, in protocols that read by
// temperature, if they are not among the records with waiters.
func addWarm(out *txn.ContentionReply, coord *coordinator.Coordinator, hosts *hostedParticipants) {
	leads, at := hosts.Leads(), map[txn.Key]txn.ShardID{}
	for _, w := range coord.Hottest(txn.ContentionWarmMax, func(k txn.Key) bool {
		id, ok := hosts.directory.dir.ShardOf(string(k))
		at[k] = txn.ShardID(id)
		return ok && slices.Contains(leads, at[k]) && !slices.ContainsFunc(out.Hot, func(h txn.HotKey) bool { return h.Key == k })
	}) {
		out.Hot = append(out.Hot, txn.HotKey{Shard: at[w.Key], Key: w.Key, MilliUpdates: uint64(w.Temperature)})
	}
}
