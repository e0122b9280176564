package coordinator

import (
	"testing"

	"isochron/routing"
	"isochron/txn"
)

// All nodes are asked; the client is answered when all have replied or at the deadline, with the
// silent ones; a reply counts once.
func TestAContentionQueryEnds(t *testing.T) {
	env := &fakeEnv{dir: &routing.Directory{Nodes: []routing.Node{{ID: 1}, {ID: 2}}}}
	mine := txn.ID{Node: 1, Seq: 3}
	txns := transactions{mine: {id: mine, owner: 9}}
	v := &contentionQueries{env: env, numbers: &requestNumbers{last: 5}, ownerOf: txns.ownerOf, open: map[uint64]*contentionQuery{}}
	var got []*txn.ContentionReport
	begin := func() uint64 {
		v.begin(&Request{Op: OpContention, Done: func(r Response) { got = append(got, r.Contention) }})
		return env.sent[len(env.sent)-1].ContentionQuery.Request
	}
	first := begin()
	second := begin()
	if len(env.sent) != 4 || first != 6 || second != 7 {
		t.Fatalf("sent %+v", env.sent)
	}
	answer := &txn.ContentionReply{Request: first, Waits: []txn.LockWait{{Txn: mine, Holder: txn.ID{Node: 2, Seq: 1}}}}
	v.receive(1, answer)
	v.receive(1, answer)
	if len(got) != 0 {
		t.Fatal("a node that answers twice is taken for two")
	}
	v.receive(3, &txn.ContentionReply{Request: first}) // it was not asked
	v.receive(2, &txn.ContentionReply{Request: first})
	if len(got) != 1 || len(got[0].Nodes) != 2 || len(got[0].Silent) != 0 || len(got[0].SessionIDs) != 1 || got[0].SessionIDs[mine] != 9 {
		t.Fatalf("answered %+v", got)
	}
	v.receive(2, &txn.ContentionReply{Request: second})
	v.expire(v.nextWake() - 1)
	if len(got) != 1 {
		t.Fatal("it ends before its time")
	}
	v.expire(v.nextWake())
	if len(got) != 2 || len(got[1].Silent) != 1 || got[1].Silent[0] != 1 || v.nextWake() != txn.Never {
		t.Errorf("answered %+v, %d are open", got[1:], len(v.open))
	}
}
