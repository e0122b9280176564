package coordinator

import (
	"testing"

	"isochron/routing"
	"isochron/txn"
)

// A local replica is believed unless others have told of a later term; what others said is
// asked at two tries of three, so that a wrong hint does not last; a node that is doubted is
// forgotten, and another is not.
func TestWhoIsTakenForTheLeader(t *testing.T) {
	dir := &routing.Directory{Shards: []routing.Shard{{ID: 2, Replicas: []uint32{4, 5, 6}}}}
	env := &led{clocked: &clocked{fakeEnv: &fakeEnv{dir: dir}}}
	l := &leaders{env: env, hints: map[txn.ShardID]hint{}}
	asked := func(what string, try int, want txn.NodeID, wantTerm uint64) {
		t.Helper()
		if n, term := l.of(2, try); n != want || term != wantTerm {
			t.Errorf("%s, try %d: node %d of term %d is asked, want %d of %d", what, try, n, term, want, wantTerm)
		}
	}
	for try, want := range []txn.NodeID{4, 5, 6, 4} {
		asked("nothing is known", try, want, 0)
	}
	l.heard(2, 5, 7)
	l.heard(2, 4, 6) // older
	asked("others told", 0, 5, 7)
	asked("others told", 1, 5, 7)
	asked("others told", 2, 6, 0)
	env.leader, env.term = 4, 6
	asked("the replica here is behind", 0, 5, 7)
	env.term = 7
	asked("the replica here knows", 0, 4, 7)
	if l.succeeded(2, 7) || !l.succeeded(2, 6) {
		t.Error("only a later term is a successor's")
	}
	env.leader = 0
	l.doubt(2, 4)
	asked("another is doubted", 0, 5, 7)
	l.doubt(2, 5)
	asked("it is doubted", 0, 4, 0)
}
