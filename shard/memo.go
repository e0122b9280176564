package shard

import pb "go.etcd.io/raft/v3/raftpb"

// memo keeps what the latest log entries say, so that an entry is read once: it is
// acknowledged, then applied, and in one process by several replicas. Nobody changes
// what it hands out. The oldest go when the entries have more than memoBytes.
type memo struct {
	commands map[*pb.Entry][]command
	order    []*pb.Entry // of commands, the oldest first
	bytes    int
}

const memoBytes = 1 << 20

func newMemo() *memo { return &memo{commands: map[*pb.Entry][]command{}} }

// read tells what an entry says, in order: nothing, if it is empty. The error tells that it is damaged.
func (m *memo) read(e *pb.Entry) ([]command, error) {
	if c, ok := m.commands[e]; ok {
		return c, nil
	}
	var c []command
	if len(e.GetData()) > 0 && e.GetType() == pb.EntryNormal {
		var err error
		if c, err = decodeEntry(e.GetData()); err != nil {
			return nil, err
		}
	}
	m.keep(e, c)
	return c, nil
}

func (m *memo) keep(e *pb.Entry, c []command) {
	for m.bytes > memoBytes {
		m.bytes -= memoCost(m.order[0])
		delete(m.commands, m.order[0])
		m.order = m.order[1:]
	}
	m.commands[e], m.order, m.bytes = c, append(m.order, e), m.bytes+memoCost(e)
}

// memoCost is what an entry takes, about, with what it says.
func memoCost(e *pb.Entry) int { return 64 + len(e.GetData()) }
