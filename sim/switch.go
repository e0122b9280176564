package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"isochron/decide"
	"isochron/protocol"
	"isochron/routing"
	"isochron/yield"
)

// switches changes the protocol of a cluster, again and again, while all other faults continue.
type switches struct {
	n     *nemesis
	rand  *rand.Rand
	among []string
	began string // the first protocol of the cluster
	under bool   // an order is in progress
}

// streamSwitches is their stream of chance.
const streamSwitches uint64 = 910

// DefaultSwitch are the protocols among which a run switches by default: they differ in every
// column in which the protocols of a cluster can.
var DefaultSwitch = []string{"2pc+2pl-home", "d2pc+2pl-home", "2pc+2pl-group", "d2pc+2pl-group", "d2pc+occ", "txsql"}

// A switch of a run drains for this long, and is cancelled after this long.
const (
	switchDrain = 250 * time.Millisecond
	switchLimit = 1200 * time.Millisecond
	// switchHeld bounds how long a transaction waits to begin: gateways wait somewhat longer than
	// the limit, and may meet a second switch before they learn of the end of the first.
	switchHeld = 3 * switchLimit
)

// newSwitches returns nil if the run has no switches.
func newSwitches(n *nemesis, seed uint64, cfg FaultRunConfig, spec protocol.Spec) *switches {
	if len(cfg.Switch) == 0 || spec.Replicates == protocol.Unordered {
		return nil
	}
	return &switches{n: n, rand: stream(seed, streamSwitches), among: cfg.Switch, began: spec.Name}
}

// start begins the first switch.
func (s *switches) start() {
	if s != nil {
		s.plan()
	}
}

func (s *switches) plan() {
	s.n.w.After(s.n.unit*time.Duration(1+s.rand.IntN(40)), func() {
		if s.n.active {
			s.order()
			s.plan()
		}
	})
}

// order makes an operator at some node request another protocol. Some orders leave no time to open
// transactions, and some do not wait for silent nodes.
func (s *switches) order() {
	if s.under {
		return
	}
	to := s.among[s.rand.IntN(len(s.among))]
	want := routing.Protocol{To: to, DrainMillis: switchDrain.Milliseconds(), LimitMillis: switchLimit.Milliseconds()}
	if s.rand.IntN(3) == 0 {
		want.DrainMillis = 0
	}
	want.Absent = s.rand.IntN(2) == 0
	at := s.n.w.hosts[s.rand.IntN(len(s.n.w.cfg.Directory.Nodes))].id
	s.under = true
	s.n.w.Go(at, func(c *Client) {
		defer func() { s.under = false }()
		s.n.changeDirectory(c, "switches ordered", func(d *routing.Directory) error {
			if d.Protocol.Under() {
				return nil // of an earlier order
			}
			return d.Protocol.Begin(d.Protocol.InForce(s.began), want)
		})
	})
}

// unsettled describes switches that are still in progress.
func (s *switches) unsettled() []string {
	if s == nil {
		return nil
	}
	var out []string
	for _, h := range s.n.w.live() {
		if !h.up() {
			continue
		}
		p := h.node.Directory().Protocol
		if p.Under() {
			out = append(out, fmt.Sprintf("%s knows of a switch to %s", s.n.w.label(h.id), p.To))
		}
		for _, st := range h.node.Statuses() {
			if st.Kind.Native() && st.ProtocolSeq != p.Seq { // a source follows the requests of its gateways
				out = append(out, fmt.Sprintf("%s has shard %d under protocol %d of %d", s.n.w.label(h.id), st.Shard, st.ProtocolSeq, p.Seq))
			}
		}
	}
	return out
}

// count records how many switches were completed and cancelled, at the end of the run.
func (s *switches) count() {
	if s == nil {
		return
	}
	newest := routing.Protocol{}
	for _, h := range s.n.w.live() {
		if h.up() && h.node.Directory().Protocol.Try > newest.Try {
			newest = h.node.Directory().Protocol
		}
	}
	s.n.counts["switches of the protocol"] += int(newest.Seq)
	s.n.counts["switches given up"] += int(newest.Try - newest.Seq)
}

// rowsOf returns the protocols that the run's cluster may use.
func (cfg *FaultRunConfig) rowsOf(spec protocol.Spec) []protocol.Spec {
	out := []protocol.Spec{spec}
	for _, name := range cfg.Switch {
		if r, err := protocol.ByName(name); err == nil {
			out = append(out, r)
		}
	}
	return out
}

func preparesSequentially(r protocol.Spec) bool { return r.Prepares == decide.Sequential }

func anyHot(specs []protocol.Spec) bool {
	return slices.ContainsFunc(specs, func(r protocol.Spec) bool { return r.Yield.Hot != yield.HotNone })
}

func anyWithoutSnapshotReads(specs []protocol.Spec) bool {
	return slices.ContainsFunc(specs, func(r protocol.Spec) bool { return !r.SnapshotReads() })
}
