package raftgroup

import (
	"fmt"
	"strings"
	"testing"

	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/txn"
)

// messageFormatter is a codec of commands that are text.
type messageFormatter struct{ decoded int }

func (w *messageFormatter) Encode(commands []string) []byte { return txn.Encode(commands) }

func (w *messageFormatter) Decode(data []byte) (out []string, err error) {
	w.decoded++
	return out, txn.Decode(data, &out)
}

func (w *messageFormatter) Size(c string) uint64 { return uint64(len(c)) + 16 }

func TestTheEntryCacheIsRightAndBounded(t *testing.T) {
	w := &messageFormatter{}
	m := NewEntryCache(w.Decode)
	var entries []*pb.Entry
	for i := range 3000 {
		commands := fmt.Sprint(i, strings.Repeat(".", 1000))
		e := &pb.Entry{Data: w.Encode([]string{commands})}
		entries = append(entries, e)
		for range 2 {
			if got, err := m.read(e); err != nil || len(got) != 1 || got[0] != commands {
				t.Fatalf("entry %d reads as %v, %v", i, got, err)
			}
		}
		if w.decoded != i+1 {
			t.Fatalf("%d entries were decoded %d times", i+1, w.decoded)
		}
	}
	if most := memoBytes/1000 + 2; len(m.commands) > most || len(m.order) != len(m.commands) {
		t.Errorf("it keeps %d entries, in an order of %d; at most %d were to be kept", len(m.commands), len(m.order), most)
	}
	if got, err := m.read(entries[0]); err != nil || len(got) != 1 || !strings.HasPrefix(got[0], "0.") {
		t.Errorf("an evicted entry reads as %v, %v", got, err)
	}
	if c, err := m.read(&pb.Entry{}); err != nil || len(c) > 0 {
		t.Errorf("an empty entry reads as %v, %v", c, err)
	}
	if _, err := m.read(&pb.Entry{Data: []byte{0xff}}); err == nil {
		t.Error("a damaged entry can be read")
	}
}
