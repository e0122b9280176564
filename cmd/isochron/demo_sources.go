package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/console"
	"isochron/geo"
	"isochron/server"
	"isochron/server/sourcedb/sourcetest"
	isosql "isochron/sql"
	"isochron/txn"
)

// demoSource is a database of the demo.
type demoSource struct {
	name, kind string
	region     geo.Region
	server     *sourcetest.Server
}

// of is the source in the figures.
func (s *demoSource) of() geo.Region { return geo.Region(s.name) }

// sourcesDemo is a running demo over external databases.
type sourcesDemo struct {
	plan    demoPlan
	out     io.Writer
	log     *progress
	all     []*demoSource
	cluster *server.Cluster
	ports   *sqlPorts
	meter   *console.Meter // by source
	spans   spansBySource
	tpcc    *tpccDemo // nil: it is not open yet
}

// The bank of the demo: account i lies at source i modulo their number.
const (
	demoAccounts   = 4000
	demoBalance    = 1000
	demoFarPercent = 20 // transfers between two sources
)

// spansBySource measures how long each source is held.
type spansBySource struct {
	meter *console.Meter
	mu    sync.Mutex
	names map[txn.ShardID]geo.Region
}

// Span implements txn.Observer.
func (s *spansBySource) Span(at txn.ShardID, _ geo.Region, held time.Duration) {
	s.mu.Lock()
	name, ok := s.names[at]
	s.mu.Unlock()
	if ok {
		s.meter.Span(at, name, held)
	}
}

// Event implements txn.Observer.
func (s *spansBySource) Event(txn.NodeID, string) {}

// Tracing implements txn.Observer.
func (s *spansBySource) Tracing() bool { return false }

// runSourcesDemo is the demo from its start to its end.
func runSourcesDemo(ctx context.Context, plan demoPlan, stdout, stderr io.Writer) error {
	setLog(stderr, plan.verbose)
	if len(plan.wan.Regions) < 2 {
		return usagef("--wan: --sources needs a map of at least two regions")
	}
	dir, err := os.MkdirTemp("", "isochron-demo-")
	if err != nil {
		return fmt.Errorf("cannot create a temporary directory: %w", err)
	}
	plan.data = dir
	d := &sourcesDemo{plan: plan, out: stdout, log: newProgress(stderr)}
	for i, kind := range []string{"postgres", "mariadb", "postgres", "mariadb"} {
		s := &demoSource{name: fmt.Sprintf("%s_%d", map[string]string{"postgres": "pg", "mariadb": "my"}[kind], i/2+1), kind: kind, region: plan.wan.Regions[i%len(plan.wan.Regions)]}
		d.all = append(d.all, s)
	}
	d.meter = console.NewMeter(d.names())
	d.spans = spansBySource{meter: d.meter, names: map[txn.ShardID]geo.Region{}}
	err = d.run(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // Ctrl-C while it was starting
		d.log.step("stopped before the clients started")
	}
	d.log.done()
	return errors.Join(err, d.close(), os.RemoveAll(dir))
}

func (d *sourcesDemo) close() error {
	var errs []error
	if d.tpcc != nil {
		errs = append(errs, d.tpcc.env.Close())
	}
	if d.ports != nil {
		errs = append(errs, d.ports.close())
	}
	if d.cluster != nil {
		errs = append(errs, d.cluster.Close())
	}
	for _, s := range d.all {
		if s.server != nil {
			s.server.Close()
		}
	}
	return errors.Join(errs...)
}

func (d *sourcesDemo) run(ctx context.Context) error {
	if err := d.startServers(ctx); err != nil {
		return err
	}
	if err := d.startCluster(ctx); err != nil {
		return err
	}
	dbs, err := d.openBank(ctx)
	if err != nil {
		return err
	}
	if err := d.openTPCC(ctx, d.names()); err != nil {
		return err
	}
	d.log.step("starting the clients")
	d.log.done()
	if !d.plan.json {
		d.welcome()
	}
	if err := d.work(ctx, dbs); err != nil {
		return err
	}
	end := d.figures((*console.Meter).Total)
	sum, err := d.addUp(ctx, dbs[0])
	if err != nil {
		return err
	}
	if err := d.tpcc.check(ctx); err != nil {
		return err
	}
	return d.report(end, sum)
}

// names are the sources as the figures have them.
func (d *sourcesDemo) names() (names []geo.Region) {
	for _, s := range d.all {
		names = append(names, s.of())
	}
	return names
}

