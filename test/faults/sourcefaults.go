package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"isochron/server/delay"
)

// The kinds of faults of a run over sources.
const (
	KillGateway      Kind = "kill -9 of a gateway"
	KillStorage      Kind = "kill -9 of a node with data"
	KillAgent        Kind = "kill -9 of an agent"
	KillDatabase     Kind = "kill -9 of a database"
	KillSource       Kind = "kill -9 of an agent and its database"
	KillEverything   Kind = "kill -9 of all, databases too"
	PauseAgent       Kind = "an agent paused"
	CutAgent         Kind = "an agent cut off"
	CutAgentSilently Kind = "an agent unheard"
	CutAgentDeaf     Kind = "an agent deaf"
	CutGateway       Kind = "a gateway cut off"
	CutDatabase      Kind = "an agent cut from its database"
)

// SourceKinds are all of them, in the order of a summary.
var SourceKinds = []Kind{KillGateway, KillStorage, KillAgent, KillDatabase, KillSource, KillEverything, PauseAgent, CutAgent, CutAgentSilently, CutAgentDeaf, CutGateway, CutDatabase}

// sourceFaultMax is the longest that a fault lasts.
const sourceFaultMax = 8 * time.Second

// victims are what a fault of a run over sources hits.
type victims struct {
	nodes  []int    // killed, paused or cut
	places []*place // whose database is killed, or cut from its agent
	// away are places where nothing commits meanwhile, and doors gateways that serve no client.
	away  []*place
	doors []int
}

// choose picks them.
func (r *sourcesRun) choose(kind Kind) (v victims) {
	source := r.places[r.rand.IntN(2)]
	switch kind {
	case KillGateway, CutGateway:
		door := r.rand.IntN(gatewayNodes)
		v = victims{nodes: []int{firstGateway + door}, doors: []int{door}}
	case KillStorage:
		v = victims{nodes: []int{r.rand.IntN(storageNodes)}}
	case KillAgent, PauseAgent, CutAgent, CutAgentSilently, CutAgentDeaf:
		v = victims{nodes: []int{source.agent}, away: []*place{source}}
	case KillDatabase, CutDatabase:
		v = victims{places: []*place{source}, away: []*place{source}}
	case KillSource:
		v = victims{nodes: []int{source.agent}, places: []*place{source}, away: []*place{source}}
	case KillEverything:
		v = victims{places: r.places[:2], away: r.places, doors: []int{0, 1}}
		for i := range r.cluster.Nodes {
			v.nodes = append(v.nodes, i)
		}
	}
	return v
}

// String names them.
func (v victims) String() string {
	var names []string
	for _, i := range v.nodes {
		names = append(names, fmt.Sprint(i+1))
	}
	for _, p := range v.places {
		names = append(names, p.name)
	}
	return strings.Join(names, " ")
}

// inflict does a fault, measures, undoes it, and measures again.
func (r *sourcesRun) inflict(ctx context.Context, kind Kind) (SourceEvent, error) {
	v := r.choose(kind)
	length := time.Duration(r.rand.Int64N(int64(sourceFaultMax)))
	if r.cfg.Once != nil {
		length = time.Second
	}
	e := SourceEvent{Kind: kind, At: time.Since(r.begun).Seconds(), Hit: v.String(), Continues: -1}
	begun := time.Now()
	failed := func(when string, err error) (SourceEvent, error) {
		return e, fmt.Errorf("%s %s of %s: %w", when, kind, v, err)
	}
	if err := r.do(kind, v); err != nil {
		return failed("in", err)
	}
	if len(v.doors) < gatewayNodes {
		took, err := r.measure(ctx, v)
		if err != nil {
			return failed("during", errors.Join(err, r.undo(ctx, kind, v)))
		}
		e.Continues = took.Seconds()
	}
	select {
	case <-time.After(time.Until(begun.Add(length))):
	case <-ctx.Done():
	}
	e.Seconds = time.Since(begun).Seconds()
	if err := r.undo(ctx, kind, v); err != nil {
		return failed("after", err)
	}
	healed := time.Now()
	if _, err := r.measure(ctx, victims{}); err != nil {
		return failed("after", err)
	}
	e.Resumes = time.Since(healed).Seconds()
	return e, nil
}

// measure returns the time until a move over all places that are not away commits through each
// gateway that is not lost.
func (r *sourcesRun) measure(ctx context.Context, v victims) (time.Duration, error) {
	var at []int
	for i, p := range r.places {
		if !slices.Contains(v.away, p) {
			at = append(at, i)
		}
	}
	begun := time.Now()
	errs := make([]error, gatewayNodes)
	var all sync.WaitGroup
	for door := range gatewayNodes {
		if !slices.Contains(v.doors, door) {
			all.Go(func() { errs[door] = r.movers.served(ctx, door, at) })
		}
	}
	all.Wait()
	return time.Since(begun), errors.Join(errs...)
}

// do does a fault.
func (r *sourcesRun) do(kind Kind, v victims) error {
	var first *Node
	if len(v.nodes) > 0 {
		first = r.cluster.Nodes[v.nodes[0]]
	}
	others := func() string {
		var ids []string
		for _, n := range r.cluster.Nodes {
			if n != first {
				ids = append(ids, fmt.Sprint(n.ID))
			}
		}
		return strings.Join(ids, ",")
	}
	switch kind {
	case PauseAgent:
		return first.Signal(syscall.SIGSTOP, false)
	case CutAgent, CutGateway:
		return first.Links("--cut", others())
	case CutAgentSilently:
		return first.Links("--cut-to", others())
	case CutAgentDeaf:
		return first.Links("--cut-from", others())
	case CutDatabase:
		return v.places[0].link.Close()
	}
	var errs []error
	for _, i := range v.nodes { // the signals first: all at the same time
		errs = append(errs, r.cluster.Nodes[i].Signal(syscall.SIGKILL, true))
	}
	for _, p := range v.places {
		p.database.Kill()
	}
	for _, i := range v.nodes {
		errs = append(errs, r.cluster.Nodes[i].Kill())
	}
	return errors.Join(errs...)
}

// undo undoes it, and returns when all that was ended is there again.
func (r *sourcesRun) undo(ctx context.Context, kind Kind, v victims) (err error) {
	switch kind {
	case PauseAgent:
		return r.cluster.Nodes[v.nodes[0]].Signal(syscall.SIGCONT, false)
	case CutAgent, CutGateway, CutAgentSilently, CutAgentDeaf:
		return r.cluster.Nodes[v.nodes[0]].Links("--reset")
	case CutDatabase:
		p := v.places[0]
		p.link, err = delay.Listen(p.link.Addr(), p.database.Addr(), 0)
		return err
	}
	for _, p := range v.places {
		if err := p.database.Start(); err != nil {
			return err
		}
	}
	for _, i := range v.nodes {
		if err := r.cluster.Nodes[i].Start(); err != nil {
			return err
		}
	}
	for _, i := range v.nodes {
		if err := r.cluster.Nodes[i].Await(ctx); err != nil {
			return err
		}
	}
	return nil
}
