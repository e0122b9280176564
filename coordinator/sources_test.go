package coordinator

import (
	"testing"

	"isochron/routing"
	"isochron/txn"
)

// Requests to several agents are one client request: it is answered when each has replied or timed
// out, with the replies and the first error.
func TestQuestionsToAgents(t *testing.T) {
	source := func(id uint64, node uint32, name string) routing.Shard {
		return routing.Shard{ID: id, Replicas: []uint32{node}, Kind: routing.SourceKind, Source: &routing.Source{Name: name}}
	}
	env := &fakeEnv{dir: &routing.Directory{Shards: []routing.Shard{{ID: 1, Replicas: []uint32{1}}, source(2, 1, "orders"), source(3, 2, "stock")}}}
	v := &asks{cfg: &Config{Params: txn.Params{}.WithDefaults()}, env: env, numbers: &requestNumbers{last: 5}, open: map[uint64]*ask{}}
	var got []Response
	begin := func(m ...txn.SourceQuery) {
		v.begin(&Request{Op: OpAskSources, SourceQueries: m, Done: func(r Response) { got = append(got, r) }})
	}
	begin(txn.SourceQuery{Shard: 2, Kind: txn.SourceInDoubt}, txn.SourceQuery{Shard: 3, Kind: txn.SourceInDoubt})
	if len(env.sent) != 2 || env.sent[0].SourceQuery.Request != 6 || env.sent[1].SourceQuery.Request != 7 {
		t.Fatalf("sent %+v", env.sent)
	}
	v.receive(&txn.SourceReply{Shard: 3, Request: 6}) // not from the node that was asked
	v.receive(&txn.SourceReply{Shard: 2, Request: 6, InDoubt: []txn.InDoubtBranch{{Name: "a"}}})
	v.receive(&txn.SourceReply{Shard: 2, Request: 6})
	v.expire(v.nextWake() - 1)
	if len(got) != 0 || len(env.sent) != 2 {
		t.Fatalf("answered %+v too soon, or asked again: %+v", got, env.sent)
	}
	v.expire(v.nextWake())
	if len(env.sent) != 3 || *env.sent[2].SourceQuery != *env.sent[1].SourceQuery || v.nextWake() != min(txn.ContentionWait, 3*v.cfg.Params.ResendAfter) {
		t.Fatalf("a silent agent must be asked again: %+v, next at %v", env.sent, v.nextWake())
	}
	v.expire(txn.ContentionWait)
	if len(got) != 1 || got[0].SourceReplies[0].InDoubt[0].Name != "a" || got[0].SourceReplies[1] != nil || got[0].Err.Kind != txn.KindUnavailable || len(v.open) != 0 || v.nextWake() != txn.Never {
		t.Fatalf("answered %+v, %d are open", got, len(v.open))
	}
	begin(txn.SourceQuery{Shard: 1, Kind: txn.SourceDescribe})
	begin()
	begin(make([]txn.SourceQuery, asksMax+1)...)
	if len(got) != 4 || got[1].Err.Kind != txn.KindInvalidRequest || got[2].Err == nil || got[3].Err == nil || len(env.sent) != 3 {
		t.Errorf("invalid requests: %+v", got[1:])
	}
	begin(txn.SourceQuery{Shard: 3, Kind: txn.SourceDescribe})
	v.receive(&txn.SourceReply{Shard: 3, Request: 8, Refused: txn.KindUnavailable, Reason: "it is down"})
	if len(got) != 5 || got[4].Err.Reason != "source stock: it is down" {
		t.Errorf("refused: %+v", got[4:])
	}
}
