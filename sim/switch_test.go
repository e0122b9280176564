package sim

import (
	"context"
	"io"
	"slices"
	"testing"
	"time"

	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

// A cluster switches from protocol to protocol under load, without other faults, and with all.
func TestSwitches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		faults Faults
		seeds  int
	}{{Faults{}, 2}, {Faults{Crashes: true, Partitions: true, Network: true, Transfers: true}, 6}, {AllFaults(), 6}} {
		cfg := FaultRunConfig{Seed: 1, Seeds: seeds(t, c.seeds), Specs: []string{"2pc+2pl-home", "d2pc+occ", "txsql"}, Faults: c.faults, Switch: append(slices.Clone(DefaultSwitch), "natto-recsf"), StopAfter: 2}
		sum, err := RunSeeds(cfg, t.Output())
		t.Logf("%d runs with faults %v: %v", sum.Runs, c.faults, sum.Counts)
		if err != nil {
			t.Fatal(err)
		}
		if n := sum.Counts["switches of the protocol"]; n < sum.Runs {
			t.Errorf("%d switches in %d runs", n, sum.Runs)
		}
	}
}

// The same over external databases, from protocols made for them and to others. Their guarantees
// are checked there too: a branch that votes before it is prepared is found.
func TestSwitchesOverSources(t *testing.T) {
	t.Parallel()
	among := []string{"geotp", "ssp", "d2pc+2pl-group", "2pc+2pl-home"}
	for _, faults := range []Faults{{}, AllFaults()} {
		cfg := FaultRunConfig{Seed: 1, Seeds: seeds(t, 2), Specs: []string{"geotp", "d2pc+2pl-group"}, Faults: faults, Switch: among, StopAfter: 2}
		sum, err := RunSeeds(cfg, t.Output())
		t.Logf("%d runs with faults %v: %v", sum.Runs, faults, sum.Counts)
		if err != nil {
			t.Fatal(err)
		}
		if n := sum.Counts["switches of the protocol"]; n < sum.Runs/2 || sum.Counts["at sources: ok"] < 10*sum.Runs {
			t.Errorf("%d switches in %d runs, %d committed at sources", n, sum.Runs, sum.Counts["at sources: ok"])
		}
	}
	cfg := FaultRunConfig{Seed: 1, Seeds: 30, Specs: []string{"d2pc+2pl-group"}, Faults: AllFaults(), Switch: among, StopAfter: 1, InjectedBugs: txn.InjectedBugs{VoteBeforePrepare: true}}
	if sum, _ := RunSeeds(cfg, io.Discard); len(sum.Failed) == 0 {
		t.Errorf("a planted bug is not found in %d runs", sum.Runs)
	}
}

// Without faults and with time to drain, no transaction is rolled back for a switch of the
// protocol, and none waits for long: clients see a pause.
func TestADrainedSwitchCostsOnlyAPause(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"2pc+2pl-home", "d2pc+2pl-home"}, {"2pc+2pl-group", "d2pc+occ"}, {"d2pc+occ", "txsql"}, {"d2pc+2pl-group", "natto-recsf"}, {"natto-recsf", "2pc+2pl-home"}} {
		spec, err := protocol.ByName(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		h := &faultRun{cfg: FaultRunConfig{}}
		h.open(1, spec)
		h.unvalidated = nil // the protocol changes
		defer h.w.Close()
		h.until(t, "ready", h.w.Ready)
		if !h.setup() {
			t.Fatal(h.result.Violations)
		}
		clients := h.startClients(h.w.Elapsed() + 4*time.Second)
		h.w.Run(time.Second)
		began := h.w.Elapsed()
		h.desire(t, func(d *routing.Directory) error {
			return d.Protocol.Begin(pair[0], routing.Protocol{To: pair[1], DrainMillis: 2000, LimitMillis: 3000})
		})
		over := func() bool {
			for _, o := range h.w.hosts {
				p := o.node.Directory().Protocol
				if p.Name != pair[1] || p.Under() {
					return false
				}
				for _, s := range o.node.Statuses() {
					if s.Serving && s.ProtocolSeq != p.Seq {
						return false
					}
				}
			}
			return true
		}
		h.until(t, "the other protocol", over)
		took := h.w.Elapsed() - began
		h.until(t, "the end of the clients", func() bool { return allDone(clients) })
		lost := uint64(0)
		h.do(t, func(c *Client) {
			got, err := c.DB().(txn.ContentionQuerier).Contention(context.Background())
			if err != nil {
				t.Error(err)
			}
			for _, reply := range got.Nodes { // order: a sum
				lost += reply.Rollbacks[txn.CauseProtocol]
			}
		})
		h.settle()
		h.finish()
		if len(h.result.Violations) > 0 || lost > 0 {
			t.Errorf("%v: %d transactions were rolled back for it; %v", pair, lost, h.result.Violations)
		}
		t.Logf("%v: over in %v, where the widest round trip is %v; %d committed", pair, took, h.w.cfg.WAN.MaxRTT(h.w.cfg.WAN.Regions[0], h.w.cfg.WAN.Regions), h.result.Counts["ok"])
		if took > 2*time.Second {
			t.Errorf("%v: the switch took %v", pair, took)
		}
	}
}
