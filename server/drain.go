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
