package source

import (
	"fmt"

	"isochron/participant"
	"isochron/txn"
)

// An agent's status for operators.

// Undecided implements participant.Participant.
func (g *Agent) Undecided() (n int) {
	for _, b := range g.branches { // order: a sum
		if b.phase >= prepareUnknown {
			n++
		}
	}
	return n
}

// Holders implements participant.Participant.
func (g *Agent) Holders() int { return len(g.branches) }

// InDoubt implements participant.Participant.
func (g *Agent) InDoubt(most int) (out []participant.InDoubt) {
	for _, b := range g.branches.inOrder() {
		if b.phase >= prepareUnknown && len(out) < most {
			out = append(out, participant.InDoubt{Shard: g.id, Txn: b.txn, Attempt: b.name.Attempt, Participants: []txn.ShardID{g.id}, Age: g.now() - b.since})
		}
	}
	return out
}

// Status implements participant.Participant.
func (g *Agent) Status() participant.Status {
	s := participant.Status{Shard: g.id, Kind: g.at.Shard.Kind, Role: "agent", Serving: g.links.serving, Term: g.term,
		Undecided: g.Undecided(), Holders: g.Holders(), Voters: []txn.NodeID{g.at.Self}}
	s.Leader, _ = g.Leader()
	s.Source = g.counts.SourceCounts
	s.Source.Fenced = g.barrier.open
	return s
}

// Summary implements participant.Participant.
func (g *Agent) Summary() string {
	text := fmt.Sprintf("source %d, incarnation %d: %d branches, %d of them prepared", g.id, g.term, len(g.branches), g.Undecided())
	if g.links.text != "" {
		text += "; " + g.links.text
	}
	return text
}
