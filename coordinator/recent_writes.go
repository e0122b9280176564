package coordinator

import (
	"time"

	"isochron/txn"
)

// recentWrites records, for a short time, the commits of this gateway: a near replica may not have
// them yet, so reads of these rows go to the leader. An error costs an abort or a round trip, never
// a wrong result.
type recentWrites struct {
	keys   map[txn.Key]time.Duration // until when
	shards map[txn.ShardID]time.Duration
	queue  []recentWrite
}

type recentWrite struct {
	key   txn.Key
	until time.Duration
}

const (
	recentFor  = 2 * time.Second
	maxRecents = 16_384
)

func newRecentWrites() *recentWrites {
	return &recentWrites{keys: map[txn.Key]time.Duration{}, shards: map[txn.ShardID]time.Duration{}}
}

func (r *recentWrites) add(now time.Duration, s txn.ShardID, writes []txn.Write) {
	until := now + recentFor
	r.shards[s] = until
	for _, w := range writes {
		if len(r.queue) >= maxRecents {
			r.pop()
		}
		r.keys[w.Key] = until
		r.queue = append(r.queue, recentWrite{w.Key, until})
	}
}

func (r *recentWrites) pop() {
	w := r.queue[0]
	r.queue = r.queue[1:]
	if r.keys[w.key] == w.until {
		delete(r.keys, w.key)
	}
}

func (r *recentWrites) expire(now time.Duration) {
	for len(r.queue) > 0 && r.queue[0].until <= now {
		r.pop()
	}
}

func (r *recentWrites) touches(now time.Duration, a *txn.Access) bool {
	if len(a.Scans) > 0 && r.shards[a.Shard] > now {
		return true
	}
	for _, k := range a.Keys {
		if r.keys[k] > now {
			return true
		}
	}
	return false
}
