package shard

import (
	"testing"

	"isochron/store"
	"isochron/txn"
)

// FuzzCommand: a log entry that can be read can be applied, whatever it contains.
func FuzzCommand(f *testing.F) {
	a := txn.Attempt{Node: 1, Epoch: 2, Seq: 3}
	vote := &voteCmd{Attempt: a, Txn: txn.ID{Node: 1, Epoch: 2, Seq: 3}, Participants: []txn.ShardID{1, 2}, Reads: []txn.Key{"r"},
		Spans: []txn.Span{{Start: "a", End: "c"}}, Writes: []txn.Write{{Key: "b", Value: []byte("v")}, {Key: "gone"}}, Proposed: 7}
	once := *vote
	once.OnePhase = true
	for _, c := range []command{{Vote: vote}, {Vote: &once}, {Decide: &decideCmd{Attempt: a, Commit: true, At: 9}}, {Decide: &decideCmd{Attempt: a}},
		{Fence: &fenceCmd{Attempt: a}}, {Collect: &collectCmd{Keep: 5}}, {Barrier: 4}, {}} {
		f.Add(txn.Encode(c), encodeEntry([]command{{Decide: &decideCmd{Attempt: a, Commit: true, At: 9}}, c}))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		engine := store.NewMem()
		st, err := loadState(Config{ID: 1, Engine: engine}, []byte("s"), 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, raw := range [][]byte{first, second} {
			commands, err := decodeEntry(raw)
			if err != nil {
				return
			}
			var b store.Batch
			st.applied.Index, st.applied.Term = uint64(i+1), 1
			for place, c := range commands {
				st.apply(&b, place, c, 0)
			}
			engine.Apply(&b)
		}
		if _, err := loadState(Config{ID: 1, Engine: engine}, []byte("s"), 0); err != nil {
			t.Errorf("the applied state cannot be loaded: %v", err)
		}
	})
}
