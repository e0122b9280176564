package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/bench/command"
	"isochron/bench/process"
	"isochron/test/faults"
)

// cluster is a node of a build in each region.
type cluster struct {
	nodes             []*process.Process
	address, password string // of the first node's door
	metrics           string // its URL
}

// start makes and starts a cluster in dir.
func start(ctx context.Context, program, dir string, wan command.Map, regions []string) (*cluster, error) {
	base, err := faults.FreePorts(len(regions))
	if err != nil {
		return nil, err
	}
	init := exec.CommandContext(ctx, program, "init", "--dir", dir, "--wan", wan.Name, "--wan-scale", fmt.Sprint(wan.Scale), "--base-port", strconv.Itoa(base))
	if out, err := init.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s init: %w: %s", program, err, process.LastLines(out))
	}
	c := &cluster{metrics: fmt.Sprintf("http://127.0.0.1:%d/metrics", base+200)}
	for i := range regions {
		config := filepath.Join(dir, fmt.Sprintf("node%d.yaml", i+1))
		if i == 0 {
			if c.address, c.password, err = process.Door(dir, config); err != nil {
				return nil, err
			}
		}
		p, err := process.Spawn(config+".log", "", program, "start", "--config", config)
		if err != nil {
			return nil, errors.Join(err, c.stop())
		}
		c.nodes = append(c.nodes, p)
	}
	db, err := c.open("")
	if err != nil {
		return nil, errors.Join(err, c.stop())
	}
	err = c.nodes[0].Await(ctx, program, db.PingContext)
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

func (c *cluster) stop() error {
	for _, p := range c.nodes {
		p.End(syscall.SIGTERM)
	}
	return nil
}

// config is how a client comes to the first node.
func (c *cluster) config(database string) *mysql.Config {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName = "root", c.password, "tcp", c.address, database
	cfg.Timeout, cfg.InterpolateParams, cfg.Logger = 5*time.Second, true, &mysql.NopLogger{}
	return cfg
}

func (c *cluster) open(database string) (*sql.DB, error) {
	connector, err := mysql.NewConnector(c.config(database))
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// rounds is the node's counter of the rounds of all statements that have ended.
func (c *cluster) rounds(ctx context.Context) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.metrics, nil)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 16<<20))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "isochron_sql_statement_rounds_sum "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return int(n), err
		}
	}
	return 0, fmt.Errorf("%s has no counter of rounds", c.metrics)
}
