package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
	"isochron/workload"
	"isochron/yield"
)

// knot is a cluster of shards led from the first regions, and transactions that may form cycles of
// waits.
type knot struct {
	t       *testing.T
	w       *Cluster
	rtt     time.Duration
	parties []*party
	probes  int // messages of deadlock detection
	begun   time.Duration
}

// party is one transaction.
type party struct {
	name string
	k    *knot
	c    *Client
	tx   txn.Txn
	err  error
	over time.Duration // when its client got the outcome
}

type step func(p *party) error

func knotParams(bugs node.InjectedBugs) node.Params {
	return node.Params{HotWaiters: -1, DetectAfter: 60 * time.Millisecond, InjectedBugs: bugs}
}

// tie creates the cluster: one node in each of five regions, three of which lead a shard.
func tie(t *testing.T, rowName string, seed uint64, params node.Params) *knot {
	t.Helper()
	spec, err := protocol.ByName(rowName)
	if err != nil {
		t.Fatal(err)
	}
	k := &knot{t: t, rtt: 50 * time.Millisecond}
	wan, err := geo.Parse("uniform:50ms:5")
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions)
	for i, region := range wan.Regions[:3] {
		dir.AddRange(scriptPrefix(i), dir.EnsureShard(dir.Shards[0].Replicas, string(region), 0))
	}
	k.w, err = New(Config{
		Seed: seed, WAN: wan, Spec: spec, Directory: dir, Codec: true, Params: params,
		Hardware: Hardware{Fsync: time.Millisecond}, Links: Links{MinDelay: 100 * time.Microsecond, JitterPPM: 20_000},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.w.Close)
	k.w.onSend = func(_ *host, env *txn.Envelope) sendAction {
		if env.Msg.DeadlockProbe != nil || env.Msg.DeadlockConfirm != nil {
			k.probes++
		}
		return leaves
	}
	led := func() bool {
		for i := range 3 {
			s, _ := dir.ShardOf(scriptPrefix(i))
			if k.w.Leader(txn.ShardID(s)) != txn.NodeID(i+1) {
				return false
			}
		}
		return k.w.Ready()
	}
	if !k.w.RunUntil(30*time.Second, led) {
		t.Fatal("the shards are not led from where they belong")
	}
	k.w.Run(time.Second)
	k.begun = k.w.Elapsed()
	return k
}

// joins begins a transaction at a node; it does the steps and commits.
func (k *knot) joins(name string, at txn.NodeID, steps ...step) *party {
	p := &party{name: name, k: k}
	k.parties = append(k.parties, p)
	p.c = k.w.Go(at, func(c *Client) {
		p.tx = c.DB().Begin(txn.Options{})
		for _, s := range steps {
			if p.err = s(p); p.err != nil {
				break
			}
		}
		if p.err == nil {
			p.err = p.tx.Commit(context.Background())
		}
		p.tx.Rollback()
		p.over = c.Elapsed()
	})
	return p
}

func key(shard int, name string) txn.Key { return txn.Key(scriptPrefix(shard-1) + name) }

// writes locks a row and writes it, and publishes it if others wait.
func writes(shard int, name string) step {
	return func(p *party) error {
		_, err := p.tx.Read(context.Background(), txn.Read{Gets: []txn.Key{key(shard, name)}, Lock: txn.LockExclusive})
		if err == nil {
			p.tx.Put(key(shard, name), []byte(p.name))
			p.tx.(txn.Publisher).Publish()
		}
		return err
	}
}

func until(at time.Duration) step {
	return func(p *party) error {
		p.c.Sleep(max(0, p.k.begun+at-p.k.w.Elapsed()))
		return nil
	}
}

func rollsBack(p *party) error {
	p.tx.Rollback()
	return txn.Errorf(txn.KindInvalidRequest, "rolled back")
}

// counts adds up the counters of the shards.
func (k *knot) counts() (chases, wide uint64) {
	for _, h := range k.w.hosts {
		for _, s := range h.node.Statuses() {
			chases, wide = chases+s.Counts.DeadlockProbes, wide+s.Counts.WideDeadlocks
		}
	}
	return chases, wide
}

