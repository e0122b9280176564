package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"isochron/protocol"
	"isochron/routing"
	"isochron/server"
)

// switchLimit is the time beyond its drain time after which the cluster cancels a switch.
const switchLimit = 30 * time.Second

func newSetProtocol() *cobra.Command {
	var name string
	var drain time.Duration
	var absent bool
	cmd := newOrder(&cobra.Command{
		Use:   "set-protocol NAME",
		Short: "Switch a running cluster to another protocol",
		Long: `Set-protocol switches a running cluster to another protocol (isochron lab protocols lists
them) and waits until all nodes use it. No data is lost or reloaded. During the switch new
transactions queue and then start under the new protocol: clients see a pause of about a
second. Open transactions may finish within --drain and are then rolled back (error 1213:
retry); transactions that are committing complete.

If a node does not reply, the cluster keeps its protocol; with --allow-unreachable-nodes it
switches, and the node follows when it is back. If the command fails, run it again and it
continues. It fails if a node that replies does not know the protocol: update that node
first.`,
		Example: `  isochron set-protocol d2pc+2pl-home --config c/node1.yaml
  isochron set-protocol txsql --config c/node1.yaml --drain 2s --json`,
	}, 2*time.Minute, func(ctx context.Context, o *operator) error {
		if drain < 0 || drain > routing.DrainMax {
			return usagef("--drain %v: give a time between 0 and %v, such as 10s", drain, routing.DrainMax)
		}
		return o.setProtocol(ctx, routing.Protocol{To: name, Absent: absent,
			DrainMillis: drain.Milliseconds(), LimitMillis: (drain + switchLimit).Milliseconds()})
	})
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("name one protocol, such as %s: isochron set-protocol NAME --config c/node1.yaml", protocol.Default)
		}
		spec, err := protocol.LiveByName(args[0])
		if err != nil {
			return usageError{err}
		}
		name = spec.Name
		return nil
	}
	cmd.Flags().DurationVar(&drain, "drain", 10*time.Second, "time for open transactions to finish before they are rolled back")
	cmd.Flags().BoolVar(&absent, "allow-unreachable-nodes", false, "switch although nodes do not reply; they follow when they are back")
	return cmd
}

// switched is the JSON output of set-protocol.
type switched struct {
	Protocol string `json:"protocol"`
	Change   uint64 `json:"change"` // counts the changes of this cluster
	Changed  bool   `json:"changed"`
}

func (o *operator) setProtocol(ctx context.Context, want routing.Protocol) error {
	before, err := o.switchStatus(ctx)
	if err != nil {
		return err
	}
	if down := before.down(); len(down) > 0 && !want.Absent && before.inForce != want.To {
		return fmt.Errorf("%s: the protocol stays %s (start it, remove it from the cluster, or go over without it: --allow-unreachable-nodes)", down[0], before.inForce)
	}
	if lack := before.lacking(want.To); len(lack) > 0 && before.inForce != want.To {
		return fmt.Errorf("%s: the protocol stays %s (put this version there first)", strings.Join(lack, "; "), before.inForce)
	}
	order, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderProtocol, Protocol: want})
	if err != nil {
		return err
	}
	try := order.Directory.Protocol.Try
	changed := order.Directory.Protocol.Under() || order.Directory.Protocol.Seq != before.change.Seq
	output := ""
	for {
		now, err := o.switchStatus(ctx)
		p := now.change
		switch {
		case err != nil && ctx.Err() == nil && !errors.Is(err, errNoNode):
			return err
		case err != nil: // all at the same time: it continues when they are back
		case changed && p.Try == try && p.Failed != "":
			return fmt.Errorf("%s: the cluster continues under %s", p.Failed, now.inForce)
		case p.Try >= try && !p.Under() && now.reached(want.To) && (!changed || want.Absent || len(now.down()) == 0):
			return o.report(switched{want.To, p.Seq, changed}, "%s", printProtocol(want.To, changed))
		}
		if line := now.progress(want.To); line != output && err == nil {
			output = line
			o.log(line)
		}
		if err := pause(ctx); err != nil {
			return errors.Join(err, errors.New(output))
		}
	}
}

