package lab

import (
	"math"
	"testing"
	"time"

	"isochron/geo"
	"isochron/protocol"
	"isochron/sim"
	"isochron/workload"
)

// parked is a cluster without load, for clients that only wait for each other.
func parked(t *testing.T) *sim.Cluster {
	t.Helper()
	wan, err := geo.Parse("uniform:1ms:1")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := protocol.ByName("2pc+occ")
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions)
	workload.Spread(dir, 1)
	w, err := sim.New(sim.Config{Seed: 1, WAN: wan, Spec: spec, Directory: dir, NoCrash: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// Three at a time: an aborted transaction is in the next batch, before later arrivals; the next
// batch begins when only those remain whose writes are revealed.
func TestBatchesOfASequencer(t *testing.T) {
	w, q, began := parked(t), newSequencer(3), map[int][]time.Duration{}
	start := w.Elapsed()
	for i := range 6 {
		w.Go(1, func(c *sim.Client) {
			c.Sleep(time.Duration(i) * time.Microsecond) // the first has a batch of its own
			q.enter(c)
			for try := 0; ; try++ {
				began[i] = append(began[i], (c.Elapsed() - start).Round(time.Millisecond))
				c.Sleep(10 * time.Millisecond)
				if i == 1 && try == 0 {
					q.leave(c, false, true)
					continue
				}
				if i == 2 {
					q.revealed()
					c.Sleep(50 * time.Millisecond) // its client gets the answer late
					q.leave(c, true, false)
					return
				}
				q.leave(c, false, false)
				return
			}
		})
	}
	w.Run(time.Second)
	const ms = time.Millisecond
	want := map[int][]time.Duration{0: {0}, 1: {10 * ms, 20 * ms}, 2: {10 * ms}, 3: {10 * ms}, 4: {20 * ms}, 5: {20 * ms}}
	for i := range 6 {
		if len(began[i]) != len(want[i]) || began[i][0] != want[i][0] || began[i][len(began[i])-1] != want[i][len(want[i])-1] {
			t.Errorf("client %d was admitted at %v, want %v", i, began[i], want[i])
		}
	}
	if q.inside != 0 || q.through != 0 {
		t.Errorf("clients are left: %+v", q)
	}
	var none *sequencer
	none.enter(nil)
	none.revealed()
	none.leave(nil, true, true)
}

// One after another: a transaction costs its statement, its read and its commit, whatever the
// number of waiters; a round trip of its client delays no other.
func TestASequencerIsSteady(t *testing.T) {
	for _, clients := range []int{8, 256} {
		s := beside("hotspot", clients)
		s.Protocol, s.Sequence, s.AdmissionOff, s.Length, s.Loop, s.Cores = "aria", 1, true, 1, true, 80
		s.ClientRTT, s.StatementCPU, s.RequestCPU, s.CommitCPU, s.Fsync = 100*time.Microsecond, 65*time.Microsecond, 5*time.Microsecond, 40*time.Microsecond, 250*time.Microsecond
		// The commit's request costs as much as a read; the rest of it is the loop's, beside the
		// next batch.
		want := 1e6 / (65.0 + 5 + 5)
		if r := sound(t, mustRun(t, s)); math.Abs(r.ThroughputTPS/want-1) > 0.35 || r.AbortRate > 0 {
			t.Errorf("%d clients: %.0f updates a second, want about %.0f; %.2f aborted", clients, r.ThroughputTPS, want, r.AbortRate)
		}
	}
}
