package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"isochron/sqlload"
)

// GapConfig of a gap table. Of Config, For, Period, Scale, Once and BeforeCheck have no
// meaning here.
type GapConfig struct {
	Config
	Times   int           // each fault is done so often
	Last    time.Duration // each fault lasts so long
	Clients int           // at each node
	Only    []string      // if set, only faults whose names contain one of these
}

// gapRun is a run while it lasts.
type gapRun struct {
	*Run
	cfg     GapConfig
	clients *gapClients
	shard   string // of the rows
	report  GapReport
}

// The times of a repetition: how long all clients must work before it begins, the waits then, and
// for how long the run continues after all serve again.
const (
	gapSteady     = 2 * time.Second
	gapSteadyWait = 2 * time.Minute
	gapHoldWait   = 5 * time.Second
	gapAfter      = time.Second
)

// Gaps makes a cluster, has clients update rows that one node leads, injects each fault at the
// leader and at a gateway, and measures for how long they could not commit. The error is the reason
// of an early end; the report has the measurements until then.
func Gaps(ctx context.Context, cfg GapConfig) (*GapReport, error) {
	g := &gapRun{Run: &Run{cfg: cfg.Config}, cfg: cfg, report: GapReport{Seed: cfg.Seed, Dir: cfg.Dir, Nodes: len(cfg.WAN.Regions), LastSeconds: cfg.Last.Seconds()}}
	begun := time.Now()
	disk, err := g.setUp(ctx)
	if err == nil {
		err = g.prepare(ctx)
	}
	if err == nil {
		driving, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() { defer close(done); g.clients.drive(driving) }()
		err = g.all(ctx)
		stop()
		<-done
	}
	g.report.Seconds = time.Since(begun).Seconds()
	return &g.report, errors.Join(err, g.tearDown(disk, false))
}

// prepare makes the rows, on a shard that the node with the small disk leads.
func (g *gapRun) prepare(ctx context.Context) error {
	leader := g.cluster.Nodes[g.cluster.diskNode()]
	var rows []string
	for id := range gapRows {
		rows = append(rows, fmt.Sprintf("(%d, 0)", id))
	}
	comment, err := sqlload.Comment(fmt.Sprintf(`{"leader":%q}`, leader.Region), sqlload.Table{})
	if err != nil {
		return err
	}
	for _, stmt := range []string{
		"CREATE TABLE faults.gaps (id INT PRIMARY KEY, v BIGINT NOT NULL)" + comment,
		"INSERT INTO faults.gaps (id, v) VALUES " + strings.Join(rows, ", "),
	} {
		if err := retry(ctx, g.probe.dbs[0], stmt); err != nil {
			return fmt.Errorf("%.60s: %w", stmt, err)
		}
	}
	err = g.probe.dbs[0].QueryRowContext(ctx, "SELECT shards FROM isochron.placement WHERE table_schema = 'faults' AND table_name = 'gaps'").Scan(&g.shard)
	g.clients = newGapClients(g.cluster, g.cfg.Clients, g.cfg.Seed, g.nemesis.begun)
	return err
}

// chosen are the faults that are to be done.
func (g *gapRun) chosen() []gapFault {
	var out []gapFault
	for _, f := range gapFaults {
		if slices.Contains(onSmallDisk, f.kind) && g.nemesis.disk == nil {
			g.cfg.Log("LEFT OUT: %s: there is no small disk", f)
			continue
		}
		if len(g.cfg.Only) == 0 || slices.ContainsFunc(g.cfg.Only, func(s string) bool { return strings.Contains(f.String(), s) }) {
			out = append(out, f)
		}
	}
	return out
}

func (g *gapRun) all(ctx context.Context) error {
	chosen := g.chosen()
	for i := range g.cfg.Times {
		for j, f := range chosen {
			t, err := g.once(ctx, f, i)
			if err != nil {
				return fmt.Errorf("%s, repetition %d: %w", f, i+1, err)
			}
			g.report.add(f, t)
			g.cfg.Log("%7.1f s  %d of %d  %-50s %s", time.Since(g.nemesis.begun).Seconds(), i*len(chosen)+j+1, g.cfg.Times*len(chosen), f, t)
			for _, line := range t.Story {
				g.cfg.Log("            %s", line)
			}
		}
	}
	return ctx.Err()
}

