package raftgroup

import (
	"bytes"
	"slices"

	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/coverage"
)

// proposals are the commands of a leader on their way into its log. What is
// proposed between two turns of Process goes in together, as one entry if it is
// not too much: a chain of commits then costs raft, the disk and every follower
// little more than one commit does.
//
// Invariant: the log has them in the order in which they were proposed; none is
// left out before one that comes in.
type proposals[C any] struct {
	codec Codec[C]
	next  []C    // not handed to raft yet
	bytes uint64 // of next, about
	// given to raft and not appended yet, in order, with their bytes. raft copies an
	// entry on its way into the log, so it is known again by what it holds.
	given []handed[C]
}

type handed[C any] struct {
	data []byte
	says []C
}

// The bounds of what waits for raft, and of what is remembered of what it has: an
// entry of which nothing is known here is read.
const (
	nextMax      = 16_384
	nextBytesMax = 64 << 20
	givenMax     = 4096
)

// AcceptsProposals reports whether the log takes another command now: this member leads, is not
// about to hand over, and not too much waits already.
func (g *Group[C]) AcceptsProposals() bool {
	p := &g.proposals
	g.cfg.Params.Rules.HitIf(g.handing, coverage.HandsOver)
	return g.lead != nil && !g.handing && len(p.next) < nextMax && p.bytes < min(nextBytesMax, uint64(g.cfg.Logs.Share(nextBytesMax)))
}

// Propose has a command appended to the log; false if the log takes no more now.
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

// giveProposals hands raft what was proposed. What it does not take now, because
// too much is not committed yet, is handed to it again the next time.
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
		p.took(len(e.says))
	}
}

// entry is what goes into the log next: of at most so many bytes, but for a command
// that has more by itself.
func (p *proposals[C]) entry(most uint64) handed[C] {
	n, size := 1, p.codec.Size(p.next[0])
	for n < len(p.next) && size+p.codec.Size(p.next[n]) <= most {
		size += p.codec.Size(p.next[n])
		n++
	}
	says := slices.Clone(p.next[:n])
	return handed[C]{p.codec.Encode(says), says}
}

// took forgets the first n of next and keeps its room.
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

// appended tells the memo what entries say that were proposed here. What was
// given to raft before one of them has come too, or never will.
func (p *proposals[C]) appended(m *EntryCache[C], entries []*pb.Entry) {
	for _, e := range entries {
		i := slices.IndexFunc(p.given, func(q handed[C]) bool { return bytes.Equal(q.data, e.GetData()) })
		if i >= 0 {
			m.keep(e, p.given[i].says)
			clear(p.given[:i+1])
			p.given = p.given[i+1:]
		}
	}
	if len(p.given) == 0 {
		p.given = nil
	}
}

// drop forgets all, with the leadership.
func (p *proposals[C]) drop() { *p = proposals[C]{codec: p.codec} }
