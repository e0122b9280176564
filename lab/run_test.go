package lab

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"isochron/node"
	"isochron/protocol"
)

func short() Experiment {
	s := Defaults()
	s.Clients, s.Keys, s.Warmup, s.Duration, s.Check = 24, 10_000, 500*time.Millisecond, 3*time.Second, 2000
	return s
}

func mustRun(t *testing.T, s Experiment) Result {
	t.Helper()
	r, err := Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// variants are experiments that use every source of chance.
func variants(row string) []Experiment {
	plain, rough, open := short(), short(), short()
	rough.Jitter, rough.Loss, rough.Skew, rough.Faults, rough.Cores = 0.2, 0.002, 50*time.Millisecond, "all", 1
	rough.WAN, rough.Clients, rough.Duration = "uniform:20ms:3", 6, 20*time.Second
	open.Rate, open.Workload, open.Backoff = 60, "smallbank", 5*time.Millisecond
	out := []Experiment{plain, rough, open}
	for i := range out {
		out[i].Protocol = row
	}
	return out
}

// One seed is one run, for every protocol, with faults and without: repeated, and in parallel with
// others.
func TestOneSeedIsOneRun(t *testing.T) {
	var specs []Experiment
	for _, spec := range protocol.Table() {
		if spec.Isolation != protocol.NoAtomicity { // it breaks the checked properties
			specs = append(specs, variants(spec.Name)...)
		}
	}
	together, err := RunAll(context.Background(), append(specs, specs...), 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range specs {
		one, two := together[i], together[len(specs)+i]
		one.WallS, two.WallS = 0, 0
		if !reflect.DeepEqual(one, two) {
			t.Errorf("%s, faults %s: two runs of one seed differ:\n%+v\n%+v", s.Protocol, s.Faults, one, two)
		}
		if strings.Contains(s.Faults, "all") && len(one.Faults) == 0 {
			t.Errorf("%s: no fault struck", s.Protocol)
		}
		if !one.Check.Serializable || one.Check.Checked == 0 || one.Committed == 0 {
			t.Errorf("%s, faults %s: %d committed, check %+v", s.Protocol, s.Faults, one.Committed, one.Check)
		}
	}
	other := specs[0]
	other.Seed++
	if r := mustRun(t, other); r.TraceHash == together[0].TraceHash {
		t.Error("another seed is the same run")
	}
}

// Recording does not change the run.
func TestTheCheckDoesNotDisturb(t *testing.T) {
	s := short()
	with := mustRun(t, s)
	s.Check = 0
	without := mustRun(t, s)
	if with.TraceHash != without.TraceHash || with.Check.Checked == 0 || without.Check.Checked != 0 {
		t.Errorf("with the check of %d tries the trace is %s, without %s", with.Check.Checked, with.TraceHash, without.TraceHash)
	}
}

// The check finds the anomalies of a protocol with an injected bug.
func TestTheCheckFindsInjectedBugs(t *testing.T) {
	for _, row := range []string{"2pc+occ", "d2pc+occ"} {
		s := short()
		s.Protocol, s.Workload, s.Keys, s.bugs = row, "ycsb+t", 500, node.InjectedBugs{SkipValidation: true}
		r := mustRun(t, s)
		if r.Check.Serializable || len(r.Check.Anomalies) == 0 {
			t.Errorf("%s without validation: check %+v", row, r.Check)
		} else {
			t.Logf("%s without validation: %d anomalies, the first: %s", row, len(r.Check.Anomalies), r.Check.Anomalies[0])
		}
	}
}

// A read of a write after the end of the recording is not reported as a read of no write.
func TestAShortCheckHasNoFalseAlarm(t *testing.T) {
	s := short()
	s.Protocol, s.Workload, s.Keys, s.Check = "2pc+2pl-nro", "ycsb+t", 30, 40
	if r := mustRun(t, s); !r.Check.Serializable || len(r.Check.Anomalies) > 0 || r.Check.Checked == 0 || r.Check.Checked > s.Check {
		t.Errorf("of %d tries: %+v", s.Check, r.Check)
	}
}

// The classes are parts of the whole, and the parts of the latency add up to it.
func TestResultsAddUp(t *testing.T) {
	r := mustRun(t, short())
	sr, mr := r.ByClass[classSR], r.ByClass[classMR]
	if sr.Committed+mr.Committed != r.Committed || sr.Committed == 0 || sr.Aborted+mr.Aborted != r.Aborted {
		t.Errorf("SR %d and MR %d of %d committed", sr.Committed, mr.Committed, r.Committed)
	}
	kinds := int64(0)
	for name, c := range r.ByClass {
		if name != classSR && name != classMR {
			kinds += c.Committed
		}
	}
	if kinds != r.Committed {
		t.Errorf("the workload's own classes have %d of %d", kinds, r.Committed)
	}
	parts := r.BreakdownMS.Execute + r.BreakdownMS.Commit + r.BreakdownMS.Abort
	if math.Abs(parts-r.LatencyMS.Avg) > 0.01 {
		t.Errorf("execute, commit and abort are %v ms together, the latency is %v", parts, r.LatencyMS.Avg)
	}
	var pairs, regions int64
	for _, leaders := range r.ContentionSpanMS.ByPair {
		for _, p := range leaders {
			pairs += p.Count
		}
	}
	for _, p := range r.ContentionSpanMS.ByRegion {
		regions += p.Count
	}
	if pairs != r.ContentionSpanMS.Count || regions != pairs || pairs == 0 {
		t.Errorf("%d spans, %d by region, %d by pair", r.ContentionSpanMS.Count, regions, pairs)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// A client of a closed loop without pauses is in a try all the time: the times of tries add up to
// it, including those of transactions that never end.
func TestTriesAddUpToTheClientsTime(t *testing.T) {
	s := short()
	s.Keys, s.Zipf, s.Duration = 200, 0.9, 60*time.Second // a try that waits for locks is long, and the last ones are not seen
	r := mustRun(t, s)
	all := float64(s.Clients) * s.Duration.Seconds()
	if math.Abs(r.TriesS.sum()/all-1) > 0.05 {
		t.Errorf("the tries took %v s of the clients' %v", r.TriesS.sum(), all)
	}
	ended := r.LatencyMS.Avg / 1000 * float64(r.Committed)
	if r.TriesS.LostExecute+r.TriesS.LostCommit == 0 || ended > 0.98*all {
		t.Errorf("%+v, and transactions that ended took %v s of %v: too tame to show anything", r.TriesS, ended, all)
	}
	parts := 0.0
	for _, name := range []string{classSR, classMR} {
		parts += r.ByClass[name].TriesS.sum()
	}
	if math.Abs(parts-r.TriesS.sum()) > 0.01 {
		t.Errorf("the classes have %v s, all %v", parts, r.TriesS.sum())
	}
}

// An open loop has the configured rate, whether or not other transactions have ended.
func TestOpenLoopKeepsItsRate(t *testing.T) {
	s := short()
	s.Workload, s.Rate, s.Zipf, s.Keys, s.Duration = "micro", 100, 0, 1_000_000, 8*time.Second
	r := mustRun(t, s)
	if r.ThroughputTPS < 88 || r.ThroughputTPS > 112 {
		t.Errorf("%v transactions a second, want %v", r.ThroughputTPS, s.Rate)
	}
}

// A busy processor delays everything behind it, and more cores help.
func TestProcessorsCost(t *testing.T) {
	latency := func(cpu time.Duration, cores int) float64 {
		s := short()
		s.WAN, s.Workload, s.Zipf, s.CPU, s.Cores, s.Fsync = "uniform:2ms:3", "micro", 0, cpu, cores, 0
		s.Warmup, s.Duration, s.Check = 0, 200*time.Millisecond, 0
		return mustRun(t, s).LatencyMS.Avg
	}
	free, slow, many := latency(0, 1), latency(500*time.Microsecond, 1), latency(500*time.Microsecond, 8)
	if slow < 2*free || many > slow/1.5 {
		t.Errorf("latency %v ms without cost, %v on one core, %v on eight", free, slow, many)
	}
}

func TestASpecIsHeldToItsBounds(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
	if _, err := Run(context.Background(), Experiment{}, nil); err == nil {
		t.Error("an empty experiment is run")
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Run(ctx, short(), nil); err == nil {
		t.Error("an experiment continues after its context ended")
	}
}
