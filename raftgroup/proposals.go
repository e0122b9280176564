package raftgroup

import (
	"bytes"
	"slices"

	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/coverage"
)

// proposals are the commands that a leader has proposed and its log does not have yet. Commands
// proposed between two calls of Process share one entry, up to a bound:
// a chain of commits then costs raft, the disk and every follower
// little more than one commit.
//
// Invariant: the log has them in the order of their proposals; none is
// omitted before one that is logged.
type proposals[C any] struct {
	codec Codec[C]
	next  []C    // not handed to raft yet
	bytes uint64 // size of next, estimated
	// given are entries handed to raft and not appended yet, in order. raft copies an
	// entry on its way into the log, so it is recognised by its content.
	given []handed[C]
}

type handed[C any] struct {
	data     []byte
	commands []C
}

// Bounds of commands that wait for raft, and of entries remembered in given: an
// entry that is not remembered is decoded.
const (
	nextMax      = 16_384
	nextBytesMax = 64 << 20
	givenMax     = 4096
)

// AcceptsProposals reports whether the log accepts another command now: this member leads, is not
// transferring leadership, and not too much is pending.
func (g *Group[C]) AcceptsProposals() bool {
	p := &g.proposals
	g.cfg.Params.Rules.HitIf(g.handing, coverage.HandsOver)
	return g.lead != nil && !g.handing && len(p.next) < nextMax && p.bytes < min(nextBytesMax, uint64(g.cfg.Logs.Share(nextBytesMax)))
}

// Propose appends a command to the log; false if the log accepts no proposals now.
func (g *Group[C]) Propose(c C) bool {
	if !g.AcceptsProposals() {
		return false
	}
	p := &g.proposals
	g.counts.Proposals++
	p.next = append(p.next, c)
	p.bytes += p.codec.Size(c)
	return true
}

// giveProposals hands the proposed commands to raft. Commands that it does not accept now, because
// too much is uncommitted, are handed to it again the next time.
func (g *Group[C]) giveProposals() {
	p := &g.proposals
	for len(p.next) > 0 && g.lead != nil {
		e := p.entry(g.cfg.Params.AppendBytes)
		if g.rn.Propose(e.data) != nil {
			return
		}
		if len(p.given) < givenMax {
			p.given = append(p.given, e)
		}
		p.took(len(e.commands))
	}
}

// entry returns the next entry: at most so many bytes, unless a single command
// is larger.
func (p *proposals[C]) entry(most uint64) handed[C] {
	n, size := 1, p.codec.Size(p.next[0])
	for n < len(p.next) && size+p.codec.Size(p.next[n]) <= most {
		size += p.codec.Size(p.next[n])
		n++
	}
	commands := slices.Clone(p.next[:n])
	return handed[C]{p.codec.Encode(commands), commands}
}

// took removes the first n commands of next and keeps its memory.
func (p *proposals[C]) took(n int) {
	for _, c := range p.next[:n] {
		p.bytes -= p.codec.Size(c)
	}
	left := copy(p.next, p.next[n:])
	clear(p.next[left:])
	p.next = p.next[:left]
	if cap(p.next) > nextMax/4 {
		p.next = slices.Clip(p.next)
	}
}

// appended puts entries that were proposed here into the cache. Earlier entries of given
// were appended too, or never will be.
func (p *proposals[C]) appended(m *EntryCache[C], entries []*pb.Entry) {
	for _, e := range entries {
		i := slices.IndexFunc(p.given, func(q handed[C]) bool { return bytes.Equal(q.data, e.GetData()) })
		if i >= 0 {
			m.keep(e, p.given[i].commands)
			clear(p.given[:i+1])
			p.given = p.given[i+1:]
		}
	}
	if len(p.given) == 0 {
		p.given = nil
	}
}

// drop discards all proposals when the leadership ends.
func (p *proposals[C]) drop() { *p = proposals[C]{codec: p.codec} }
