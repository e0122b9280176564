package coordinator

import (
	"testing"

	"isochron/routing"
	"isochron/txn"
)

// A local replica's leader is used unless other nodes have reported a later term; their hint is
// used in two tries of three, so that a wrong one does not last; doubt drops a hint about that node
// only.
func TestWhichLeaderIsAsked(t *testing.T) {
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
	l.observe(2, 5, 7)
	l.observe(2, 4, 6) // older
	asked("reported by others", 0, 5, 7)
	asked("reported by others", 1, 5, 7)
	asked("reported by others", 2, 6, 0)
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

// Reads that need no leader go to the nearest replica, or to the known leader; then to the others
// in turn.
func TestWhichReplicaIsRead(t *testing.T) {
	dir := &routing.Directory{Nodes: []routing.Node{{ID: 6, Region: "eu"}}, Shards: []routing.Shard{{ID: 2, Replicas: []uint32{4, 5, 6}, Leader: "eu"}}}
	env := &led{clocked: &clocked{fakeEnv: &fakeEnv{dir: dir}}}
	l := &leaders{env: env, hints: map[txn.ShardID]hint{}}
	reads := func(what string, leading bool, want ...txn.NodeID) {
		t.Helper()
		for try, w := range want {
			if n := l.aReplica(2, try, leading); n != w {
				t.Errorf("%s, try %d: node %d is read, not %d", what, try, n, w)
			}
		}
	}
	reads("the nearest", false, 1, 5, 6, 4)
	reads("the preferred leader", true, 6, 5, 6, 4)
	env.leader, env.term = 4, 3
	reads("the leader", true, 4, 5, 6, 4)
	reads("the nearest of them", false, 1, 5, 6, 4)
}

// A gateway that has asked no shard yet logs decisions in a shard whose preferred leader is in its
// own region.
func TestDecisionsAreLoggedNear(t *testing.T) {
	dir := &routing.Directory{Nodes: []routing.Node{{ID: 4, Region: "eu"}, {ID: 5, Region: "us"}},
		Shards: []routing.Shard{{ID: 1, Replicas: []uint32{4, 5}, Leader: "eu"}, {ID: 2, Replicas: []uint32{4, 5}, Leader: "eu"}, {ID: 3, Replicas: []uint32{4, 5}, Leader: "us"}}}
	for far, want := range map[txn.NodeID]txn.ShardID{4: 3, 5: 2} { // order: independent cases
		env := &afar{fakeEnv: fakeEnv{dir: dir}, far: far}
		l := &leaders{env: env, hints: map[txn.ShardID]hint{}}
		if s := (&decisions{env: env, leaders: l}).placeNear(nil); s != want {
			t.Errorf("node %d is far: decisions are logged at shard %d, want %d", far, s, want)
		}
		l.observe(want, far, 1)
		l.observe(5-want, 9-far, 1)
		if s := (&decisions{env: env, leaders: l}).placeNear(nil); s != 5-want {
			t.Errorf("node %d leads another: decisions are logged at shard %d, want %d", 9-far, s, 5-want)
		}
	}
}

// afar is far from one node.
type afar struct {
	fakeEnv
	far txn.NodeID
}

func (e *afar) Wide(n txn.NodeID) bool                      { return n == e.far }
func (*afar) Leader(txn.ShardID) (txn.NodeID, uint64, bool) { return 0, 0, false }