// startServers starts the databases; a program that is missing on the machine is an error.
func (d *sourcesDemo) startServers(ctx context.Context) error {
	for i, s := range d.all {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.log.step(fmt.Sprintf("starting %s, a %s server in %s", s.name, s.kind, s.region))
		start := sourcetest.Postgres
		if s.kind == "mariadb" {
			start = sourcetest.MariaDB
		}
		var err error
		if s.server, err = start(); err != nil {
			var missing *sourcetest.MissingError
			if errors.As(err, &missing) {
				return fmt.Errorf("%s is not installed: run apt-get install %s (on other systems install PostgreSQL 15 and MariaDB 10.11)", missing.Program, missing.Package)
			}
			return err
		}
		if err := s.fill(i, len(d.all)); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// fill makes a source's part of the bank.
func (s *demoSource) fill(nth, of int) error {
	var rows []string
	for id := nth; id < demoAccounts; id += of {
		rows = append(rows, fmt.Sprintf("(%d, %d)", id, demoBalance))
	}
	for _, text := range []string{"CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL)", "INSERT INTO accounts VALUES " + strings.Join(rows, ", ")} {
		if err := s.server.Exec(text); err != nil {
			return err
		}
	}
	if s.kind == "postgres" {
		return s.server.Exec("GRANT ALL ON accounts TO " + sourcetest.User)
	}
	return nil
}

// startCluster starts the nodes with an agent beside each database.
func (d *sourcesDemo) startCluster(ctx context.Context) error {
	regions := d.plan.wan.Regions
	d.log.step(fmt.Sprintf("starting %d regions (%s x %g, %s)", len(regions), d.plan.wanSpec, d.plan.wanScale, d.plan.spec.Name))
	if err := checkPorts(regions, d.plan.port); err != nil {
		return err
	}
	cfg := server.Config{Dir: d.plan.data, WAN: d.plan.wan, WANName: d.plan.wanSpec, Spec: d.plan.spec, Observer: &d.spans}
	for _, s := range d.all {
		cfg.Sources = append(cfg.Sources, server.SourceConfig{Name: s.name, Address: s.server.URL(), Region: s.region})
	}
	var err error
	if d.cluster, err = server.Start(ctx, cfg); err != nil {
		return err
	}
	d.log.step("waiting for the agents")
	waiting, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	if err := d.cluster.AwaitSources(waiting); err != nil {
		return err
	}
	for _, e := range d.cluster.DB(regions[0]).(txn.SourceCatalogue).Sources() {
		d.spans.mu.Lock()
		d.spans.names[e.ID] = geo.Region(e.Name)
		d.spans.mu.Unlock()
	}
	d.ports, err = openPorts(regions, d.plan.port, d.cluster.DB, func(geo.Region) isosql.Observer { return nil })
	return err
}

// openBank imports the tables and gives a pool of connections for each source, to the gateway
// of its region.
func (d *sourcesDemo) openBank(ctx context.Context) ([]*sql.DB, error) {
	d.log.step("importing the tables of the sources")
	first, err := d.ports.connect(d.plan.wan.Regions[0], "")
	if err != nil {
		return nil, err
	}
	defer first.Close()
	texts := []string{"CREATE DATABASE bank", fmt.Sprintf("CALL isochron.import_sharded_table('bank.accounts', 'id', 'hash', '%s')", d.list())}
	if d.plan.native {
		texts = append(texts, "CREATE TABLE bank.journal (id BIGINT AUTO_INCREMENT PRIMARY KEY, from_id BIGINT NOT NULL, to_id BIGINT NOT NULL, amount BIGINT NOT NULL)")
	}
	for _, text := range texts {
		if _, err := first.ExecContext(ctx, text); err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
	}
	var out []*sql.DB
	for i, s := range d.all {
		db, err := d.ports.connect(s.region, "bank")
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(d.plan.clients + 1)
		db.SetMaxIdleConns(d.plan.clients + 1)
		d.ports.clients[geo.Region(fmt.Sprintf("%s/%d", s.region, i))] = db // closed with the ports
		out = append(out, db)
	}
	return out, nil
}

// work runs the clients and shows what they do until ctx or the time ends.
func (d *sourcesDemo) work(ctx context.Context, dbs []*sql.DB) error {
	if d.plan.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.plan.duration)
		defer cancel()
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	d.meter.Reset()
	d.tpcc.meter.Reset()
	var clients sync.WaitGroup
	defer clients.Wait()
	defer fail(nil)
	for i := range dbs {
		for c := range d.plan.clients {
			clients.Go(func() {
				if err := d.client(ctx, dbs[i], i, rand.New(rand.NewPCG(uint64(i), uint64(c)))); err != nil {
					fail(err)
				}
			})
		}
	}
	clients.Go(func() {
		if err := d.tpcc.work(ctx); err != nil {
			fail(err)
		}
	})
	show := d.show()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-second.C:
			if err := show.refresh(); err != nil {
				return err
			}
			d.meter.Turn()
			d.tpcc.meter.Turn()
		case err := <-d.cluster.Failed():
			return err
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			return nil
		}
	}
}

