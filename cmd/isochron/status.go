package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"isochron/routing"
	"isochron/server"
	"isochron/server/deploy"
	"isochron/server/peer"
	"isochron/txn"
)

// clusterStatus is the JSON output of status.
type clusterStatus struct {
	Cluster  string            `json:"cluster"`
	Protocol string            `json:"protocol"`        // in force
	Change   *routing.Protocol `json:"protocol_change"` // the last one, or the one under way
	Nodes    []nodeStatus      `json:"nodes"`
	Shards   []shardStatus     `json:"shards"`
	InDoubt  []inDoubt         `json:"in_doubt"` // the oldest of each replica
	Sources  []sourceStatus    `json:"sources"`  // external databases
}

// inDoubt is a transaction that has voted somewhere and has no decision there.
type inDoubt struct {
	Txn          string   `json:"txn"`
	AgeMS        float64  `json:"age_ms"`
	Participants []uint64 `json:"participants"`
	Undecided    []uint64 `json:"undecided_at"` // shards
}

type nodeStatus struct {
	Node    uint32         `json:"node"`
	Region  string         `json:"region"`
	Role    string         `json:"role"` // storage or gateway
	Address string         `json:"address"`
	Up      bool           `json:"up"`
	Error   string         `json:"error,omitempty"`
	Stopped string         `json:"stopped,omitempty"` // why it has stopped by itself, as other nodes know it
	Removed bool           `json:"removed,omitempty"` // from the cluster, permanently
	Report  *server.Report `json:"report,omitempty"`
}

// shardStatus joins what the replicas that answered say.
type shardStatus struct {
	Shard     uint64            `json:"shard"`
	Leader    uint32            `json:"leader"` // that serves; 0: none that answered
	Term      uint64            `json:"term"`
	Applied   uint64            `json:"applied"` // at the replica that has most
	Lag       map[uint32]uint64 `json:"lag"`     // of each replica, in log entries
	Undecided int               `json:"undecided"`
	Holders   int               `json:"lock_holders"`
	Voters    []txn.NodeID      `json:"voters"` // as the leader has them
	Outgoing  []txn.NodeID      `json:"outgoing,omitempty"`
	Learners  []txn.NodeID      `json:"learners,omitempty"`
}

func newStatus() *cobra.Command {
	var config string
	var asJSON, doubt bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the status of a cluster's nodes",
		Long: `Status queries every node of the cluster and shows which are up, which node leads each
shard, how far its followers lag, the undecided transactions, and the round trips that the
nodes measure, with emulated delays; of each external database, whether it is reachable. It
fails only if no node replies.

With --in-doubt it lists the transactions that are prepared at external databases and not
ended, with age and reason, and the undecided ones at shards; it fails if the agent of
a database does not reply. isochron resolve ends listed transactions.`,
		Example: `  isochron status --config c/node1.yaml
  isochron status --config c/node1.yaml --json
  isochron status --config c/node1.yaml --in-doubt`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if timeout <= 0 {
				return usagef("--timeout %v: give a time above 0, such as 5s", timeout)
			}
			c, err := readConfig(config)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			if doubt {
				return showInDoubt(ctx, c, asJSON, cmd.OutOrStdout())
			}
			return showStatus(ctx, c, asJSON, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&config, "config", "", "configuration file of any node, a nodeN.yaml (required)")
	cmd.Flags().BoolVar(&doubt, "in-doubt", false, "list transactions that are prepared and not ended")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object and nothing else")
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Second, "time to wait for the nodes' replies")
	return cmd
}

func showStatus(ctx context.Context, c *deploy.Config, asJSON bool, out io.Writer) error {
	s, err := askAll(ctx, c)
	if err != nil {
		return err
	}
	if asJSON {
		err = json.NewEncoder(out).Encode(s)
	} else {
		_, err = io.WriteString(out, statusText(s))
	}
	for _, n := range s.Nodes {
		if n.Up {
			return err
		}
	}
	return errors.Join(err, errors.New("no node of the cluster answers: start them with isochron start"))
}

// askAll asks all nodes in parallel.
func askAll(ctx context.Context, c *deploy.Config) (clusterStatus, error) {
	creds, err := credentials(c)
	if err != nil {
		return clusterStatus{}, err
	}
	s := clusterStatus{Cluster: c.Cluster, Nodes: make([]nodeStatus, len(c.Nodes))}
	var asking sync.WaitGroup
	for i, n := range c.Nodes {
		asking.Go(func() {
			s.Nodes[i] = askOne(ctx, creds, server.Member{ID: n.ID, Region: n.Region, Address: n.Address, Gateway: n.Role == deploy.RoleGateway})
		})
	}
	asking.Wait()
	s.follow(ctx, c, creds)
	s.joinStopped()
	s.Shards, s.InDoubt, s.Sources = joinShards(s.Nodes), joinInDoubt(s.Nodes), joinSources(s.Nodes)
	return s, nil
}

func askOne(ctx context.Context, creds *peer.Credentials, m server.Member) nodeStatus {
	s := nodeStatus{Node: uint32(m.ID), Region: string(m.Region), Role: roleName(m.Gateway), Address: m.Address}
	r, err := server.AskReport(ctx, creds, m)
	switch {
	case err == nil:
		s.Up, s.Report = true, &r
	case ctx.Err() != nil:
		s.Error = fmt.Sprintf("no answer in time (%v)", err)
	default:
		s.Error = err.Error()
	}
	return s
}

// joinStopped fills in, for nodes that do not answer, their last reports to others.
func (s *clusterStatus) joinStopped() {
	last := map[uint32]server.StoppedReport{}
	for _, n := range s.Nodes {
		if n.Report == nil {
			continue
		}
		for _, w := range n.Report.Stopped {
			if w.At.After(last[w.Node].At) {
				last[w.Node] = w
			}
		}
	}
	for i := range s.Nodes {
		if w, ok := last[s.Nodes[i].Node]; ok && !s.Nodes[i].Up {
			s.Nodes[i].Stopped = w.Reason
		}
	}
}

func roleName(gateway bool) string {
	if gateway {
		return deploy.RoleGateway
	}
	return "storage"
}

// follow asks nodes that were added since the configuration was written, and leaves out removed
// ones.
func (s *clusterStatus) follow(ctx context.Context, c *deploy.Config, creds *peer.Credentials) {
	var newest *server.Report
	for _, n := range s.Nodes {
		if n.Report != nil && (newest == nil || n.Report.DirectoryEpoch > newest.DirectoryEpoch) {
			newest = n.Report
		}
	}
	if newest == nil || newest.DirectoryEpoch == 0 {
		return
	}
	s.Protocol, s.Change = newest.Protocol, newest.Change
	var nodes []nodeStatus
	for _, n := range newest.Nodes {
		if i := slices.IndexFunc(s.Nodes, func(have nodeStatus) bool { return have.Node == n.ID }); i >= 0 {
			nodes = append(nodes, s.Nodes[i])
		} else {
			nodes = append(nodes, askOne(ctx, creds, server.MemberOf(n, addresses(c))))
		}
	}
	for _, n := range s.Nodes { // of removed nodes, those that know it, and the configuration's own
		if !slices.ContainsFunc(nodes, func(have nodeStatus) bool { return have.Node == n.Node }) &&
			(n.Node == uint32(c.Node) || n.Report != nil && n.Report.Removed != "") {
			n.Removed = true
			nodes = append(nodes, n)
		}
	}
	s.Nodes = nodes
}
