package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"isochron/server/delay"
	"isochron/server/sourcedb/sourcetest"
)

// sources is the number of databases of a deployment.
const sources = 4

// deployments are the kinds of databases, source by source.
var deployments = []struct {
	name  string
	kinds [sources]string
}{
	{"pg", [sources]string{"postgres", "postgres", "postgres", "postgres"}},
	{"mysql", [sources]string{"mariadb", "mariadb", "mariadb", "mariadb"}},
	{"mixed", [sources]string{"postgres", "mariadb", "postgres", "mariadb"}},
}

func deploymentNames() (names []string) {
	for _, d := range deployments {
		names = append(names, d.name)
	}
	return names
}

// deployment is four servers that run, and the links to them.
type deployment struct {
	name    string
	rows    int // of each table at each source
	servers []*sourcetest.Server
	links   []*delay.Proxy
	delays  []time.Duration // of the links, round trips
}

// The servers' settings. Locks are waited for no longer than 5 s, as in GeoTP's paper, and commits
// are on disk.
var (
	postgresArgs = []string{"-c", "max_connections=300", "-c", "max_prepared_transactions=300", "-c", "shared_buffers=256MB", "-c", "max_wal_size=256MB", "-c", "lock_timeout=5s",
		"-c", "deadlock_timeout=1s", "-c", "default_transaction_isolation=read committed"}
	mariadbArgs = []string{"--innodb-buffer-pool-size=256M", "--innodb-log-file-size=96M", "--innodb-lock-wait-timeout=5", "--transaction-isolation=SERIALIZABLE", "--max-connections=600"}
)

// deploy starts the servers of a deployment, fills them, and opens the links.
func deploy(ctx context.Context, name string, rows int, delays []time.Duration) (d *deployment, err error) {
	d = &deployment{name: name, rows: rows, delays: delays}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	for _, known := range deployments {
		if known.name != name {
			continue
		}
		for i, kind := range known.kinds {
			start, args := sourcetest.Postgres, postgresArgs
			if kind == "mariadb" {
				start, args = sourcetest.MariaDB, mariadbArgs
			}
			s, err := start(args...)
			if err != nil {
				return d, err
			}
			d.servers = append(d.servers, s)
			// Spider distinguishes the branches of a transaction by host alone: each link has one.
			link, err := delay.Listen(fmt.Sprintf("127.0.0.%d:0", i+1), s.Addr(), delays[i])
			if err != nil {
				return d, err
			}
			d.links = append(d.links, link)
			if ctx.Err() != nil {
				return d, ctx.Err()
			}
			if err := s.Exec(tables(kind, i*rows, (i+1)*rows-1)); err != nil {
				return d, fmt.Errorf("filling %s %d: %w", kind, i, err)
			}
		}
	}
	return d, nil
}

// tables are the statements that make the tables of both loads and fill them from one key to another.
func tables(kind string, from, to int) string {
	field, fields := "repeat('x', 100)", ""
	columns := "ycsb_key BIGINT NOT NULL PRIMARY KEY"
	for i := range 10 {
		columns += fmt.Sprintf(", field%d VARCHAR(100) NOT NULL", i)
		fields += ", " + field
	}
	number, series := "n", fmt.Sprintf("generate_series(%d, %d) AS n", from, to)
	first, last := "SET ROLE "+sourcetest.User, "RESET ROLE; ANALYZE transfer_accounts; ANALYZE ycsb_records"
	if kind == "mariadb" {
		number, series = "seq", fmt.Sprintf("seq_%d_to_%d", from, to)
		first, last = "SET autocommit = 1", "ANALYZE TABLE transfer_accounts, ycsb_records"
	}
	return strings.Join([]string{
		first,
		"CREATE TABLE transfer_accounts (" + accountColumns + ")",
		"CREATE TABLE ycsb_records (" + columns + ")",
		fmt.Sprintf("INSERT INTO transfer_accounts SELECT %s, %d, 0 FROM %s", number, firstBalance, series),
		fmt.Sprintf("INSERT INTO ycsb_records SELECT %s%s FROM %s", number, fields, series),
		last,
	}, "; ")
}

