package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"isochron/shard"
)

// Comparison is the result of comparing one shard's replicas at one entry of its log.
type Comparison struct {
	Shard     uint64       `json:"shard"`
	Index     uint64       `json:"index"` // of the entry
	Replicas  []uint32     `json:"replicas"`
	Keys      uint64       `json:"keys"`
	Ranges    int          `json:"ranges"`
	Different []Difference `json:"different"`
	// Missing has the replicas that could not be compared.
	Missing []MissingReplica `json:"missing"`
}

// Difference is a range in which Replicas differ from the majority or, without a majority, from each other.
type Difference struct {
	Replicas []uint32 `json:"replicas"`
	What     string   `json:"what"` // the kind of the keys
	From     string   `json:"from"`
	To       string   `json:"to"` // where the next range begins; empty: the end
	// Rows has the first differing rows.
	Rows []string `json:"rows"`
}

// MissingReplica is a replica that could not be compared.
type MissingReplica struct {
	Node   uint32 `json:"node"`
	Reason string `json:"why"`
}

// Equal reports whether all replicas were compared and are equal.
func (c *Comparison) Equal() bool { return len(c.Different) == 0 && len(c.Missing) == 0 }

// The bounds of a comparison.
const (
	rangeBits    = 10 // ranges of about a thousand keys
	refinedMost  = 4  // ranges compared key by key
	rowsMost     = 5  // differing rows named of each
	comesWithin  = 15 * time.Second
	answersAfter = 3 * time.Second // tolerates a node unreachable for a short time
	comparePause = 100 * time.Millisecond
)

// Compare compares a shard's replicas at its members, each of which reads at most bytesPerSecond (0: no
// bound). give sends a command to a member.
func Compare(ctx context.Context, id, check uint64, members []uint32, bytesPerSecond int64,
	give func(ctx context.Context, node uint32, o AdminCommand) (Outcome, error)) (Comparison, error) {
	c := comparing{Comparison: Comparison{Shard: id, Different: []Difference{}, Missing: []MissingReplica{}}, check: check, rate: bytesPerSecond, give: give}
	if err := c.begin(ctx, members); err != nil {
		return c.Comparison, fmt.Errorf("shard %d: %w", id, err)
	}
	sums := c.gather(ctx, members, shard.Span{Bits: rangeBits})
	if err := ctx.Err(); err != nil {
		return c.Comparison, context.Cause(ctx)
	}
	c.Replicas = sortedNodes(sums)
	for _, n := range c.Replicas {
		c.Index, c.Ranges = max(c.Index, sums[n].Index), max(c.Ranges, len(sums[n].Ranges))
		c.Keys = max(c.Keys, keysOf(sums[n].Ranges))
	}
	for i, d := range differing(sums) {
		named := Difference{Replicas: d.nodes, Rows: []string{}}
		named.What, named.From = keyText(d.from)
		if _, named.To = keyText(d.to); len(d.to) == 0 {
			named.To = ""
		}
		if i < refinedMost {
			c.refine(ctx, &named, d)
		}
		c.Different = append(c.Different, named)
	}
	return c.Comparison, nil
}

// comparing is a comparison under way.
type comparing struct {
	Comparison
	check uint64
	rate  int64
	give  func(ctx context.Context, node uint32, o AdminCommand) (Outcome, error)
}

// begin has the leader enter the comparison in the log.
func (c *comparing) begin(ctx context.Context, members []uint32) error {
	ctx, cancel := context.WithTimeoutCause(ctx, comesWithin, errors.New("no replica leads"))
	defer cancel()
	for {
		var errs []error
		for _, n := range members {
			_, err := c.give(ctx, n, AdminCommand{Do: OrderVerify, Shard: c.Shard, Check: c.check})
			if err == nil {
				return nil
			}
			errs = append(errs, fmt.Errorf("node %d: %w", n, err))
		}
		select {
		case <-time.After(comparePause):
		case <-ctx.Done():
			return errors.Join(append([]error{context.Cause(ctx)}, errs...)...)
		}
	}
}

// gather sums a span at each replica; replicas that fail are noted as missing.
func (c *comparing) gather(ctx context.Context, members []uint32, span shard.Span) map[uint32]Sums {
	type answer struct {
		node uint32
		sums Sums
		err  error
	}
	answers := make(chan answer, len(members))
	for _, n := range members {
		go func() {
			got, err := c.await(ctx, n, span)
			answers <- answer{n, got, err}
		}()
	}
	out := map[uint32]Sums{}
	for range members {
		if a := <-answers; a.err == nil {
			out[a.node] = a.sums
		} else if !slices.ContainsFunc(c.Missing, func(m MissingReplica) bool { return m.Node == a.node }) {
			c.Missing = append(c.Missing, MissingReplica{a.node, a.err.Error()})
		}
	}
	slices.SortFunc(c.Missing, func(a, b MissingReplica) int { return cmp.Compare(a.Node, b.Node) })
	return out
}