// client transfers from accounts at its own source until ctx ends.
func (d *sourcesDemo) client(ctx context.Context, db *sql.DB, own int, r *rand.Rand) error {
	pick := func(source int) int { return source + len(d.all)*r.IntN(demoAccounts/len(d.all)) }
	for ctx.Err() == nil {
		other := own
		if r.IntN(100) < demoFarPercent {
			other = (own + 1 + r.IntN(len(d.all)-1)) % len(d.all)
		}
		from, to := pick(own), pick(other)
		if from == to {
			continue
		}
		touched := []int{own, other}[:1+min(1, max(other-own, own-other))]
		began := time.Now()
		err := d.transfer(ctx, db, from, to, 1+r.IntN(5))
		var answered *mysql.MySQLError
		for _, i := range touched {
			switch {
			case err == nil:
				d.meter.Commit(d.all[i].of(), len(touched) == 1, time.Since(began))
			case ctx.Err() == nil:
				d.meter.Abort(d.all[i].of())
			}
		}
		if err != nil && ctx.Err() == nil && !errors.As(err, &answered) {
			return err
		}
	}
	return nil
}

// transfer moves an amount. The last statement is marked as the last: the sources prepare with it.
func (d *sourcesDemo) transfer(ctx context.Context, db *sql.DB, from, to, amount int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing after the commit
	if d.plan.native {
		if _, err := tx.ExecContext(ctx, "INSERT INTO journal (from_id, to_id, amount) VALUES (?, ?, ?)", from, to, amount); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = balance - ? WHERE id = ?", amount, from); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE /*+ last */ accounts SET balance = balance + ? WHERE id = ?", amount, to); err != nil {
		return err
	}
	return tx.Commit()
}

// addUp is the sum of all accounts, as one transaction sees them.
func (d *sourcesDemo) addUp(ctx context.Context, db *sql.DB) (sum int64, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
	defer cancel()
	for range 20 { // transactions under way when the time ended may still have their rows
		if err = db.QueryRowContext(ctx, "SELECT SUM(balance) FROM accounts").Scan(&sum); err == nil {
			return sum, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return 0, fmt.Errorf("cannot read the sum of the accounts: %w", err)
}

// sourceFigures are the figures of one source over some time.
type sourceFigures struct {
	Source  string  `json:"source"`
	Kind    string  `json:"kind"`
	Region  string  `json:"region"`
	Near    float64 `json:"near_per_s"` // transactions at it alone
	NearP50 float64 `json:"near_p50_ms"`
	NearP99 float64 `json:"near_p99_ms"`
	Far     float64 `json:"far_per_s"` // over it and another
	FarP50  float64 `json:"far_p50_ms"`
	FarP99  float64 `json:"far_p99_ms"`
	SpanP50 float64 `json:"span_p50_ms"`
	SpanP99 float64 `json:"span_p99_ms"`
	Aborts  float64 `json:"aborts_per_s"`
	// Of TPC-C's terminal at the source.
	TPCC       float64 `json:"tpcc_per_s"`
	TPCCP50    float64 `json:"tpcc_p50_ms"`
	TPCCP99    float64 `json:"tpcc_p99_ms"`
	TPCCAborts float64 `json:"tpcc_aborts_per_s"`
}

// figures are those of all the time, or of its window.
func (d *sourcesDemo) figures(of func(*console.Meter, geo.Region) console.Figures) (out []sourceFigures) {
	ms := func(t time.Duration) float64 { return float64(t.Microseconds()) / 1000 }
	for _, s := range d.all {
		f, t := of(d.meter, s.of()), of(d.tpcc.meter, s.of())
		out = append(out, sourceFigures{s.name, s.kind, string(s.region),
			f.PerSecond(f.HomeCommits), ms(f.Home.P50), ms(f.Home.P99), f.PerSecond(f.WideCommits), ms(f.Wide.P50), ms(f.Wide.P99),
			ms(f.Span.P50), ms(f.Span.P99), f.PerSecond(f.Aborts),
			t.PerSecond(t.HomeCommits), ms(t.Home.P50), ms(t.Home.P99), t.PerSecond(t.Aborts)})
	}
	return out
}
