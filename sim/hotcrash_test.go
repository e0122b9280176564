package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
	"isochron/workload"
	"isochron/yield"
)

// A crowd of transactions at a hot row, in a cluster that is the same each time until a crash. Each
// member appends its number to the row, so the row shows which read from which; each also writes
// its value of the hot row to its own row. First the chain forms, and then they commit, the last
// one first.
//
// A crash loses what a node had in memory and had not synced. Hence three steps show all effects of
// a node: a message leaves, a client is answered, a sync ends. A node is lost just before one of
// them.

// crowdPlan specifies a run of the crowd.
type crowdPlan struct {
	name        string // for failure messages
	spec        protocol.Spec
	replicas    int
	seed        uint64 // 0 is one without any jitter; even ones have groups of three
	bugs        txn.InjectedBugs
	trace       func(line string)
	caught      func(string) // receives a failure, if a bug is injected; nil: it ends the test
	split       int          // this member writes its own row in another shard; 0: none does
	abortsFirst int          // this member rolls back when the others commit; 0: none does
	// lost returns the hosts that are lost just before a step of a host, once the chain begins to
	// form, and for how long. Steps count from 0. nil: no host is.
	lost func(c *hotCrowd, h *host, step int) ([]*host, time.Duration)
}

const (
	crowdSize  = 6 // members; the last one reads and commits in one round, and repeats it until the outcome is known
	crowdOpens = "s"
	crowdRows  = 3 // hot rows, where one row cannot have several concurrent writers
)

// hotCrowd is a cluster with a crowd in it.
type hotCrowd struct {
	plan     crowdPlan
	w        *Cluster
	t        *testing.T
	members  []*crowdMember
	counting bool // steps are counted
	open     bool // members commit
	since    time.Duration
	steps    int
	taken    []stepTaken
	losses   int
	down     map[txn.NodeID]bool // nodes that were lost at least once
}

// stepTaken is the node and the kind of a step: of its message, answer or sync.
type stepTaken struct {
	by   txn.NodeID
	kind string
}

// crowdMember is one transaction, and the outcome that its client received.
type crowdMember struct {
	id       int
	txn      txn.ID
	at       txn.NodeID
	placed   bool // has published its write, or has read the row it will change
	answer   string
	reason   error
	wrote    string // its value of the row
	commitAt txn.Timestamp
	client   *Client
}

func (p crowdPlan) params() txn.Params {
	out := FaultRunParams(p.bugs)
	out.TickInterval, out.HeartbeatInterval = 8*time.Millisecond, 32*time.Millisecond
	out.GroupSize, out.BatchSize, out.KeepVersions, out.LogEntries = 2*crowdSize, crowdSize, time.Hour, 1000
	if p.seed > 0 && p.seed%2 == 0 {
		out.GroupSize, out.BatchSize, out.LogEntries = 3, 3, 10
	}
	return out
}

// config returns the configuration of the cluster without its rows.
func (p crowdPlan) config() Config {
	c := Config{
		Seed: 1 + p.seed, Spec: p.spec, Codec: true, Params: p.params(), Trace: p.trace, CountEvents: p.trace != nil,
		Hardware: Hardware{Fsync: 300 * time.Microsecond}, Links: Links{MinDelay: 50 * time.Microsecond},
	}
	if p.seed > 0 {
		c.Hardware.FsyncJitter, c.Hardware.DriftPPM, c.Links.JitterPPM = time.Millisecond, 5000, 300_000
	}
	return c
}

