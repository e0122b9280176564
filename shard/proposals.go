package shard

import (
	"bytes"
	"slices"

	pb "go.etcd.io/raft/v3/raftpb"
)

// proposals are the commands of a leader on their way into its log. What is
// proposed between two turns of Process goes in together, as one entry if it is
// not too much: a chain of commits then costs raft, the disk and every follower
// little more than one commit does.
//
// Invariant: the log has them in the order in which they were proposed; none is
// left out before one that comes in.
type proposals struct {
	next  []command // not handed to raft yet
	bytes uint64    // of next, about
	// given to raft and not appended yet, in order, with their bytes. raft copies an
	// entry on its way into the log, so it is known again by what it holds.
	given []handed
}

type handed struct {
	data []byte
	says []command
}

// The bounds of what waits for raft, and of what is remembered of what it has: an
// entry of which nothing is known here is read.
const (
	nextMax      = 16_384
	nextBytesMax = 64 << 20
	givenMax     = 4096
)

// takes reports whether the log takes another command now.
func (r *Replica) takes() bool {
	return r.lead != nil && !r.handing && len(r.proposals.next) < nextMax && r.proposals.bytes < min(nextBytesMax, uint64(r.cfg.Logs.Share(nextBytesMax)))
}

// propose has a command appended to the log; false if the log takes no more now.
func (r *Replica) propose(c command) bool {
	if !r.takes() {
		return false
	}
	r.counts.Proposals++
	r.proposals.next = append(r.proposals.next, c)
	r.proposals.bytes += c.bytes()
	return true
}

// giveProposals hands raft what was proposed. What it does not take now, because
// too much is not committed yet, is handed to it again the next time.
func (r *Replica) giveProposals() {
	p := &r.proposals
	for len(p.next) > 0 && r.lead != nil {
		n, size := 1, p.next[0].bytes()
		for n < len(p.next) && size+p.next[n].bytes() <= r.cfg.Params.AppendBytes {
			size += p.next[n].bytes()
			n++
		}
		says := slices.Clone(p.next[:n])
		data := encodeEntry(says)
		if r.rn.Propose(data) != nil {
			return
		}
		if len(p.given) < givenMax {
			p.given = append(p.given, handed{data, says})
		}
		p.took(n)
	}
}

// took forgets the first n of next and keeps its room.
func (p *proposals) took(n int) {
	for _, c := range p.next[:n] {
		p.bytes -= c.bytes()
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
func (p *proposals) appended(m *memo, entries []*pb.Entry) {
	for _, e := range entries {
		i := slices.IndexFunc(p.given, func(q handed) bool { return bytes.Equal(q.data, e.GetData()) })
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