// await returns one replica's sums.
func (c *comparing) await(ctx context.Context, node uint32, span shard.Span) (Sums, error) {
	received := time.Now() // last time it was known to be under way
	for {
		out, err := c.give(ctx, node, AdminCommand{Do: OrderSums, Shard: c.Shard, Check: c.check, Span: span, Rate: c.rate})
		got := Sums{}
		if err == nil && out.Sums != nil {
			got = *out.Sums
		}
		switch {
		case got.Error != "":
			return got, errors.New(got.Error)
		case got.Done:
			return got, nil
		case got.Known:
			received = time.Now()
		case errors.Is(err, ErrRefused):
			return got, err
		case time.Since(received) > answersAfter && err != nil:
			return got, err
		case time.Since(received) > comesWithin:
			return got, errors.New("the replica has not applied the compared entry of the log, or has fetched a snapshot meanwhile; retry the command")
		}
		select {
		case <-time.After(comparePause):
		case <-ctx.Done():
			return got, context.Cause(ctx)
		}
	}
}

// refine names the differing rows of a range.
func (c *comparing) refine(ctx context.Context, d *Difference, where difference) {
	single := differing(c.gather(ctx, c.Replicas, shard.Span{From: where.from, To: where.to}))
	for _, one := range single {
		if _, row := keyText(one.from); len(d.Rows) < rowsMost && !slices.Contains(d.Rows, row) {
			d.Rows = append(d.Rows, row)
		}
	}
}

func keyText(key []byte) (what, row string) {
	what, r := shard.KeyText(key)
	if r == "" {
		return what, fmt.Sprintf("%q", key)
	}
	return what, fmt.Sprintf("%q", string(r))
}

func keysOf(ranges []shard.Sum) (n uint64) {
	for _, r := range ranges {
		n += r.Keys
	}
	return n
}

// difference is a range in which some nodes differ.
type difference struct {
	from, to []byte
	nodes    []uint32
}

// differing returns the ranges in which replicas differ. Each is between two keys at which a range begins
// at every replica.
func differing(sums map[uint32]Sums) (out []difference) {
	nodes := sortedNodes(sums)
	at := map[uint32]int{}
	for {
		to, ended := next(sums, nodes, at)
		parts := map[uint32][]shard.Sum{}
		var from []byte
		for _, n := range nodes {
			begin := at[n]
			for at[n] < len(sums[n].Ranges) && (ended || bytes.Compare(sums[n].Ranges[at[n]].From, to) < 0) {
				at[n]++
			}
			parts[n] = sums[n].Ranges[begin:at[n]]
			if len(parts[n]) > 0 && (from == nil || bytes.Compare(parts[n][0].From, from) < 0) {
				from = parts[n][0].From
			}
		}
		if odd := minority(nodes, parts); len(odd) > 0 {
			out = append(out, difference{from, to, odd})
		}
		if ended {
			return out
		}
	}
}

// next returns the first key after the nodes' present positions at which a range begins at every node.
func next(sums map[uint32]Sums, nodes []uint32, at map[uint32]int) (to []byte, ended bool) {
	if len(nodes) == 0 {
		return nil, true
	}
	first := sums[nodes[0]].Ranges
	for i := at[nodes[0]]; i < len(first); i++ {
		if i == at[nodes[0]] && beginsPart(sums, nodes, at, first[i].From) {
			continue // the present position
		}
		everywhere := true
		for _, n := range nodes[1:] {
			_, found := slices.BinarySearchFunc(sums[n].Ranges[at[n]:], first[i].From, func(s shard.Sum, k []byte) int { return bytes.Compare(s.From, k) })
			everywhere = everywhere && found
		}
		if everywhere {
			return first[i].From, false
		}
	}
	return nil, true
}

// beginsPart reports whether no node is positioned before this key: the next part begins after it.
func beginsPart(sums map[uint32]Sums, nodes []uint32, at map[uint32]int, place []byte) bool {
	for _, n := range nodes {
		if at[n] < len(sums[n].Ranges) && bytes.Compare(sums[n].Ranges[at[n]].From, place) < 0 {
			return false
		}
	}
	return true
}

// minority returns the nodes that differ from a majority; all, if there is none.
func minority(nodes []uint32, parts map[uint32][]shard.Sum) []uint32 {
	same := func(a, b uint32) bool {
		return slices.EqualFunc(parts[a], parts[b], func(x, y shard.Sum) bool {
			return bytes.Equal(x.From, y.From) && x.Keys == y.Keys && x.Sum == y.Sum
		})
	}
	for _, n := range nodes {
		var odd []uint32
		for _, other := range nodes {
			if !same(n, other) {
				odd = append(odd, other)
			}
		}
		if 2*len(odd) < len(nodes) {
			return odd
		}
	}
	return nodes
}

func sortedNodes(sums map[uint32]Sums) []uint32 {
	var out []uint32
	// order: sorted below.
	for n := range sums {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// Lines describes a comparison to a person.
func (c *Comparison) Lines() []string {
	out := []string{fmt.Sprintf("shard %d at entry %d: %d keys in %d ranges at nodes %v", c.Shard, c.Index, c.Keys, c.Ranges, c.Replicas)}
	for _, d := range c.Different {
		to := cmp.Or(d.To, "the end")
		line := fmt.Sprintf("shard %d DIFFERS at nodes %v: %s from %s to %s", c.Shard, d.Replicas, d.What, d.From, to)
		if len(d.Rows) > 0 {
			line += fmt.Sprintf(", first at %s", strings.Join(d.Rows, ", "))
		}
		out = append(out, line)
	}
	for _, m := range c.Missing {
		out = append(out, fmt.Sprintf("shard %d at node %d was NOT COMPARED: %s", c.Shard, m.Node, m.Reason))
	}
	return out
}