// victims are the transactions ended by others.
func (k *knot) victims() (names string, last time.Duration) {
	for _, p := range k.parties {
		switch {
		case !p.c.Done():
			k.t.Errorf("%s still waits", p.name)
		case txn.KindOf(p.err) == txn.KindAborted:
			names, last = names+p.name, max(last, p.over)
		case p.err != nil && txn.KindOf(p.err) != txn.KindInvalidRequest:
			k.t.Errorf("%s: %v", p.name, p.err)
		}
	}
	return names, last
}

const crossed = 400 * time.Millisecond // when the waits of a knot begin

// A cycle of waits over several shards ends a few round trips after detection starts: one
// transaction is aborted, all others commit. The victim is the youngest, unless its abort would
// abort another.
func TestADeadlockOverSeveralShardsEnds(t *testing.T) {
	detecting := []string{"mysql", "o1", "o2", "txsql", "txsql-hot"}
	chained := []string{"txsql", "txsql-hot", "2pc+2pl-group", "d2pc+2pl-group", "bamboo"}
	for _, c := range []struct {
		name   string
		rows   []string
		victim string
		rtts   int
		tie    func(k *knot)
	}{
		{"two shards", detecting, "B", 5, func(k *knot) {
			k.joins("A", 4, writes(1, "x"), until(crossed), writes(2, "y"))
			k.w.Run(time.Millisecond)
			k.joins("B", 5, writes(2, "y"), until(crossed), writes(1, "x"))
		}},
		{"beside the leaders", detecting, "B", 5, func(k *knot) {
			k.joins("A", 1, writes(1, "x"), until(crossed), writes(2, "y"))
			k.w.Run(time.Millisecond)
			k.joins("B", 2, writes(2, "y"), until(crossed), writes(1, "x"))
		}},
		{"three shards", detecting, "B", 6, func(k *knot) {
			k.joins("A", 4, writes(1, "x"), until(crossed), writes(2, "y"))
			k.w.Run(time.Millisecond)
			k.joins("C", 5, writes(2, "y"), until(crossed), writes(3, "z"))
			k.w.Run(time.Millisecond)
			k.joins("B", 1, writes(3, "z"), until(crossed), writes(1, "x"))
		}},
		{"in the line of a hot row", detecting, "B", 6, func(k *knot) {
			k.joins("A", 4, writes(1, "hot"), until(crossed), writes(2, "y"))
			k.w.Run(time.Millisecond)
			k.joins("B", 5, writes(2, "y"), until(crossed), writes(1, "hot"))
			for i := range 4 { // they hold nothing, and wait with B
				k.joins(fmt.Sprint(i), txn.NodeID(1+i), until(crossed+time.Duration(i)*10*time.Millisecond), writes(1, "hot"))
			}
		}},
		// C reads A's uncommitted value in a chain and waits at its vote for A to commit, and A
		// waits for a row on which C has voted at another shard.
		{"a chain", chained, "C", 6, func(k *knot) {
			k.joins("first", 1, writes(1, "hot"), until(200*time.Millisecond))
			k.joins("A", 4, writes(3, "own"), until(50*time.Millisecond), writes(1, "hot"), until(crossed), writes(2, "y"))
			k.w.Run(10 * time.Millisecond)
			k.joins("C", 5, writes(2, "y"), until(100*time.Millisecond), writes(1, "hot"), until(crossed-150*time.Millisecond))
		}},
		// The same, and A is younger: its abort would abort C too.
		{"a chain whose first is the youngest", []string{"txsql", "txsql-hot", "2pc+2pl-group", "d2pc+2pl-group"}, "C", 6, func(k *knot) {
			k.joins("first", 1, writes(1, "hot"), until(100*time.Millisecond))
			k.joins("C", 5, writes(2, "y"), until(260*time.Millisecond), writes(1, "hot"))
			k.w.Run(10 * time.Millisecond)
			k.joins("A", 4, until(50*time.Millisecond), writes(1, "hot"), until(crossed+50*time.Millisecond), writes(2, "y"))
		}},
		// B reads uncommitted data of C, and C elsewhere of A, which waits for a row on which B has
		// voted.
		{"two chains and a lock over three shards", chained, "B", 7, func(k *knot) {
			k.joins("first", 1, writes(1, "hot"), until(100*time.Millisecond))
			k.joins("second", 3, writes(3, "hot"), until(100*time.Millisecond))
			k.joins("A", 4, writes(2, "own"), until(50*time.Millisecond), writes(1, "hot"), until(crossed), writes(2, "y"))
			k.w.Run(10 * time.Millisecond)
			k.joins("C", 5, writes(2, "early"), until(60*time.Millisecond), writes(3, "hot"), until(240*time.Millisecond), writes(1, "hot"))
			k.w.Run(10 * time.Millisecond)
			k.joins("B", 4, writes(2, "y"), until(240*time.Millisecond), writes(3, "hot"))
		}},
	} {
		for _, row := range c.rows {
			t.Run(c.name+"/"+row, func(t *testing.T) {
				for seed := range uint64(4) {
					k := tie(t, row, seed, knotParams(node.InjectedBugs{}))
					c.tie(k)
					k.w.Run(4 * time.Second)
					names, over := k.victims()
					_, wide := k.counts()
					took := over - k.begun - crossed
					t.Logf("seed %d: %q is aborted after %v; %d deadlocks, %d messages", seed, names, took, wide, k.probes)
					if most := knotParams(node.InjectedBugs{}).DetectAfter + time.Duration(c.rtts)*k.rtt; took < 0 || took > most {
						t.Errorf("seed %d: took %v, want at most %v", seed, took, most)
					}
					if names != c.victim || wide != 1 {
						t.Errorf("seed %d: %q are aborted, and %d distributed deadlocks are counted", seed, names, wide)
					}
				}
			})
		}
	}
}

