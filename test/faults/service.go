package faults

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

// The probe is a transaction that moves money in a circle through every region:
// it commits only if every region's shard has a leader that works.
const (
	probeRows   = 200 // in each region: attempts rarely meet
	probeEvery  = 250 * time.Millisecond
	probeTries  = 8 // at a time
	probeWait   = 30 * time.Second
	serviceWait = 2 * time.Minute
)

// prober measures service, through each node.
type prober struct {
	regions []string
	dbs     []*sql.DB // by node
}

func newProber(c *Cluster) (*prober, error) {
	p := &prober{}
	for _, n := range c.Nodes {
		cfg := mysql.NewConfig()
		cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.Logger = "root", c.Password, "tcp", n.SQL, &mysql.NopLogger{}
		cfg.InterpolateParams, cfg.Timeout = true, 5*time.Second
		conn, err := mysql.NewConnector(cfg)
		if err != nil {
			return nil, err
		}
		db := sql.OpenDB(conn)
		db.SetMaxOpenConns(2 * probeTries)
		p.regions, p.dbs = append(p.regions, n.Region), append(p.dbs, db)
	}
	return p, nil
}

func (p *prober) close() {
	for _, db := range p.dbs {
		_ = db.Close() // nothing is pending
	}
}

// prepare makes the probe's table, and one for fat rows.
func (p *prober) prepare(ctx context.Context) error {
	stmts := []string{
		"CREATE DATABASE IF NOT EXISTS faults",
		`CREATE TABLE faults.probe (region VARCHAR(16), id INT, balance BIGINT NOT NULL, PRIMARY KEY (region, id))
			COMMENT='isochron: {"spread":"region","column":"region"}'`,
		"CREATE TABLE faults.fat (id INT PRIMARY KEY, body LONGTEXT NOT NULL)",
	}
	for _, r := range p.regions {
		var rows []string
		for id := range probeRows {
			rows = append(rows, fmt.Sprintf("('%s', %d, 0)", r, id))
		}
		stmts = append(stmts, "INSERT INTO faults.probe (region, id, balance) VALUES "+strings.Join(rows, ", "))
	}
	for _, stmt := range stmts {
		if err := retry(ctx, p.dbs[0], stmt); err != nil {
			return fmt.Errorf("%.60s: %w", stmt, err)
		}
	}
	return nil
}

// retry runs a statement until its error is not retryable, or ctx ends.
func retry(ctx context.Context, db *sql.DB, stmt string) error {
	for {
		_, err := db.ExecContext(ctx, stmt)
		var my *mysql.MySQLError
		if err == nil || !errors.As(err, &my) || my.Number != 1213 && my.Number != 1205 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// attempt is one probe through a node (from 0).
func (p *prober) attempt(ctx context.Context, node int) error {
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	tx, err := p.dbs[node].BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for i, region := range p.regions {
		change := 1
		if i == 0 {
			change = -(len(p.regions) - 1)
		}
		stmt := fmt.Sprintf("UPDATE faults.probe SET balance = balance + (%d) WHERE region = '%s' AND id = %d", change, region, rand.IntN(probeRows))
		if _, err := tx.ExecContext(ctx, stmt); err != nil {
			_ = tx.Rollback()
			return err
		}
	}
	return tx.Commit()
}

// served waits until a probe has committed through a node. A new attempt starts while older ones
// still wait, for they may wait for lost nodes.
func (p *prober) served(ctx context.Context, node int) error {
	limit, cancel := context.WithTimeout(ctx, serviceWait)
	defer cancel()
	results := make(chan error, probeTries)
	var last error
	for flying := 0; ; {
		if flying < probeTries {
			flying++
			go func() { results <- p.attempt(limit, node) }()
		}
		select {
		case err := <-results:
			if err == nil {
				return nil
			}
			last = err
			flying--
			select {
			case <-time.After(probeEvery / 5):
			case <-limit.Done():
			}
		case <-time.After(probeEvery):
		case <-limit.Done():
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if limit.Err() != nil {
			return fmt.Errorf("no transaction commits through node %d after %v (the latest error: %v)", node+1, serviceWait, last)
		}
	}
}

// measure returns the time, from now, until every one of the nodes serves.
func (p *prober) measure(ctx context.Context, nodes []int) (time.Duration, error) {
	begun := time.Now()
	errs := make([]error, len(nodes))
	var wg sync.WaitGroup
	for i, node := range nodes {
		wg.Go(func() { errs[i] = p.served(ctx, node) })
	}
	wg.Wait()
	return time.Since(begun), errors.Join(errs...)
}

// total adds up all the probes' rows: 0, for every probe moves in a circle.
func (p *prober) total(ctx context.Context) (int64, error) {
	var sum int64
	err := p.dbs[0].QueryRowContext(ctx, "SELECT SUM(balance) FROM faults.probe").Scan(&sum)
	return sum, err
}

// fatten writes large rows through a node until stop is closed, so that disks fill.
func (p *prober) fatten(ctx context.Context, node int, stop <-chan struct{}) {
	body := strings.Repeat("0123456789abcdef", 16<<10) // 256 KiB
	for i := 0; ctx.Err() == nil; i++ {
		select {
		case <-stop:
			return
		default:
		}
		// An error does not matter here: the disk is filled by the writes.
		_, _ = p.dbs[node].ExecContext(ctx, fmt.Sprintf("REPLACE INTO faults.fat (id, body) VALUES (%d, '%d%s')", i%8, i, body))
	}
}
