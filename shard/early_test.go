package shard

import (
	"testing"

	"isochron/protocol"
	"isochron/reveal"
	"isochron/txn"
)

// sent keeps what a leader sends; nothing else of the world is touched.
type sent struct {
	Env
	all []txn.Message
}

func (s *sent) Send(_ txn.Address, m txn.Message) { s.all = append(s.all, m) }

// An attempt whose abort is on its way into the log has read what was undone:
// whoever asks for its vote again, or for what the log says, must not be told
// that nothing is wrong with it.
func TestWhatIsBeingAbortedStaysDoomed(t *testing.T) {
	row, err := protocol.ByName("d2pc+occ")
	if err != nil {
		t.Fatal(err)
	}
	a := txn.Attempt{Node: 1, Seq: 1}
	world := &sent{}
	l := &leadership{
		r: &Replica{cfg: Config{Row: row}, env: world, state: &state{
			prepared: map[txn.Attempt]*prepared{a: {voteCmd: voteCmd{Attempt: a}}}}},
		early: reveal.NewEarly(row.Reveal, nil),
	}
	l.depends = dependence{early: l.early}
	l.known = newAttempts(l.r.state, l.early, &l.r.cfg.Params.Bugs)
	l.known.deciding[a] = &decidingVote{}
	l.early.Condition(a, nil, true, nil)
	l.depends.ended(&l.r.state.prepared[a].voteCmd, false)
	if !l.answerAgain(2, a) || !l.find(2, a) || len(world.all) != 2 {
		t.Fatalf("it was answered %d times", len(world.all))
	}
	if v := world.all[0].Vote; v == nil || !v.Doomed {
		t.Errorf("asked for its vote again it says %+v", v)
	}
	if f := world.all[1].Finding; f == nil || !f.Doomed {
		t.Errorf("asked what the log says it says %+v", f)
	}
}

// A vote depends on those revealed before their decision whose rows it has read, but not on one
// whose entry is its commit.
func TestOnWhatAVoteDepends(t *testing.T) {
	cfg, rows, _, known := lead1(t, "d2pc+2pl")
	d := dependence{cfg, rows.early, known}
	at := func(seq uint64) txn.Attempt { return txn.Attempt{Node: 1, Seq: seq} }
	for seq, key := range []txn.Key{"a", "b", "c"} {
		v := &voteCmd{Attempt: at(uint64(seq)), Proposed: 50, OnePhase: key == "b", Writes: []txn.Write{{Key: key, Value: []byte("w")}}}
		known.voting[v.Attempt] = &votingVote{cmd: v}
		d.reveal(v)
	}
	p := &txn.Prepare{Reads: []txn.ReadCheck{{Key: "a"}, {Key: "b"}}, Guards: []txn.ReadCheck{{Key: "old"}}}
	if on := d.of(p); len(on) != 1 || on[0] != at(0) {
		t.Errorf("it depends on %v", on)
	}
	cfg.Params.Bugs.ReleaseUntracked = true
	if on := d.of(p); on != nil {
		t.Errorf("with the bug it depends on %v", on)
	}
}
