package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"isochron/server"
)

func newSource() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "source",
		Short: "Remove an external database, or accept a restored one",
		Long: `Source removes an external database from the cluster, or accepts a restored or moved one.
isochron agent --join adds one; isochron status lists them.`,
		Example: "  isochron source accept --config c/node1.yaml --name orders\n  isochron source remove --config c/node1.yaml --name orders",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSourceAccept(), newSourceRemove())
	return cmd
}

// reportOf is the node's report of a source that has its agent.
func (o *operator) reportOf(ctx context.Context, name string) (server.SourceReport, error) {
	out, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderDirectory})
	if err != nil {
		return server.SourceReport{}, err
	}
	if _, ok := out.Directory.SourceNamed(name); !ok {
		return server.SourceReport{}, usagef("the cluster has no source %q; isochron status lists its sources", name)
	}
	reports := o.reports(ctx, out.Directory)
	for _, n := range out.Directory.Nodes {
		for _, s := range reports[n.ID].Sources {
			if s.Name == name {
				return s, nil
			}
		}
	}
	return server.SourceReport{}, fmt.Errorf("the agent of source %s does not answer: start it first", name)
}

func newSourceAccept() *cobra.Command {
	var name, identity string
	cmd := newOrder(&cobra.Command{
		Use:   "accept",
		Short: "Accept the database that now answers as this source",
		Long: `Accept records the database that now answers at a source's address as that source, although
its identity has changed because it was restored or moved. Transactions that were prepared
in the former database are not in the new one: check isochron status --in-doubt first.
Restart the source's agent afterwards.`,
		Example: "  isochron source accept --config c/node1.yaml --name orders",
	}, time.Minute, func(ctx context.Context, o *operator) error {
		if name == "" {
			return usagef("--name is missing: say which source")
		}
		s, err := o.reportOf(ctx, name)
		if err != nil {
			return err
		}
		if identity == "" {
			identity = s.Identity
		}
		if identity == "" {
			return fmt.Errorf("the database of source %s has not answered its agent: %s", name, s.Reason)
		}
		if _, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderAccept, Name: name, Identity: identity}); err != nil {
			return err
		}
		return o.report(map[string]any{"name": name, "identity": identity, "was": s.Known},
			"source %s is the database %s from now on (it was %s); restart its agent", name, identity, s.Known)
	})
	cmd.Flags().StringVar(&name, "name", "", "name of the source (required)")
	cmd.Flags().StringVar(&identity, "identity", "", "identity of the database to accept; empty: the identity of the database that answers")
	return cmd
}

func newSourceRemove() *cobra.Command {
	var name string
	var force bool
	cmd := newOrder(&cobra.Command{
		Use:   "remove",
		Short: "Remove a source from the cluster; its database is not changed",
		Long: `Remove removes a source from the cluster. The database itself is not changed. The command
fails while transactions are in doubt there, or if the source's agent does not report that
none are; --force skips this check.`,
		Example: "  isochron source remove --config c/node1.yaml --name orders",
	}, time.Minute, func(ctx context.Context, o *operator) error {
		if name == "" {
			return usagef("--name is missing: say which source")
		}
		if !force {
			s, err := o.reportOf(ctx, name)
			switch {
			case err != nil:
				return err
			case s.Branches > 0:
				return fmt.Errorf("source %s has %d transactions that have not ended, %d of them prepared: let them end first (isochron status --in-doubt)", name, s.Branches, s.InDoubt)
			case !s.Serving:
				return fmt.Errorf("whether something is prepared at source %s is not known: %s; --force does not ask", name, s.Reason)
			}
		}
		if _, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderForget, Name: name}); err != nil {
			return err
		}
		return o.report(map[string]any{"name": name, "removed": true}, "source %s is removed; end its agent, and remove the agent's node if it has no other: isochron remove-node", name)
	})
	cmd.Flags().StringVar(&name, "name", "", "name of the source (required)")
	cmd.Flags().BoolVar(&force, "force", false, "remove it although transactions may be prepared there, which then remain prepared")
	return cmd
}

