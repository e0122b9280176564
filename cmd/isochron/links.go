package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"isochron/server"
	"isochron/txn"
)

// linksFlags are the flags of links as given.
type linksFlags struct {
	config  string
	cut     []uint
	cutTo   []uint
	cutFrom []uint
	delay   []string
	reset   bool
	json    bool
	timeout time.Duration
}

func newLinks() *cobra.Command {
	var f linksFlags
	cmd := &cobra.Command{
		Use:   "links",
		Short: "Cut, delay or reset the emulated links of a running node",
		Long: `Links shows the links of a node and applies the changes of the flags first. A cut link
loses all messages, like a network partition. To isolate a node, cut it from all others
with one command. Only a node that emulates a WAN (add_delays in its configuration)
accepts changes; it drops them when it restarts.`,
		Example: `  isochron links --config c/node1.yaml --cut 2,3
  isochron links --config c/node1.yaml --cut-to 4
  isochron links --config c/node1.yaml --delay 2=80ms
  isochron links --config c/node1.yaml --reset`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "configuration file of the node, a nodeN.yaml (required)")
	flags.UintSliceVar(&f.cut, "cut", nil, "cut the links with these nodes, both ways")
	flags.UintSliceVar(&f.cutTo, "cut-to", nil, "send nothing to these nodes")
	flags.UintSliceVar(&f.cutFrom, "cut-from", nil, "receive nothing from these nodes")
	flags.StringSliceVar(&f.delay, "delay", nil, "add a delay to messages to a node, such as 2=80ms")
	flags.BoolVar(&f.reset, "reset", false, "reset all links before the other changes of this command")
	flags.BoolVar(&f.json, "json", false, "print one JSON object and nothing else")
	flags.DurationVar(&f.timeout, "timeout", 5*time.Second, "timeout of the node's reply")
	return cmd
}

// change returns the change that the flags request.
func (f *linksFlags) change() (server.LinkChange, error) {
	c := server.LinkChange{Heal: f.reset, DelayMS: map[txn.NodeID]float64{}}
	for _, id := range f.cut {
		c.To, c.From = append(c.To, txn.NodeID(id)), append(c.From, txn.NodeID(id))
	}
	for _, id := range f.cutTo {
		c.To = append(c.To, txn.NodeID(id))
	}
	for _, id := range f.cutFrom {
		c.From = append(c.From, txn.NodeID(id))
	}
	for _, d := range f.delay {
		id, value, _ := strings.Cut(d, "=")
		n, err := strconv.ParseUint(id, 10, 32)
		delay, err2 := time.ParseDuration(value)
		if err != nil || err2 != nil || delay < 0 {
			return c, usagef("--delay %s: write a node and a time, such as 2=80ms", d)
		}
		c.DelayMS[txn.NodeID(n)] = float64(delay.Microseconds()) / 1000
	}
	return c, nil
}

func (f *linksFlags) run(ctx context.Context, out io.Writer) error {
	change, err := f.change()
	if err != nil {
		return err
	}
	c, err := readConfig(f.config)
	if err != nil {
		return err
	}
	creds, err := credentials(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	self := c.Self()
	links, err := server.AskLinks(ctx, creds, server.Member{ID: self.ID, Region: self.Region, Address: self.Address}, change)
	if err != nil {
		return fmt.Errorf("node %d at %s: %w", self.ID, self.Address, err)
	}
	if f.json {
		return json.NewEncoder(out).Encode(map[string]any{"node": self.ID, "links": links})
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "to node\tstate\tadded one way, ms\n")
	for _, l := range links {
		state := "up"
		switch {
		case l.CutTo || l.CutFrom:
			state = cutWord(l)
		case !l.Up:
			state = "none: " + l.Error
		}
		fmt.Fprintf(w, "%d\t%s\t%.1f\n", l.Peer, state, l.AddedMS)
	}
	return w.Flush()
}
