package power

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"isochron/sqlload"
)

// load is clients that work through power cuts, and the answers they received.
type load struct {
	name     string
	clients  int
	env      *sqlload.Env
	workload sqlload.Workload
	report   *sqlload.Report
	err      error
}

// loads are those of a play.
func loads(ctx context.Context, m *machine, seed uint64) ([]*load, error) {
	password, err := m.password()
	if err != nil {
		return nil, err
	}
	all := []*load{{name: "list-append", clients: 3}, {name: "bank", clients: 3}}
	for i, l := range all {
		target := sqlload.Target{Addresses: m.addresses(), User: "root", Password: password, Database: "power", Connections: 8}
		if l.env, err = target.Open(ctx, true); err != nil {
			return nil, err
		}
		l.env.Placement, l.env.Seed = "hash:2", seed<<8+uint64(i)
		if l.workload, err = sqlload.New(l.name, sqlload.Options{Rows: 20}); err != nil {
			return nil, err
		}
		if err = sqlload.Prepare(ctx, l.env, l.name, l.workload, false); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// work makes all loads work until stop is called, which waits for them. A load with an unexpected
// error calls broken.
func work(ctx context.Context, all []*load, broken func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for _, l := range all {
		wg.Go(func() {
			l.report, l.err = sqlload.Run(ctx, l.env, l.workload, sqlload.Plan{Name: l.name, Clients: l.clients})
			if l.err != nil {
				broken()
			}
		})
	}
	return func() {
		cancel()
		wg.Wait()
	}
}

// judge compares the database with the clients' answers, and returns their number of commits.
func judge(ctx context.Context, all []*load) (commits int64, found []string, err error) {
	for _, l := range all {
		if l.err != nil {
			found = append(found, fmt.Sprintf("%s had an unexpected error: %v", l.name, l.err))
			continue
		}
		commits += l.report.Total.Commits
		wrong, judgeErr := sqlload.Judge(ctx, l.env, l.workload, l.report)
		for _, w := range wrong {
			found = append(found, l.name+": "+w)
		}
		err = errors.Join(err, judgeErr)
	}
	return commits, found, err
}

func disconnect(all []*load) (err error) {
	for _, l := range all {
		if l.env != nil {
			err = errors.Join(err, l.env.Close())
		}
	}
	return err
}
