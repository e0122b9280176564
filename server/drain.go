package server

import (
	"context"
	"time"

	"isochron/node"
)

// handOverLook is how often a node looks whether it still leads.
const handOverLook = 20 * time.Millisecond

// OnDrain has f called when the node begins to drain or stops it: whoever
// serves clients takes no new ones meanwhile.
func (p *Process) OnDrain(f func(draining bool)) { p.onDrain.Store(&f) }

// SetDraining has the node hand over what it leads, and lead nothing and take
// no new clients until that is undone or the process ends; false if the node
// has stopped.
func (p *Process) SetDraining(on bool) bool {
	if f := p.onDrain.Load(); f != nil {
		(*f)(on)
	}
	return p.runner.inLoop(func(n *node.Node) { n.SetDraining(p.runner.clock.now(), on) })
}

// HandOver drains the node and waits until it leads nothing that another node
// could lead, or until ctx ends.
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

// Settle rolls back what is open at this gateway, and waits until its commits are
// finished everywhere and all that it has said is on its way to the other nodes, or
// until ctx ends. It is for a node that stops, when its clients are gone: nobody has to wait
// for its lease to run out.
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
