package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"isochron/ops"
	"isochron/server"
	"isochron/server/deploy"
	"isochron/server/memory"
	"isochron/server/peer"
	isosql "isochron/sql"
	sqlaccount "isochron/sql/account"
)

func newStart() *cobra.Command {
	var config, mem string
	var httpPort int
	var logs logFlags
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Run one node of a cluster",
		Long: `Start runs one node until it receives SIGINT (Ctrl-C) or SIGTERM, and then shuts down
gracefully. It prints one line when it accepts SQL clients, which needs a majority of the
cluster's nodes. It logs to standard error.`,
		Example: "  isochron start --config c/node1.yaml\n  isochron start --config c/node1.yaml --log-format json --log-level debug",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := readConfig(config)
			if err != nil {
				return err
			}
			if httpPort != 0 {
				c.HTTPListen = deploy.HTTPAt(httpPort, 0)
			}
			if err := logs.set(cmd.ErrOrStderr()); err != nil {
				return err
			}
			shares, err := divideMemory(mem, c)
			if err != nil {
				return err
			}
			shares.Collect(cmd.Context().Done())
			return runNode(cmd.Context(), c, shares, cmd.OutOrStdout(), false)
		},
	}
	cmd.Flags().StringVar(&config, "config", "", "the node's configuration file, a nodeN.yaml (required)")
	cmd.Flags().StringVar(&mem, "memory", "", "memory limit, in bytes or as part of the machine's memory, such as 2GB or 25%; empty: memory in the configuration, or half")
	cmd.Flags().IntVar(&httpPort, "http-port", 0, "port on the loopback for metrics and health; 0: http_listen in the configuration")
	logs.add(cmd)
	return cmd
}

// readConfig reads a node's configuration; a fault in it is a usage error.
func readConfig(path string) (*deploy.Config, error) {
	if path == "" {
		return nil, usagef("--config is missing: name a node's configuration, such as --config c/node1.yaml")
	}
	c, err := deploy.Read(path)
	if err != nil {
		return nil, usageError{err}
	}
	return c, nil
}

// credentials are those of the node that a configuration is of.
func credentials(c *deploy.Config) (*peer.Credentials, error) {
	return peer.LoadCredentials(c.Cluster, c.Node, c.TLS.CA, c.TLS.Certificate, c.TLS.Key)
}

// runNode runs a node until ctx ends or the node fails. An agent that is ready prints it in JSON if
// asJSON.
func runNode(ctx context.Context, c *deploy.Config, shares memory.Shares, out io.Writer, asJSON bool) error {
	figures := ops.New(c.Map(), c.Region)
	var web *ops.Listener
	var err error
	if c.HTTPListen != "" { // first, so that it reports a node that is starting
		if web, err = figures.Listen(ops.Config{Address: c.HTTPListen, Profiles: c.HTTPProfiles}); err != nil {
			return err
		}
	}
	p, err := startUnless(ctx, c, shares, figures)
	if err != nil {
		if web != nil {
			err = errors.Join(err, web.Close())
		}
		return err
	}
	figures.Attach(p)
	slog.Info("the node has started", "node", c.Node, "region", string(c.Region), "cluster", c.Cluster, "protocol", p.Spec().Name,
		"nodes", len(c.Nodes), "wan", c.WAN, "add_delays", c.AddDelays, "http_listen", c.HTTPListen, "slow_transaction", c.Slow().String(), "memory", memory.Bytes(shares.Total),
		"election_timeout", c.Params().WithDefaultsFor(c.Map().Widest()).ElectionTimeout.String())
	err = serveNode(ctx, c, p, shares, figures, out, asJSON)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // it was stopped while it was starting
	}
	if web != nil {
		err = errors.Join(err, within(closeWait, "the HTTP server", web.Close)) // it asks the node
	}
	err = errors.Join(err, within(closeWait, "the node's storage and connections", p.Close))
	slog.Info("the node has ended", "node", c.Node, "region", string(c.Region))
	return err
}

// startUnless starts the node unless it is stopped first: then files that are being opened are left
// to the end of the process.
func startUnless(ctx context.Context, c *deploy.Config, shares memory.Shares, figures *ops.Metrics) (*server.Process, error) {
	type started struct {
		p   *server.Process
		err error
	}
	done := make(chan started, 1)
	go func() {
		p, err := startNode(c, shares, figures)
		done <- started{p, err}
	}()
	select {
	case s := <-done:
		return s.p, s.err
	case <-ctx.Done():
	}
	select {
	case s := <-done:
		return s.p, s.err
	case <-time.After(handOverWait):
		return nil, fmt.Errorf("the node was stopped while it was starting: %w", ctx.Err())
	}
}

