package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"isochron/routing"
	"isochron/server"
	"isochron/server/deploy"
)

func newVerify() *cobra.Command {
	var rate float64
	var shard uint64
	cmd := newOrder(&cobra.Command{
		Use:   "verify",
		Short: "Compare the replicas of a running cluster",
		Long: `Verify compares the replicas of each shard, as of one log entry: rows with versions, votes
and outcomes. Clients are not blocked. It prints differences by range, row and replica: the
replicas that differ from a majority, or all if there is no majority. A replica that differs
is damaged: replace its node with isochron rebuild. Nodes compare by themselves if their
configuration sets verify_every.

Exit codes: 0 all replicas are equal, 1 some differ or could not be compared, 2 wrong usage.`,
		Example: "  isochron verify --config c/node1.yaml\n  isochron verify --config c/node1.yaml --shard 2 --rate 8 --json",
	}, 30*time.Minute, func(ctx context.Context, o *operator) error {
		if !(rate > 0) || rate > 1e6 {
			return usagef("--rate %v: give the megabytes that each replica may read in a second, such as 16", rate)
		}
		return o.verify(ctx, shard, int64(rate*1e6))
	})
	cmd.Flags().Float64Var(&rate, "rate", 4*deploy.VerifyRateDefault, "limit of each replica's reads, in megabytes per second")
	cmd.Flags().Uint64Var(&shard, "shard", 0, "id of the only shard to compare; 0: all shards")
	return cmd
}

// verified is the JSON output of verify.
type verified struct {
	Equal  bool                `json:"equal"`
	Shards []server.Comparison `json:"shards"`
}

func (o *operator) verify(ctx context.Context, only uint64, rate int64) error {
	now, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderDirectory})
	if err != nil {
		return err
	}
	d := now.Directory
	out := verified{Equal: true, Shards: []server.Comparison{}}
	for _, s := range d.Shards {
		if !s.Kind.Native() || only != 0 && s.ID != only {
			continue
		}
		c, err := server.Compare(ctx, s.ID, rand.Uint64(), slices.Concat(s.Replicas, s.Learners), rate, o.giver(d))
		if err != nil {
			return err
		}
		out.Shards = append(out.Shards, c)
		out.Equal = out.Equal && c.Equal()
		for _, line := range c.Lines() {
			o.log(line)
		}
	}
	if len(out.Shards) == 0 {
		return usagef("--shard %d: the cluster has no such shard of its own", only)
	}
	if !out.Equal {
		return errors.Join(o.reportJSON(out), errors.New("the replicas are not the same, or not all could be compared"))
	}
	return o.report(out, "the replicas of %d shards are the same", len(out.Shards))
}

// reportJSON prints the end for programs alone.
func (o *operator) reportJSON(object any) error {
	if !o.json {
		return nil
	}
	return o.report(object, "")
}

// giver gives orders to the nodes of a directory.
func (o *operator) giver(d *routing.Directory) func(context.Context, uint32, server.AdminCommand) (server.Outcome, error) {
	known := addresses(o.c)
	return func(ctx context.Context, node uint32, order server.AdminCommand) (server.Outcome, error) {
		n, ok := d.Node(node)
		if !ok {
			return server.Outcome{}, fmt.Errorf("the directory has no node %d", node)
		}
		out, err := server.SendAdmin(ctx, o.creds, server.MemberOf(n, known), order)
		if err != nil && (strings.Contains(err.Error(), "unknown command") || strings.Contains(err.Error(), "does not know the order")) {
			err = fmt.Errorf("%w: it is of an earlier version, which cannot be compared", server.ErrRefused)
		}
		return out, err
	}
}