func printProtocol(name string, changed bool) string {
	if !changed {
		return "the cluster runs " + name + " already"
	}
	return "transactions commit by " + name + " from now on, at every node"
}

var errNoNode = errors.New("no node of the cluster answers: start them with isochron start")

// goingOver is the state of the nodes between two protocols.
type goingOver struct {
	inForce string           // as the newest directory has it
	change  routing.Protocol // of that directory
	nodes   []routing.Node
	reports map[uint32]server.Report
}

// switchStatus asks all nodes, also nodes that were added since the configuration was written.
func (o *operator) switchStatus(ctx context.Context) (goingOver, error) {
	asked := &routing.Directory{}
	for _, n := range o.c.Nodes {
		asked.Nodes = append(asked.Nodes, routing.Node{ID: uint32(n.ID), Region: string(n.Region)})
	}
	g := goingOver{}
	for range 2 {
		g = goingOver{reports: o.reports(ctx, asked)}
		var epoch uint64
		for _, id := range sortedNodes(g.reports) {
			r := g.reports[id]
			if r.Change == nil {
				return g, fmt.Errorf("node %d runs an older version, which knows of one protocol alone: put this version there first", id)
			}
			if r.DirectoryEpoch > epoch {
				epoch, g.inForce, g.change, g.nodes = r.DirectoryEpoch, r.Protocol, *r.Change, r.Nodes
			}
		}
		if epoch == 0 {
			return g, errNoNode
		}
		if slices.EqualFunc(g.nodes, asked.Nodes, func(a, b routing.Node) bool { return a.ID == b.ID }) {
			break
		}
		asked.Nodes = g.nodes
	}
	return g, nil
}

func sortedNodes(reports map[uint32]server.Report) []uint32 {
	var out []uint32
	for id := range reports { // order: sorted below
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// down names the nodes that do not answer.
func (g *goingOver) down() []string {
	var out []string
	for _, n := range g.nodes {
		if _, ok := g.reports[n.ID]; !ok {
			out = append(out, fmt.Sprintf("node %d in %s does not answer", n.ID, n.Region))
		}
	}
	return out
}

// lacking names the nodes that do not know a protocol, or do not say which they know: on one
// that goes over all the same the program ends.
func (g *goingOver) lacking(to string) []string {
	var out []string
	for _, id := range sortedNodes(g.reports) {
		r := g.reports[id]
		switch {
		case slices.Contains(r.Protocols, to):
		case r.Build == nil || len(r.Protocols) == 0:
			out = append(out, fmt.Sprintf("node %d in %s runs an older version, which does not say whether it knows %s", id, r.Region, to))
		default:
			out = append(out, fmt.Sprintf("node %d in %s runs %s, which does not know %s", id, r.Region, r.Build.Short(), to))
		}
	}
	return out
}

// reached reports whether all nodes that answer, and the leaders of all shards, use the desired
// protocol. A source follows its gateways' requests, and has no protocol of its own.
func (g *goingOver) reached(to string) bool {
	if g.inForce != to {
		return false
	}
	for _, r := range g.reports { // order: all are checked
		if r.Change.Seq != g.change.Seq {
			return false
		}
		for _, s := range r.Shards {
			if s.Serving && s.Kind.Native() && s.ProtocolSeq != g.change.Seq {
				return false
			}
		}
	}
	return true
}

// progress describes the present step in one line: of the nodes that are not drained the first.
func (g *goingOver) progress(to string) string {
	waits := g.down()
	for _, id := range sortedNodes(g.reports) {
		if r := g.reports[id]; r.Left != "" {
			waits = append(waits, fmt.Sprintf("node %d has %s", id, r.Left))
		}
	}
	if len(waits) == 0 {
		return "going over to " + to
	}
	return fmt.Sprintf("going over to %s: %d of %d nodes are drained; %s", to, len(g.nodes)-len(waits), len(g.nodes), waits[0])
}
