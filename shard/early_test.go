package shard

import (
	"testing"

	"isochron/protocol"
	"isochron/txn"
)

// Answers that wait for decisions are bounded at a leader: one more is refused at once.
func TestWaitsForDecisionsAreBounded(t *testing.T) {
	row, err := protocol.ByName("d2pc+occ")
	if err != nil {
		t.Fatal(err)
	}
	l := &leadership{r: &Replica{cfg: Config{Row: row}}, early: newEarly()}
	by := txn.Attempt{Node: 1, Seq: 1}
	l.early.overlay.Reveal(by, 1, true, []txn.Write{{Key: "k", Value: []byte("1")}})
	told, refused := 0, 0
	for range maxSettles + 3 {
		l.whenDecided([]txn.Key{"k"}, nil, arrival{}, func(bool) { told++ }, func() { refused++ })
	}
	if told != 0 || refused != 3 {
		t.Fatalf("%d were told and %d refused, want 0 and 3", told, refused)
	}
	l.early.decided(by, true)
	if told != maxSettles {
		t.Errorf("%d were told of the decision, want %d", told, maxSettles)
	}
	l.early.expireAt(0)
	if len(l.early.expiring) != 0 {
		t.Errorf("%d wait still", len(l.early.expiring))
	}
}

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
		early: newEarly(), deciding: map[txn.Attempt]*decidingVote{a: {}},
	}
	l.early.open[a] = &settle{failed: true, over: true}
	l.ended(&l.r.state.prepared[a].voteCmd, false)
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
