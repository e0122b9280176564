package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"

	"isochron/sqlload"
)

// figures are what a cell came to.
type figures struct {
	PerSecond float64 `json:"per_second"` // commits, within the time
	P50       float64 `json:"p50_ms"`     // of commits, from the first try on
	P99       float64 `json:"p99_ms"`
	P999      float64 `json:"p999_ms"`         // needs some thousands of commits
	Lost      float64 `json:"lost_per_commit"` // tries
	Longest   float64 `json:"longest_ms"`      // any transaction took
	Tries     int64   `json:"tries_max"`       // of any transaction
	Unknown   int64   `json:"unknown"`         // unknown outcomes
	GaveUp    int64   `json:"gave_up"`
	Stuck     int64   `json:"stuck"` // sysbench's threads that had to be cut off
}

// drainLimit bounds the last transactions of a cell after its time.
const drainLimit = 2 * time.Minute

// prepare fills one database.
func (b *bench) prepare(ctx context.Context, s *server, d database) error {
	if d.workload != "" {
		args := []string{"workload", d.workload, "prepare", "--dsn", s.addresses[0], "--db", d.name, "--json", "--drop"}
		_, err := output(ctx, 40*time.Minute, s.login(), b.Program, append(args, d.prepare...)...)
		return err
	}
	for _, text := range []string{"DROP DATABASE IF EXISTS ", "CREATE DATABASE "} {
		if err := s.query(ctx, s.addresses[0], text+d.name); err != nil {
			return err
		}
	}
	_, err := output(ctx, 5*time.Minute, nil, "sysbench", append(s.sysbench(d), "oltp_read_write", "prepare")...)
	return err
}

// login gives isochron workload root's password.
func (s *server) login() []string { return []string{"ISOCHRON_PASSWORD=" + s.password} }

// sysbench are the flags that all its calls have.
func (s *server) sysbench(d database) []string {
	flags := []string{"--db-driver=mysql", "--mysql-user=root", "--mysql-password=" + s.password, "--mysql-db=" + d.name,
		fmt.Sprintf("--tables=%d", d.tables), fmt.Sprintf("--table-size=%d", d.rows)}
	if host, port, err := net.SplitHostPort(s.addresses[0]); err == nil {
		return append(flags, "--mysql-host="+host, "--mysql-port="+port)
	}
	return append(flags, "--mysql-socket="+s.addresses[0])
}

// cell runs one load with so many connections.
func (b *bench) cell(ctx context.Context, s *server, l load, connections int) (figures, error) {
	seconds := b.seconds(l)
	if l.test != "" {
		return b.runSysbench(ctx, s, l, connections, seconds)
	}
	limit := time.Duration(b.Warmup+seconds)*time.Second + drainLimit
	at := s.addresses[:1]
	if l.everywhere {
		at = s.addresses
	}
	args := []string{"workload", l.database.workload, "run", "--dsn", strings.Join(at, ","), "--db", l.database.name, "--json",
		"--clients", fmt.Sprint(connections), "--for", fmt.Sprintf("%ds", seconds), "--warmup", fmt.Sprintf("%ds", b.Warmup)}
	if l.database.workload == "tpcc" && !b.Check {
		args = append(args, "--no-check") // it reads everything: minutes
	}
	if b.Check {
		limit += 10 * time.Minute
	}
	out, err := output(ctx, limit, s.login(), b.Program, append(args, l.run...)...)
	if err != nil {
		return figures{}, err
	}
	return ofReport(out)
}

// ofReport reads what isochron workload has counted.
func ofReport(out []byte) (figures, error) {
	var r sqlload.Report
	if err := json.Unmarshal(out, &r); err != nil {
		return figures{}, fmt.Errorf("isochron workload said %q: %w", tailOf(out), err)
	}
	t := r.Total
	f := figures{PerSecond: t.Throughput, P50: t.LatencyMS.P50, P99: t.LatencyMS.P99, P999: t.LatencyMS.P999, Longest: t.LongestMS, Tries: t.TriesMax, Unknown: t.Unknown, GaveUp: t.GaveUp}
	f.Lost = float64(t.Aborts+t.Disconnect) / float64(max(1, t.Commits))
	return f, nil
}