func openCrowd(t *testing.T, plan crowdPlan) *hotCrowd {
	t.Helper()
	wan, err := geo.Parse("azure5")
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions[:plan.replicas])
	other := wan.Regions[min(1, plan.replicas-1)] // leads the second shard
	all := dir.Shards[0].Replicas
	dir.AddRange(routing.TablePrefix(7), dir.EnsureShard(all, string(wan.Regions[0]), 0))
	dir.AddRange(routing.TablePrefix(8), dir.EnsureShard(all, string(other), 1))
	c := &hotCrowd{plan: plan, t: t, down: map[txn.NodeID]bool{}}
	cfg := plan.config()
	cfg.WAN, cfg.Directory = wan.Scale(0.1), dir
	w, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.w = w
	t.Cleanup(w.Close)
	w.onSend = func(h *host, env *txn.Envelope) sendAction {
		if !carriesData(&env.Msg) || env.To == h.id {
			return leaves
		}
		return c.step(h, kindOf(&env.Msg))
	}
	w.onAnswer = func(h *host, _ *coordinator.Request, _ *coordinator.Response) sendAction { return c.step(h, "answer") }
	w.onSync = func(h *host) sendAction { return c.step(h, "sync") }
	return c
}

// step is called before a node takes a step.
func (c *hotCrowd) step(h *host, kind string) sendAction {
	if !c.counting {
		return leaves
	}
	c.steps++
	c.taken = append(c.taken, stepTaken{h.id, kind})
	if c.plan.lost == nil {
		return leaves
	}
	victims, down := c.plan.lost(c, h, c.steps-1)
	what := leaves
	for _, victim := range victims {
		if !victim.up() {
			continue
		}
		c.losses++
		c.down[victim.id] = true
		c.w.After(down, victim.restart)
		if victim == h {
			what = lostCrash // as soon as it can be
		} else {
			victim.crash(strictly)
		}
	}
	return what
}

func hotKey(i int) txn.Key { return txn.Key(fmt.Sprintf("%shot/%d", routing.TablePrefix(7), i)) }

func (c *hotCrowd) ownKey(m *crowdMember) txn.Key {
	table := uint64(7)
	if m.id == c.plan.split {
		table = 8
	}
	return txn.Key(fmt.Sprintf("%sown/%d", routing.TablePrefix(table), m.id))
}

// rowOf returns the hot row that a member changes.
func (c *hotCrowd) rowOf(m *crowdMember) txn.Key {
	if c.plan.spec.Yield.Batches {
		return hotKey(m.id % crowdRows)
	}
	return hotKey(0)
}

// node returns the node to which a member's client is connected.
func (c *hotCrowd) node(i int) txn.NodeID { return txn.NodeID(1 + i%c.plan.replicas) }

// play runs the whole story, and checks its end.
func (c *hotCrowd) play() {
	c.t.Helper()
	c.await("leaders", c.w.Ready)
	c.write("opening", 1, func(tx txn.Txn) {
		for i := range crowdRows {
			tx.Put(hotKey(i), []byte(crowdOpens))
		}
	})
	opened := false
	opener := c.w.Go(1, func(cl *Client) { opened = c.opener(cl) })
	for i := range crowdSize {
		m := &crowdMember{id: i + 1, at: c.node(i)}
		c.members = append(c.members, m)
		m.client = c.w.Go(m.at, func(cl *Client) { c.member(cl, m) })
	}
	c.await("answers", func() bool {
		for _, m := range c.members {
			if !m.client.Done() {
				return false
			}
		}
		return opener.Done()
	})
	if !opened {
		c.fail("the first holder of the row could not commit, without any fault")
	}
	c.await("quiet", func() bool { return c.w.Ready() && len(c.w.Residue()) == 0 })
	c.counting = false
	c.judge()
	c.proceed()
}

// opener holds the row until the others wait for it.
func (c *hotCrowd) opener(cl *Client) bool {
	if c.plan.spec.Yield.Hot == yield.HotNone {
		c.counting, c.since = true, c.w.now
		return true
	}
	tx := cl.DB().Begin(txn.Options{})
	got, err := tx.Read(context.Background(), txn.Read{Gets: []txn.Key{hotKey(0)}, Lock: txn.LockExclusive, ForWrite: true})
	if err != nil {
		return false
	}
	cl.Sleep(6 * faultRunUnit)
	tx.Put(hotKey(0), append(got.Values[0], ",0"...))
	err = tx.Commit(context.Background())
	c.counting, c.since = true, c.w.now
	return err == nil
}

