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

// healthBound is the longest time a loop's round or a sync may take before the node counts as not
// alive.
const healthBound = 5 * time.Second

// Health returns nil while the node's loop and its disk respond.
func (p *Process) Health() error {
	r := p.runner
	select {
	case <-r.ended:
		return fmt.Errorf("node %d has stopped: see its log", r.id)
	default:
	}
	if reason := p.Removed(); reason != "" {
		return errors.New(reason)
	}
	now := r.clock.mono()
	if late := now - time.Duration(r.beat.Load()); late > healthBound {
		return fmt.Errorf("the loop of node %d has not completed a round for %v", r.id, late.Round(time.Second))
	}
	if begun := r.syncer.begun.Load(); begun != 0 && now-time.Duration(begun) > healthBound {
		return fmt.Errorf("the disk of node %d has been syncing for %v", r.id, (now - time.Duration(begun)).Round(time.Second))
	}
	return nil
}

// Leaderless returns this node's shards without a known leader, or an error if the node does not answer.
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

// Queues has the lengths of a node's queues and the losses at full ones.
type Queues struct {
	Mailbox         int    // inputs queued for the loop
	DroppedMessages uint64 // of peers, at a full mailbox
	RefusedRequests uint64 // of clients, at a full mailbox
	LinesSent       uint64 // messages handed to the links
	LinesDropped    uint64 // by a full delay line
}

// Queues returns the present values.
func (p *Process) Queues() Queues {
	m := p.runner.box
	m.mu.Lock()
	q := Queues{Mailbox: len(m.waiting), DroppedMessages: m.dropped, RefusedRequests: m.refused}
	m.mu.Unlock()
	q.LinesSent, q.LinesDropped = p.wan.traffic()
	return q
}

// Disk has an engine's statistics.
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

// Disk returns the present values.
func (p *Process) Disk() Disk {
	m := p.runner.engine.db.Metrics()
	return Disk{
		UsageBytes: m.DiskSpaceUsage(), CompactionDebtBytes: m.Compact.EstimatedDebt,
		CompactionsRunning: m.Compact.NumInProgress, Compactions: m.Compact.Count, Flushes: m.Flush.Count,
		L0Files: m.Levels[0].TablesCount, MemTableBytes: m.MemTable.Size, WALBytes: m.WAL.Size,
		CacheBytes: m.BlockCache.Size, CacheHits: m.BlockCache.Hits, CacheMisses: m.BlockCache.Misses,
	}
}

// OnUse registers f, which adds the memory used by the server of SQL clients.
func (p *Process) OnUse(f func(*memory.Held)) { p.onUse.Store(&f) }

// use returns the memory used by the node's parts; rows and logs are its loop's values.
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

// Directory returns the node's present directory.
func (p *Process) Directory() *routing.Directory { return p.runner.directory.Load() }

// CommitBound returns the least time in which a gateway in a region can commit at these shards: the maximum,
// over the shards, of a round trip to the leader's region and one from there to its majority.
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
