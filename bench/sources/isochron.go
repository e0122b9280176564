package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/bench/process"
	"isochron/server/sourcedb/sourcetest"
	"isochron/sqlload"
	"isochron/test/faults"
)

// isochron is a gateway with an agent beside each database, on a row of the protocol table. The
// delays are those of its own transport, between the gateway and each agent and among agents; to
// its database an agent has none. The decision is logged by the one node that holds data, where
// the clients are, as the other systems log theirs.
type isochron struct {
	spec string
	// packet has clients send the statements of a transaction in one message, the last one
	// marked, as GeoTP's clients do; otherwise they speak to it as to the others.
	packet bool
	// locks makes clients work at READ COMMITTED with explicit locking reads, as ShardingSphere's
	// clients do over PostgreSQL: there a transaction that waited for a row continues, where
	// SERIALIZABLE refuses it.
	locks bool
}

func (isochron) can(string) bool { return true }

func (i isochron) start(ctx context.Context, c config, d *deployment) (*running, error) {
	dir, err := os.MkdirTemp("", "isochron-sources-")
	if err != nil {
		return nil, err
	}
	n := &nodes{program: c.Program, dir: dir}
	r, err := n.begin(ctx, c, d, i.spec)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, n.output()), n.stop())
	}
	if i.locks {
		r.target.Isolation, r.options.ReadLock = "READ COMMITTED", " FOR SHARE"
	}
	r.options.Packet, r.options.Hint, r.target.Several = i.packet, i.packet, i.packet
	return r, nil
}

// nodes are the processes of one cluster.
type nodes struct {
	program, dir string
	running      []*process.Process
}

func (n *nodes) stop() error {
	for i := len(n.running) - 1; i >= 0; i-- { // the node with the data is the last to go
		n.running[i].End(syscall.SIGTERM)
	}
	return os.RemoveAll(n.dir)
}

func (n *nodes) spawn(args ...string) (*process.Process, error) {
	p, err := process.Spawn(filepath.Join(n.dir, fmt.Sprint("log", len(n.running))), n.dir, n.program, args...)
	if err == nil {
		n.running = append(n.running, p)
	}
	return p, err
}

// output returns the last output of the processes.
func (n *nodes) output() string {
	var all []string
	for _, p := range n.running {
		all = append(all, p.Tail())
	}
	return strings.Join(all, "\n")
}

// begin starts the cluster and its agents, and lays the tables over the sources.
func (n *nodes) begin(ctx context.Context, c config, d *deployment, row string) (*running, error) {
	base, err := faults.FreePorts(2 + sources)
	if err != nil {
		return nil, err
	}
	wan, err := c.Map.WAN()
	if err != nil {
		return nil, err
	}
	files := filepath.Join(n.dir, "c")
	out, err := exec.CommandContext(ctx, n.program, "init", "--dir", files, "--regions", string(wan.Regions[0]), "--wan", c.Map.Name, "--wan-scale", fmt.Sprint(c.Map.Scale),
		"--base-port", fmt.Sprint(base), "--protocol", row).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("isochron init: %w: %s", err, out)
	}
	config := filepath.Join(files, "node1.yaml")
	if c.Hold {
		if err := profiled(config); err != nil {
			return nil, err
		}
	}
	gateway, err := n.spawn("start", "--config", config)
	if err != nil {
		return nil, err
	}
	r, err := doorOf(files, config)
	if err != nil {
		return nil, err
	}
	r.stop, r.log, r.pids = n.stop, n.output, []int{gateway.Pid()}
	if err := gateway.Await(ctx, "isochron", func(ctx context.Context) error {
		return r.exec(ctx, "CREATE DATABASE IF NOT EXISTS "+r.target.Database)
	}); err != nil {
		return nil, err
	}
	password := filepath.Join(n.dir, "source.password")
	if err := os.WriteFile(password, []byte(sourcetest.Password+"\n"), 0o600); err != nil {
		return nil, err
	}
	var names, bounds []string
	for i, s := range d.servers {
		name, address := fmt.Sprint("s", i), s.URL()
		if c.Sockets {
			address = s.SocketURL()
		}
		agent, err := n.spawn("agent", "--join", config, "--name", name, "--source", withoutPassword(address), "--password-file", password,
			"--region", string(wan.Regions[i]), "--peer-port", fmt.Sprint(base+1+i), "--out", files, "--connections", fmt.Sprint(clientsMax))
		if err != nil {
			return nil, err
		}
		r.agents = append(r.agents, agent.Pid())
		if names = append(names, name); i > 0 {
			bounds = append(bounds, fmt.Sprint(i*d.rows))
		}
	}
	for _, t := range []struct{ name, key string }{{"transfer_accounts", "id"}, {"ycsb_records", "ycsb_key"}} {
		text := fmt.Sprintf("CALL isochron.import_sharded_table('%s.%s', '%s', 'range', '%s', '%s')", r.target.Database, t.name, t.key, strings.Join(names, ","), strings.Join(bounds, ","))
		if err := gateway.Await(ctx, "isochron with its sources", func(ctx context.Context) error { return r.exec(ctx, text) }); err != nil {
			return nil, err
		}
	}
	return r, r.answers(ctx)
}

// profiled has a node, and the agents that join it, show profiles beside their figures.
func profiled(config string) error {
	f, err := os.OpenFile(config, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\nhttp_profiles: true\n")
	return errors.Join(err, f.Close())
}

// doorOf returns the address for clients of a node, as root.
func doorOf(files, config string) (*running, error) {
	address, password, err := process.Door(files, config)
	if err != nil {
		return nil, err
	}
	return &running{target: sqlload.Target{Addresses: []string{address}, User: "root", Password: password, Database: "bench"}}, nil
}

// exec runs one statement.
func (r *running) exec(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.Logger = r.target.User, r.target.Password, "tcp", r.target.Addresses[0], &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	_, err = db.ExecContext(ctx, text)
	return errors.Join(err, db.Close())
}

// withoutPassword is an address as agents take it.
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.User = url.User(u.User.Username())
	return u.String()
}
