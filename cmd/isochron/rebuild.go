package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"isochron/routing"
	"isochron/server"
	"isochron/server/deploy"
	"isochron/server/memory"
	"isochron/server/peer"
)

func newRebuild() *cobra.Command {
	var config, caKey, mem string
	var stop bool
	var logs logFlags
	cmd := &cobra.Command{
		Use:   "rebuild",
		Short: "Replace a node whose data is damaged or lost",
		Long: `Rebuild replaces a node whose data is damaged or lost, on its machine. It adds a new node
with the same region and addresses, starts it, waits until it has received all data of the
old node from the others, and removes the old node from the cluster. The new node has a new
id, because the old one's votes and promises are lost; it votes only when it has all data.
A majority of the other nodes must be up, and the certificate authority's key is needed.
The old directory is not changed.

Afterwards it serves as isochron start does until it is stopped; with --stop it exits. From
then on, start the node with the configuration that the command prints. If the command fails,
run it again and it continues.`,
		Example: "  isochron rebuild --config c/node3.yaml",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := readConfig(config)
			if err != nil {
				return err
			}
			if err := logs.set(cmd.ErrOrStderr()); err != nil {
				return err
			}
			shares, err := divideMemory(mem, c)
			if err != nil {
				return err
			}
			creds, err := credentials(c)
			if err != nil {
				return err
			}
			r := rebuild{old: &operator{c: c, creds: creds, out: cmd.OutOrStdout()}, shares: shares, stop: stop}
			return r.run(cmd.Context(), filepath.Dir(config), caKey)
		},
	}
	cmd.Flags().StringVar(&config, "config", "", "configuration file of the damaged node, a nodeN.yaml (required)")
	cmd.Flags().StringVar(&caKey, "ca-key", "", "file with the certificate authority's key, in a directory with sql-ca.crt and sql-ca.key; empty: the ca.key beside the ca.crt of --config")
	cmd.Flags().StringVar(&mem, "memory", "", "memory limit, in bytes or as part of the machine's memory, such as 2GB or 25%")
	cmd.Flags().BoolVar(&stop, "stop", false, "exit when the node has all data, to start it by other means")
	logs.add(cmd)
	return cmd
}

// rebuild puts a new node in the place of one.
type rebuild struct {
	old    *operator // with the certificate of the old node
	shares memory.Shares
	stop   bool
}

func (r *rebuild) run(ctx context.Context, dir, caKey string) error {
	a, err := r.addition(dir, caKey)
	if err != nil {
		return err
	}
	if _, err := server.AskReport(ctx, r.old.creds, server.Member{ID: r.old.c.Node, Address: a.Peers}); err == nil {
		return fmt.Errorf("node %d runs, and answers: only one that is damaged is rebuilt; nothing was changed", r.old.c.Node)
	}
	path, err := r.old.write(ctx, a)
	if err != nil {
		return err
	}
	c, err := deploy.Read(path)
	if err != nil {
		return err
	}
	creds, err := credentials(c)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	serving := make(chan error, 1)
	go func() { serving <- runNode(ctx, c, r.shares, r.old.out, false) }()
	placed := make(chan error, 1)
	go func() {
		placed <- r.place(ctx, &operator{c: c, creds: creds, out: r.old.out}, uint32(r.old.c.Node), uint32(c.Node), path)
	}()
	select {
	case err := <-serving:
		return errors.Join(err, fmt.Errorf("node %d is not yet in the place of node %d: give the command again to continue", c.Node, r.old.c.Node))
	case err = <-placed:
	}
	if err != nil || r.stop {
		end()
	}
	return errors.Join(err, <-serving)
}

// addition is the new node, with the files of the old one beside it.
func (r *rebuild) addition(dir, caKey string) (*deploy.Addition, error) {
	c := r.old.c
	at := slices.IndexFunc(c.Nodes, func(n deploy.Node) bool { return n.ID == c.Node })
	if at < 0 {
		return nil, fmt.Errorf("node %d is not one of the nodes of its own configuration", c.Node)
	}
	if c.Nodes[at].Role == deploy.RoleGateway {
		return nil, usagef("node %d is a gateway and holds no data: delete its data directory, and start it", c.Node)
	}
	if caKey == "" {
		caKey = filepath.Join(filepath.Dir(c.TLS.CA), "ca.key")
	}
	a := &deploy.Addition{Dir: dir, From: c, Region: c.Region, Peers: c.Nodes[at].Address, Listen: c.PeerListen, SQL: c.SQLListen, HTTP: c.HTTPListen,
		Sources: c.Sources, Instead: c.Node}
	var err error
	if a.Authority, err = peer.LoadAuthority(c.Cluster, c.TLS.CA, caKey); err != nil {
		return nil, err
	}
	if a.Clients, err = deploy.LoadClientAuthority(c.Cluster, filepath.Dir(caKey)); err != nil {
		return nil, err
	}
	return a, nil
}

// place has the new node take all that the old one held, and the old one removed.
func (r *rebuild) place(ctx context.Context, o *operator, from, to uint32, path string) error {
	d, err := r.await(ctx, o, to)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(d.Shards, func(s routing.Shard) bool { return slices.Contains(s.Replicas, from) }) {
		if err := o.replace(ctx, from, to, 0); err != nil {
			return err
		}
	}
	if _, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderRemove, Node: from}); err != nil {
		return err
	}
	return o.report(nil, "node %d has all that node %d held, and is in its place; from now on: isochron start --config %s", to, from, path)
}

// await waits until the new node is up, and is the directory then.
func (r *rebuild) await(ctx context.Context, o *operator, node uint32) (*routing.Directory, error) {
	for {
		now, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderDirectory})
		if err != nil {
			return nil, err
		}
		if report, up := o.reports(ctx, now.Directory)[node]; up && report.Ready {
			return now.Directory, nil
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}
