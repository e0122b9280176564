package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/geo"
	"isochron/server"
)

// bench is a cluster with a client in each region.
type bench struct {
	config
	out     io.Writer
	ports   ports
	clients map[geo.Region]*sql.DB
}

// rowsEach is the number of rows of each region: one more than are touched, so that no statement
// meets the locks of another.
const rowsEach = 4

func (b *bench) open(cluster *server.Cluster) error {
	var err error
	if b.ports, err = openPorts(cluster, b.wan.Regions); err != nil {
		return err
	}
	b.clients = map[geo.Region]*sql.DB{}
	for _, r := range b.wan.Regions {
		cfg := mysql.NewConfig()
		cfg.User, cfg.Net, cfg.Addr, cfg.InterpolateParams = "root", "tcp", b.ports.addr(r).String(), true
		connector, err := mysql.NewConnector(cfg)
		if err != nil {
			return err
		}
		b.clients[r] = sql.OpenDB(connector)
	}
	return nil
}

func (b *bench) close() error {
	var errs []error
	for _, db := range b.clients {
		errs = append(errs, db.Close())
	}
	return errors.Join(append(errs, b.ports.close())...)
}

// line is a line of the table.
type line struct {
	what  string
	text  string // the statement; %d is the number of the run
	bound time.Duration
}

// all prints the table.
func (b *bench) all(ctx context.Context) error {
	if err := b.prepare(ctx); err != nil {
		return err
	}
	b.head()
	for _, r := range b.wan.Regions {
		for _, l := range b.lines(r) {
			p50, err := b.median(ctx, r, l)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", r, l.what, err)
			}
			if err := b.report(r, l, p50); err != nil {
				return err
			}
		}
	}
	return nil
}

// head prints the heading of the lines.
func (b *bench) head() {
	if !b.json {
		fmt.Fprintf(b.out, "%s, %s, median of %d\n\n| from | what | p50 ms | bound ms | ratio |\n|---|---|---|---|---|\n", b.Map.Name, b.spec.Name, b.times)
	}
}

// report prints a line.
func (b *bench) report(at geo.Region, l line, p50 time.Duration) error {
	if b.json {
		return json.NewEncoder(b.out).Encode(struct {
			WAN      string     `json:"wan"`
			Scale    float64    `json:"wan_scale"`
			Protocol string     `json:"protocol"`
			Times    int        `json:"times"`
			From     geo.Region `json:"from"`
			What     string     `json:"what"`
			P50      float64    `json:"p50_ms"`
			Bound    float64    `json:"bound_ms"` // 0: nothing bounds it
		}{b.Map.Name, b.Map.Scale, b.spec.Name, b.times, at, l.what, millis(p50), millis(l.bound)})
	}
	ratio := "-"
	if l.bound > 0 {
		ratio = fmt.Sprintf("%.2f", float64(p50)/float64(l.bound))
	}
	_, err := fmt.Fprintf(b.out, "| %s | %s | %.1f | %.1f | %s |\n", at, l.what, millis(p50), millis(l.bound), ratio)
	return err
}

func (b *bench) prepare(ctx context.Context) error {
	first := b.clients[b.wan.Regions[0]]
	texts := []string{
		"CREATE DATABASE bench",
		`CREATE TABLE bench.t (region VARCHAR(32), id INT, v INT, PRIMARY KEY (region, id))
			COMMENT='isochron: {"spread":"region","column":"region"}'`,
	}
	for _, r := range b.wan.Regions {
		for i := range rowsEach {
			texts = append(texts, fmt.Sprintf("INSERT INTO bench.t VALUES ('%s', %d, 0)", r, i))
		}
	}
	for _, text := range texts {
		if _, err := first.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

// lines are the measurements from a region.
func (b *bench) lines(home geo.Region) []line {
	quorum := func(r geo.Region) time.Duration { return b.wan.QuorumRTT(r, b.wan.Regions) }
	far := b.farthest(home, 3)
	var names []string
	var commit time.Duration // until the slowest vote is on a majority's disk and known here
	for _, r := range far {
		names = append(names, "'"+string(r)+"'")
		commit = max(commit, b.wan.RTT(home, r)+quorum(r))
	}
	list := strings.Join(names, ", ")
	farRTT := b.wan.MaxRTT(home, far)
	return []line{
		{"read a row at home", fmt.Sprintf("SELECT v FROM bench.t WHERE region = '%s' AND id = 0", home), 0},
		{"write a row at home", fmt.Sprintf("UPDATE bench.t SET v = %%d WHERE region = '%s' AND id = 1", home), quorum(home)},
		{"read a row in each of three regions", fmt.Sprintf("SELECT v FROM bench.t WHERE region IN (%s) AND id = 2", list), farRTT},
		{"write a row in each of three regions", fmt.Sprintf("UPDATE bench.t SET v = %%d WHERE region IN (%s) AND id = 3", list), farRTT + commit},
	}
}

// farthest are the n other regions with the longest round trips.
func (b *bench) farthest(home geo.Region, n int) []geo.Region {
	others := slices.DeleteFunc(slices.Clone(b.wan.Regions), func(r geo.Region) bool { return r == home })
	slices.SortStableFunc(others, func(x, y geo.Region) int { return int(b.wan.RTT(home, y) - b.wan.RTT(home, x)) })
	return others[:n]
}

// median runs a statement as often as asked and returns the median time of it.
func (b *bench) median(ctx context.Context, r geo.Region, l line) (time.Duration, error) {
	conn, err := b.clients[r].Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	var took []time.Duration
	for i := range b.times + 1 {
		text := l.text
		if strings.Contains(text, "%d") {
			text = fmt.Sprintf(text, i+1)
		}
		begun := time.Now()
		if err := finish(ctx, conn, text); err != nil {
			return 0, err
		}
		if i > 0 { // the first finds the way
			took = append(took, time.Since(begun))
		}
		time.Sleep(10 * time.Millisecond) // let the last one's decision arrive
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// finish runs a statement to the end of its answer.
func finish(ctx context.Context, conn *sql.Conn, text string) error {
	if !strings.HasPrefix(text, "SELECT") {
		_, err := conn.ExecContext(ctx, text)
		return err
	}
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	return errors.Join(rows.Err(), rows.Close())
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
