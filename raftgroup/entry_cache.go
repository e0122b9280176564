package raftgroup

import pb "go.etcd.io/raft/v3/raftpb"

// EntryCache keeps the decoded commands of the latest entries, so that an entry is decoded once: it is
// reported when durable, then applied, and in one process by several members. Its values are shared and
// never changed. The oldest are evicted when the entries exceed memoBytes.
type EntryCache[C any] struct {
	decode   func([]byte) ([]C, error)
	commands map[*pb.Entry][]C
	order    []*pb.Entry // of commands, the oldest first
	bytes    int
}

const memoBytes = 1 << 20

// NewEntryCache returns a cache of entries decoded by decode.
func NewEntryCache[C any](decode func([]byte) ([]C, error)) *EntryCache[C] {
	return &EntryCache[C]{decode: decode, commands: map[*pb.Entry][]C{}}
}

// read returns the commands of an entry, in order; none, if it is empty. An error means it is damaged.
func (m *EntryCache[C]) read(e *pb.Entry) ([]C, error) {
	if c, ok := m.commands[e]; ok {
		return c, nil
	}
	var c []C
	if len(e.GetData()) > 0 && e.GetType() == pb.EntryNormal {
		var err error
		if c, err = m.decode(e.GetData()); err != nil {
			return nil, err
		}
	}
	m.keep(e, c)
	return c, nil
}

func (m *EntryCache[C]) keep(e *pb.Entry, c []C) {
	for m.bytes > memoBytes {
		m.bytes -= memoCost(m.order[0])
		delete(m.commands, m.order[0])
		m.order = m.order[1:]
	}
	m.commands[e], m.order, m.bytes = c, append(m.order, e), m.bytes+memoCost(e)
}

// memoCost estimates the memory of an entry and its commands.
func memoCost(e *pb.Entry) int { return 64 + len(e.GetData()) }
