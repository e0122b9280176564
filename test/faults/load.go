package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"isochron/history"
	"isochron/sqlload"
)

// load is one workload that runs while there are faults.
type load struct {
	name      string
	clients   int
	placement string
	options   sqlload.Options
	env       *sqlload.Env
	workload  sqlload.Workload
	total     sqlload.Figures
}

// loads are those of a run.
func loads(scale float64) []*load {
	return []*load{
		{name: "bank", clients: 5, placement: "hash:4", options: sqlload.Options{Rows: 500}},
		{name: "list-append", clients: 5, placement: "hash:4"},
		{name: "tpcc", clients: 3, options: sqlload.Options{Warehouses: 1, Scale: scale}},
	}
}

// prepare connects to every node and makes the tables.
func (l *load) prepare(ctx context.Context, c *Cluster, seed uint64) error {
	target := sqlload.Target{User: "root", Password: c.Password, Database: "faults", Connections: l.clients + 4}
	for _, n := range c.Nodes {
		target.Addresses = append(target.Addresses, n.SQL)
	}
	var err error
	if l.env, err = target.Open(ctx, true); err != nil {
		return err
	}
	l.env.Placement, l.env.Seed = l.placement, seed
	if err := l.renew(); err != nil {
		return err
	}
	return sqlload.Prepare(ctx, l.env, l.name, l.workload, false)
}

// renew creates the workload again, without its past.
func (l *load) renew() error {
	w, err := sqlload.New(l.name, l.options)
	l.workload = w
	return err
}

// period makes all loads work while during runs, then checks. The returned violations must not
// exist; err is the reason why it could not check.
func (r *Run) period(ctx context.Context, n int, during func(context.Context) error) (violations []string, err error) {
	working, stop := context.WithCancel(ctx)
	defer stop()
	reports, errs := make([]*sqlload.Report, len(r.loads)), make([]error, len(r.loads))
	var wg sync.WaitGroup
	begun := make(chan struct{}, 2*len(r.loads))
	for i, l := range r.loads {
		if _, ok := l.workload.(sqlload.Recorded); ok {
			if err := l.renew(); err != nil { // a history of this period alone
				return nil, err
			}
		}
		l.env.Seed = r.cfg.Seed<<16 + uint64(n*len(r.loads)+i)
		wg.Go(func() {
			reports[i], errs[i] = sqlload.Run(working, l.env, l.workload, sqlload.Plan{Name: l.name, Clients: l.clients,
				Begun: func() { begun <- struct{}{} }})
			begun <- struct{}{} // it has ended, if it could not begin
			if errs[i] != nil {
				errs[i] = fmt.Errorf("the load %s had an unexpected error: %w", l.name, errs[i])
				stop() // nothing more is to be learnt
			}
		})
	}
	for range r.loads { // to begin, a load needs what a fault would take from it
		<-begun
	}
	nemesisErr := during(working)
	if nemesisErr != nil && working.Err() != nil && ctx.Err() == nil {
		nemesisErr = nil // a load has stopped it
	}
	stop()
	wg.Wait()
	for i, l := range r.loads {
		if reports[i] != nil {
			add(&l.total, reports[i].Total)
		}
	}
	if err := errors.Join(append(errs, nemesisErr)...); err != nil {
		return nil, errors.Join(err, r.saveHistories(n))
	}
	return r.check(context.WithoutCancel(ctx), n, reports)
}

func add(to *sqlload.Figures, f sqlload.Figures) {
	to.Commits += f.Commits
	to.Rollbacks += f.Rollbacks
	to.Aborts += f.Aborts
	to.Disconnect += f.Disconnect
	to.Unknown += f.Unknown
	to.GaveUp += f.GaveUp
}

// checkWait bounds one load's check.
const checkWait = 5 * time.Minute

// check judges every load when all is quiet.
func (r *Run) check(ctx context.Context, n int, reports []*sqlload.Report) ([]string, error) {
	violations := []string{}
	if err := r.saveHistories(n); err != nil {
		return nil, err
	}
	if r.cfg.BeforeCheck != nil {
		if err := r.cfg.BeforeCheck(r.cluster); err != nil {
			return nil, err
		}
	}
	for i, l := range r.loads {
		limit, cancel := context.WithTimeout(ctx, checkWait)
		found, err := sqlload.Judge(limit, l.env, l.workload, reports[i])
		cancel()
		if err != nil {
			return violations, fmt.Errorf("%s: %w", l.name, err)
		}
		for _, v := range found {
			violations = append(violations, l.name+": "+v)
		}
	}
	sum, err := r.probe.total(ctx)
	if err != nil {
		return violations, err
	}
	if sum != 0 {
		violations = append(violations, fmt.Sprintf("probe: the balances add up to %d, not 0", sum))
	}
	differ, err := r.cluster.Verify(ctx)
	if differ != "" {
		violations = append(violations, "replicas: "+differ)
	}
	return violations, err
}

// saveHistories writes what the recorded loads saw, for isochron check.
func (r *Run) saveHistories(n int) error {
	for _, l := range r.loads {
		w, ok := l.workload.(sqlload.Recorded)
		if !ok {
			continue
		}
		path := filepath.Join(r.cfg.Dir, fmt.Sprintf("history-%d.jsonl", n))
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		r.Report.Records += len(w.History().Records)
		if err := errors.Join(history.Save(file, l.name, w.History()), file.Close()); err != nil {
			return err
		}
	}
	return nil
}