// Long waits that end by themselves are checked, and no transaction is aborted.
func TestLongWaitsAreNoDeadlock(t *testing.T) {
	behindASlowHolder := func(k *knot) {
		k.joins("older", 3, writes(3, "z"), until(400*time.Millisecond), writes(1, "x"))
		k.w.Run(10 * time.Millisecond)
		k.joins("B", 5, writes(2, "y"), until(300*time.Millisecond), writes(1, "x"))
		k.w.Run(10 * time.Millisecond)
		k.joins("first", 1, writes(1, "hot"), until(2*time.Second))
		k.joins("slow", 4, writes(1, "x"), until(100*time.Millisecond), writes(1, "hot"))
		k.joins("D", 4, until(500*time.Millisecond), writes(2, "y"))
	}
	behindASlowChain := func(k *knot) { // of an older one for a transaction that has voted and waits for the first of a chain
		k.joins("first", 1, writes(1, "hot"), until(100*time.Millisecond))
		k.joins("older", 3, writes(3, "z"), until(600*time.Millisecond), writes(2, "y"))
		k.joins("A", 4, writes(3, "own"), until(50*time.Millisecond), writes(1, "hot"), until(2*time.Second))
		k.w.Run(10 * time.Millisecond)
		k.joins("C", 5, writes(2, "y"), until(250*time.Millisecond), writes(1, "hot"))
	}
	for _, c := range []struct {
		spec string
		tie  func(*knot)
	}{
		{"mysql", behindASlowHolder}, {"o2", behindASlowHolder}, {"txsql", behindASlowHolder}, {"txsql", behindASlowChain},
		{"2pc+2pl-group", behindASlowChain}, {"d2pc+2pl-group", behindASlowChain}, {"bamboo", behindASlowChain},
	} {
		k := tie(t, c.spec, 1, knotParams(node.InjectedBugs{}))
		c.tie(k)
		k.w.Run(4500 * time.Millisecond)
		chases, wide := k.counts()
		names, _ := k.victims()
		t.Logf("%s: %d chases, %d messages", c.spec, chases, k.probes)
		if names != "" || wide != 0 || chases == 0 || chases > 100 {
			t.Errorf("%s: %q was aborted; %d probes and %d distributed deadlocks", c.spec, names, chases, wide)
		}
	}
}

