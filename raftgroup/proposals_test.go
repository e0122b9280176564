package raftgroup

import (
	"fmt"
	"slices"
	"testing"

	pb "go.etcd.io/raft/v3/raftpb"
)

func TestOwnProposalsAreNotDecodedAgain(t *testing.T) {
	w := &messageFormatter{}
	m := NewEntryCache(w.Decode)
	p := proposals[string]{codec: w}
	var entries []*pb.Entry
	commands := map[int][]string{}
	for i := range 10 {
		c := []string{fmt.Sprint(2*i + 1), fmt.Sprint(2*i + 2)}
		p.given = append(p.given, handed[string]{w.Encode(c), c})
		if i == 3 { // it is never appended
			continue
		}
		commands[len(entries)] = c
		entries = append(entries, &pb.Entry{Data: w.Encode(c)})
	}
	foreign := &pb.Entry{Data: w.Encode([]string{"99"})}
	p.appended(m, append(entries[:4:4], foreign))
	p.appended(m, entries[4:])
	for i, e := range entries {
		if got, err := m.read(e); err != nil || !slices.Equal(got, commands[i]) {
			t.Errorf("entry %d has %+v, %v; want the proposed commands", i, got, err)
		}
	}
	if w.decoded != 0 {
		t.Errorf("%d of them were read", w.decoded)
	}
	if got, err := m.read(foreign); err != nil || len(got) != 1 || got[0] != "99" || w.decoded != 1 {
		t.Errorf("another leader's entry has %+v, %v, after %d were decoded", got, err, w.decoded)
	}
	if p.given != nil {
		t.Errorf("%d proposals are left", len(p.given))
	}
}

// Proposals that raft drops are handed to it again, in order and before later ones.
func TestProposalsThatRaftDropsWait(t *testing.T) {
	w := &messageFormatter{}
	p := proposals[string]{codec: w}
	for _, c := range []string{"a", "b", "c", "d", "e"} {
		p.next, p.bytes = append(p.next, c), p.bytes+w.Size(c)
	}
	if e := p.entry(2 * w.Size("a")); !slices.Equal(e.commands, []string{"a", "b"}) || string(e.data) != string(w.Encode(e.commands)) {
		t.Errorf("the first entry has %v", e.commands)
	}
	if e := p.entry(1); !slices.Equal(e.commands, []string{"a"}) {
		t.Errorf("with no room the first entry has %v", e.commands)
	}
	p.took(2)
	if !slices.Equal(p.next, []string{"c", "d", "e"}) || p.bytes != 3*w.Size("c") {
		t.Errorf("%d bytes of %v are left", p.bytes, p.next)
	}
	p.took(3)
	if len(p.next) != 0 || p.bytes != 0 {
		t.Errorf("%d bytes of %v are left of nothing", p.bytes, p.next)
	}
}
