package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"isochron/routing"
	"isochron/server"
	"isochron/server/deploy"
	"isochron/server/peer"
	"isochron/txn"
)

// operator speaks to the nodes of a cluster with one node's certificate.
type operator struct {
	c     *deploy.Config
	creds *peer.Credentials
	out   io.Writer
	json  bool
}

// newOrder completes a command that is given an operator and a bounded context.
func newOrder(cmd *cobra.Command, timeout time.Duration, do func(context.Context, *operator) error) *cobra.Command {
	var config string
	var asJSON bool
	cmd.Args = noArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if timeout <= 0 {
			return usagef("--timeout %v: give a time above 0, such as 1m", timeout)
		}
		c, err := readConfig(config)
		if err != nil {
			return err
		}
		creds, err := credentials(c)
		if err != nil {
			return err
		}
		late := fmt.Errorf("not done within %v; run the command again to continue from there", timeout)
		ctx, cancel := context.WithTimeoutCause(cmd.Context(), timeout, late)
		defer cancel()
		return do(ctx, &operator{c, creds, cmd.OutOrStdout(), asJSON})
	}
	cmd.Flags().StringVar(&config, "config", "", "configuration file of any node, a nodeN.yaml (required)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object and nothing else")
	cmd.Flags().DurationVar(&timeout, "timeout", timeout, "time to wait until the command has completed")
	return cmd
}

// log prints a line of progress, for people only.
func (o *operator) log(line string) {
	if !o.json {
		fmt.Fprintln(o.out, line)
	}
}

// report prints the end: a line for people, an object for programs.
func (o *operator) report(object any, format string, args ...any) error {
	if o.json {
		return json.NewEncoder(o.out).Encode(object)
	}
	_, err := fmt.Fprintf(o.out, format+"\n", args...)
	return err
}

// orderPause is between two rounds of asking.
const orderPause = 250 * time.Millisecond

func pause(ctx context.Context) error {
	select {
	case <-time.After(orderPause):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// set changes a setting of the whole cluster by an admin command, and prints its present value.
func (o *operator) set(ctx context.Context, want interface{ Check() error }, order server.AdminCommand, output string) error {
	if err := want.Check(); err != nil {
		return usageError{err}
	}
	if _, err := o.anyone(ctx, order); err != nil {
		return err
	}
	return o.report(want, "%s", output)
}

// anyone has whichever node can carry out an order, and asks again while none can.
func (o *operator) anyone(ctx context.Context, order server.AdminCommand) (server.Outcome, error) {
	for {
		var errs []error
		for _, n := range o.c.Nodes {
			out, err := server.SendAdmin(ctx, o.creds, server.Member{ID: n.ID, Region: n.Region, Address: n.Address}, order)
			if err == nil || errors.Is(err, server.ErrRefused) {
				return out, err
			}
			errs = append(errs, fmt.Errorf("node %d: %w", n.ID, err))
		}
		if err := pause(ctx); err != nil {
			return server.Outcome{}, errors.Join(append([]error{err}, errs...)...)
		}
	}
}

// addresses returns the configuration's addresses, which take precedence over the directory's.
func addresses(c *deploy.Config) map[txn.NodeID]string {
	out := map[txn.NodeID]string{}
	for _, n := range c.Nodes {
		out[n.ID] = n.Address
	}
	return out
}

// reportsWait bounds one round of asking for reports.
const reportsWait = 5 * time.Second

// reports are those of the nodes of a directory that answer in time.
func (o *operator) reports(ctx context.Context, d *routing.Directory) map[uint32]server.Report {
	ctx, cancel := context.WithTimeout(ctx, reportsWait)
	defer cancel()
	type answer struct {
		id  uint32
		r   server.Report
		err error
	}
	answers := make(chan answer, len(d.Nodes))
	for _, n := range d.Nodes {
		go func() {
			r, err := server.AskReport(ctx, o.creds, server.MemberOf(n, addresses(o.c)))
			answers <- answer{n.ID, r, err}
		}()
	}
	out := map[uint32]server.Report{}
	for range d.Nodes {
		if a := <-answers; a.err == nil {
			out[a.id] = a.r
		}
	}
	return out
}

// leading returns the report of a shard's leader; ok is false if none leads.
func leading(reports map[uint32]server.Report, shard uint64) (node uint32, s server.ShardReport, ok bool) {
	var found []server.ShardReport
	// order: the newest term is chosen below, and it has one leader.
	for id, r := range reports {
		for _, sh := range r.Shards {
			if uint64(sh.Shard) == shard && sh.Serving {
				sh.Leader = txn.NodeID(id)
				found = append(found, sh)
			}
		}
	}
	if len(found) == 0 {
		return 0, s, false
	}
	s = slices.MaxFunc(found, func(a, b server.ShardReport) int { return cmp.Compare(a.Term, b.Term) })
	return uint32(s.Leader), s, true
}

// sameMembers reports whether a shard has exactly the desired members.
func sameMembers(s server.ShardReport, want routing.Shard) bool {
	same := func(have []txn.NodeID, want []uint32) bool {
		for _, n := range have {
			if !slices.Contains(want, uint32(n)) {
				return false
			}
		}
		return len(have) == len(want)
	}
	return len(s.Outgoing) == 0 && same(s.Voters, want.Replicas) && same(s.Learners, want.Learners)
}
