package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"isochron/coordinator"
	"isochron/estimate"
	"isochron/geo"
	"isochron/node"
	"isochron/participant"
	"isochron/routing"
	"isochron/store"
	"isochron/txn"
	"isochron/workload"
)

// toy is a process that is simpler than a node: a commit writes its first key to the engine and is
// answered when it is on disk; a read asks the next node whether it is alive, and is answered with
// its reply.
type toy struct {
	id       txn.NodeID
	nodes    int
	engine   store.Engine
	out      node.Output
	token    uint64
	syncing  []*coordinator.Request
	asking   map[uint64]*coordinator.Request
	received []uint64
}

func bootToy(cfg node.Config, _ txn.Now) (process, error) {
	return &toy{id: cfg.ID, nodes: len(cfg.Directory.Nodes), engine: cfg.Engine, asking: map[uint64]*coordinator.Request{}}, nil
}

func (p *toy) Measured(txn.Now, map[txn.NodeID]time.Duration) {}
func (p *toy) MeasuredWays(map[txn.NodeID]estimate.Way)       {}

func (p *toy) Deliver(_ txn.Now, env *txn.Envelope) {
	switch m := env.Msg; {
	case m.TxnStatusQuery != nil:
		p.received = append(p.received, m.TxnStatusQuery.Txn.Seq)
		p.send(env.From, txn.Message{TxnStatusReply: &txn.TxnStatusReply{Txn: m.TxnStatusQuery.Txn, Alive: true}})
	case m.TxnStatusReply != nil:
		if req := p.asking[m.TxnStatusReply.Txn.Seq]; req != nil {
			delete(p.asking, m.TxnStatusReply.Txn.Seq)
			req.Done(coordinator.Response{})
		}
	}
}

func (p *toy) send(to txn.NodeID, m txn.Message) {
	p.out.Messages = append(p.out.Messages, txn.Envelope{From: p.id, To: to, Msg: m})
}

func (p *toy) Submit(_ txn.Now, req *coordinator.Request) {
	p.token++
	if req.Op == coordinator.OpRead {
		p.asking[p.token] = req
		p.send(p.id%txn.NodeID(p.nodes)+1, txn.Message{TxnStatusQuery: &txn.TxnStatusQuery{Txn: txn.ID{Node: p.id, Seq: p.token}}})
		return
	}
	var b store.Batch
	b.Set([]byte(req.Writes[0].Key), []byte("x"))
	p.engine.Apply(&b)
	p.syncing = append(p.syncing, req)
	p.out.SyncToken = p.token
}

func (p *toy) Synced(txn.Now, uint64) int {
	for _, req := range p.syncing {
		req.Done(coordinator.Response{})
	}
	p.syncing = nil
	return 0
}

func (p *toy) Drain() node.Output {
	out := p.out
	p.out = node.Output{}
	return out
}

func (p *toy) Wake(txn.Now)                                            {}
func (p *toy) Directory() *routing.Directory                           { return nil }
func (p *toy) ReadLocal(txn.Key) (v []byte, ver txn.Version, has bool) { return nil, ver, false }
func (p *toy) Ready() bool                                             { return true }
func (p *toy) Leads() []txn.ShardID                                    { return nil }
func (p *toy) Pending() (t, c, u, l int)                               { return }
func (p *toy) Summary() []string                                       { return nil }
func (p *toy) Statuses() []participant.Status                          { return nil }
func (p *toy) Finished(txn.Now, uint64, any)                           {}
func (p *toy) Converged() bool                                         { return true }

