package server

import (
	"errors"
	"fmt"
	"time"

	"isochron/geo"
	"isochron/node"
	"isochron/routing"
	"isochron/server/memory"
	"isochron/txn"
)

// healthBound is how long a loop or a sync may take before the node counts as
// not alive.
const healthBound = 5 * time.Second

// Health is nil while the node's loop comes round and its disk answers.
func (p *Process) Health() error {
	r := p.runner
	select {
	case <-r.ended:
		return fmt.Errorf("node %d has stopped: its log says why", r.id)
	default:
	}
	if reason := p.Removed(); reason != "" {
		return errors.New(reason)
	}
	now := r.clock.mono()
	if late := now - time.Duration(r.beat.Load()); late > healthBound {
		return fmt.Errorf("the loop of node %d has not come round for %v", r.id, late.Round(time.Second))
	}
	if begun := r.syncer.begun.Load(); begun != 0 && now-time.Duration(begun) > healthBound {
		return fmt.Errorf("the disk of node %d has been syncing for %v", r.id, (now - time.Duration(begun)).Round(time.Second))
	}
	return nil
}

// Leaderless lists the shards of this node that have no known leader; an error
// means that the node cannot tell.
func (p *Process) Leaderless() ([]txn.ShardID, error) {
	answer := make(chan []txn.ShardID, 1)
	if p.runner.box.put(input{call: func(n *node.Node) { answer <- n.Leaderless() }}) {
		select {
		case s := <-answer:
			return s, nil
		case <-p.runner.ended:
		case <-time.After(lookWait):
		}
	}
	return nil, fmt.Errorf("node %d has stopped, or is too busy to answer", p.runner.id)
}

// Queues are what waits inside a node and what was lost for want of room.
type Queues struct {
	Mailbox         int    // inputs that wait for the loop
	DroppedMessages uint64 // of peers, at a full mailbox
	RefusedRequests uint64 // of clients, at a full mailbox
	LinesSent       uint64 // messages handed to the links
	LinesDropped    uint64 // in a full delay line
}

// Queues tells what waits now.
func (p *Process) Queues() Queues {
	m := p.runner.box
	m.mu.Lock()
	q := Queues{Mailbox: len(m.waiting), DroppedMessages: m.dropped, RefusedRequests: m.refused}
	m.mu.Unlock()
	q.LinesSent, q.LinesDropped = p.wan.traffic()
	return q
}

// Disk is how the engine of a node stands.
type Disk struct {
	UsageBytes          uint64
	CompactionDebtBytes uint64
	CompactionsRunning  int64
	Compactions         int64
	Flushes             int64
	L0Files             int64
	MemTableBytes       uint64
	WALBytes            uint64
	CacheBytes          int64
	CacheHits           int64
	CacheMisses         int64
}

// Disk tells how the engine stands now.
func (p *Process) Disk() Disk {
	m := p.runner.engine.db.Metrics()
	return Disk{
		UsageBytes: m.DiskSpaceUsage(), CompactionDebtBytes: m.Compact.EstimatedDebt,
		CompactionsRunning: m.Compact.NumInProgress, Compactions: m.Compact.Count, Flushes: m.Flush.Count,
		L0Files: m.Levels[0].TablesCount, MemTableBytes: m.MemTable.Size, WALBytes: m.WAL.Size,
		CacheBytes: m.BlockCache.Size, CacheHits: m.BlockCache.Hits, CacheMisses: m.BlockCache.Misses,
	}
}

// OnUse names who adds to what is counted as held what the server of SQL clients holds.
func (p *Process) OnUse(f func(*memory.Held)) { p.onUse.Store(&f) }

// use tells what the parts of the node take; rows and logs are as its loop told.
func (p *Process) use(rows, logs int64) memory.Use {
	held := memory.Held{memory.Rows: rows, memory.Logs: logs}
	m := p.runner.engine.db.Metrics()
	held[memory.BlockCache], held[memory.MemTables] = m.BlockCache.Size, int64(m.MemTable.Size+m.MemTable.ZombieSize)
	held[memory.Messages] = p.runner.box.held() + p.peers.Queued()
	if f := p.onUse.Load(); f != nil {
		(*f)(&held)
	}
	return p.cfg.Memory.Use(held)
}

// Directory is the routing that the node knows now.
func (p *Process) Directory() *routing.Directory { return p.runner.directory.Load() }

// CommitBound is the least time in which a gateway in a region can commit at
// these shards: the farthest, over the shards, of a round trip to the region
// that leads it and one from there to its majority.
func CommitBound(w geo.WAN, d *routing.Directory, from geo.Region, shards []txn.ShardID) time.Duration {
	var out time.Duration
	for _, id := range shards {
		s, ok := d.Shard(uint64(id))
		if !ok {
			continue
		}
		leader := geo.Region(s.Leader)
		var replicas []geo.Region
		for _, n := range s.Replicas {
			replicas = append(replicas, geo.Region(d.RegionOf(n)))
		}
		out = max(out, w.RTT(from, leader)+w.QuorumRTT(leader, replicas))
	}
	return out
}
