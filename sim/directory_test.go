package sim

import (
	"testing"

	"isochron/node"
	"isochron/routing"
	"isochron/store"
)

// A directory becomes visible in one batch and is adopted in the next: a crash may leave only the
// first on disk. The node would learn of it in no other way.
func TestADirectoryThatWasNotAdoptedBeforeACrash(t *testing.T) {
	h := openAsOf(t, node.InjectedBugs{})
	home := h.w.host(2)
	old := home.node.Directory().Encode()
	h.desire(t, func(d *routing.Directory) error {
		return d.AddNode(routing.Node{ID: uint32(len(h.w.hosts) + 1), Region: string(home.region)})
	})
	newest := h.w.host(1).node.Directory().Epoch
	has := func() bool { return home.up() && home.node.Directory().Epoch == newest }
	h.until(t, "the new directory", has)
	h.w.Run(faultRunUnit * 10) // it is on disk
	home.crash(strictly)
	var b store.Batch
	b.Set([]byte("n/directory"), old)
	home.engine.Apply(&b)
	home.restart()
	h.until(t, "the new directory after the crash", has)
}