// once does a fault once.
func (g *gapRun) once(ctx context.Context, f gapFault, repetition int) (GapTime, error) {
	leader, err := g.steady(ctx)
	if err != nil {
		return GapTime{}, err
	}
	hit, lost := f.hits(leader, len(g.cluster.Nodes), repetition)
	m := gapTime{fault: f, lost: lost, repetition: repetition}
	if !f.stops() { // otherwise there is no node to go to
		g.clients.hurry(lost)
	}
	hold := g.hold(ctx, hit)
	m.from = g.now()
	if !f.stops() {
		g.clients.shun(lost)
	}
	if f.kind != None {
		if err := g.nemesis.inflict(ctx, f.kind, hit); err != nil {
			return GapTime{}, err
		}
	}
	select {
	case <-time.After(g.cfg.Last - (g.now() - m.from)):
	case <-ctx.Done():
	}
	if f.kind != None {
		if err := g.nemesis.undo(f.kind, hit); err != nil {
			return GapTime{}, err
		}
		m.back = g.now()
		if err := g.awaitAll(ctx, f, hit); err != nil {
			return GapTime{}, err
		}
	}
	go hold.close() // it may wait for a lost node
	time.Sleep(gapAfter)
	g.clients.shun(nil)
	g.clients.hurry(nil)
	m.to = g.now()
	t := g.clients.measure(m)
	t.Nodes = []int{}
	for _, n := range hit {
		t.Nodes = append(t.Nodes, n+1)
	}
	for _, c := range g.clients.all {
		c.homewards.Store(true)
	}
	return t, errors.Join(ctx.Err(), g.cluster.strayed())
}

func (g *gapRun) now() time.Duration { return time.Since(g.nemesis.begun) }

// awaitAll waits until every node serves again.
func (g *gapRun) awaitAll(ctx context.Context, f gapFault, hit []int) error {
	if ends(f.kind) {
		for _, i := range hit {
			if err := g.cluster.Nodes[i].Await(ctx); err != nil {
				return err
			}
		}
	}
	all := make([]int, len(g.cluster.Nodes))
	for i := range all {
		all[i] = i
	}
	_, err := g.probe.measure(ctx, all)
	return err
}

// hold locks all rows by a transaction at the first node that will be lost. It may lose to the
// clients: then the fault happens without it, and only the clients' own locks are left behind.
func (g *gapRun) hold(ctx context.Context, hit []int) *holder {
	if len(hit) == 0 {
		return nil
	}
	var stmts []string
	for id := range gapRows { // row by row, as the clients do: one statement over all rows waits for long
		stmts = append(stmts, addOne(id)...)
	}
	h, err := holding(ctx, g.probe.dbs[hit[0]], gapHoldWait, stmts)
	if err != nil {
		g.cfg.Log("            nothing is held at node %d: %v", hit[0]+1, err)
	}
	return h
}

// steady waits until the rows are led where they belong and every client has
// committed lately, at home.
func (g *gapRun) steady(ctx context.Context) (leader int, err error) {
	limit, cancel := context.WithTimeout(ctx, gapSteadyWait)
	defer cancel()
	for {
		leader, err = g.leader(limit)
		if err == nil && leader != g.cluster.diskNode() {
			err = fmt.Errorf("shard %s is led by node %d, not by node %d", g.shard, leader+1, g.cluster.diskNode()+1)
		}
		from := g.now()
		select {
		case <-time.After(gapSteady):
		case <-limit.Done():
			return 0, errors.Join(ctx.Err(), fmt.Errorf("the cluster is not steady after %v: %w", gapSteadyWait, err))
		}
		if err == nil {
			err = g.clients.atWork(from)
		}
		if err == nil {
			return leader, nil
		}
	}
}

// leader returns the leader of the rows, counted from 0.
func (g *gapRun) leader(ctx context.Context) (int, error) {
	n := g.cluster.Nodes[0]
	cmd := n.command("status", "--config", n.Config, "--json")
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("isochron status: %w", err)
	}
	var s struct {
		Shards []struct {
			Shard  uint64 `json:"shard"`
			Leader int    `json:"leader"`
		} `json:"shards"`
	}
	if err := json.Unmarshal(out, &s); err != nil {
		return 0, fmt.Errorf("isochron status --json: %w", err)
	}
	for _, shard := range s.Shards {
		if fmt.Sprint(shard.Shard) == g.shard && shard.Leader > 0 {
			return shard.Leader - 1, ctx.Err()
		}
	}
	return 0, fmt.Errorf("shard %s has no leader", g.shard)
}
