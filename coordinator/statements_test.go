package coordinator

import (
	"testing"
	"time"

	"isochron/routing"
	"isochron/txn"
)

// commitsAtOnce is a gateway that has sent a source statements with the transaction's commit, to
// the source's agent at node 2 in term 1.
func commitsAtOnce(t *testing.T, reads bool) (*gateway, *led, *Request) {
	t.Helper()
	g, env := openLed(t, led{leader: 2, term: 1})
	env.dir.Shards = append(env.dir.Shards, routing.Shard{ID: 9, Replicas: []uint32{2}, Kind: "source"})
	req := &Request{Op: OpExecute, Last: true, Commit: true, Executed: true, Statements: []txn.SourceStatement{{Source: 9, Reads: reads, Statement: txn.Statement{Text: "a"}}}}
	req.Done = func(r Response) { g.answered[req] = r }
	g.Submit(req)
	if w := env.asked(); w == nil || w.Batch.Last == nil || !w.Batch.Last.OnePhase || w.Batch.Term != 1 {
		t.Fatalf("sent %+v", env.sent)
	}
	return g, env, req
}

// asked is the newest Access that was sent.
func (e *led) asked() *txn.Access {
	for i := len(e.sent) - 1; i >= 0; i-- {
		if a := e.sent[i].Access; a != nil {
			return a
		}
	}
	return nil
}

// A source that has committed with the statements ends the transaction with its reply.
func TestAReplyThatIsTheCommit(t *testing.T) {
	g, env, req := commitsAtOnce(t, false)
	sent := len(env.sent)
	g.Deliver(2, &txn.Message{AccessReply: &txn.AccessReply{Request: env.asked().Request, Shard: 9, Term: 1, Batch: &txn.BatchResult{Committed: true, Results: []txn.Result{{Affected: 7}}}}})
	r, ok := g.answered[req]
	if open, commits := g.Open(); !ok || r.Err != nil || len(r.Results) != 1 || r.Results[0].Affected != 7 || open+commits != 0 || len(env.sent) != sent {
		t.Errorf("answered %v %+v, %d messages more, %d open, %d in commits", ok, r, len(env.sent)-sent, open, commits)
	}
}

// However a transaction ends whose source may have committed with its statements, its client learns
// that the outcome is unknown; and another incarnation of the agent is not asked to repeat them. A
// refusal by the source itself means that nothing happened, and a read-only transaction has no
// unknown outcome.
func TestACommitWithStatementsOfUnknownOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(g *gateway, env *led)
		want txn.Kind
		read txn.Kind // of a read-only transaction
	}{
		"another incarnation": {func(g *gateway, env *led) {
			env.leader, env.term = 2, 2
			g.Deliver(2, &txn.Message{NotLeader: &txn.NotLeader{Shard: 9, Leader: 2, Term: 2, Request: env.asked().Request}})
		}, txn.KindUnknown, txn.KindAborted},
		"silence":        {func(g *gateway, _ *led) { g.pass(g.cfg.Params.LockWait + readDeadline + g.cfg.Params.ResendAfter*8) }, txn.KindUnknown, txn.KindUnavailable},
		"the node stops": {func(g *gateway, _ *led) { g.RollBackOpen() }, txn.KindUnknown, txn.KindAborted},
		"it fails": {func(g *gateway, env *led) {
			g.Deliver(2, &txn.Message{AccessReply: &txn.AccessReply{Request: env.asked().Request, Shard: 9, Term: 1, Refused: txn.KindAborted, Reason: "no"}})
		}, txn.KindAborted, txn.KindAborted},
		"its connection breaks": {func(g *gateway, env *led) {
			g.Deliver(2, &txn.Message{AccessReply: &txn.AccessReply{Request: env.asked().Request, Shard: 9, Term: 1, Refused: txn.KindUnknown, Reason: "broke"}})
		}, txn.KindUnknown, txn.KindAborted},
	} {
		for i, want := range []txn.Kind{c.want, c.read} {
			reads := i > 0
			g, env, req := commitsAtOnce(t, reads)
			works := 0
			c.do(g, env)
			for _, m := range env.sent {
				if m.Access != nil && m.Access.Batch.Term != 1 {
					works++
				}
			}
			if r, ok := g.answered[req]; !ok || txn.KindOf(r.Err) != want || works > 0 {
				t.Errorf("%s, reads %v: answered %v %+v, asked another incarnation %d times", name, reads, ok, r.Err, works)
			}
		}
	}
}

