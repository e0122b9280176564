package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"isochron/bench/command"
	"isochron/sqlload"
)

// system is one that is measured.
type system interface {
	// can reports whether it runs over the databases of a deployment.
	can(deployment string) bool
	start(ctx context.Context, c config, d *deployment) (*running, error)
}

// systems are all there are.
var systems = []struct {
	name string
	system
	over []string // those whose clients speak to them alike, and beside which it is judged
}{
	{"shardingsphere", shardingsphere{}, nil},
	{"spider", spider{}, nil},
	{"ssp", isochron{spec: "ssp"}, nil},
	{"ssp-parallel", isochron{spec: "ssp-parallel"}, nil},
	{"ssp-packet", isochron{spec: "ssp", packet: true}, nil},
	{"ssp-parallel-packet", isochron{spec: "ssp-parallel", packet: true}, nil},
	{"geotp", isochron{spec: "geotp"}, []string{"ssp", "ssp-parallel", "shardingsphere", "spider"}},
	{"geotp-packet", isochron{spec: "geotp", packet: true}, []string{"ssp-packet", "ssp-parallel-packet"}},
	{"geotp-locks", isochron{spec: "geotp", locks: true}, []string{"shardingsphere"}},
	{"geotp-packet-locks", isochron{spec: "geotp", packet: true, locks: true}, nil},
}

func systemNames() (names []string) {
	for _, s := range systems {
		names = append(names, s.name)
	}
	return names
}

// running is a system that was started.
type running struct {
	target  sqlload.Target
	options sqlload.Options // how its clients must speak
	pids    []int           // of it, not of the databases
	agents  []int           // of those of its parts that stand beside databases
	stop    func() error
	log     func() string
}

// answers asks for one row.
func (r *running) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	t := r.target
	t.Connections = 1
	env, err := t.Open(ctx, false)
	if err != nil {
		return err
	}
	var balance int64
	err = env.DB().QueryRowContext(ctx, "SELECT balance FROM transfer_accounts WHERE id = 1").Scan(&balance)
	return errors.Join(err, env.Close())
}

// bench is one run of the command.
type bench struct {
	config
	log   func(format string, args ...any) // progress
	cells []cell
	lines *os.File // nil: none
}

// run is the whole command: what there is until an error or Ctrl-C is printed all the same.
func run(ctx context.Context, args []string, out, words io.Writer) error {
	c, err := parse(args, out)
	if err != nil {
		return err
	}
	b := &bench{config: c, log: command.PrintWithTime(words)}
	if c.Lines != "" {
		f, err := os.OpenFile(c.Lines, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		b.lines = f
	}
	var errs []error
	for _, name := range c.Deployments {
		if ctx.Err() == nil {
			errs = append(errs, b.deployment(ctx, name))
		}
	}
	if c.JSON {
		for _, one := range b.cells {
			errs = append(errs, json.NewEncoder(out).Encode(one))
		}
	} else if len(b.cells) > 0 {
		_, err := io.WriteString(out, b.report())
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// deployment measures all systems on one.
func (b *bench) deployment(ctx context.Context, name string) (err error) {
	var todo []int
	for i, s := range systems {
		for _, wanted := range b.Systems {
			if wanted == s.name && s.can(name) {
				todo = append(todo, i)
			}
		}
	}
	if len(todo) == 0 {
		return nil
	}
	delays, err := b.delays()
	if err != nil {
		return err
	}
	d, err := deploy(ctx, name, b.Rows, delays)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	b.log("%s: four servers with %d rows each, round trips %v", name, b.Rows, delays)
	if b.Hold {
		return b.hold(ctx, d, todo)
	}
	var errs []error
	for turn := 0; turn < b.Rounds*len(todo) && ctx.Err() == nil; turn++ {
		s := systems[todo[turn%len(todo)]]
		if err := b.turn(ctx, d, s.name, s.system); err != nil {
			errs = append(errs, fmt.Errorf("%s over %s: %w", s.name, name, err))
		}
	}
	b.log("%s: the links: %v", name, d.lateness())
	return errors.Join(errs...)
}

// hold keeps a deployment and its systems running for inspection.
func (b *bench) hold(ctx context.Context, d *deployment, todo []int) (err error) {
	for i, s := range d.servers {
		b.log("source %d: %s, through its delay at %s, over its socket %s", i, s.URL(), d.links[i].Addr(), withoutPassword(s.SocketURL()))
	}
	for _, i := range todo {
		r, err := systems[i].start(ctx, b.config, d)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.stop()) }()
		b.log("%s: %s, user %s, password %s, database %s, processes %v", systems[i].name, r.target.Addresses[0], r.target.User, r.target.Password, r.target.Database, r.pids)
	}
	<-ctx.Done()
	return nil
}

// turn starts a system and runs all its cells.
func (b *bench) turn(ctx context.Context, d *deployment, name string, s system) (err error) {
	r, err := s.start(ctx, b.config, d)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil && ctx.Err() == nil {
			b.log("%s said: %s", name, r.log())
		}
		err = errors.Join(err, r.stop())
	}()
	for _, one := range b.plan() {
		one.System, one.Deployment = name, d.name
		err := b.measure(ctx, d, r, &one)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			one.Error = err.Error()
		}
		b.log("%v", one)
		b.cells = append(b.cells, one)
		if b.lines != nil {
			if err := json.NewEncoder(b.lines).Encode(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// plan is the cells of one turn, in their order.
func (b *bench) plan() (cells []cell) {
	for _, load := range b.Loads {
		for _, share := range b.Distributed {
			for _, skew := range b.Skews {
				for _, clients := range b.Clients {
					cells = append(cells, cell{Load: load, Distributed: share, Skew: skew, Clients: clients, Seconds: b.Seconds})
				}
			}
		}
	}
	return cells
}

// measure runs one cell.
func (b *bench) measure(ctx context.Context, d *deployment, r *running, one *cell) (err error) {
	options := r.options
	options.Rows, options.Sources, options.Span, options.Theta = sources*b.Rows, sources, b.Span, one.Skew
	options.CentralAt = b.Central
	if options.Distributed = one.Distributed; options.Distributed == 0 {
		options.Distributed = sqlload.NoneDistributed
	}
	w, err := sqlload.New(one.Load, options)
	if err != nil {
		return err
	}
	t := r.target
	t.Connections = one.Clients + 2
	env, err := t.Open(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	env.Seed = rand.Uint64()
	report, err := sqlload.Run(ctx, env, w, sqlload.Plan{Name: one.Load, Clients: one.Clients,
		For: time.Duration(b.Seconds) * time.Second, Warmup: time.Duration(b.Warmup) * time.Second})
	if report != nil {
		one.take(report)
	}
	if err != nil {
		return err
	}
	if one.Memory, err = memoryOf(r.pids...); err != nil {
		return err
	}
	if one.Agents, err = memoryOf(r.agents...); err != nil {
		return err
	}
	if one.Load == "transfer" { // YCSB's records would all be fetched by some
		if one.Violations, err = w.Check(ctx, env, report); err != nil {
			return err
		}
	}
	if one.Left, err = d.settle(ctx); err != nil {
		return err
	}
	found, err := d.audit(ctx)
	one.Violations = append(one.Violations, found...)
	return err
}
