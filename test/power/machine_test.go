package power

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/server"
	"isochron/server/deploy"
	"isochron/server/disk"
	"isochron/server/disk/disktest"
	"isochron/server/memory"
	"isochron/server/peer"
	"isochron/server/ports"
	"isochron/sql"
	"isochron/sql/account"
)

// machine is one cluster whose nodes share a disk, and so a power line.
type machine struct {
	disk  *disktest.Disk
	nodes []*member
}

// member is a node that runs.
type member struct {
	config *deploy.Config
	core   *server.Process
	port   *sql.Server
}

// clusterDir is the cluster's directory on a disk.
func clusterDir(d *disktest.Disk) string { return filepath.Join(d.Dir(), "etc", "c") }

// plan is of a cluster with so many regions of one node.
func plan(d *disktest.Disk, n int) (deploy.Plan, error) {
	p := deploy.Plan{Dir: clusterDir(d), Disk: d, NodesPerRegion: 1, Host: "127.0.0.1", Protocol: protocol.Default}
	for i := range n {
		p.Regions = append(p.Regions, geo.Region(fmt.Sprintf("r%d", i+1)))
	}
	c, err := ports.Take(n, 100, 200)
	if err != nil {
		return p, err
	}
	p.BasePort = c.Base
	return p, nil
}

// params have nodes find a leader, and finish what a lost one began, sooner than nodes that
// are far apart may.
var params = node.Params{
	HeartbeatInterval: 60 * time.Millisecond, ElectionTimeout: 500 * time.Millisecond,
	StatusQueryAfter: 700 * time.Millisecond, RecoverAfter: time.Second,
}

// startWait bounds a start, on the slowest machine.
const startWait = time.Minute

// start starts all nodes that the disk has, as isochron start does.
func start(d *disktest.Disk) (*machine, error) {
	m := &machine{disk: d}
	configs, err := filepath.Glob(filepath.Join(clusterDir(d), "node*.yaml"))
	if err == nil && len(configs) == 0 {
		err = errors.New("the disk holds no cluster")
	}
	for _, path := range configs {
		if err == nil {
			err = m.startNode(path)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	for _, n := range m.nodes {
		if err == nil {
			err = n.core.AwaitReady(ctx)
		}
	}
	for _, n := range m.nodes {
		if err == nil {
			err = n.serve()
		}
	}
	if err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *machine) startNode(path string) error {
	n, err := startOn(m.disk, path)
	if err == nil {
		m.nodes = append(m.nodes, n)
	}
	return err
}

// startOn starts the node of a configuration on a disk.
func startOn(d disk.Disk, path string) (*member, error) {
	c, err := deploy.Read(path)
	if err != nil {
		return nil, err
	}
	creds, err := peer.LoadCredentials(c.Cluster, c.Node, c.TLS.CA, c.TLS.Certificate, c.TLS.Key)
	if err != nil {
		return nil, err
	}
	shares, err := memory.Divide(memory.Least) // small tables: they are flushed now and then
	if err != nil {
		return nil, err
	}
	cfg := server.MemberConfig{
		Cluster: c.Cluster, Self: c.Node, Dir: c.Data, Disk: d, Listen: c.PeerListen, Credentials: creds,
		Spec: c.Spec(), WAN: c.Map(), Emulate: c.AddDelays, Join: c.Join, Memory: shares, Params: params, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	for _, n := range c.Nodes {
		cfg.Members = append(cfg.Members, server.Member{ID: n.ID, Region: n.Region, Address: n.Address})
	}
	core, err := server.StartProcess(cfg)
	if err != nil {
		return nil, err
	}
	return &member{config: c, core: core}, nil
}

// serve opens the node to SQL clients.
func (n *member) serve() error {
	root, secure, err := n.config.SQL.Load(n.config.SQLListen)
	if err != nil {
		return err
	}
	if err := account.CheckVerifier(root); err != nil {
		return err
	}
	n.port, err = sql.NewServer(n.core.DB(), sql.Config{Address: n.config.SQLListen, Root: root, TLS: secure})
	return err
}

// close ends the nodes, whose disk must not keep them waiting.
func (m *machine) close() error {
	var errs []error
	for _, n := range m.nodes {
		if n.port != nil {
			errs = append(errs, n.port.Close())
		}
	}
	for _, n := range m.nodes {
		errs = append(errs, n.core.Close())
	}
	return errors.Join(errs...)
}

// failure returns a node's failure, if one has failed.
func (m *machine) failure() error {
	for _, n := range m.nodes {
		select {
		case err := <-n.core.Failed():
			return fmt.Errorf("node %d failed: %w", n.config.Node, err)
		default:
		}
	}
	return nil
}

// addresses are those for SQL clients.
func (m *machine) addresses() (out []string) {
	for _, n := range m.nodes {
		out = append(out, n.config.SQLListen)
	}
	return out
}

// password is root's, as init wrote it.
func (m *machine) password() (string, error) {
	b, err := os.ReadFile(filepath.Join(clusterDir(m.disk), "root.password"))
	return strings.TrimSpace(string(b)), err
}
