package sim

import (
	"strings"
	"time"
)

// Trouble breaks a cluster that another package runs, in the ways that its Faults allow.
type Trouble struct{ n *nemesis }

// NewTrouble prepares the faults that the seed draws. The duration of faults and the time between
// them are multiples of unit, a few of them at the least. No node is lost permanently: clients stay
// where they are.
func (w *Cluster) NewTrouble(faults Faults, unit time.Duration) *Trouble {
	faults.Replace = false // nor added
	return &Trouble{newNemesis(w, faults, w.cfg.Seed, unit)}
}

// Start begins the faults.
func (t *Trouble) Start() { t.n.start() }

// Heal ends the faults and repairs everything.
func (t *Trouble) Heal() { t.n.heal() }

// Counts returns the faults done so far. Messages are not counted here.
func (t *Trouble) Counts() Counts {
	out := Counts{}
	// order: from map to map.
	for what, n := range t.n.counts {
		if !strings.HasPrefix(what, "sent: ") {
			out[what] = n
		}
	}
	return out
}
