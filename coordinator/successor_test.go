package coordinator

import (
	"testing"
	"time"

	"isochron/routing"
	"isochron/txn"
)

// led is a fakeEnv whose shards change their leader.
type led struct {
	*clocked
	leader txn.NodeID
	term   uint64
	to     []txn.NodeID // of the messages sent
}

func (e *led) Leader(txn.ShardID) (txn.NodeID, uint64, bool) { return e.leader, e.term, e.leader != 0 }
func (e *led) Send(to txn.Address, m txn.Message) {
	e.to = append(e.to, to.Node)
	e.clocked.Send(to, m)
}

func openLed(t *testing.T, env led) (*gateway, *led) {
	t.Helper()
	return openGatewayIn(t, func(e *clocked) Env {
		env.clocked = e
		return &env
	}), &env
}

// askLeaderless is a gateway that has requested a row of a shard at nodes 2, 3 and 4, without a
// known leader.
func askLeaderless(t *testing.T) (*gateway, *led) {
	t.Helper()
	g, env := openLed(t, led{})
	env.dir.Shards = append(env.dir.Shards, routing.Shard{ID: 2, Replicas: []uint32{2, 3, 4}})
	g.ask(Start{})
	return g, env
}

// succeeds makes node 3 the leader, and fails unless it is asked immediately, and once.
func (e *led) succeeds(t *testing.T, g *gateway) {
	t.Helper()
	sent := len(e.to)
	e.leader, e.term = 3, 2
	g.pass(100 * time.Millisecond)
	if len(e.to) != sent+1 || e.to[sent] != 3 {
		t.Fatalf("sent to %v; want node 3 immediately", e.to[sent:])
	}
	g.pass(100 * time.Millisecond)
	if len(e.to) != sent+1 {
		t.Errorf("sent to %v; want node 3 once", e.to[sent:])
	}
}

// A request that waits for a leader is sent to its successor as soon as that is known, once,
// however long the leader has been silent; one that its leader may still answer is not sent again.
func TestASuccessorIsAskedImmediately(t *testing.T) {
	g, env := openLed(t, led{leader: 2, term: 1})
	g.ask(Start{})
	if len(env.to) != 1 || env.to[0] != 2 {
		t.Fatalf("sent to %v; want node 2", env.to)
	}
	g.pass(g.cfg.Params.ResendAfter)
	g.pass(2 * g.cfg.Params.ResendAfter) // the next interval is four times as long
	sent := len(env.to)
	env.leader = 0 // no leader
	g.pass(100 * time.Millisecond)
	if len(env.to) != sent {
		t.Errorf("sent to %v without a leader", env.to)
	}
	env.succeeds(t, g)
}

// A request that was sent to a replica in turn, without a known leader, is sent to the leader as
// soon as there is one, once, even if that replica was asked and is silent.
func TestANewLeaderIsAskedImmediately(t *testing.T) {
	g, env := askLeaderless(t)
	g.pass(g.cfg.Params.ResendAfter)
	if len(env.to) == 0 {
		t.Fatal("no node is asked without a leader")
	}
	env.succeeds(t, g)
}

// A commit that awaits the vote of a leader with a successor asks the logs for it immediately.
func TestAVoteOfAFormerLeaderIsReadFromTheLog(t *testing.T) {
	g, env := openLed(t, led{leader: 2, term: 1})
	req := g.ask(Start{})
	a := env.sent[0].Access
	g.Deliver(2, &txn.Message{AccessReply: &txn.AccessReply{Request: a.Request, Shard: a.Shard, Term: 1, Rows: []txn.Row{{Key: "\x10k"}}}})
	id := g.answered[req].Txn
	g.Submit(&Request{Op: OpCommit, Txn: id, Writes: []txn.Write{{Key: "\x10k", Value: []byte("1")}}, Done: func(Response) {}})
	last := env.sent[len(env.sent)-1]
	if last.Prepare == nil {
		t.Fatalf("sent %+v; want a Prepare", last)
	}
	env.leader, env.term = 3, 2
	g.pass(100 * time.Millisecond)
	if last = env.sent[len(env.sent)-1]; last.Inquire == nil || env.to[len(env.to)-1] != 3 {
		t.Errorf("sent %+v to %v; want the logs to be asked at node 3", last, env.to)
	}
}

// A gateway without a replica learns of leaders only from other nodes. However long a leader has
// been silent, and its followers have followed it, its successor is asked soon after they know it.
func TestTheSuccessorOfASilentLeaderIsAsked(t *testing.T) {
	const step = 20 * time.Millisecond
	g, env := askLeaderless(t)
	a := env.sent[0].Access
	elected, asked := 12*time.Second, time.Duration(0)
	leader, answered := txn.NodeID(2), 0
	for now := time.Duration(0); now < 30*time.Second && asked == 0; now += step {
		if now >= elected {
			leader = 3
		}
		for ; answered < len(env.to) && asked == 0; answered++ {
			switch to := env.to[answered]; {
			case to == 3 && leader == 3:
				asked = now
			case to != 2:
				g.Deliver(to, &txn.Message{NotLeader: &txn.NotLeader{Shard: a.Shard, Request: a.Request, Leader: leader, Term: uint64(leader)}})
			}
		}
		g.pass(step)
	}
	if late := asked - elected; asked == 0 || late > 2*g.cfg.Params.ResendAfter+4*step {
		t.Errorf("node 3 is asked %v after it was elected, sent to %v", late, env.to)
	}
}
