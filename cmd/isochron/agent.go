package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"isochron/geo"
	"isochron/server"
	"isochron/server/deploy"
	"isochron/server/peer"
)

// agentFlags are the flags of agent as given.
type agentFlags struct {
	config, join, region, host, out, caKey string
	source                                 deploy.Source
	peerPort, httpPort                     int
	newRegion                              bool
	memory                                 string
	json                                   bool
	logs                                   logFlags
}

func newAgent() *cobra.Command {
	var f agentFlags
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Run the agent of an external PostgreSQL, MariaDB or MySQL database",
		Long: `Agent runs beside an external database and makes it a source of the cluster: transactions
can span it, other sources and the cluster's own tables. It needs an ordinary account there,
and on PostgreSQL max_prepared_transactions above 0.

With --join it adds itself to a running cluster as a node without data and writes its files
to --out; run it again with the same flags after a failure. With --config it runs an agent
that init or an earlier --join has created.

The password is read from --password-file or from the environment variable
ISOCHRON_SOURCE_PASSWORD; an address that contains a password is refused. The database must
be reachable when the agent joins. Later the agent reconnects when the database is back, and
the rest of the cluster does not wait for it.`,
		Example: `  isochron agent --join c/node1.yaml --name orders --source postgres://app@127.0.0.1:5432/shop \
    --password-file orders.password --region eu --peer-port 4510 --out c
  isochron agent --config c/node6.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "configuration file of an existing agent, a nodeN.yaml with sources")
	flags.StringVar(&f.join, "join", "", "configuration file of any node of the cluster to join")
	flags.StringVar(&f.source.Name, "name", "", "name of the database in the cluster (with --join)")
	flags.StringVar(&f.source.Address, "source", "", "address of the database: postgres://user@host:port/database or mysql://user@host:port/database, with ?host=/directory or ?socket=/path for a socket (with --join)")
	flags.StringVar(&f.source.PasswordFile, "password-file", "", "file with the account's password, one line")
	flags.IntVar(&f.source.Connections, "connections", 0, "maximum number of connections to the database; 0: 64")
	flags.StringVar((*string)(&f.source.Isolation), "isolation", "", "how SERIALIZABLE is kept at a PostgreSQL: locks (the default; over all sources) or serializable (PostgreSQL's own level, within it only)")
	flags.DurationVar(&f.source.DeadlockAfter, "deadlock-after", 0, "lock wait after which deadlocks over several databases are searched for; 0: 100ms; -1s: never")
	flags.StringVar(&f.region, "region", "", "region of the agent (with --join)")
	flags.StringVar(&f.host, "host", "127.0.0.1", "address at which the other nodes reach the agent")
	flags.IntVar(&f.peerPort, "peer-port", 0, "port for the other nodes (with --join)")
	flags.IntVar(&f.httpPort, "http-port", 0, "port for metrics and health (with --join); 0: --peer-port + 200")
	flags.BoolVar(&f.newRegion, "new-region", false, "allow a region in which the cluster has no node (with --join)")
	flags.StringVar(&f.out, "out", "", "directory for the agent's files (with --join)")
	flags.StringVar(&f.caKey, "ca-key", "", "file with the certificate authority's key (with --join); empty: the ca.key beside the ca.crt of --join")
	flags.StringVar(&f.memory, "memory", "", "memory limit, in bytes or as part of the machine's memory, such as 1GB or 10%")
	flags.BoolVar(&f.json, "json", false, "report readiness as one JSON object and print nothing else")
	f.logs.add(cmd)
	return cmd
}

// run joins the cluster, if requested, and runs the agent.
func (f *agentFlags) run(ctx context.Context, out, stderr io.Writer) error {
	switch {
	case (f.config == "") == (f.join == ""):
		return usagef("give --config for an agent that was made, or --join to make one (see isochron agent --help)")
	case f.config != "" && (f.source != deploy.Source{}):
		return usagef("the source is described in the configuration: leave --name, --source, --password-file and --connections out, or give --join")
	}
	if err := f.logs.set(stderr); err != nil {
		return err
	}
	config := f.config
	if f.join != "" {
		var err error
		if config, err = f.joins(ctx, out); err != nil {
			return err
		}
	}
	c, err := readConfig(config)
	if err != nil {
		return err
	}
	if len(c.Sources) == 0 {
		return usagef("%s names no sources: it is no agent's", config)
	}
	c.SQLListen, c.SQL = "", deploy.SQL{} // it receives no SQL clients, whatever else it could
	shares, err := divideMemory(f.memory, c)
	if err != nil {
		return err
	}
	shares.Collect(ctx.Done())
	return runNode(ctx, c, shares, out, f.json)
}

// joinWait bounds the joining of a cluster, which takes a majority of its nodes.
const joinWait = time.Minute

// joins makes the agent known to a cluster and writes its files, and returns its configuration.
func (f *agentFlags) joins(ctx context.Context, out io.Writer) (string, error) {
	if f.source.Name == "" || f.source.Address == "" || f.region == "" || f.peerPort == 0 || f.out == "" {
		return "", usagef("--name, --source, --region, --peer-port and --out are needed beside --join (see isochron agent --help)")
	}
	if err := f.source.Check(); err != nil {
		return "", usageError{err}
	}
	if p := f.source.PasswordFile; p != "" { // the configuration's paths are relative to it
		abs, err := filepath.Abs(p)
		if err != nil {
			return "", err
		}
		f.source.PasswordFile = abs
	}
	if _, err := f.source.Load(); err != nil {
		return "", usageError{err}
	}
	c, err := readConfig(f.join)
	if err != nil {
		return "", err
	}
	creds, err := credentials(c)
	if err != nil {
		return "", err
	}
	caKey := f.caKey
	if caKey == "" {
		caKey = filepath.Join(filepath.Dir(c.TLS.CA), "ca.key")
	}
	a := &deploy.Addition{Dir: f.out, From: c, Region: geo.Region(f.region), Role: deploy.RoleGateway, Sources: []deploy.Source{f.source},
		Peers: net.JoinHostPort(f.host, strconv.Itoa(f.peerPort)), NewRegion: f.newRegion, HTTP: deploy.HTTPAt(f.httpPort, f.peerPort)}
	if err := a.Check(); err != nil {
		return "", usageError{err}
	}
	if a.Authority, err = peer.LoadAuthority(c.Cluster, c.TLS.CA, caKey); err != nil {
		return "", err
	}
	if err := f.canRun(ctx, a); err != nil {
		return "", err
	}
	late := fmt.Errorf("the cluster has not admitted the agent within %v; run the command again to continue", joinWait)
	ctx, cancel := context.WithTimeoutCause(ctx, joinWait, late)
	defer cancel()
	o := &operator{c: c, creds: creds, out: out, json: f.json}
	path, err := o.write(ctx, a)
	if err == nil {
		o.log(fmt.Sprintf("node %d in %s is known to the cluster; its configuration is %s", a.ID, a.Region, path))
	}
	return path, err
}

// sourceWait bounds what the database may take to answer before the cluster is asked.
const sourceWait = 15 * time.Second

// canRun looks whether the agent will run here, before the cluster knows of it: a node that
// never starts would stay in its list.
func (f *agentFlags) canRun(ctx context.Context, a *deploy.Addition) error {
	const nothing = "nothing was made known to the cluster: %w"
	ctx, cancel := context.WithTimeout(ctx, sourceWait)
	defer cancel()
	if err := f.source.Reach(ctx, a.From.Cluster); err != nil {
		return fmt.Errorf(nothing, err)
	}
	for _, address := range []string{a.Peers, a.HTTP} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return fmt.Errorf(nothing, err)
		}
		_ = l.Close()
	}
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return fmt.Errorf(nothing, err)
	}
	return nil
}

// serveSources runs a node that receives no SQL clients until ctx ends or the node fails.
func serveSources(ctx context.Context, c *deploy.Config, p *server.Process, out io.Writer, asJSON bool) error {
	var names []string
	for _, s := range c.Sources {
		names = append(names, s.Name)
	}
	if asJSON { // an unread output does not concern the agent
		_ = json.NewEncoder(out).Encode(map[string]any{"node": c.Node, "region": c.Region, "sources": names, "peer_listen": c.PeerListen, "http_listen": c.HTTPListen})
	} else {
		fmt.Fprintf(out, "node %d in %s is ready: agent of %s, other nodes at %s\n", c.Node, c.Region, strings.Join(names, ", "), c.PeerListen)
	}
	var err error
	select {
	case <-ctx.Done():
		handing(p.HandOver)
	case err = <-p.Failed():
	}
	if err == nil {
		handing(p.Settle)
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