func newResolve() *cobra.Command {
	var name, force string
	var all bool
	cmd := newOrder(&cobra.Command{
		Use:   "resolve",
		Short: "End transactions that remain prepared at a source",
		Long: `Resolve ends transactions that are prepared at a source, by the logged decision. If no
decision is logged it first logs an abort, so that no coordinator can commit any more. It
never guesses: if the log cannot be queried, or the gateway still works on the transaction,
it changes nothing and fails. The cluster does the same by itself a little later.

With --force it commits or rolls back without querying the log. The transaction may then
have committed at one participant and aborted at another: use it only if the log is lost.`,
		Example: `  isochron status --config c/node1.yaml --in-doubt
  isochron resolve --config c/node1.yaml --name isochron1.5f2c.4.1.9/3.2
  isochron resolve --config c/node1.yaml --all`,
	}, time.Minute, func(ctx context.Context, o *operator) error {
		switch {
		case (name == "") != all:
			return usagef("give --name of one that isochron status --in-doubt lists, or --all")
		case force != "" && force != "commit" && force != "rollback":
			return usagef("--force %q: give commit or rollback", force)
		case force != "" && all:
			return usagef("--force is for one --name at a time")
		}
		return o.resolve(ctx, name, force)
	})
	cmd.Flags().StringVar(&name, "name", "", "name of the branch, as listed by isochron status --in-doubt")
	cmd.Flags().BoolVar(&all, "all", false, "end all listed branches")
	cmd.Flags().StringVar(&force, "force", "", "commit or rollback, without querying the log (see above)")
	return cmd
}

// resolved is the JSON output of resolve.
type resolved struct {
	Name  string `json:"name"`
	Ended bool   `json:"ended"`
	Error string `json:"error,omitempty"`
}

// resolve ends one branch, or with no name all that are listed.
func (o *operator) resolve(ctx context.Context, name, force string) error {
	names := []string{name}
	if name == "" {
		names = nil
		listed, err := o.inDoubt(ctx)
		if err != nil {
			return err
		}
		for _, d := range listed {
			names = append(names, d.Name)
		}
	}
	if force != "" {
		o.log("WARNING: the log of decisions is not asked. The transaction may end otherwise at its other participants.")
	}
	out, failed := []resolved{}, 0
	for _, n := range names {
		_, err := o.once(ctx, server.AdminCommand{Do: server.OrderResolve, Name: n, Force: force})
		r := resolved{Name: n, Ended: err == nil}
		if err != nil {
			failed++
			r.Error = err.Error()
			o.log(fmt.Sprintf("%s: %v", n, err))
		} else {
			o.log(n + " has ended")
		}
		out = append(out, r)
	}
	if err := o.report(map[string]any{"resolved": out}, "%d ended, %d did not", len(out)-failed, failed); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d have not ended", failed, len(out))
	}
	return nil
}

// once has the first node that answers carry out an order.
func (o *operator) once(ctx context.Context, order server.AdminCommand) (server.Outcome, error) {
	var errs []error
	for _, n := range o.c.Nodes {
		out, err := server.SendAdmin(ctx, o.creds, server.Member{ID: n.ID, Region: n.Region, Address: n.Address}, order)
		if err == nil || errors.Is(err, server.ErrRefused) || len(out.InDoubt) > 0 || out.Error != "" {
			return out, err
		}
		errs = append(errs, fmt.Errorf("node %d: %w", n.ID, err))
	}
	return server.Outcome{}, errors.Join(errs...)
}

// inDoubt lists the transactions in doubt at sources, the oldest first of each; with an error as
// far as they are known.
func (o *operator) inDoubt(ctx context.Context) ([]server.SourceDoubt, error) {
	out, err := o.once(ctx, server.AdminCommand{Do: server.OrderInDoubt})
	return out.InDoubt, err
}
