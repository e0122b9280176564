package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"isochron/geo"
	"isochron/routing"
	"isochron/server"
	"isochron/server/deploy"
	"isochron/server/peer"
	"isochron/txn"
)

func newAddNode() *cobra.Command {
	var region, host, out, caKey, role string
	var sqlHost string
	var peerPort, sqlPort, httpPort int
	var newRegion bool
	cmd := newOrder(&cobra.Command{
		Use:   "add-node",
		Short: "Add a node to a running cluster and write its files",
		Long: `Add-node adds a node to a running cluster: it gives the node a new id and writes its
certificate, configuration and data directory. It needs the certificate authority's key and
a majority of the nodes. Start the node afterwards: it stores the catalogue and serves
clients, and has no vote until replace-replica gives it another node's replicas. If the
command fails, run it again with the same address: it continues.`,
		Example: "  isochron add-node --config c/node1.yaml --region va --peer-port 4510 --sql-port 4610 --out c",
	}, time.Minute, func(ctx context.Context, o *operator) error {
		if region == "" || out == "" || peerPort == 0 || sqlPort == 0 {
			return usagef("--region, --peer-port, --sql-port and --out are needed (see isochron add-node --help)")
		}
		if role != "" && role != deploy.RoleGateway {
			return usagef("--role %q: give gateway, or leave it out for a node that may hold replicas", role)
		}
		if caKey == "" {
			caKey = filepath.Join(filepath.Dir(o.c.TLS.CA), "ca.key")
		}
		a := &deploy.Addition{Dir: out, From: o.c, Region: geo.Region(region), Role: role,
			Peers: net.JoinHostPort(host, strconv.Itoa(peerPort)), SQL: net.JoinHostPort(sqlHost, strconv.Itoa(sqlPort)), NewRegion: newRegion, HTTP: deploy.HTTPAt(httpPort, peerPort)}
		if err := a.Check(); err != nil {
			return usageError{err}
		}
		var err error
		if a.Authority, err = peer.LoadAuthority(o.c.Cluster, o.c.TLS.CA, caKey); err != nil {
			return err
		}
		if a.Clients, err = deploy.LoadClientAuthority(o.c.Cluster, filepath.Dir(caKey)); err != nil {
			return err
		}
		return o.addNode(ctx, a)
	})
	flags := cmd.Flags()
	flags.StringVar(&region, "region", "", "region of the node (required)")
	flags.StringVar(&host, "host", "127.0.0.1", "address at which the other nodes reach it")
	flags.IntVar(&peerPort, "peer-port", 0, "port for the other nodes (required)")
	flags.IntVar(&sqlPort, "sql-port", 0, "port for MySQL clients (required)")
	flags.StringVar(&sqlHost, "sql-host", "127.0.0.1", "address on which it listens for MySQL clients; 0.0.0.0: all")
	flags.IntVar(&httpPort, "http-port", 0, "port for metrics and health; 0: --peer-port + 200")
	flags.BoolVar(&newRegion, "new-region", false, "allow a region in which the cluster has no node")
	flags.StringVar(&role, "role", "", "gateway: the node serves SQL and never stores replicas; empty: it may store replicas")
	flags.StringVar(&out, "out", "", "directory for the node's files (required)")
	flags.StringVar(&caKey, "ca-key", "", "file with the certificate authority's key, in a directory with sql-ca.crt and sql-ca.key; empty: the ca.key beside the ca.crt of --config")
	return cmd
}

func (o *operator) addNode(ctx context.Context, a *deploy.Addition) error {
	path, err := o.write(ctx, a)
	if err != nil {
		return err
	}
	answered := initializedNode{Node: uint32(a.ID), Region: string(a.Region), Role: a.Role, Config: path, Peers: a.Peers, SQL: a.SQL}
	return o.report(answered, "node %d in %s is known to the cluster; start it: isochron start --config %s", a.ID, a.Region, path)
}

// write makes a node known to the cluster and writes its files; it returns its
// configuration's path.
func (o *operator) write(ctx context.Context, a *deploy.Addition) (string, error) {
	done, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderAddNode, Region: string(a.Region), Address: a.Peers, Gateway: a.Role == deploy.RoleGateway, Instead: uint32(a.Instead)})
	if err != nil {
		return "", err
	}
	if a.Instead != 0 && done.Node == uint32(a.Instead) {
		return "", fmt.Errorf("node %d cannot be rebuilt while nodes of an earlier version run: give them this version first", a.Instead)
	}
	a.ID = txn.NodeID(done.Node)
	a.From.Protocol = cmp.Or(done.Began, a.From.Protocol) // whatever the configuration has by now
	for _, n := range done.Directory.Nodes {
		if txn.NodeID(n.ID) == a.Instead {
			continue
		}
		m := server.MemberOf(n, addresses(o.c))
		a.Nodes = append(a.Nodes, deploy.Node{ID: m.ID, Region: m.Region, Address: m.Address, Role: roleOf(n)})
	}
	return a.Write()
}

// roleOf is the role of a node of the directory, as configurations have it.
func roleOf(n routing.Node) string {
	if n.Gateway {
		return deploy.RoleGateway
	}
	return ""
}

