package coordinator

import (
	"strings"
	"testing"
	"time"

	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

// clocked is a fakeEnv whose time moves.
type clocked struct {
	*fakeEnv
	now time.Duration
}

func (e *clocked) Now() txn.Now                     { return txn.Now{Mono: e.now} }
func (e *clocked) MaxTimestamp() txn.Timestamp      { return 0 }
func (e *clocked) Nearest(txn.ShardID) txn.NodeID   { return 1 }
func (e *clocked) NodeEvent(txn.NodeEvent)          {}
func (e *clocked) Tracing() bool                    { return false }
func (e *clocked) Trace(format string, args ...any) {}

// gateway is a coordinator alone, and its responses.
type gateway struct {
	*Coordinator
	env      *clocked
	answered map[*Request]Response
}

func openGateway(t *testing.T) *gateway {
	t.Helper()
	return openGatewayIn(t, func(e *clocked) Env { return e })
}

// openGatewayIn is a gateway on a given Env.
func openGatewayIn(t *testing.T, in func(*clocked) Env) *gateway {
	t.Helper()
	_, fake := openFake(t)
	env := &clocked{fakeEnv: fake}
	spec, err := protocol.ByName("2pc+2pl")
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{New(Config{Self: 1, Epoch: 1, Spec: spec, Params: txn.Params{}.WithDefaults(), Env: in(env)}), env, map[*Request]Response{}}
	return g
}

// ask submits a first request.
func (g *gateway) ask(from Start) *Request {
	req := &Request{Op: OpRead, From: from, Read: txn.Read{Gets: []txn.Key{"\x10k"}, Lock: txn.LockShared}}
	req.Done = func(r Response) { g.answered[req] = r }
	g.Submit(req)
	return req
}

// pass advances the clock.
func (g *gateway) pass(d time.Duration) {
	g.env.now += d
	g.Tick()
}

func (g *gateway) follow(t *testing.T, p routing.Protocol) {
	t.Helper()
	spec := g.cfg.Spec
	if p.Seq > 0 {
		var err error
		if spec, err = protocol.LiveByName(p.Name); err != nil {
			t.Fatal(err)
		}
	}
	g.FollowProtocol(p, spec)
}

var going = routing.Protocol{To: "d2pc+occ", Try: 1, DrainMillis: 1000, LimitMillis: 3000}

// During a switch only system transactions begin; queued ones begin under the new protocol, in
// their order.
func TestTransactionsWaitToBegin(t *testing.T) {
	g := openGateway(t)
	open := g.ask(Start{})
	g.follow(t, going)
	waits, upkeep := g.ask(Start{}), g.ask(Start{SystemTxn: true})
	if len(g.txns) != 2 || open.begun.IsZero() || !waits.begun.IsZero() || upkeep.begun.IsZero() || len(g.answered) != 0 {
		t.Fatalf("%d are open; answered: %v", len(g.txns), g.answered)
	}
	g.Submit(&Request{Op: OpEnd, Txn: open.begun})
	g.Submit(&Request{Op: OpEnd, Txn: upkeep.begun})
	if o, k := g.Unfinished(); o+k != 0 {
		t.Errorf("%d and %d are unfinished", o, k)
	}
	g.env.sent = nil
	g.follow(t, routing.Protocol{Seq: 1, Name: going.To, Try: 1})
	if waits.begun.IsZero() || len(g.env.sent) != 1 || g.env.sent[0].Access.ProtocolSeq != 1 || g.env.sent[0].Access.Lock != txn.LockShared {
		t.Errorf("queued transactions have not begun under the new protocol: %+v", g.env.sent)
	}
}

// Open transactions are rolled back at the drain deadline, and when the new protocol starts;
// commits continue.
func TestOpenTransactionsAreRolledBack(t *testing.T) {
	g := openGateway(t)
	reads, commits, upkeep := g.ask(Start{}), &Request{Op: OpCommit, Writes: []txn.Write{{Key: "\x10k", Value: []byte("1")}}}, g.ask(Start{SystemTxn: true})
	g.Submit(commits)
	g.follow(t, going)
	g.pass(990 * time.Millisecond)
	if len(g.answered) != 0 {
		t.Fatalf("rolled back before the time to drain was over: %v", g.answered)
	}
	g.pass(30 * time.Millisecond)
	r, sent := g.answered[reads]
	if !sent || r.Err == nil || r.Err.Kind != txn.KindAborted || r.Err.AbortCause() != txn.CauseProtocol || !strings.Contains(r.Err.Reason, "retry the transaction") {
		t.Errorf("the client receives %+v", r)
	}
	if open, commits := g.Unfinished(); open != 1 || commits != 1 {
		t.Errorf("%d and %d are unfinished, want upkeep and the commit", open, commits)
	}
	g.follow(t, routing.Protocol{Seq: 1, Name: going.To, Try: 1})
	if r := g.answered[upkeep]; r.Err == nil || r.Err.AbortCause() != txn.CauseProtocol {
		t.Errorf("a system transaction of the old protocol receives %+v", r)
	}
	if _, commits := g.Unfinished(); commits != 1 {
		t.Error("a commit under way was ended")
	}
}

// A transaction rolled back while it waits for admission is kept for its next request, unless it
// has requested its commit: then there is none.
func TestQueuedTransactionsAreRolledBack(t *testing.T) {
	for _, op := range []Op{OpCommit, OpRead} {
		g := openGateway(t)
		req := &Request{Op: op, Writes: []txn.Write{{Key: "\x10k", Value: []byte("1")}}}
		req.Done = func(r Response) { g.answered[req] = r }
		g.begin(Start{}).admission.waiting = req
		g.follow(t, routing.Protocol{Seq: 1, Name: going.To, Try: 1})
		open, _ := g.Open()
		if r := g.answered[req]; r.Err == nil || r.Err.AbortCause() != txn.CauseProtocol || (open == 0) != (op == OpCommit) {
			t.Errorf("request %d: response %+v, and %d transactions kept", op, r, open)
		}
	}
}

// After a switch without a known end, or one given up, all transactions begin under the present
// protocol; a switch that has lasted too long is not awaited again.
func TestAGatewayWaitsNoLongerThanItsBound(t *testing.T) {
	g := openGateway(t)
	g.follow(t, going)
	first := g.ask(Start{})
	g.pass(3*time.Second + 4*g.cfg.Params.ResendAfter)
	if first.begun.IsZero() {
		t.Fatal("it waits without end")
	}
	g.follow(t, going)
	if second := g.ask(Start{}); second.begun.IsZero() {
		t.Error("it waits for the same switch again")
	}
	next := going
	next.Try = 2
	g.follow(t, next)
	third := g.ask(Start{})
	if !third.begun.IsZero() {
		t.Error("it does not wait for another")
	}
	g.follow(t, routing.Protocol{Try: 2, Failed: "node 2 is silent"})
	if third.begun.IsZero() {
		t.Error("it waits though the switch was given up")
	}
}

// A queued transaction can be cancelled, and too many are refused.
func TestWaitingToBeginEnds(t *testing.T) {
	g := openGateway(t)
	g.follow(t, going)
	waits := g.ask(Start{})
	g.Submit(&Request{Op: OpEnd, Of: waits})
	if r, sent := g.answered[waits]; !sent || r.Err == nil || len(g.protocolSwitch.held) != 0 {
		t.Errorf("given up: %+v, %d wait", r, len(g.protocolSwitch.held))
	}
	for range maxHeld {
		g.protocolSwitch.held = append(g.protocolSwitch.held, waits)
	}
	if r := g.answered[g.ask(Start{})]; r.Err == nil || r.Err.Kind != txn.KindUnavailable {
		t.Errorf("beyond the bound: %+v", r)
	}
}

// A gateway to which a shard has reported a later protocol starts nothing before it has that
// protocol, for a bounded time.
func TestAGatewayThatIsBehindWaits(t *testing.T) {
	g := openGateway(t)
	lost := g.ask(Start{})
	g.Deliver(2, &txn.Message{AccessReply: &txn.AccessReply{Shard: 2, Request: g.env.sent[0].Access.Request, Refused: txn.KindAborted, Reason: "other", ProtocolSeq: 1}})
	if r := g.answered[lost]; r.Err == nil || r.Err.Kind != txn.KindAborted {
		t.Fatalf("%+v", r)
	}
	if waits := g.ask(Start{}); !waits.begun.IsZero() {
		t.Error("it begins a transaction of a protocol that is over")
	}
	g.pass(behindWait)
	if g.protocolSwitch.holds() {
		t.Error("it waits without end")
	}
}
