package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"isochron/geo"
)

// Config of a run.
type Config struct {
	Dir     string // exists; filled with data, logs and histories
	Command Command
	WAN     geo.WAN // an odd number of regions, from three on
	// Protocol is the protocol of transactions; "": the default of clusters.
	Protocol string
	Seed     uint64
	For      time.Duration // of the faults; the checks come on top
	Period   time.Duration // after how long the loads pause and are checked
	DiskMB   int           // the size of one node's disk; 0: no disk is filled
	Scale    float64       // of TPC-C
	// Once, if set, lists faults to inject, each once and as short as possible, in place of random
	// faults for a time.
	Once []Kind
	Log  func(format string, args ...any)

	// BeforeCheck, if set, is called when the loads pause: a test plants there what
	// the checks must find.
	BeforeCheck func(c *Cluster) error
}

// Run is a run while it lasts.
type Run struct {
	cfg     Config
	cluster *Cluster
	probe   *prober
	loads   []*load
	nemesis *nemesis
	Report  Report
}

// pauseMax is the longest calm between two faults.
const pauseMax = 4 * time.Second

// Do makes a cluster, injects faults, and checks it. The error is the reason of an early end;
// violations are in the report.
func Do(ctx context.Context, cfg Config) (*Report, error) {
	r := &Run{cfg: cfg, loads: loads(cfg.Scale), Report: Report{Seed: cfg.Seed, Dir: cfg.Dir, Violations: []string{}, Events: []Event{}}}
	begun := time.Now()
	disk, err := r.setUp(ctx)
	if err == nil {
		err = r.inject(ctx)
	}
	r.Report.finish(r.loads, time.Since(begun))
	return &r.Report, errors.Join(err, r.tearDown(disk, err != nil || len(r.Report.Violations) > 0))
}

// setUp starts the cluster and fills the tables.
func (r *Run) setUp(ctx context.Context) (disk *smallDisk, err error) {
	say := r.cfg.Log
	if r.cluster, err = NewCluster(r.cfg.Dir, r.cfg.Command, r.cfg.WAN, r.cfg.Protocol); err != nil {
		return nil, err
	}
	if n := len(r.cluster.Nodes); n < 3 || n%2 == 0 {
		return nil, fmt.Errorf("the map has %d regions; an odd number from three on is needed", n)
	}
	if r.cfg.DiskMB > 0 {
		disk, err = mountSmallDisk(r.cluster.Nodes[r.cluster.diskNode()].DataDir, r.cfg.DiskMB)
		if errors.Is(err, ErrNotRoot) {
			say("LEFT OUT: no disk will be filled: %v", err)
		} else if err != nil {
			return nil, err
		}
	}
	r.Report.DiskFull = disk != nil
	if err = r.cluster.StartAll(ctx); err != nil {
		return disk, err
	}
	say("%d nodes are up; their logs are in %s", len(r.cluster.Nodes), r.cfg.Dir)
	if r.probe, err = newProber(r.cluster); err == nil {
		err = r.probe.prepare(ctx)
	}
	for _, l := range r.loads {
		if err == nil {
			err = l.prepare(ctx, r.cluster, r.cfg.Seed)
		}
	}
	r.nemesis = &nemesis{cluster: r.cluster, probe: r.probe, disk: disk, rand: rand.New(rand.NewPCG(r.cfg.Seed, 1)),
		begun: time.Now(), quick: r.cfg.Once != nil}
	return disk, err
}

// tearDown ends all; keep: the data are kept for inspection.
func (r *Run) tearDown(disk *smallDisk, keep bool) error {
	var errs []error
	for _, l := range r.loads {
		if l.env != nil {
			_ = l.env.Close() // nothing is pending
		}
	}
	if r.probe != nil {
		r.probe.close()
	}
	if r.nemesis != nil {
		errs = append(errs, r.nemesis.endClone()) // the run may have ended within a fault
	}
	if r.cluster != nil {
		errs = append(errs, r.cluster.Close())
	}
	if disk != nil {
		if keep {
			errs = append(errs, os.CopyFS(disk.dir+"-kept", os.DirFS(disk.dir)))
		}
		errs = append(errs, disk.unmount())
	}
	return errors.Join(errs...)
}

// inject injects faults, period by period, until the time is over.
func (r *Run) inject(ctx context.Context) error {
	end := time.Now().Add(r.cfg.For)
	queue := slices.Clone(r.cfg.Once)
	for n := 1; ; n++ {
		pause := time.Now().Add(r.cfg.Period)
		violations, err := r.period(ctx, n, func(ctx context.Context) error {
			for ctx.Err() == nil {
				if r.cfg.Once != nil && len(queue) == 0 || r.cfg.Once == nil && (time.Now().After(end) || time.Now().After(pause)) {
					return nil
				}
				kind := r.next(&queue)
				if err := r.one(ctx, kind); err != nil {
					return err
				}
			}
			return nil
		})
		r.Report.Violations = append(r.Report.Violations, violations...)
		if err != nil || ctx.Err() != nil {
			return err
		}
		r.cfg.Log("%7.1f s  checked: %d violations", time.Since(r.nemesis.begun).Seconds(), len(violations))
		if len(violations) > 0 || r.cfg.Once != nil || time.Now().After(end) {
			return nil
		}
	}
}

// next returns the next kind of fault. All kinds are used before any is repeated.
func (r *Run) next(queue *[]Kind) Kind {
	for {
		if len(*queue) == 0 {
			for _, i := range r.nemesis.rand.Perm(len(Kinds)) {
				*queue = append(*queue, Kinds[i])
			}
		}
		kind := (*queue)[0]
		*queue = (*queue)[1:]
		if !slices.Contains(onSmallDisk, kind) || r.nemesis.disk != nil || r.cfg.Once != nil {
			return kind
		}
	}
}

func (r *Run) one(ctx context.Context, kind Kind) error {
	if slices.Contains(onSmallDisk, kind) && r.nemesis.disk == nil {
		return nil // was said at the beginning
	}
	e, err := r.nemesis.do(ctx, kind)
	if err != nil {
		return err
	}
	r.Report.Events = append(r.Report.Events, e)
	r.cfg.Log("%s", e)
	return settle(ctx, r.cluster, r.cfg, r.nemesis.rand)
}

// settle looks whether a node fell by itself, and leaves some time before the next fault.
func settle(ctx context.Context, c *Cluster, cfg Config, draw *rand.Rand) error {
	if err := c.strayed(); err != nil {
		return err
	}
	calm := pauseMax / 8
	if cfg.Once == nil {
		calm = time.Duration(draw.Int64N(int64(pauseMax)))
	}
	select {
	case <-time.After(calm):
	case <-ctx.Done():
	}
	return nil
}
