package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"isochron/cmd/isochron/shop"
	"isochron/console"
	"isochron/geo"
	"isochron/server"
	isosql "isochron/sql"
	"isochron/txn"
)

// demo is a running demo.
type demo struct {
	plan    demoPlan
	out     io.Writer // results
	log     *progress
	cluster *server.Cluster
	ports   *sqlPorts
	meter   *console.Meter
}

// checkTimeout bounds the adding up of the shop.
const checkTimeout = 2 * time.Minute

// runDemo runs the demo from its start to its end. A demo ended by its user has not failed.
func runDemo(ctx context.Context, plan demoPlan, stdout, stderr io.Writer) error {
	setLog(stderr, plan.verbose)
	if plan.temp {
		dir, err := os.MkdirTemp("", "isochron-demo-")
		if err != nil {
			return fmt.Errorf("cannot create a temporary directory: %w (choose a directory with --data)", err)
		}
		plan.data = dir
	}
	d := &demo{plan: plan, out: stdout, log: newProgress(stderr), meter: console.NewMeter(plan.wan.Regions)}
	err := d.run(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // Ctrl-C while it was starting
	}
	err = errors.Join(err, d.close())
	if plan.temp {
		err = errors.Join(err, os.RemoveAll(plan.data))
	}
	return err
}

// setLog sends what a person should read to w.
func setLog(w io.Writer, verbose bool) {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelInfo
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level})))
}

// run is the demo without its clean-up. A node that stops ends it all.
func (d *demo) run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if err := d.open(ctx); err != nil {
		return err
	}
	go func() {
		select {
		case err := <-d.cluster.Failed():
			stop(nodeFailure{err})
		case <-ctx.Done():
		}
	}()
	err := d.live(ctx)
	var failure nodeFailure
	if errors.As(context.Cause(ctx), &failure) {
		return failure // whatever else went wrong, it is because of this
	}
	return err
}

// nodeFailure is the end of a node, reported by its cluster.
type nodeFailure struct{ error }

// live is the demo with its cluster up.
func (d *demo) live(ctx context.Context) error {
	if d.plan.priorities {
		return d.livePriorities(ctx)
	}
	if err := d.openShop(ctx); err != nil {
		return err
	}
	d.log.done()
	if !d.plan.json {
		d.printWelcome()
	}
	if err := d.work(ctx); err != nil {
		return err
	}
	rows := d.rows(d.meter.Total) // before the books are added up, which is no load
	books, err := d.addUp(ctx)
	if err != nil {
		return err
	}
	return d.printEnd(rows, books)
}

// open starts the cluster and its ports, and makes the shop's database.
func (d *demo) open(ctx context.Context) error {
	d.log.step(fmt.Sprintf("starting %d regions (%s x %g, %s) in %s", len(d.plan.wan.Regions), d.plan.wanSpec, d.plan.wanScale, cmp.Or(d.plan.spec.Name, "the protocol of the data"), d.plan.data))
	err := checkPorts(d.plan.wan.Regions, d.plan.port)
	if err != nil {
		return err
	}
	d.cluster, err = server.Start(ctx, server.Config{
		Dir: d.plan.data, WAN: d.plan.wan, WANName: d.plan.wanSpec, Spec: d.plan.spec, Observer: d.meter,
	})
	if err != nil {
		return err
	}
	d.plan.spec = d.cluster.Spec()
	d.log.step("opening a MySQL port in each region")
	if d.ports, err = openPorts(d.plan.wan.Regions, d.plan.port, d.cluster.DB, d.watch); err != nil {
		return err
	}
	return d.ports.createDatabase(ctx)
}

// watch measures the statements of a region's clients, except the shop's, which measure themselves.
func (d *demo) watch(r geo.Region) isosql.Observer {
	if d.plan.load != loadNone {
		return nil
	}
	return visitors{r, d.meter}
}

// visitors are clients that the demo knows only from what they do.
type visitors struct {
	region geo.Region
	meter  *console.Meter
}

// Committed counts a transaction as home if it never waited for another region to read.
func (v visitors) Committed(took time.Duration, s txn.Stats) {
	v.meter.Commit(v.region, s.WideRounds == 0 && s.Shards <= 1, took)
}

// Aborted counts an error that a client received.
func (v visitors) Aborted(kind txn.Kind) {
	if kind == txn.KindUnknown {
		v.meter.Unknown(v.region)
		return
	}
	v.meter.Abort(v.region)
}

// openShop loads the shop, or finds it there and adds it up.
func (d *demo) openShop(ctx context.Context) error {
	if d.plan.load == loadNone {
		return nil
	}
	if err := shop.Load(ctx, d.ports.pools(d.plan.clients), d.plan.wan.Regions, d.log.step); err != nil {
		return err
	}
	d.log.step("checking the shop's books")
	_, err := d.addUp(ctx)
	return err
}

// work runs the load and shows it until ctx or the time ends, or something fails.
func (d *demo) work(ctx context.Context) error {
	if d.plan.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.plan.duration)
		defer cancel()
	}
	d.meter.Reset()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	crowd := make(chan error, 1)
	go func() { crowd <- d.runCrowd(ctx) }()
	show := d.show()
	defer show.end()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-second.C:
			if err := show.refresh(); err != nil {
				return err
			}
			d.meter.Turn()
		case err := <-crowd:
			return err
		}
	}
}

// runCrowd ends when ctx does and the clients have brought what they began to its end.
func (d *demo) runCrowd(ctx context.Context) error {
	if d.plan.load == loadNone {
		<-ctx.Done()
		return nil
	}
	c := shop.Crowd{DBs: d.ports.pools(d.plan.clients), Regions: d.plan.wan.Regions, Clients: d.plan.clients, Record: d.meter}
	return c.Run(ctx)
}

// addUp checks the shop, also after Ctrl-C: the end of a demo reports whether its books balance.
// nil: there is no shop.
func (d *demo) addUp(ctx context.Context) (*shop.Books, error) {
	if d.plan.load == loadNone {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
	defer cancel()
	first := d.plan.wan.Regions[0]
	books, err := shop.Check(ctx, d.ports.pools(d.plan.clients)[first], d.plan.wan.Regions)
	return &books, err
}

// rows are the lines of the table.
func (d *demo) rows(figures func(geo.Region) console.Figures) []console.Row {
	var rows []console.Row
	for _, r := range d.plan.wan.Regions {
		rows = append(rows, console.Row{
			Region: r, Port: d.ports.port(r),
			Bound:   d.plan.wan.QuorumRTT(r, d.plan.wan.Regions),
			Figures: figures(r),
		})
	}
	return rows
}

// close ends everything, in the reverse order of its beginning.
func (d *demo) close() error {
	var errs []error
	if d.ports != nil {
		errs = append(errs, d.ports.close())
	}
	if d.cluster != nil {
		errs = append(errs, d.cluster.Close())
	}
	return errors.Join(errs...)
}
