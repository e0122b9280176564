package lab

import (
	"testing"
	"time"

	"isochron/txn"
	"isochron/workload"
)

// Rows that are read one after the other cost a round each at remote leaders, and almost nothing in
// the client's region.
func TestRowsReadOneByOne(t *testing.T) {
	execute := func(row string, oneByOne bool) float64 {
		s := short()
		s.Protocol, s.Workload, s.OneByOne, s.Keys, s.Zipf, s.Client = row, "micro", oneByOne, 100_000, 0, Drop
		r := mustRun(t, s)
		if !r.Check.Serializable || r.Committed == 0 {
			t.Fatalf("%s: %d committed, %+v", row, r.Committed, r.Check)
		}
		return r.BreakdownMS.Execute
	}
	if one, all := execute("2pc+2pl-nro", true), execute("2pc+2pl-nro", false); one < 2*all {
		t.Errorf("six rows of far leaders take %v ms, in one round %v", one, all)
	}
	if one := execute("2pc+occ", true); one > 20 {
		t.Errorf("six rows of near replicas take %v ms", one)
	}
}

// Near reads that ignore undecided writes end sooner and are valid less often, and the result is
// correct.
func TestNearReadsAsTheyAre(t *testing.T) {
	s := mannered(Drop)
	s.Protocol = "d2pc+occ"
	heeding := mustRun(t, s)
	s.NearAsIs = true
	asIs := mustRun(t, s)
	if asIs.BreakdownMS.Execute > 0.7*heeding.BreakdownMS.Execute || asIs.AbortRate < heeding.AbortRate || !asIs.Check.Serializable {
		t.Errorf("reading takes %v ms where undecided writes are heeded and %v where not, %v and %v are aborted, check %+v",
			heeding.BreakdownMS.Execute, asIs.BreakdownMS.Execute, heeding.AbortRate, asIs.AbortRate, asIs.Check)
	}
	stale, met := txn.CauseValidation.String(), txn.CauseConflict.String()
	if asIs.AbortedBy[stale] < 2*asIs.AbortedBy[met] || asIs.AbortedBy[met] == 0 {
		t.Errorf("more conflict with a changed row than with a vote: %v", asIs.AbortedBy)
	}
	sum := int64(0)
	for _, n := range asIs.AbortedBy { // order: a sum
		sum += n
	}
	if sum != asIs.Aborted {
		t.Errorf("%d tries are aborted, by cause %v", asIs.Aborted, asIs.AbortedBy)
	}
}

// Replicas that follow TAPIR to the letter have shorter waits of reads, and more aborted tries;
// decisions that are recorded first come later; and the result is correct.
func TestReplicasThatFollowTAPIRExactly(t *testing.T) {
	s := mannered(Drop)
	s.Protocol = "tapir"
	ours := mustRun(t, s)
	s.ReadsUnwaited = true
	unwaited := mustRun(t, s)
	s.EndsNotedFirst, s.AbortsLikeCommits = true, true
	letter := mustRun(t, s)
	if unwaited.LockWaitMS.Avg > 0 || ours.LockWaitMS.Avg == 0 || unwaited.AbortRate <= ours.AbortRate {
		t.Errorf("reads wait %v ms, and %v where they do not; %v and %v are aborted", ours.LockWaitMS.Avg, unwaited.LockWaitMS.Avg, ours.AbortRate, unwaited.AbortRate)
	}
	if letter.ContentionSpanMS.Avg < 1.2*unwaited.ContentionSpanMS.Avg || letter.AbortRate <= unwaited.AbortRate {
		t.Errorf("rows are held for %v ms, and %v where decisions are recorded first; %v and %v are aborted",
			unwaited.ContentionSpanMS.Avg, letter.ContentionSpanMS.Avg, unwaited.AbortRate, letter.AbortRate)
	}
	for _, r := range []Result{ours, unwaited, letter} {
		if !r.Check.Serializable || r.Committed == 0 {
			t.Errorf("%d committed, check %+v", r.Committed, r.Check)
		}
	}
}

// A try with its own age loses to transactions that began after its first try: the largest number
// of tries is larger than where the age is kept.
func TestTriesOfFreshAge(t *testing.T) {
	s := mannered(Forever)
	s.Protocol, s.Keys, s.NeverSure = "natto-2pl", 100, true
	kept := mustRun(t, s)
	s.FreshAge = true
	fresh := mustRun(t, s)
	if fresh.Longest.Tries <= kept.Longest.Tries || !fresh.Check.Serializable {
		t.Errorf("at most %d tries of one transaction, and %d of fresh age; check %+v", kept.Longest.Tries, fresh.Longest.Tries, fresh.Check)
	}
}

// The conditions of TPC-C hold wherever transactions begin; more of them are remote.
func TestHomesOfTPCC(t *testing.T) {
	s := short()
	s.Protocol, s.Workload, s.Warehouses, s.Client, s.Duration = "2pc+occ", "tpcc-d2pc", 10, Drop, 2*time.Second
	pinned := mustRun(t, s)
	s.Homes = workload.HomesUniform
	uniform := mustRun(t, s)
	for _, r := range []Result{pinned, uniform} {
		if !r.Check.Serializable || r.Committed == 0 {
			t.Errorf("%d committed, check %+v", r.Committed, r.Check)
		}
	}
	if uniform.WANHopsCommit < 1.25*pinned.WANHopsCommit {
		t.Errorf("commits wait for %v messages between regions at home and %v anywhere", pinned.WANHopsCommit, uniform.WANHopsCommit)
	}
}

// Delays of netem's pareto are drawn, checked and reported as others are, and have a shorter tail.
func TestDelaysAsNetemHasThem(t *testing.T) {
	s := mannered(Drop)
	s.Protocol, s.Jitter = "2pc+2pl", 0.4
	heavy := mustRun(t, s)
	s.Netem = true
	cut := mustRun(t, s)
	if !cut.Experiment.Netem || !cut.Check.Serializable || cut.Committed == 0 || cut.CommitMS.P999 >= heavy.CommitMS.P999 {
		t.Errorf("%d committed, one commit in a thousand takes %v ms, %v where delays have no bound, check %+v", cut.Committed, cut.CommitMS.P999, heavy.CommitMS.P999, cut.Check)
	}
	s.Jitter = -1
	if err := s.Validate(); err == nil {
		t.Error("a negative jitter is taken")
	}
}
