package lab

import (
	"math"
	"strings"
	"testing"
	"time"

	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
	"isochron/yield"
)

// beside is a single server, with clients beside it, on which only the configured costs take time.
func beside(workload string, clients int) Experiment {
	return Experiment{
		Protocol: "2pc+2pl-home", Workload: workload, WAN: "uniform:1ms:1", Shards: 1, Clients: clients, Keys: 1000,
		Cores: 8, Tries: 100, Warmup: 100 * time.Millisecond, Duration: 500 * time.Millisecond, Seed: 1, Check: 1000,
	}
}

func sound(t *testing.T, r Result) Result {
	t.Helper()
	if !r.Check.Serializable || r.Check.Checked == 0 || r.Committed == 0 {
		t.Fatalf("%d committed, %+v", r.Committed, r.Check)
	}
	return r
}

// A transaction takes the time of its statements, one after the other, and of its commit; a single
// statement carries its commit.
func TestStatementsTakeTime(t *testing.T) {
	for _, c := range []struct {
		workload string
		length   int
		reads    float64
		micros   float64
	}{
		// Each: the way there and back 100, the statement 50, its request 10. The commit: a sync of
		// 1000, a request of 40, and if it is sent by itself 150 more.
		{"sysbench", 3, 0, 3*160 + 150 + 40 + 1000},
		{"hotspot", 1, 0, 160 + 40 + 1000},
		{"sysbench", 1, 1, 160 + 10}, // the commit is a request of the gateway's own
		{"fit", 0, 0, 2*160 + 150 + 40 + 1000},
	} {
		for _, loop := range []bool{false, true} {
			s := beside(c.workload, 1)
			s.Length, s.ReadShare, s.Loop = c.length, c.reads, loop
			s.ClientRTT, s.StatementCPU, s.RequestCPU, s.CommitCPU, s.StoreCPU = 100*time.Microsecond, 50*time.Microsecond, 10*time.Microsecond, 40*time.Microsecond, 95*time.Microsecond
			s.Fsync = time.Millisecond
			want := c.micros
			if got := 1000 * sound(t, mustRun(t, s)).LatencyMS.P50; math.Abs(got/want-1) > 0.01 {
				t.Errorf("%s of %d statements, loop %v: %v us, want %v", c.workload, c.length, loop, got, want)
			}
		}
	}
}

// With a loop a node processes one request at a time, whatever its cores.
func TestALoopIsOne(t *testing.T) {
	for loop, want := range map[bool]float64{false: 40_000, true: 5_000} { // a read and its commit are two requests
		s := beside("sysbench", 64)
		s.Length, s.ReadShare, s.RequestCPU, s.Loop = 1, 1, 100*time.Microsecond, loop
		r := sound(t, mustRun(t, s))
		if math.Abs(r.ThroughputTPS/want-1) > 0.02 {
			t.Errorf("loop %v: %v a second, want %v", loop, r.ThroughputTPS, want)
		}
		cpu := map[bool]float64{false: 100, true: 12.5}[loop]
		if math.Abs(r.Machine.CPUPercent-cpu) > 1 {
			t.Errorf("loop %v: %v %% of the CPU, want %v", loop, r.Machine.CPUPercent, cpu)
		}
	}
}

// On a hot row all time that is not the transaction's own work is lock wait.
func TestLockWaitsAreReported(t *testing.T) {
	s := beside("hotspot", 10)
	s.Length, s.Fsync = 1, time.Millisecond
	r := sound(t, mustRun(t, s))
	if l, w := r.LatencyMS, r.LockWaitMS; math.Abs(l.Avg-10) > 0.1 || math.Abs(w.Avg-9) > 0.1 || math.Abs(w.P95-9) > 0.1 {
		t.Errorf("of %v ms %v are waiting for locks (p95 %v); want 9 of 10", l.Avg, w.Avg, w.P95)
	}
	if r.Machine.Waits < 0.9 || r.Machine.Waits > 1.1 {
		t.Errorf("%v waits for each commit", r.Machine.Waits)
	}
}

// Rollbacks by the client are neither retried nor included in the sums.
func TestRollbacksInTheLaboratory(t *testing.T) {
	for _, workload := range []string{"hotspot", "sysbench", "fit"} {
		s := beside(workload, 8)
		s.Length, s.ReadShare, s.Rollback, s.Zipf, s.Fsync = 4, 0.5, 0.25, 0.9, 100*time.Microsecond
		s.ClientRTT, s.Duration = 50*time.Microsecond, 200*time.Millisecond
		r := sound(t, mustRun(t, s))
		if share := float64(r.GaveUp) / float64(r.GaveUp+r.Committed); math.Abs(share-0.25) > 0.05 {
			t.Errorf("%s: %v of the transactions were rolled back", workload, share)
		}
	}
}

// A sum that does not hold makes a run wrong, even if no try of it was recorded.
func TestSumsAreChecked(t *testing.T) {
	for workload, want := range map[string]string{"hotspot": "row hot0 has counted", "sysbench": "has counted", "fit": "account 0 has"} {
		s := beside(workload, 6)
		s.Warmup, s.Duration = 20*time.Millisecond, 80*time.Millisecond
		s.Protocol, s.Length, s.Zipf, s.Check, s.bugs = "2pc+occ", 2, 0.9, 0, node.InjectedBugs{SkipValidation: true}
		s.Fsync, s.ClientRTT = 100*time.Microsecond, 100*time.Microsecond
		if r := mustRun(t, s); r.Check.Serializable || !strings.Contains(strings.Join(r.Check.Anomalies, "; "), want) {
			t.Errorf("%s without validation: %+v", workload, r.Check)
		}
	}
}

