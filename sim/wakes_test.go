package sim

import (
	"fmt"
	"testing"
	"time"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/store"
	"isochron/txn"
	"isochron/workload"
)

// watched is a node whose timers are polled all the time, and which must have nothing due before
// the wake it has requested.
type watched struct {
	*node.Node
	engine *counted
	did    *[]string
	seen   []string // messages since the last poll
	looks  *int
}

// counted counts writes.
type counted struct {
	store.Engine
	writes int
}

func (c *counted) Apply(b *store.Batch) {
	if !b.Empty() {
		c.writes++
	}
	c.Engine.Apply(b)
}

// answerCounts receives a node's own lines.
type answerCounts struct {
	node.Observer
	w *watched
}

func (o answerCounts) Tracing() bool { return true }

func (o answerCounts) Event(n txn.NodeID, what string) {
	o.w.seen = append(o.w.seen, what)
	if o.Observer.Tracing() {
		o.Observer.Event(n, what)
	}
}

// slack is the maximal delay of a coordinator's timer if it has just polled its timers.
const slack = 20 * time.Millisecond

// look polls the node's timers, and records whether something is done before its time.
func (w *watched) look(now txn.Now) {
	next := w.NextWake()
	if now.Mono >= next {
		return
	}
	*w.looks++
	writes, stood := w.engine.writes, fmt.Sprint(w.Statuses())
	w.seen = nil
	w.Node.Tick(now)
	at, stands := w.NextWake(), fmt.Sprint(w.Statuses())
	if w.Urgent() || w.engine.writes > writes || len(w.seen) > 0 || at < next || at > next+slack || stood != stands {
		*w.did = append(*w.did, fmt.Sprintf("at %v, before %v: urgent %v, %d writes, sent %q, next %v, state before %s, after %s",
			now.Mono, next, w.Urgent(), w.engine.writes-writes, w.seen, at, stood, stands))
	}
}

// Deliver polls before the delivery, and so do the others.
func (w *watched) Deliver(now txn.Now, env *txn.Envelope) {
	w.look(now)
	w.Node.Deliver(now, env)
}

func (w *watched) Submit(now txn.Now, req *coordinator.Request) {
	w.look(now)
	w.Node.Submit(now, req)
}

func (w *watched) Synced(now txn.Now, token uint64) int {
	w.look(now)
	return w.Node.Synced(now, token)
}

func (w *watched) Wake(now txn.Now) {
	next := w.NextWake()
	if now.Mono < next {
		w.look(now)
		return
	}
	w.Node.Tick(now)
	if w.NextWake() <= now.Mono { // something may be due immediately
		w.Node.Tick(now)
	}
	if at := w.NextWake(); at <= now.Mono {
		*w.did = append(*w.did, fmt.Sprintf("at %v, due since %v, all was done, and the next is %v", now.Mono, next, at))
	}
}

// A node has requested a wake for everything it does by time alone, in all protocols and under all
// faults.
func TestNothingIsDueBeforeItsTime(t *testing.T) {
	for _, name := range []string{"2pc+2pl", "2pc+2pl-group", "d2pc+occ", "txsql", "aria", "tapir", "starry", "2pc+2pl-logged", "2pc+2pl-together", "2pc+2pl-postponed", "geotp-o1o2", "scalardb+"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, err := protocol.ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			var did []string
			looks := 0
			cfg := FaultRunConfig{Faults: AllFaults(), Load: time.Second}
			if name == "d2pc+occ" {
				cfg.Switch = DefaultSwitch
			}
			cfg.boot = func(c node.Config, now txn.Now) (process, error) {
				w := &watched{engine: &counted{Engine: c.Engine}, did: &did, looks: &looks}
				c.Engine, c.Observer = w.engine, answerCounts{c.Observer, w}
				n, err := node.New(c, now)
				w.Node = n
				return w, err
			}
			for seed := range uint64(seeds(t, 1)) {
				if r := RunSeed(seed+1, spec, cfg); len(r.Violations) > 0 {
					t.Error(r.Violations)
				}
			}
			if looks < 300 {
				t.Errorf("%d looks: the nodes are never idle", looks)
			}
			for _, d := range did[:min(len(did), 20)] {
				t.Error(d)
			}
			t.Logf("%d looks, %d did something", looks, len(did))
		})
	}
}

// Idle nodes wake for their heartbeats and slow checks, and not to poll without need.
func TestIdleNodesSleep(t *testing.T) {
	const most = 15 // a second, of 100 ticks
	wan, err := geo.Parse("azure5")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := protocol.ByName("d2pc+2pl-group")
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions[:3])
	workload.Spread(dir, 3)
	w, err := New(Config{Seed: 1, WAN: wan, Spec: spec, Directory: dir, Codec: true, Hardware: Hardware{Fsync: time.Millisecond, DriftPPM: 100}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	if !w.RunUntil(time.Minute, w.Ready) {
		t.Fatal("no leaders")
	}
	w.Run(20 * time.Second)
	looked := func(h *host) node.TimerStats { return h.node.(*node.Node).TimerStats() }
	var before []node.TimerStats
	for _, h := range w.hosts {
		before = append(before, looked(h))
	}
	const seconds = 60
	w.Run(seconds * time.Second)
	for i, h := range w.hosts {
		now := looked(h)
		rate := float64(now.Looked-before[i].Looked) / seconds
		t.Logf("node %d looks at its timers %.1f times a second", h.id, rate)
		if rate > most || now.Overdue > 0 {
			t.Errorf("node %d, idle, looks at its timers %.1f times a second, %d were overdue", h.id, rate, now.Overdue)
		}
	}
	if !w.Ready() {
		t.Error("an idle cluster loses its leaders")
	}
}
