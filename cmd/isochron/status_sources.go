package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"isochron/server"
	"isochron/server/deploy"
)

// sourceStatus is a source as reported by its agent's node.
type sourceStatus struct {
	Node   uint32 `json:"node"`
	Region string `json:"region"`
	server.SourceReport
}

// joinSources are the sources of all nodes that answered, by name.
func joinSources(nodes []nodeStatus) []sourceStatus {
	out := []sourceStatus{}
	for _, n := range nodes {
		if n.Report == nil {
			continue
		}
		for _, s := range n.Report.Sources {
			out = append(out, sourceStatus{n.Node, n.Region, s})
		}
	}
	slices.SortFunc(out, func(a, b sourceStatus) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Node, b.Node))
	})
	return out
}

// state is a source's in a word.
func (s sourceStatus) state() string {
	switch {
	case s.Serving:
		return "serving"
	case s.Source == 0:
		return "NOT KNOWN YET"
	}
	return "DOWN"
}

// writeSources shows the sources, and the state of each.
func writeSources(b *strings.Builder, sources []sourceStatus) {
	if len(sources) == 0 {
		return
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\nsource\tat node\tregion\tdialect\tversion\tstate\topen\tin doubt\n")
	for _, s := range sources {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%d\t%d\n", s.Name, s.Node, s.Region, s.Dialect, cut(cmp.Or(s.Version, "?"), versionMax), s.state(), s.Branches, s.InDoubt)
	}
	_ = w.Flush() // into memory
	for _, s := range sources {
		if s.Reason != "" {
			fmt.Fprintf(b, "  %s: %s\n", s.Name, s.Reason)
		}
		for _, line := range s.Warnings {
			fmt.Fprintf(b, "  %s: %s\n", s.Name, line)
		}
		for _, line := range s.Hints {
			fmt.Fprintf(b, "  %s, a hint: %s\n", s.Name, line)
		}
	}
}

// versionMax keeps a source's line within the screen.
const versionMax = 28

// doubts is the JSON output of status --in-doubt.
type doubts struct {
	Sources []server.SourceDoubt `json:"sources"`
	Shards  []inDoubt            `json:"shards"` // of the cluster's own shards
	Error   string               `json:"error,omitempty"`
}

// showInDoubt lists transactions in doubt; it fails if they are not known of each source.
func showInDoubt(ctx context.Context, c *deploy.Config, asJSON bool, out io.Writer) error {
	creds, err := credentials(c)
	if err != nil {
		return err
	}
	s, err := askAll(ctx, c)
	if err != nil {
		return err
	}
	o := &operator{c: c, creds: creds, out: out, json: asJSON}
	d := doubts{Shards: ownShards(s.InDoubt, s.Sources)}
	d.Sources, err = o.inDoubt(ctx)
	if err != nil {
		d.Error = err.Error()
	}
	if d.Sources == nil {
		d.Sources = []server.SourceDoubt{}
	}
	var wrote error
	if asJSON {
		wrote = json.NewEncoder(out).Encode(d)
	} else {
		_, wrote = io.WriteString(out, doubtText(d))
	}
	return errors.Join(err, wrote)
}

// ownShards leaves out transactions that are undecided at sources alone.
func ownShards(list []inDoubt, sources []sourceStatus) []inDoubt {
	out := []inDoubt{}
	for _, d := range list {
		native := func(shard uint64) bool {
			return !slices.ContainsFunc(sources, func(s sourceStatus) bool { return uint64(s.Source) == shard })
		}
		if slices.ContainsFunc(d.Undecided, native) {
			out = append(out, d)
		}
	}
	return out
}

// doubtText returns the text of doubts.
func doubtText(d doubts) string {
	var b strings.Builder
	if len(d.Sources)+len(d.Shards) == 0 && d.Error == "" {
		return "nothing is in doubt\n"
	}
	for _, s := range d.Sources {
		fmt.Fprintf(&b, "%s\n  at source %s for %.1f s, of node %d: %s\n", s.Name, s.Source, s.AgeMS/1000, s.Gateway, s.Reason)
	}
	writeInDoubt(&b, d.Shards)
	return b.String()
}