// A rollback is answered when the source has reported the end of its branch, or after a bounded
// wait.
func TestARollbackIsAnsweredWhenItsBranchesHaveEnded(t *testing.T) {
	for _, acknowledged := range []bool{true, false} {
		g, env := openLed(t, led{leader: 2, term: 1})
		env.dir.Shards = append(env.dir.Shards, routing.Shard{ID: 9, Replicas: []uint32{2}, Kind: "source"})
		do := func(req *Request) *Request {
			req.Done = func(r Response) { g.answered[req] = r }
			g.Submit(req)
			return req
		}
		first := do(&Request{Op: OpExecute, Statements: []txn.SourceStatement{{Source: 9, Statement: txn.Statement{Text: "a"}}}})
		g.Deliver(2, &txn.Message{AccessReply: &txn.AccessReply{Request: env.asked().Request, Shard: 9, Term: 1, Batch: &txn.BatchResult{Results: []txn.Result{{Affected: 7}}}}})
		attempt := env.asked().Batch.Attempt
		end := do(&Request{Op: OpEnd, Txn: g.answered[first].Txn})
		if _, ok := g.answered[end]; ok {
			t.Error("it is answered before its source has let go")
		}
		if acknowledged {
			g.Deliver(2, &txn.Message{DecideAck: &txn.DecideAck{Shard: 9, Attempt: attempt}})
		} else {
			g.pass(rollbackWait + 8*g.cfg.Params.ResendAfter)
		}
		if r, ok := g.answered[end]; !ok || r.Err != nil {
			t.Errorf("acknowledged %v: answered %v %+v", acknowledged, ok, r.Err)
		}
	}
}

// An agent that is silent for as long as its client's session allows fails the request, with the
// source's error number; one that reports progress is awaited.
func TestAnAgentThatIsSilent(t *testing.T) {
	for _, going := range []bool{false, true} {
		g, env := openLed(t, led{leader: 2, term: 1})
		env.dir.Shards = append(env.dir.Shards, routing.Shard{ID: 9, Replicas: []uint32{2}, Kind: "source"})
		bound := 20 * g.cfg.Params.ResendAfter
		req := &Request{Op: OpExecute, From: Start{SilenceMillis: bound.Milliseconds()}, Statements: []txn.SourceStatement{{Source: 9, Reads: true, Statement: txn.Statement{Text: "a"}}}}
		req.Done = func(r Response) { g.answered[req] = r }
		g.Submit(req)
		if w := env.asked().Batch; w.SilenceMillis != bound.Milliseconds() {
			t.Errorf("the agent is to wait %d ms", w.SilenceMillis)
		}
		for range 30 {
			if _, ok := g.answered[req]; ok {
				break
			}
			g.pass(g.cfg.Params.ResendAfter)
			if going {
				g.Deliver(2, &txn.Message{AccessReply: &txn.AccessReply{Request: env.asked().Request, Shard: 9, Term: 1, Batch: &txn.BatchResult{Going: true}}})
			}
		}
		r, ok := g.answered[req]
		switch {
		case going && ok:
			t.Errorf("it reports progress, and is given up: %v", r.Err)
		case !going && (!ok || txn.KindOf(r.Err) != txn.KindUnavailable || !r.Err.Fault.Lost()):
			t.Errorf("answered %v: %+v", ok, r.Err)
		}
	}
}

// A commit that no source answers ends for its client after the timeout of its session, or of the
// cluster: the outcome is unknown.
func TestACommitThatNoSourceAnswers(t *testing.T) {
	for _, asked := range []time.Duration{0, 3 * time.Second, time.Minute} {
		g, env := openLed(t, led{leader: 2, term: 1})
		env.dir.Shards = append(env.dir.Shards, routing.Shard{ID: 8, Replicas: []uint32{2}, Kind: "source"}, routing.Shard{ID: 9, Replicas: []uint32{2}, Kind: "source"})
		do := func(req *Request) *Request {
			req.Done = func(r Response) { g.answered[req] = r }
			g.Submit(req)
			return req
		}
		var id txn.ID
		for _, source := range []txn.ShardID{8, 9} {
			r := do(&Request{Op: OpExecute, Txn: id, From: Start{CommitMillis: asked.Milliseconds()}, Statements: []txn.SourceStatement{{Source: source, Statement: txn.Statement{Text: "a"}}}})
			g.Deliver(2, &txn.Message{AccessReply: &txn.AccessReply{Request: env.asked().Request, Shard: source, Term: 1, Batch: &txn.BatchResult{Results: []txn.Result{{Affected: 7}}}}})
			id = g.answered[r].Txn
		}
		want := asked
		if want == 0 {
			want = g.cfg.Params.CommitWait
		}
		commit := do(&Request{Op: OpCommit, Txn: id})
		g.pass(want - 100*time.Millisecond)
		if r, ok := g.answered[commit]; ok {
			t.Errorf("%v: answered too early: %+v", asked, r.Err)
		}
		g.pass(200 * time.Millisecond)
		if r, ok := g.answered[commit]; !ok || txn.KindOf(r.Err) != txn.KindUnknown {
			t.Errorf("%v: answered %v %+v", asked, ok, r.Err)
		}
	}
}