func toyWorld(t *testing.T, seed uint64, links Links, trace func(string)) *Cluster {
	t.Helper()
	wan, err := geo.Parse("uniform:20ms:3")
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(Config{
		Seed: seed, WAN: wan, Directory: workload.Cluster(wan.Regions), Codec: true, Links: links, Trace: trace,
		Hardware: Hardware{Fsync: time.Millisecond, MessageCPU: time.Microsecond, DriftPPM: 10000}, boot: bootToy,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func ask(c *Client) *txn.Error {
	return c.Do(context.Background(), &coordinator.Request{Op: coordinator.OpRead}).Err
}

func write(c *Client, key string) *txn.Error {
	return c.Do(context.Background(), &coordinator.Request{Op: coordinator.OpCommit, Writes: []txn.Write{{Key: txn.Key(key)}}}).Err
}

// A request and its reply take one round trip and two messages' CPU.
func TestDelaysFollowTheMatrix(t *testing.T) {
	w := toyWorld(t, 1, Links{}, nil)
	var took time.Duration
	w.Go(1, func(c *Client) {
		ask(c)
		took = c.Elapsed()
	})
	w.Run(time.Second)
	if took != 20*time.Millisecond+2*time.Microsecond {
		t.Fatalf("one round trip took %v", took)
	}
}

// Acknowledged writes are on disk; others may be lost, and their client gets an unknown outcome.
func TestACrashKeepsAcknowledgedWrites(t *testing.T) {
	w := toyWorld(t, 1, Links{}, nil)
	h := w.host(1)
	var first, second *txn.Error
	w.Go(1, func(c *Client) {
		first = write(c, "first")
		second = write(c, "second")
	})
	w.Run(1500 * time.Microsecond)
	h.crash(strictly)
	w.Run(time.Millisecond)
	h.restart()
	if _, ok := h.engine.Get([]byte("first")); !ok || first != nil {
		t.Fatalf("the acknowledged write is there: %v, acknowledged with %v", ok, first)
	}
	if _, ok := h.engine.Get([]byte("second")); ok || second == nil || second.Kind != txn.KindUnknown {
		t.Fatalf("the other is there: %v, answered with %v", ok, second)
	}
	if w.host(1).boots != 2 {
		t.Fatal("the node did not restart")
	}
}

// A client of a node that is down is refused, and may try again.
func TestClientOutlivesItsNode(t *testing.T) {
	w := toyWorld(t, 1, Links{}, nil)
	w.host(1).crash(strictly)
	var kinds []txn.Kind
	w.Go(1, func(c *Client) {
		for range 3 {
			if err := ask(c); err != nil {
				kinds = append(kinds, err.Kind)
			} else {
				kinds = append(kinds, 0)
			}
			c.Sleep(10 * time.Millisecond)
		}
	})
	w.After(5*time.Millisecond, w.host(1).restart)
	w.Run(time.Second)
	if !slices.Equal(kinds, []txn.Kind{txn.KindUnavailable, 0, 0}) {
		t.Fatalf("answers: %v", kinds)
	}
}

// Without reordering, messages of a link arrive in order, whatever the jitter; with it some do not;
// a cut link carries none.
func TestLinks(t *testing.T) {
	received := func(links Links, cut bool) []uint64 {
		w := toyWorld(t, 3, links, nil)
		w.net.setCut(1, 2, cut)
		for range 50 {
			w.Go(1, func(c *Client) { ask(c) })
			w.Run(100 * time.Microsecond)
		}
		w.Run(time.Second)
		return w.host(2).node.(*toy).received
	}
	if got := received(Links{JitterPPM: 500_000}, false); len(got) != 50 || !slices.IsSorted(got) {
		t.Errorf("in order: %v", got)
	}
	if got := received(Links{ReorderPPM: 200_000, ReorderBy: time.Millisecond}, false); len(got) != 50 || slices.IsSorted(got) {
		t.Errorf("overtaking: %v", got)
	}
	if got := received(Links{DuplicatePPM: 1_000_000}, false); len(got) != 100 {
		t.Errorf("every message twice: %v", got)
	}
	if got := received(Links{LossPPM: 300_000}, false); len(got) < 20 || len(got) > 48 {
		t.Errorf("a third lost: %d of 50 arrived", len(got))
	}
	if got := received(Links{}, true); len(got) != 0 {
		t.Errorf("a cut link carried %v", got)
	}
}

// A crash at a message or an answer happens just before or just after it.
func TestFaultsOfMessagesAndReplies(t *testing.T) {
	for _, c := range []struct {
		action  sendAction
		arrived int
	}{{leaves, 1}, {leftCrash, 1}, {lostCrash, 0}} {
		w := toyWorld(t, 1, Links{}, nil)
		w.onSend = func(h *host, env *txn.Envelope) sendAction {
			if env.Msg.TxnStatusQuery != nil {
				return c.action
			}
			return leaves
		}
		w.Go(1, func(c *Client) { ask(c) })
		w.Run(time.Second)
		if got := len(w.host(2).node.(*toy).received); got != c.arrived || w.host(1).up() != (c.action == leaves) {
			t.Errorf("fate %d of a message: %d arrived, up %v", c.action, got, w.host(1).up())
		}
		w = toyWorld(t, 1, Links{}, nil)
		w.onAnswer = func(*host, *coordinator.Request, *coordinator.Response) sendAction { return c.action }
		var err *txn.Error
		w.Go(1, func(c *Client) { err = write(c, "k") })
		w.Run(time.Second)
		if _, kept := w.host(1).engine.Get([]byte("k")); !kept || (err == nil) != (c.arrived == 1) {
			t.Errorf("action %d at an answer: client got %v, disk has %v", c.action, err, kept)
		}
	}
}

// A host's monotonic clock never runs backwards and is off by at most one hundredth.
func TestMonotonicClock(t *testing.T) {
	for seed := range uint64(10) {
		w := toyWorld(t, seed, Links{}, nil)
		h := w.host(2)
		last := h.now().Mono
		for range 3000 {
			w.Run(time.Duration(1 + h.rand.IntN(700)))
			m := h.now().Mono
			if off := m - w.Elapsed(); m < last || off.Abs() > w.Elapsed()/100+1 {
				t.Fatalf("at %v: mono %v after %v", w.Elapsed(), m, last)
			}
			last = m
		}
		h.wallShift = -time.Hour
		if h.now().Mono < last {
			t.Fatal("a jump of the wall clock moved the monotonic clock")
		}
	}
}

// One seed is one run, traced or not; another seed is another run.
func TestSameSeedSameRun(t *testing.T) {
	run := func(seed uint64, trace func(string)) uint64 {
		w := toyWorld(t, seed, Links{JitterPPM: 300_000, LossPPM: 100_000, ReorderPPM: 100_000, ReorderBy: time.Millisecond}, trace)
		for i := range 6 {
			w.Go(txn.NodeID(i%3+1), func(c *Client) {
				for k := range 20 {
					write(c, fmt.Sprint(k))
					c.Sleep(time.Duration(c.Rand().Int64N(int64(time.Millisecond))))
				}
				ask(c)
			})
		}
		w.After(15*time.Millisecond, func() { w.host(2).crash(luckily) })
		w.Run(time.Second)
		return w.Hash()
	}
	var lines []string
	first := run(7, nil)
	if second := run(7, func(l string) { lines = append(lines, l) }); first != second {
		t.Fatalf("two runs of seed 7: %x and %x", first, second)
	}
	if other := run(8, nil); other == first {
		t.Fatal("seed 8 ran as seed 7 did")
	}
	if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "crashes") }) {
		t.Fatalf("the crash is not in the trace: %v", lines)
	}
}
