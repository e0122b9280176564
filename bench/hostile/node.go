package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/test/faults"
)

// bench is a cluster whose first node is attacked.
type bench struct {
	options
	log     func(format string, args ...any)
	cluster *faults.Cluster
	limit   *limit
	root    *sql.DB // at the attacked node
	report  *report
}

// The users, and their passwords: one with the rights that ordinary work takes, one with
// every right on a database of his own, one with none.
const (
	ordinaryUser     = "ordinary"
	grantedUser      = "granted"
	unprivilegedUser = "nobody"
	password         = "correct horse"
)

// start starts the cluster, and fills its tables.
func start(ctx context.Context, dir string, o options, log func(string, ...any)) (*bench, error) {
	b := &bench{options: o, log: log, limit: newLimit(o.memoryMB)}
	b.report = &report{Memory: b.limit.how, MemoryMB: o.memoryMB, Seed: o.seed, Broken: []string{}, phase: time.Duration(o.minutes * float64(time.Minute))}
	b.report.Seconds = b.report.phase.Seconds()
	command := func(args ...string) *exec.Cmd {
		if args[0] == "start" && strings.HasSuffix(args[len(args)-1], "node1.yaml") {
			return b.limit.command(b.binary, args...)
		}
		return exec.Command(b.binary, args...)
	}
	regions := []string{"r1", "r2", "r3"}[:o.nodes]
	var err error
	if b.cluster, err = faults.InitCluster(dir, command, o.nodes, "--regions", strings.Join(regions, ",")); err != nil {
		return b, err
	}
	if err := b.profiles(); err != nil {
		return b, err
	}
	if err := b.cluster.StartAll(ctx); err != nil {
		return b, err
	}
	log("seed %d: %d node(s) are up, the first with %d MB by %s; logs in %s", o.seed, o.nodes, o.memoryMB, b.limit.how, dir)
	b.root = b.open(0, "root", b.cluster.Password)
	return b, b.fill(ctx)
}

// profiles makes the attacked node serve its profiles: requesting them makes it collect garbage.
func (b *bench) profiles() error {
	f, err := os.OpenFile(b.cluster.Nodes[0].Config, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("http_profiles: true\n")
	return errors.Join(err, f.Close())
}

// open is a pool of connections to a node, counted from 0.
func (b *bench) open(node int, user, password string) *sql.DB {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.Logger = user, password, "tcp", b.cluster.Nodes[node].SQL, &mysql.NopLogger{}
	cfg.Timeout, cfg.MaxAllowedPacket = 10*time.Second, 1<<30
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		panic(fmt.Sprintf("hostile: the configuration of a client: %v", err))
	}
	return sql.OpenDB(connector)
}

// Sizes of the tables.
const (
	plainRows   = 1000
	hostileRows = 900
)

// fill makes the users and tables.
func (b *bench) fill(ctx context.Context) error {
	values := func(n int, row string) string {
		rows := make([]string, n)
		for i := range rows {
			rows[i] = fmt.Sprintf(row, i)
		}
		return strings.Join(rows, ",")
	}
	stmts := []string{
		"CREATE DATABASE plain", "CREATE TABLE plain.t (id INT PRIMARY KEY, v BIGINT NOT NULL)", "INSERT INTO plain.t VALUES " + values(plainRows, "(%d, 0)"),
		"CREATE DATABASE lair", "CREATE TABLE lair.n (id INT PRIMARY KEY, v INT NOT NULL, b VARCHAR(200))", "CREATE TABLE lair.m (v INT)",
		"INSERT INTO lair.n VALUES " + values(hostileRows, "(%d, %[1]d * 7919 %% 900, repeat('x', 100))"),
		"GRANT SELECT, INSERT, UPDATE, DELETE ON plain.* TO " + ordinaryUser, "GRANT ALL ON lair.* TO " + grantedUser,
	}
	for _, u := range []string{ordinaryUser, grantedUser, unprivilegedUser} {
		stmts = append([]string{fmt.Sprintf("CREATE USER %s IDENTIFIED BY '%s'", u, password)}, stmts...)
	}
	for _, stmt := range stmts {
		if _, err := b.root.ExecContext(ctx, stmt); err != nil {
			return fmt.Errorf("%.60s: %w", stmt, err)
		}
	}
	return nil
}

// close ends the cluster.
func (b *bench) close() error {
	if b.root != nil {
		_ = b.root.Close()
	}
	var err error
	if b.cluster != nil {
		err = b.cluster.Close()
	}
	b.limit.close()
	return err
}

// login returns the time a user takes to log in again and run a statement.
func (b *bench) login(ctx context.Context, user, password string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	db := b.open(0, user, password)
	defer db.Close()
	begun := time.Now()
	_, err := db.ExecContext(ctx, "SELECT 1")
	return time.Since(begun), err
}

// watch measures the resident set until ctx ends.
func (b *bench) watch(ctx context.Context) {
	for ctx.Err() == nil {
		now, peak := resident(b.cluster.Nodes[0].PID())
		b.report.PeakMB = max(b.report.PeakMB, float64(max(now, peak))/(1<<20))
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}
