package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isochron/server/delay"
	"isochron/server/sourcedb/sourcetest"
)

// What a run over sources is made of: three nodes with data, two gateways, and an agent beside a
// PostgreSQL and one beside a MariaDB. The indices are those of Cluster.Nodes.
const (
	storageNodes  = 3
	firstGateway  = 3
	gatewayNodes  = 2
	firstAgent    = firstGateway + gatewayNodes
	foreignBranch = "billing-7" // prepared at each database by another program, and never touched
)

// place is one place of moves: a source, or the cluster's own shards.
type place struct {
	name string
	// Of a source: its database, and the link that its agent reaches it by. nil: the shards.
	database *sourcetest.Server
	link     *delay.Proxy
	agent    int // its node
}

// sourcesRun is a run over sources while it lasts.
type sourcesRun struct {
	cfg     Config
	cluster *Cluster
	places  []*place // the sources, then the shards
	movers  *movers
	rand    *rand.Rand
	begun   time.Time
	Report  SourcesReport
}

// DoSources makes a cluster with two sources, injects faults, and checks it. Of cfg it takes Dir,
// Command, Protocol, Seed, For, Period, Once, Log, and BeforeCheck. The error is the reason of an
// early end; a *sourcetest.MissingError names a program that is not on this machine.
func DoSources(ctx context.Context, cfg Config) (*SourcesReport, error) {
	r := &sourcesRun{cfg: cfg, rand: rand.New(rand.NewPCG(cfg.Seed, 2)), begun: time.Now(),
		Report: SourcesReport{Seed: cfg.Seed, Dir: cfg.Dir, Violations: []string{}, Events: []SourceEvent{}}}
	err := r.setUp(ctx)
	if err == nil {
		err = r.inject(ctx)
	}
	r.Report.finish(r.movers, time.Since(r.begun))
	return &r.Report, errors.Join(err, r.tearDown())
}

// setUp starts databases and cluster, and makes the tables.
func (r *sourcesRun) setUp(ctx context.Context) error {
	args := []string{"--regions", "r1,r2,r3", "--wan", "uniform:2ms:3", "--gateways", "r1,r2"}
	if r.cfg.Protocol != "" {
		args = append(args, "--protocol", r.cfg.Protocol)
	}
	for i, start := range []func(...string) (*sourcetest.Server, error){sourcetest.Postgres, sourcetest.MariaDB} {
		p := &place{name: []string{"pg", "my"}[i], agent: firstAgent + i}
		r.places = append(r.places, p)
		var err error
		if p.database, err = start(); err != nil {
			return err
		}
		if p.link, err = delay.Listen("127.0.0.1:0", p.database.Addr(), 0); err != nil {
			return err
		}
		if err := p.fill(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		args = append(args, "--source", fmt.Sprintf("%s@r%d=%s", p.name, i+2, p.bare()))
	}
	r.places = append(r.places, &place{name: "own"})
	var err error
	if r.cluster, err = InitCluster(r.cfg.Dir, r.cfg.Command, storageNodes+gatewayNodes+2, args...); err != nil {
		return err
	}
	for _, p := range r.places[:2] {
		if err := os.WriteFile(filepath.Join(r.cfg.Dir, "c", p.name+".password"), []byte(sourcetest.Password), 0o600); err != nil {
			return err
		}
	}
	if err := r.cluster.StartAll(ctx); err != nil {
		return err
	}
	r.cfg.Log("%d nodes are up, two of them agents; their logs are in %s", len(r.cluster.Nodes), r.cfg.Dir)
	r.movers, err = newMovers(ctx, r)
	return err
}

// bare returns the agent's address of its database, without the password.
func (p *place) bare() string {
	scheme := map[string]string{"postgres": "postgres", "mariadb": "mysql"}[p.database.Kind]
	return fmt.Sprintf("%s://%s@%s/%s", scheme, sourcetest.User, p.link.Addr(), sourcetest.Database)
}

// fill makes a source's tables, and prepares another program's transaction there.
func (p *place) fill(ctx context.Context) error {
	for _, text := range p.tables() {
		if err := p.database.Exec(text); err != nil {
			return err
		}
	}
	if p.database.Kind == "postgres" {
		if err := p.database.Exec(fmt.Sprintf("GRANT ALL ON acct_%s, moves_%[1]s TO %s", p.name, sourcetest.User)); err != nil {
			return err
		}
	}
	return p.database.Foreign(ctx, foreignBranch)
}

// tables are the statements that make a place's tables: its accounts, and which moves touched it.
func (p *place) tables() []string {
	var rows []string
	for id := range accounts + probeAccounts {
		rows = append(rows, fmt.Sprintf("(%d, %d)", id, accountHas))
	}
	return []string{
		fmt.Sprintf("CREATE TABLE acct_%s (id bigint PRIMARY KEY, v bigint NOT NULL)", p.name),
		fmt.Sprintf("CREATE TABLE moves_%s (id bigint PRIMARY KEY)", p.name),
		fmt.Sprintf("INSERT INTO acct_%s (id, v) VALUES %s", p.name, strings.Join(rows, ", ")),
	}
}

// tearDown ends all.
func (r *sourcesRun) tearDown() error {
	var errs []error
	if r.movers != nil {
		r.movers.close()
	}
	if r.cluster != nil {
		errs = append(errs, r.cluster.Close())
	}
	for _, p := range r.places {
		if p.link != nil {
			errs = append(errs, p.link.Close())
		}
		if p.database != nil {
			p.database.Close()
		}
	}
	return errors.Join(errs...)
}

// inject injects faults, period by period, until the time is over.
func (r *sourcesRun) inject(ctx context.Context) error {
	end := r.begun.Add(r.cfg.For)
	queue := slices.Clone(r.cfg.Once)
	over := func() bool { return r.cfg.Once == nil && time.Now().After(end) || r.cfg.Once != nil && len(queue) == 0 }
	for ctx.Err() == nil {
		stop := r.movers.start(ctx)
		pause := time.Now().Add(r.cfg.Period)
		var err error
		for err == nil && ctx.Err() == nil && !over() && (r.cfg.Once != nil || time.Now().Before(pause)) {
			err = r.one(ctx, &queue)
		}
		stop()
		if err != nil {
			return errors.Join(err, ctx.Err())
		}
		if r.cfg.BeforeCheck != nil {
			if err := r.cfg.BeforeCheck(r.cluster); err != nil {
				return err
			}
		}
		found, err := r.judge(context.WithoutCancel(ctx))
		if err != nil {
			return err
		}
		r.Report.Violations = append(r.Report.Violations, found...)
		r.cfg.Log("%7.1f s  checked: %d moves acknowledged so far, %d violations", time.Since(r.begun).Seconds(), r.movers.count(acknowledged), len(found))
		if len(found) > 0 || over() {
			return nil
		}
	}
	return ctx.Err()
}

// one injects the next fault. All kinds are used before any is repeated.
func (r *sourcesRun) one(ctx context.Context, queue *[]Kind) error {
	if len(*queue) == 0 {
		for _, i := range r.rand.Perm(len(SourceKinds)) {
			*queue = append(*queue, SourceKinds[i])
		}
	}
	kind := (*queue)[0]
	*queue = (*queue)[1:]
	e, err := r.inflict(ctx, kind)
	if err != nil {
		return err
	}
	r.Report.Events = append(r.Report.Events, e)
	r.cfg.Log("%s", e)
	return settle(ctx, r.cluster, r.cfg, r.rand)
}
