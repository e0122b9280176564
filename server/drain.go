package server

import (
	"context"
	"time"

	"isochron/node"
)

// handOverLook is the interval at which a node checks whether it still leads.
const handOverLook = 20 * time.Millisecond

// OnDrain registers f, which is called when the node begins or stops draining; servers of clients admit no
// new clients meanwhile.
func (p *Process) OnDrain(f func(draining bool)) { p.onDrain.Store(&f) }

// SetDraining begins or ends draining: the node hands over its leaderships, and leads no shard and admits no
// new clients. It returns false if the node has stopped.
func (p *Process) SetDraining(on bool) bool {
	if f := p.onDrain.Load(); f != nil {
		(*f)(on)
	}
	return p.runner.inLoop(func(n *node.Node) { n.SetDraining(p.runner.clock.now(), on) })
}

// HandOver drains the node and waits until it leads only shards that no other node could lead, or until ctx
// ends.
func (p *Process) HandOver(ctx context.Context) {
	if !p.SetDraining(true) {
		return
	}
	look := time.NewTicker(handOverLook)
	defer look.Stop()
	for {
		left := 0
		if !p.runner.inLoop(func(n *node.Node) { left = len(n.CanHandOver()) }) || left == 0 {
			return
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// Settle rolls back the gateway's open transactions and waits until its commits are finished at all
// participants and its messages are sent, or until ctx ends. It is for a node that stops after its clients
// have gone: then no other node has to wait for its lease to expire.
func (p *Process) Settle(ctx context.Context) {
	look := time.NewTicker(handOverLook)
	defer look.Stop()
	for last, settled := uint64(0), false; ; {
		left := 0
		ok := p.runner.inLoop(func(n *node.Node) {
			n.RollBackOpen(p.runner.clock.now())
			left = n.Unfinished()
		})
		if ok && left == 0 && !settled {
			last, settled = p.wan.last(), true
		}
		if !ok || settled && p.wan.carried(last) && p.peers.Idle() {
			return
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}
