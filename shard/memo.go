package shard

import (
	"bytes"
	"slices"

	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/txn"
)

// memo keeps what the latest log entries say, so that an entry is read once: it is
// acknowledged, then applied, and in one process by several replicas. Nobody changes
// what it hands out. The oldest go when the entries have more than memoBytes.
type memo struct {
	commands map[*pb.Entry]*command
	order    []*pb.Entry // of commands, the oldest first
	bytes    int
}

const memoBytes = 1 << 20

func newMemo() *memo { return &memo{commands: map[*pb.Entry]*command{}} }

// command reads an entry; an empty one says nothing. The error tells that it is damaged.
func (m *memo) command(e *pb.Entry) (*command, error) {
	if c := m.commands[e]; c != nil {
		return c, nil
	}
	c := new(command)
	if len(e.GetData()) > 0 && e.GetType() == pb.EntryNormal {
		if err := txn.Decode(e.GetData(), c); err != nil {
			return nil, err
		}
	}
	m.keep(e, c)
	return c, nil
}

func (m *memo) keep(e *pb.Entry, c *command) {
	for m.bytes > memoBytes {
		m.bytes -= memoCost(m.order[0])
		delete(m.commands, m.order[0])
		m.order = m.order[1:]
	}
	m.commands[e], m.order, m.bytes = c, append(m.order, e), m.bytes+memoCost(e)
}

// memoCost is what an entry takes, about, with what it says.
func memoCost(e *pb.Entry) int { return 64 + len(e.GetData()) }

// proposals are the commands that a leader has proposed and that are not appended
// yet, in order, with their bytes. raft copies an entry on its way into the log, so
// it is known again by what it holds.
type proposals []proposal

type proposal struct {
	data []byte
	c    *command
}

// proposalsMax bounds them; an entry of which nothing is known here is read.
const proposalsMax = 4096

func (p *proposals) add(data []byte, c *command) {
	if len(*p) < proposalsMax {
		*p = append(*p, proposal{data, c})
	}
}

// appended tells the memo what entries say that were proposed here. What was
// proposed before one of them has come too, or never will.
func (p *proposals) appended(m *memo, entries []*pb.Entry) {
	for _, e := range entries {
		i := slices.IndexFunc(*p, func(q proposal) bool { return bytes.Equal(q.data, e.GetData()) })
		if i >= 0 {
			m.keep(e, (*p)[i].c)
			clear((*p)[:i+1])
			*p = (*p)[i+1:]
		}
	}
	if len(*p) == 0 {
		*p = nil
	}
}
