package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"isochron/server"
)

func newTransferLeader() *cobra.Command {
	var shard uint64
	var to uint32
	cmd := newOrder(&cobra.Command{
		Use:   "transfer-leader",
		Short: "Set the node that leads a shard while it is up",
		Long: `Transfer-leader records in the cluster's directory which node should lead a shard, and waits
until that node leads. The setting remains: after a failure of the node, leadership
returns to it as soon as it has caught up.`,
		Example: "  isochron transfer-leader --config c/node1.yaml --shard 2 --to 3",
	}, time.Minute, func(ctx context.Context, o *operator) error {
		if shard == 0 || to == 0 {
			return usagef("--shard and --to are needed: which shard is to be led by which node")
		}
		done, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderLeader, Shard: shard, To: to})
		if err != nil {
			return err
		}
		for {
			lead, _, ok := leading(o.reports(ctx, done.Directory), shard)
			if ok && lead == to {
				return o.report(map[string]any{"shard": shard, "leader": to}, "shard %d is led by node %d", shard, to)
			}
			if err := pause(ctx); err != nil {
				return errors.Join(err, fmt.Errorf("shard %d is led by node %d so far", shard, lead))
			}
		}
	})
	cmd.Flags().Uint64Var(&shard, "shard", 0, "id of the shard, as listed by isochron status (required)")
	cmd.Flags().Uint32Var(&to, "to", 0, "id of the node (required)")
	return cmd
}

func newDrain() *cobra.Command {
	var undo bool
	cmd := newOrder(&cobra.Command{
		Use:   "drain",
		Short: "Prepare a node to be stopped: no leadership, no new clients",
		Long: `Drain prepares a node to be stopped: it transfers the leadership of its shards, refuses new
MySQL connections (error 1053), waits for open transactions, and reports when the node can
be stopped. A restart of the node ends the drain, and so does --undo.`,
		Example: `  isochron drain --config c/node2.yaml
  isochron drain --config c/node2.yaml --undo`,
	}, 30*time.Second, func(ctx context.Context, o *operator) error {
		self := o.c.Self()
		me := server.Member{ID: self.ID, Region: self.Region, Address: self.Address}
		if !undo {
			return o.drain(ctx, me)
		}
		if _, err := server.SendAdmin(ctx, o.creds, me, server.AdminCommand{Do: server.OrderUndrain}); err != nil {
			return err
		}
		return o.report(map[string]any{"node": self.ID, "draining": false}, "node %d takes part again", self.ID)
	})
	cmd.Flags().BoolVar(&undo, "undo", false, "end the drain")
	cmd.Flags().Lookup("config").Usage = "configuration file of the node to drain, a nodeN.yaml (required)"
	return cmd
}

func (o *operator) drain(ctx context.Context, me server.Member) error {
	if _, err := server.SendAdmin(ctx, o.creds, me, server.AdminCommand{Do: server.OrderDrain}); err != nil {
		return err
	}
	output := ""
	for {
		r, err := server.AskReport(ctx, o.creds, me)
		if err != nil {
			return err
		}
		leads := 0
		for _, s := range r.Shards {
			if s.Serving {
				leads++
			}
		}
		if leads == 0 && r.Transactions == 0 && r.Commitments == 0 {
			return o.report(map[string]any{"node": me.ID, "draining": true, "safe_to_stop": true},
				"node %d leads nothing and has no open transaction: it is safe to stop it", me.ID)
		}
		if line := fmt.Sprintf("node %d leads %d shards, %d transactions are open, %d commitments unfinished", me.ID, leads, r.Transactions, r.Commitments); line != output {
			output = line
			o.log(line)
		}
		if err := pause(ctx); err != nil {
			return errors.Join(err, errors.New(output+"; the node continues to drain"))
		}
	}
}
