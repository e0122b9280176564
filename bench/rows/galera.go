package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"isochron/bench/process"
)

// galera is a Galera cluster with a node at each region of a site.
type galera struct {
	wan  string // bench/wan as a program
	site site
}

// loading is one node by itself, with what would be safe left out.
func (g galera) loading(ctx context.Context, dir string) (*server, error) {
	data := filepath.Join(dir, "data")
	if _, err := os.Stat(data); err != nil {
		if err := os.MkdirAll(dir, 0o711); err != nil {
			return nil, err
		}
		if _, err := output(ctx, time.Minute, nil, "mariadb-install-db", "--no-defaults", "--user="+owner(), "--datadir="+data,
			"--auth-root-authentication-method=normal", "--skip-test-db"); err != nil {
			return nil, err
		}
	}
	return g.alone(ctx, dir, data, "--innodb-flush-log-at-trx-commit=0")
}

// owner is the user of a server: never root.
func owner() string {
	if _, err := user.Lookup("mysql"); err == nil {
		return "mysql"
	}
	return "nobody"
}

// alone starts a cluster of one node.
func (g galera) alone(ctx context.Context, dir, data string, more ...string) (*server, error) {
	port, err := portsInRow(1)
	if err != nil {
		return nil, err
	}
	args := append(nodeFlags(data), "--wsrep-new-cluster", "--wsrep-cluster-address=gcomm://", "--wsrep-node-address=127.0.0.1", "--skip-networking",
		fmt.Sprintf("--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:%d", port))
	p, err := process.Spawn(dir+".log", "", "mariadbd", append(args, more...)...)
	if err != nil {
		return nil, err
	}
	s := &server{addresses: []string{filepath.Join(data, "sock")}, stop: func() error { p.End(syscall.SIGTERM); return nil }}
	return s, s.ready(ctx, p, galeraRow)
}

// nodeFlags are what all nodes have. Every commit is on disk before it is acknowledged.
func nodeFlags(data string) []string {
	return []string{"--no-defaults", "--user=" + owner(), "--datadir=" + data, "--socket=" + filepath.Join(data, "sock"), "--pid-file=" + filepath.Join(data, "pid"),
		"--innodb-flush-log-at-trx-commit=1", "--innodb-buffer-pool-size=512M", "--innodb-autoinc-lock-mode=2", "--binlog-format=ROW",
		"--wsrep-auto-increment-control=OFF", "--max-connections=2000", "--wsrep-on=ON", "--wsrep-provider=/usr/lib/galera/libgalera_smm.so",
		"--wsrep-cluster-name=rows", "--wsrep-sst-method=rsync", "--wsrep-slave-threads=4"}
}

// clone gives each node the same data at the same position, so that none must be sent any.
func (g galera) clone(from, to string) error {
	n, err := g.site.regions()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o711); err != nil {
		return err
	}
	for i := 1; i <= n; i++ {
		if _, err := output(context.Background(), 10*time.Minute, nil, "cp", "-a", filepath.Join(from, "data"), node(to, i)); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(node(to, i), "galera.cache")); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	text, err := os.ReadFile(filepath.Join(from, loadedFile))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, loadedFile), text, 0o600)
}

func node(dir string, i int) string { return filepath.Join(dir, fmt.Sprint("node", i)) }

// start starts all nodes, each in a namespace of its own.
func (g galera) start(ctx context.Context, dir string) (*server, error) {
	n, err := g.site.regions()
	if err != nil {
		return nil, err
	}
	if n == 1 {
		return g.alone(ctx, dir, node(dir, 1))
	}
	sites, world, err := g.open(ctx, dir)
	if err != nil {
		return nil, err
	}
	var nodes []*process.Process
	s := &server{stop: func() error {
		for i := len(nodes) - 1; i >= 0; i-- { // the first is the last, and may begin again
			nodes[i].End(syscall.SIGTERM)
		}
		world.End(syscall.SIGINT)
		return nil
	}}
	var all []string
	for i := 1; i <= n; i++ {
		all = append(all, sites[fmt.Sprint("WAN_IP_", i)])
	}
	for i := 1; i <= n; i++ {
		data := node(dir, i)
		args := append([]string{"netns", "exec", sites[fmt.Sprint("WAN_NS_", i)], "mariadbd"}, nodeFlags(data)...)
		args = append(args, "--skip-networking", "--wsrep-node-address="+all[i-1], "--wsrep-cluster-address=gcomm://"+strings.Join(all, ","))
		if i == 1 {
			args = append(args, "--wsrep-new-cluster")
		}
		p, err := process.Spawn(fmt.Sprintf("%s-%d.log", dir, i), "", "ip", args...)
		if err != nil {
			return nil, errors.Join(err, s.stop())
		}
		nodes = append(nodes, p)
		s.addresses = append(s.addresses, filepath.Join(data, "sock"))
		err = p.Await(ctx, "a node of Galera", func(ctx context.Context) error { return s.joined(ctx, i) })
		if err != nil {
			return nil, errors.Join(err, s.stop())
		}
	}
	return s, nil
}

// joined waits until the latest node has found the others.
func (s *server) joined(ctx context.Context, nodes int) error {
	at := s.addresses[nodes-1]
	return errors.Join(s.want(ctx, at, "SHOW STATUS LIKE 'wsrep_cluster_size'", fmt.Sprint(nodes)), s.want(ctx, at, "SHOW STATUS LIKE 'wsrep_ready'", "ON"))
}

// open makes the namespaces; they are gone when the process is ended.
func (g galera) open(ctx context.Context, dir string) (sites map[string]string, world *process.Process, err error) {
	list := dir + ".sites"
	if err := os.RemoveAll(list); err != nil {
		return nil, nil, err
	}
	world, err = process.Spawn(dir+".log", "", g.wan, "--map", g.site.wan, "--map-scale", fmt.Sprint(g.site.scale),
		"sh", "-c", `env | grep ^WAN_ > "$0.new" && mv "$0.new" "$0" && exec sleep infinity`, list)
	if err != nil {
		return nil, nil, err
	}
	err = world.Await(ctx, "the network", func(context.Context) error {
		text, err := os.ReadFile(list)
		sites = map[string]string{}
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			sites[name] = value
		}
		return err
	})
	if err != nil {
		world.End(syscall.SIGINT)
		return nil, nil, err
	}
	return sites, world, nil
}
