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
		Short: "Have a shard led by a node, now and as long as that is up",
		Long: `Transfer-leader writes into the cluster's directory which node should lead a shard,
and waits until it does. That stays desired: after a failure of that node the shard goes
back to it when it has caught up.`,
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
	cmd.Flags().Uint64Var(&shard, "shard", 0, "the shard (needed; see isochron status)")
	cmd.Flags().Uint32Var(&to, "to", 0, "the node (needed)")
	return cmd
}

func newDrain() *cobra.Command {
	var undo bool
	cmd := newOrder(&cobra.Command{
		Use:   "drain",
		Short: "Have a node lead nothing and take no new clients, before it is stopped",
		Long: `Drain has the node of the configuration hand over what it leads, lead nothing more,
refuse new MySQL connections (error 1053), and waits for the open transactions. It
says when the node can be stopped. A restart ends it, and so does --undo.`,
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
	cmd.Flags().BoolVar(&undo, "undo", false, "have the node take part again")
	return cmd
}

func (o *operator) drain(ctx context.Context, me server.Member) error {
	if _, err := server.SendAdmin(ctx, o.creds, me, server.AdminCommand{Do: server.OrderDrain}); err != nil {
		return err
	}
	said := ""
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
		if line := fmt.Sprintf("node %d leads %d shards, %d transactions are open, %d commitments unfinished", me.ID, leads, r.Transactions, r.Commitments); line != said {
			said = line
			o.log(line)
		}
		if err := pause(ctx); err != nil {
			return errors.Join(err, errors.New(said+"; the node goes on draining"))
		}
	}
}
