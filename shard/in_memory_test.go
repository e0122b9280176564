package shard

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"isochron/store"
	"isochron/txn"
)

// An ephemeral state saves the same keys and values for a snapshot as a durable one has written.
func TestAnEphemeralStateSavesTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var states [2]*state
	var engines [2]*store.Mem
	for i := range states {
		engines[i] = store.NewMem()
		var err error
		cfg := Config{ID: 1, Engine: engines[i]}
		if i == 1 {
			cfg.Process = NewProcess()
		}
		if states[i], err = loadState(cfg, []byte("s"), 0); err != nil {
			t.Fatal(err)
		}
	}
	var open []txn.Attempt
	for index := range uint64(2000) {
		c := randomCommand(rng, index+1, &open)
		for i, s := range states {
			var b store.Batch
			s.applied.Index, s.applied.Term = index/3+1, 1
			s.apply(&b, int(index%3), c, 0)
			s.putApplied(&b)
			engines[i].Apply(&b)
		}
		if index%100 != 99 {
			continue
		}
		var b store.Batch
		states[1].save(&b)
		engines[1].Apply(&b)
		if want, got := contents(engines[0]), contents(engines[1]); want != got {
			t.Fatalf("after %d commands: saved\n%s\nwritten all along\n%s", index+1, got, want)
		}
	}
	if o := states[1].outcomes.Len(); len(states[1].prepared) == 0 || o == 0 || len(states[1].retired) == 0 {
		t.Errorf("%d votes, %d outcomes, %d marks: too few to tell", len(states[1].prepared), o, len(states[1].retired))
	}
}

func randomCommand(rng *rand.Rand, seq uint64, open *[]txn.Attempt) command {
	if n := len(*open); n > 0 && rng.IntN(2) == 0 {
		i := rng.IntN(n)
		a := (*open)[i]
		*open = append((*open)[:i], (*open)[i+1:]...)
		if rng.IntN(8) == 0 {
			return command{Fence: &fenceCmd{Attempt: a}} // of an attempt with a vote: it changes nothing
		}
		return command{Decide: &decideCmd{Attempt: a, Commit: rng.IntN(3) > 0, At: txn.Timestamp(seq)}}
	}
	v := &voteCmd{
		Attempt: txn.Attempt{Node: txn.NodeID(1 + rng.IntN(2)), Epoch: 1, Seq: seq}, Proposed: txn.Timestamp(seq),
		Writes: []txn.Write{{Key: txn.Key(fmt.Sprint(rng.IntN(50))), Value: []byte{byte(seq)}}}, OnePhase: rng.IntN(4) == 0,
	}
	if n := len(*open); n > 0 && rng.IntN(3) == 0 {
		v.Deps = []txn.Attempt{(*open)[rng.IntN(n)]}
	}
	if rng.IntN(10) == 0 && seq > 300 {
		v.Retired = seq - 300
	}
	if !v.OnePhase {
		*open = append(*open, v.Attempt)
	}
	return command{Vote: v}
}

func contents(r store.Reader) (all string) {
	it := r.Iter(nil, nil)
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		all += fmt.Sprintf("%q = %x\n", it.Key(), it.Value())
	}
	return all
}