// The accounts of the load transfer, and what each has at first.
const (
	accountColumns = "id BIGINT NOT NULL PRIMARY KEY, balance BIGINT NOT NULL, moves BIGINT NOT NULL"
	firstBalance   = 1000
)

// account is the content of all sources together, queried directly.
type account struct{ accounts, balance, records int64 }

// audit queries the servers themselves, and returns faults of the money and the records.
func (d *deployment) audit(ctx context.Context) (found []string, err error) {
	var sum account
	for i := range d.servers {
		row, err := d.servers[i].Ask(ctx, "SELECT (SELECT COUNT(*) FROM transfer_accounts), (SELECT SUM(balance) FROM transfer_accounts), (SELECT COUNT(*) FROM ycsb_records)")
		if err != nil {
			return nil, err
		}
		var one account
		if _, err := fmt.Sscan(strings.Join(row[0], " "), &one.accounts, &one.balance, &one.records); err != nil {
			return nil, err
		}
		sum.accounts, sum.balance, sum.records = sum.accounts+one.accounts, sum.balance+one.balance, sum.records+one.records
	}
	n := int64(sources * d.rows)
	if want := (account{n, n * firstBalance, n}); sum != want {
		found = append(found, fmt.Sprintf("the servers have %d accounts with %d and %d records, and should have %d with %d and %d",
			sum.accounts, sum.balance, sum.records, want.accounts, want.balance, want.records))
	}
	return found, nil
}

// leftPatience is the time a system may take, after its load, to end its prepared transactions:
// clients are answered before the last server knows the decision.
const leftPatience = 10 * time.Second

// prepared returns the statements that would roll back prepared transactions, by server.
func (d *deployment) prepared(ctx context.Context) (ends [][]string, n int, err error) {
	ends = make([][]string, len(d.servers))
	for i, s := range d.servers {
		text := "SELECT gid FROM pg_prepared_xacts"
		if s.Kind == "mariadb" {
			text = "XA RECOVER FORMAT='SQL'"
		}
		rows, err := s.Ask(ctx, text)
		if err != nil {
			return nil, 0, err
		}
		for _, row := range rows {
			end := "ROLLBACK PREPARED '" + strings.ReplaceAll(row[0], "'", "''") + "'"
			if s.Kind == "mariadb" {
				end = "XA ROLLBACK " + row[3]
			}
			ends[i] = append(ends[i], end)
			n++
		}
	}
	return ends, n, nil
}

// settle waits until a system has ended its prepared transactions, ends the rest, and returns their
// number.
func (d *deployment) settle(ctx context.Context) (left int, err error) {
	ends, left, err := d.prepared(ctx)
	for deadline := time.Now().Add(leftPatience); err == nil && left > 0 && time.Now().Before(deadline); {
		select {
		case <-ctx.Done():
			return left, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
		ends, left, err = d.prepared(ctx)
	}
	for i := range ends {
		for _, end := range ends[i] {
			if err := d.servers[i].Exec(end); err != nil {
				return left, fmt.Errorf("a branch that was left prepared cannot be ended: %w", err)
			}
		}
	}
	return left, err
}

// lateness returns the lateness of the worst link.
func (d *deployment) lateness() (worst delay.Lateness) {
	for _, l := range d.links {
		if one := l.Lateness(); one.P99 >= worst.P99 {
			worst = one
		}
	}
	return worst
}

// close ends the servers and the links.
func (d *deployment) close() error {
	var errs []error
	for _, l := range d.links {
		errs = append(errs, l.Close())
	}
	for _, s := range d.servers {
		s.Close()
	}
	return errors.Join(errs...)
}
