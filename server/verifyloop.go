package server

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"isochron/txn"
)

// With verify_every in its configuration a node compares, at that interval, the replicas of the shards it
// leads.

// VerifyReport has the comparisons that a node has made by itself.
type VerifyReport struct {
	Comparisons uint64 `json:"comparisons"` // of one shard each
	// Failed counts those in which a replica could not be compared.
	Failed uint64 `json:"failed"`
	// Different has the newest comparison of each shard whose replicas differ.
	Different []Comparison `json:"different,omitempty"`
}

// verifications has their results.
type verifications struct {
	mu    sync.Mutex
	last  VerifyReport
	ended sync.WaitGroup
	end   context.CancelFunc
}

func (v *verifications) report() VerifyReport {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := v.last
	out.Different = slices.Clone(out.Different)
	return out
}

// note records a comparison; it replaces an older one of its shard.
func (v *verifications) note(c Comparison) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last.Comparisons++
	if len(c.Missing) > 0 {
		v.last.Failed++
	}
	if len(c.Missing) > 0 && len(c.Different) == 0 {
		return // an earlier difference may still exist
	}
	v.last.Different = slices.DeleteFunc(v.last.Different, func(old Comparison) bool { return old.Shard == c.Shard })
	if len(c.Different) > 0 {
		v.last.Different = append(v.last.Different, c)
	}
}

// verifyAlways starts the comparisons.
func (p *Process) verifyAlways() {
	if p.cfg.VerifyEvery <= 0 {
		return
	}
	var ctx context.Context
	ctx, p.verified.end = context.WithCancel(context.Background())
	p.verified.ended.Go(func() {
		tick := time.NewTicker(p.cfg.VerifyEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-p.runner.ended:
				return
			case <-ctx.Done():
				return
			}
			p.verifyLed(ctx)
		}
	})
}

// stopVerifying ends them.
func (p *Process) stopVerifying() {
	if p.verified.end != nil {
		p.verified.end()
	}
	p.verified.ended.Wait()
}

// verifyLed compares the replicas of each shard this node leads.
func (p *Process) verifyLed(ctx context.Context) {
	v, ok := look(p.runner)
	if !ok {
		return
	}
	for _, s := range v.statuses {
		if !s.Kind.Native() || !s.Serving || ctx.Err() != nil {
			continue
		}
		var members []uint32
		for _, n := range slices.Concat(s.Voters, s.Learners) {
			members = append(members, uint32(n))
		}
		c, err := Compare(ctx, uint64(s.Shard), rand.Uint64(), members, p.cfg.VerifyRate, p.giveOrDo)
		if err != nil {
			if ctx.Err() == nil {
				p.cfg.Log.Warn("the replicas of a shard could not be compared", "shard", s.Shard, "err", err)
			}
			continue
		}
		p.verified.note(c)
		for _, line := range c.Lines()[1:] {
			p.cfg.Log.Error("replicas differ, or were not compared", "what", line)
		}
		p.cfg.Log.Debug("the replicas of a shard were compared", "what", c.Lines()[0])
	}
}

// giveOrDo sends a command to a node, or executes it if the node is this one.
func (p *Process) giveOrDo(ctx context.Context, node uint32, o AdminCommand) (Outcome, error) {
	if txn.NodeID(node) == p.cfg.Self {
		return p.carryOutOrder(o).result()
	}
	for _, m := range p.otherMembers() {
		if uint32(m.ID) == node {
			return SendAdmin(ctx, p.cfg.Credentials, m, o)
		}
	}
	return Outcome{Refused: "the directory has no such node"}.result()
}