func startNode(c *deploy.Config, shares memory.Shares, figures *ops.Metrics) (*server.Process, error) {
	creds, err := credentials(c)
	if err != nil {
		return nil, err
	}
	if c.SQLListen != "" {
		if _, err := sqlConfig(c); err != nil {
			return nil, err
		}
		if err := checkFree(c.SQLListen); err != nil {
			return nil, err
		}
	}
	cfg := server.MemberConfig{
		Cluster: c.Cluster, Self: c.Node, Dir: c.Data, Listen: c.PeerListen,
		Credentials: creds, Spec: c.Spec(), WAN: c.Map(), Emulate: c.AddDelays, Join: c.Join, Metrics: figures, Memory: shares, Params: c.Params(),
	}
	cfg.VerifyEvery, cfg.VerifyRate = c.Verify()
	for _, n := range c.Nodes {
		cfg.Members = append(cfg.Members, server.Member{ID: n.ID, Region: n.Region, Address: n.Address, Gateway: n.Role == deploy.RoleGateway})
	}
	for _, s := range c.Sources {
		loaded, err := s.Load()
		if err != nil {
			return nil, err
		}
		cfg.Sources = append(cfg.Sources, loaded)
	}
	return server.StartProcess(cfg)
}

// checkFree checks that the MySQL port is free, before anything is started: it is opened when there
// is something to serve.
func checkFree(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("the MySQL port cannot be opened: %w (is this node running already? another address goes into sql_listen)", err)
	}
	return l.Close()
}

// handOverWait bounds how long a node that is stopped transfers its leaderships.
const handOverWait = 1500 * time.Millisecond

// serveNode opens the node to SQL clients when it is ready.
func serveNode(ctx context.Context, c *deploy.Config, p *server.Process, shares memory.Shares, figures *ops.Metrics, out io.Writer, asJSON bool) error {
	if err := p.AwaitReady(ctx); err != nil {
		return err
	}
	if c.SQLListen == "" {
		return serveSources(ctx, c, p, out, asJSON)
	}
	cfg, err := sqlConfig(c)
	if err != nil {
		return err
	}
	cfg.Observer, cfg.Memory, cfg.SpillDir = figures, clientMemory(shares), filepath.Join(c.Data, "spill")
	cfg.Slow = isosql.SlowLog{Threshold: c.Slow(), Log: slog.Default().With("node", c.Node)}
	s, err := isosql.NewServer(p.DB(), cfg)
	if err != nil {
		return err
	}
	figures.Serve(s)
	fmt.Fprintf(out, "node %d in %s is ready: MySQL at %s, other nodes at %s\n", c.Node, c.Region, s.Addr(), c.PeerListen)
	p.OnDrain(s.SetDraining)
	p.OnRemoved(s.SetLeft)
	p.OnRoot(s.SetRoot)
	countClients(p, s)
	select {
	case <-ctx.Done():
		handing(p.HandOver) // so that no client waits for an election
	case err = <-p.Failed():
	}
	figures.Serve(nil)
	err = errors.Join(err, within(closeWait, "the MySQL server", s.Close))
	if err == nil {
		handing(p.Settle) // so that no client waits for its clients' locks
	}
	return err
}

// handing does a part of handing over, bounded twice: a loop that waits for a disk which
// has failed never answers.
func handing(part func(context.Context)) {
	bounded, cancel := context.WithTimeout(context.Background(), handOverWait)
	defer cancel()
	_ = within(2*handOverWait, "handing over", func() error {
		part(bounded)
		return nil
	})
}

// closeWait bounds each part of a node's end: a disk that has failed may leave callers that are
// never woken.
const closeWait = 10 * time.Second

// within does something that ends, and does not wait longer than that for it.
func within(wait time.Duration, what string, end func() error) error {
	done := make(chan error, 1)
	go func() { done <- end() }()
	select {
	case err := <-done:
		return err
	case <-time.After(wait):
		slog.Warn("the node ends although a part of it does not", "part", what, "waited", wait)
		return nil
	}
}

// sqlConfig returns the configuration of a node's SQL port.
func sqlConfig(c *deploy.Config) (isosql.Config, error) {
	root, secure, err := c.SQL.Load(c.SQLListen)
	if err != nil {
		return isosql.Config{}, err
	}
	if root != "" {
		if err := sqlaccount.CheckVerifier(root); err != nil {
			return isosql.Config{}, fmt.Errorf("%s: %w", c.SQL.Root, err)
		}
	}
	timeout, delay, err := c.SQL.LoginTimes()
	if err != nil {
		return isosql.Config{}, err
	}
	variables, err := c.SQL.Variables()
	return isosql.Config{
		Variables:       variables,
		Unauthenticated: c.SQL.Unauthenticated, LoginTimeout: timeout, FailedLoginDelay: delay, Log: slog.Default().With("node", c.Node),
		Address: c.SQLListen, Root: root, TLS: secure, Connections: c.SQL.Connections, Running: c.SQL.Running,
		RequireTLS: c.SQL.Policy(c.SQLListen) == deploy.TLSRequired,
	}, err
}