// gate parks a client until the chain is complete, or cannot be any more.
func (c *hotCrowd) gate(cl *Client) {
	for !c.open {
		placed := 0
		for _, m := range c.members[:crowdSize-1] {
			if m.placed || m.client.Done() {
				placed++
			}
		}
		if placed == crowdSize-1 || c.counting && c.w.now > c.since+6*faultRunUnit {
			c.open = true
			return
		}
		cl.Sleep(time.Millisecond / 4)
	}
}

// member is the code of a client of the crowd.
func (c *hotCrowd) member(cl *Client, m *crowdMember) {
	cl.Sleep(time.Duration(m.id) * faultRunUnit / 2) // they arrive in the order of their ages
	tries := 1
	if m.id == crowdSize {
		tries = 40
		c.gate(cl)
	}
	for range tries {
		if c.attempt(cl, m); m.answer != "not committed" {
			return
		}
		cl.Sleep(faultRunUnit)
	}
}

func (c *hotCrowd) attempt(cl *Client, m *crowdMember) {
	tx := cl.DB().Begin(txn.Options{})
	defer tx.Rollback()
	m.answer = ""
	m.reason = c.act(cl, m, tx)
	switch {
	case m.reason == nil && m.answer != "":
	case m.reason == nil:
		m.answer, m.commitAt = "committed", tx.Stats().CommitAt
	case txn.KindOf(m.reason) == txn.KindUnknown:
		m.answer = "unknown"
	default:
		m.answer = "not committed"
	}
}

func (c *hotCrowd) act(cl *Client, m *crowdMember, tx txn.Txn) error {
	ctx, hot := context.Background(), c.rowOf(m)
	writes := func(values [][]byte) ([]txn.Write, bool) {
		m.wrote = fmt.Sprintf("%s,%d", values[0], m.id)
		return []txn.Write{{Key: hot, Value: []byte(m.wrote)}, {Key: c.ownKey(m), Value: []byte(m.wrote)}}, true
	}
	if m.id == crowdSize {
		_, err := tx.(txn.Updater).Update(ctx, txn.Read{Gets: []txn.Key{hot}, ForWrite: true}, writes)
		return err
	}
	r := txn.Read{Gets: []txn.Key{hot}, ForWrite: true}
	if c.plan.spec.Yield.Hot != yield.HotNone {
		r.Lock = txn.LockExclusive
	}
	got, err := tx.Read(ctx, r)
	m.txn = tx.ID()
	if err != nil {
		return err
	}
	made, _ := writes(got.Values)
	for _, w := range made {
		tx.Put(w.Key, w.Value)
	}
	m.placed = tx.(txn.Publisher).Publish() || c.plan.spec.Yield.Hot == yield.HotNone
	c.gate(cl)
	if m.id == c.plan.abortsFirst {
		cl.Sleep(faultRunUnit / 8) // the others wait for it to commit
		m.answer = "not committed"
		return nil
	}
	cl.Sleep(time.Duration(crowdSize-m.id) * faultRunUnit / 100)
	return tx.Commit(ctx)
}

func (c *hotCrowd) await(what string, holds func() bool) {
	c.t.Helper()
	if !c.w.RunUntil(20*time.Second, holds) {
		c.fail("no %s after 20 s: %v\n%s", what, c.w.Residue(), strings.Join(c.w.Summary(), "\n"))
	}
}

// fail ends the story.
func (c *hotCrowd) fail(format string, args ...any) {
	c.t.Helper()
	what := fmt.Sprintf("%s, %d replicas, seed %d, split %d, aborts first %d, %s, after %d steps and %d losses: %s", c.plan.spec.Name, c.plan.replicas, c.plan.seed,
		c.plan.split, c.plan.abortsFirst, c.plan.name, c.steps, c.losses, fmt.Sprintf(format, args...))
	if c.plan.caught == nil {
		c.t.Fatal(what)
	}
	c.plan.caught(what)
	panic(storyEnds{})
}

// storyEnds unwinds a story in which an injected bug was seen.
type storyEnds struct{}