func newReplaceReplica() *cobra.Command {
	var from, to uint32
	var shard uint64
	cmd := newOrder(&cobra.Command{
		Use:   "replace-replica",
		Short: "Move the replicas of one node to another",
		Long: `Replace-replica moves the replicas of node --from to node --to, in every shard in which
--from has a vote. The new replica first receives all data of the shard; then one change of
members gives it the vote and takes it from the old replica. The desired state is recorded
before the shards' leaders carry it out: if the command fails, run it again and it waits
for the rest.`,
		Example: "  isochron replace-replica --config c/node1.yaml --from 3 --to 6",
	}, 30*time.Minute, func(ctx context.Context, o *operator) error {
		if from == 0 || to == 0 {
			return usagef("--from and --to are needed: which node goes, and which takes its place")
		}
		return o.replace(ctx, from, to, shard)
	})
	cmd.Flags().Uint32Var(&from, "from", 0, "id of the node that loses its replicas (required)")
	cmd.Flags().Uint32Var(&to, "to", 0, "id of the node that receives them (required)")
	cmd.Flags().Uint64Var(&shard, "shard", 0, "id of the only shard to move; 0: all shards")
	return cmd
}

func (o *operator) replace(ctx context.Context, from, to uint32, shard uint64) error {
	now, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderDirectory})
	if err != nil {
		return err
	}
	if err := o.mayReplace(ctx, now.Directory, from, to, shard); err != nil {
		return err
	}
	done, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderReplace, Node: from, To: to, Shard: shard})
	if err != nil {
		return err
	}
	var changing []routing.Shard
	for _, s := range done.Directory.Shards {
		if slices.Contains(s.Replicas, to) && (shard == 0 || s.ID == shard) {
			changing = append(changing, s)
		}
	}
	if len(changing) == 0 {
		return fmt.Errorf("node %d has no replica to give, and node %d has none", from, to)
	}
	if err := o.awaitMembers(ctx, done.Directory, changing); err != nil {
		return err
	}
	return o.report(map[string]any{"from": from, "to": to, "shards": len(changing)},
		"node %d replaces node %d in %d shards", to, from, len(changing))
}

// mayReplace refuses what could not be carried out, before anything is written.
func (o *operator) mayReplace(ctx context.Context, d *routing.Directory, from, to uint32, shard uint64) error {
	reports := o.reports(ctx, d)
	if _, up := reports[to]; !up {
		return fmt.Errorf("node %d does not answer: start it first, nothing was changed", to)
	}
	for _, s := range d.Shards {
		if !slices.Contains(s.Replicas, from) || shard != 0 && s.ID != shard {
			continue
		}
		up := 0
		for _, n := range s.Replicas {
			if _, ok := reports[n]; ok {
				up++
			}
		}
		if 2*up <= len(s.Replicas) {
			return fmt.Errorf("only %d of the %d replicas of shard %d are up, and a change takes a majority; nothing was changed, start more of the nodes %v",
				up, len(s.Replicas), s.ID, s.Replicas)
		}
	}
	return nil
}

// awaitMembers waits until the shards have the desired members.
func (o *operator) awaitMembers(ctx context.Context, d *routing.Directory, shards []routing.Shard) error {
	output := ""
	for {
		reports := o.reports(ctx, d)
		left, first := 0, ""
		for _, s := range shards {
			if state := memberState(reports, s); state != "" {
				if left++; first == "" {
					first = state
				}
			}
		}
		if left == 0 {
			return nil
		}
		if line := fmt.Sprintf("%d of %d shards done; %s", len(shards)-left, len(shards), first); line != output {
			output = line
			o.log(line)
		}
		if err := pause(ctx); err != nil {
			return errors.Join(err, errors.New(output))
		}
	}
}

// memberState describes the next step of a shard's change; "" if it has the desired members.
func memberState(reports map[uint32]server.Report, s routing.Shard) string {
	_, have, ok := leading(reports, s.ID)
	switch {
	case !ok:
		return fmt.Sprintf("shard %d has no leader at present", s.ID)
	case sameMembers(have, s):
		return ""
	case len(have.Outgoing) > 0:
		return fmt.Sprintf("shard %d changes its votes from %v to %v", s.ID, have.Outgoing, have.Voters)
	}
	return fmt.Sprintf("shard %d has voters %v and learners %v, desired voters: %v", s.ID, have.Voters, have.Learners, s.Replicas)
}

func newRemoveNode() *cobra.Command {
	var node uint32
	cmd := newOrder(&cobra.Command{
		Use:   "remove-node",
		Short: "Remove a node that has no voting replica",
		Long: `Remove-node removes a node from the cluster permanently: the others refuse it from then
on, and its id is not used again. Move its replicas first (isochron replace-replica).`,
		Example: "  isochron remove-node --config c/node1.yaml --node 3",
	}, time.Minute, func(ctx context.Context, o *operator) error {
		if node == 0 {
			return usagef("--node is missing: name the node to remove")
		}
		if _, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderRemove, Node: node}); err != nil {
			return err
		}
		return o.report(map[string]any{"removed": node}, "node %d is not of the cluster any more", node)
	})
	cmd.Flags().Uint32Var(&node, "node", 0, "id of the node (required)")
	return cmd
}