// Where the order of ages prevents cycles, no deadlock detection runs, and it sends no message.
func TestProtocolsWithoutDeadlocksSendNoProbes(t *testing.T) {
	rows := 0
	for _, r := range protocol.Table() {
		if r.Yield != yield.WoundWait && r.Yield != yield.Validate && r.Yield != yield.ValidateInBatches {
			continue
		}
		rows++
		params := knotParams(node.InjectedBugs{})
		params.DetectAfter = 5 * time.Millisecond
		k := tie(t, r.Name, 1, params)
		// A waits for B, which is younger and has voted, as long as the commit takes.
		k.joins("A", 4, writes(3, "own"), until(crossed+35*time.Millisecond), writes(2, "y"))
		k.w.Run(10 * time.Millisecond)
		k.joins("B", 5, writes(2, "y"), writes(1, "x"), until(crossed))
		k.joins("C", 5, until(crossed), writes(1, "x"), until(time.Second))
		k.w.Run(2 * time.Second)
		if chases, _ := k.counts(); k.probes > 0 || chases > 0 {
			t.Errorf("%s: %d messages look for deadlocks", r.Name, k.probes)
		}
	}
	if rows < 10 {
		t.Errorf("only %d protocols were tried", rows)
	}
}

// A wait edge ends between the two passes: U waits for X, X waits for Y; while U's probe is on its
// way from there, Y publishes the row that X waits for, and only then begins to wait for U. Edge by
// edge that is a cycle, and it never existed. With the confirmation pass all commit; without it U
// is aborted.
func TestAPhantomIsNotEnded(t *testing.T) {
	for _, c := range []struct {
		bugs node.InjectedBugs
		want string
	}{{node.InjectedBugs{}, ""}, {node.InjectedBugs{SkipConfirmation: true}, "U"}} {
		k := tie(t, "txsql", 1, knotParams(c.bugs))
		passedOn, rechecks := false, 0
		var y *party
		waitsForX := func(p *party) error {
			for !passedOn {
				p.c.Sleep(time.Millisecond)
			}
			return nil
		}
		k.w.onSend = func(_ *host, env *txn.Envelope) sendAction {
			if m := env.Msg.DeadlockProbe; m != nil && m.Shard == 0 && len(m.Path) == 2 && m.Txn == y.tx.ID() {
				passedOn = true // X waits for Y: the edge was seen, and the probe is in transit
			}
			if env.Msg.DeadlockConfirm != nil {
				rechecks++
			}
			return leaves
		}
		k.joins("Z", 4, writes(2, "z"), until(400*time.Millisecond), writes(3, "u"))
		k.joins("first", 2, writes(2, "hot"), until(200*time.Millisecond))
		k.w.Run(10 * time.Millisecond)
		y = k.joins("Y", 5, writes(2, "early"), until(100*time.Millisecond), locks(2, "hot"), waitsForX, passes(2, "hot"), writes(3, "u"))
		k.w.Run(10 * time.Millisecond)
		k.joins("X", 4, writes(1, "a"), until(110*time.Millisecond), writes(2, "hot"), until(2*time.Second), rollsBack)
		k.w.Run(10 * time.Millisecond)
		k.joins("U", 1, writes(3, "u"), until(300*time.Millisecond), writes(1, "a"))
		k.w.Run(4 * time.Second)
		if names, _ := k.victims(); names != c.want {
			t.Errorf("with %+v %q are ended", c.bugs, names)
		}
		if !passedOn || rechecks == 0 {
			t.Errorf("with %+v the cycle was never seen: published %v, %d confirmations", c.bugs, passedOn, rechecks)
		}
	}
}

func locks(shard int, name string) step {
	return func(p *party) error {
		_, err := p.tx.Read(context.Background(), txn.Read{Gets: []txn.Key{key(shard, name)}, Lock: txn.LockExclusive})
		return err
	}
}

func passes(shard int, name string) step {
	return func(p *party) error {
		p.tx.Put(key(shard, name), []byte(p.name))
		if !p.tx.(txn.Publisher).Publish() {
			return fmt.Errorf("no transaction waits for %s", name)
		}
		return nil
	}
}