// Spikes occur at their times, and the pieces of the measured time show them.
func TestSpikesInPieces(t *testing.T) {
	s := beside("hotspots", 1)
	s.Rate, s.Spikes, s.Series, s.Duration = 2000, "400ms+200ms:6000", 200*time.Millisecond, time.Second
	s.RequestCPU = 10 * time.Microsecond
	r := sound(t, mustRun(t, s))
	if len(r.Series) != 5 {
		t.Fatalf("%d pieces", len(r.Series))
	}
	for i, p := range r.Series {
		want := 2000.0
		if i == 2 {
			want = 8000
		}
		if math.Abs(p.ThroughputTPS/want-1) > 0.25 || p.FailedTPS > 0 || p.P95MS <= 0 || p.CPUPercent <= 0 || math.Abs(p.UntilS-0.2*float64(i+1)) > 1e-9 {
			t.Errorf("piece %d, want %v a second: %+v", i, want, p)
		}
	}
	if total := r.ByClass["payment"].Committed; math.Abs(float64(total)/(0.1*2000+0.2*6000)-1) > 0.2 {
		t.Errorf("%d payments", total)
	}
	for _, bad := range []string{"3s", "3s:5", "3s+2s", "3s+2s:x", "3s+0s:5", "-1s+2s:5", "3s+2s:0", "x+2s:5"} {
		s.Spikes = bad
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "is no spike") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Clients can be in some regions only.
func TestClientRegions(t *testing.T) {
	s := short()
	s.ClientRegions, s.Shards = 1, 1
	if pairs := mustRun(t, s).ContentionSpanMS.ByPair; len(pairs) != 1 || pairs["hz"] == nil {
		t.Errorf("clients were in %v", pairs)
	}
}

// Without group commit a disk of a thousand syncs a second makes five hundred commits durable: Raft
// has one for the entry, and one for the mark that it is committed. With it ten clients share every
// second sync.
func TestEachCommitItsOwnSync(t *testing.T) {
	for each, want := range map[bool]float64{true: 500, false: 5000} {
		s := beside("sysbench", 10)
		s.Length, s.Fsync, s.SyncEach = 1, time.Millisecond, each
		if r := sound(t, mustRun(t, s)); math.Abs(r.ThroughputTPS/want-1) > 0.05 {
			t.Errorf("each by itself %v: %v commits a second, want %v", each, r.ThroughputTPS, want)
		}
	}
}

// A transaction that waits for a lock longer than the resend time of a gateway gets it once.
func TestLongWaitsForAHotRow(t *testing.T) {
	for _, spec := range protocol.Table() {
		if !spec.Yield.LockReads || spec.Yield.OnConflict != yield.ConflictWoundWait || spec.Reveal.OnItsAppend(txn.Class{Participants: 1}) {
			continue // others do not wait for long
		}
		s := beside("hotspot", 5)
		s.Protocol, s.Length, s.Fsync, s.LockWait = spec.Name, 1, 400*time.Millisecond, 50*time.Second
		s.Warmup, s.Duration = time.Second, 10*time.Second
		s.HotWaiters = 32 // however long turns take: where the row is hot no transaction waits for long
		if r := sound(t, mustRun(t, s)); r.ThroughputTPS < 2.3 || r.ThroughputTPS > 2.6 {
			t.Errorf("%s: %v updates a second, each 0.4 s long", spec.Name, r.ThroughputTPS)
		}
	}
}

// An operator's switch takes effect while clients work, and so does the size of a group.
func TestHotRowsAreSwitched(t *testing.T) {
	s := beside("fit", 64)
	s.Protocol, s.Fsync, s.RequestCPU, s.Loop, s.HotWaiters = "txsql", time.Millisecond, 10*time.Microsecond, true, 4
	s.ClientRTT, s.Series, s.HotFrom = 100*time.Microsecond, 100*time.Millisecond, 200*time.Millisecond
	r := sound(t, mustRun(t, s))
	before, after := r.Series[1].ThroughputTPS, r.Series[3].ThroughputTPS
	if after < 3*before {
		t.Errorf("%v a second before the switch and %v after it", before, after)
	}
	s.HotFrom, s.HotOff = 0, true
	if r := sound(t, mustRun(t, s)); r.Series[3].ThroughputTPS > 1.2*before {
		t.Errorf("%v a second without the switch, and %v before it", r.Series[3].ThroughputTPS, before)
	}
	s.HotOff, s.GroupSize, s.GrowFrom, s.GrowTo = false, 1, 300*time.Millisecond, 10
	r = sound(t, mustRun(t, s))
	if small, large := r.Series[1].ThroughputTPS, r.Series[4].ThroughputTPS; large < 2*small {
		t.Errorf("%v a second in groups of one, and %v when they have grown", small, large)
	}
	s.GrowFrom = 0
	if r := sound(t, mustRun(t, s)); r.ThroughputTPS > after/2 {
		t.Errorf("%v a second in groups of one, %v in those of ten", r.ThroughputTPS, after)
	}
}
