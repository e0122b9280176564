package protocol

import (
	"errors"
	"fmt"

	"isochron/decide"
	"isochron/reveal"
	"isochron/schedule"
	"isochron/yield"
)

// likeMax bounds how far a row's likeness is followed.
const likeMax = 8

// resolve fills in each literal from the row it is like, and checks what comes out.
func resolve(literals []Spec) ([]Spec, error) {
	byName := map[string]Spec{}
	for _, r := range literals {
		if _, twice := byName[r.Name]; twice || r.Name == "" {
			return nil, fmt.Errorf("the row %q stands twice in the table, or has no name", r.Name)
		}
		byName[r.Name] = r
	}
	var out []Spec
	var errs []error
	for _, r := range literals {
		if r.Source == "" {
			errs = append(errs, fmt.Errorf("%s does not say where it comes from", r.Name))
		}
		like := r
		for n := 0; like.Base != ""; n++ {
			next, ok := byName[like.Base]
			if !ok || n == likeMax {
				errs = append(errs, fmt.Errorf("%s is like %q, which is no row, or one that is like itself", like.Name, like.Base))
				break
			}
			r, like = fill(r, next), next
		}
		if err := r.Check(); err != nil {
			errs = append(errs, err)
		}
		out = append(out, r)
	}
	return out, errors.Join(errs...)
}

func mustResolve(literals []Spec) []Spec {
	specs, err := resolve(literals)
	if err != nil {
		panic(fmt.Sprintf("the table of protocols does not fit together: %v", err))
	}
	return specs
}

// fill gives r the choices of like where it has none.
func fill(r, like Spec) Spec {
	or(&r.Admission, like.Admission)
	or(&r.Arrive, like.Arrive)
	or(&r.Reads, like.Reads)
	or(&r.RetryReads, like.RetryReads)
	or(&r.ReadOnly, like.ReadOnly)
	or(&r.Yield, like.Yield)
	or(&r.Validates, like.Validates)
	or(&r.Replicates, like.Replicates)
	or(&r.Decide, like.Decide)
	or(&r.Prepares, like.Prepares)
	or(&r.Reveal, like.Reveal)
	or(&r.Isolation, like.Isolation)
	or(&r.RunsOn, like.RunsOn)
	or(&r.CommitRTT, like.CommitRTT)
	or(&r.SpanRTT, like.SpanRTT)
	or(&r.Notes, like.Notes)
	return r
}

func or[T comparable](to *T, from T) {
	var none T
	if *to == none {
		*to = from
	}
}

// rule is something that a row's choices must heed; broken says in words what does not
// fit when it is true.
type rule struct {
	broken func(Spec) bool
	words  string
}

// rules are what does not fit together, and why. What could be built and is not says so.
var rules = []rule{
	{func(r Spec) bool {
		return r.Admission == yield.AdmitUnset || r.Arrive == schedule.Unset || r.Reads == 0 || r.RetryReads == 0 || r.ReadOnly == 0 || r.Yield.Name == "" || r.Validates == 0 || r.Replicates == 0 ||
			r.Decide == decide.Unset || r.Prepares == decide.AskUnset || r.Reveal == reveal.Unset || r.Isolation == 0 || r.RunsOn == 0 || r.CommitRTT == "" || r.SpanRTT == ""
	}, "a column is empty, in it and in what it is like"},
	{func(r Spec) bool { return (r.Validates == EveryReplica) != r.Decide.CountsOpinions() },
		"opinions of replicas are counted if, and only if, every replica validates"},
	{func(r Spec) bool { return r.Validates == EveryReplica && r.Replicates != Unordered },
		"every replica validates for itself, so their answers differ and no log can order them"},
	{func(r Spec) bool { return r.Validates == Leaders && r.Replicates == Unordered },
		"a leader's vote is recovered from the log, and there is none"},
	{func(r Spec) bool { return r.Replicates == Unordered && !r.Yield.NeverLocks },
		"a lock needs one place that holds it for all replicas, and without a log there is none"},
	{func(r Spec) bool { return r.Replicates == Unordered && r.Reads == ReadHome },
		"reads at home lock at the leader, and without a log nobody can hold a lock"},
	{func(r Spec) bool { return (r.Replicates == Unordered) != r.Reads.Leaderless() },
		"reads go to any replica if, and only if, there is no log whose leader has the newest"},
	{func(r Spec) bool { return r.Reads.Leaderless() && r.RetryReads == RetryReadsAtLeader },
		"reads of a second try go to the leader, and without a log there is none"},
	{func(r Spec) bool { return r.Replicates == Unordered && r.Reveal.Early() },
		"what is revealed early is lost with its place in the log, and there is none"},
	{func(r Spec) bool { return r.Replicates == Unordered && r.ReadOnly == ByLease },
		"without a log there is no leader with a lease to answer by"},
	{func(r Spec) bool { return r.Replicates == Unordered && r.RunsOn != SimulationOnly },
		"without a log members cannot change, which clusters need"},
	{func(r Spec) bool { return r.Replicates == ByLog && r.Yield.NeverLocks },
		"FOR UPDATE is promised to hold where leaders could hold it"},
	{func(r Spec) bool { return r.Yield.ByTimestamp && r.Validates != EveryReplica },
		"the order of timestamps is judged by replicas, and leaders have their log's"},
	{func(r Spec) bool {
		return (r.Yield.ByTimestamp || r.Yield.RowLeases) != (r.Isolation == Serializability)
	},
		"the order of timestamps may contradict real time, and no other does"},
	{func(r Spec) bool {
		return r.Yield.RowLeases && (r.Replicates != ByLog || !r.Reads.AtLeaders() || r.ReadOnly != AsOthers || r.Yield.LockReads || r.Yield.OnConflict != yield.ConflictNoWait)
	},
		"leases are given by leaders, last by the votes that their logs have, and renewing one waits for nobody"},
	{func(r Spec) bool {
		return r.Yield.RowLeases && (r.Reveal != reveal.OnDecision || r.RunsOn != SimulationOnly)
	},
		"a lease begins with a commit's timestamp, which is known with the decision; and clusters read at moments"},
	{func(r Spec) bool { return r.Reads == ReadHome && !r.Yield.LockReads },
		"reads at home lock, and its policy locks no reads"},
	{func(r Spec) bool { return r.Reads.ByTemperature() && r.Yield.LockReads },
		"of one round some reads would lock and others not, which is not built"},
	{func(r Spec) bool { return r.Reveal.WhenVoted() && !r.Decide.Bypasses() },
		"who reads what is pre-committed waits for acknowledgements past the leader, and nobody sends them"},
	{func(r Spec) bool { return r.Reveal.KeepsLocks() && r.Yield.Reserves == yield.ReservesNothing },
		"what is revealed and stays locked is for those who reserve it"},
	{func(r Spec) bool {
		return r.Yield.Reserves != yield.ReservesNothing && (r.Replicates != ByLog || r.Yield.LockReads)
	},
		"reservations are kept by leaders, for reads that take no locks"},
	{func(r Spec) bool { return r.Decide.CoCoordinates() && !r.Reveal.PreCommits() },
		"co-coordinators without a pre-commit are not built"},
	{func(r Spec) bool { return r.Decide.ParticipantsDecide() && r.Reveal.Tracked() },
		"what becomes of what was read early is told to the coordinator alone, and the others decide without it"},
	{func(r Spec) bool { return r.Decide.Logs() && (r.Reveal.PreCommits() || r.Yield.Batches) },
		"what is revealed before the decision, or in batches, rests on decisions that follow from votes"},
	{func(r Spec) bool { return r.Decide.LeaderDecides() && (r.Reveal.Early() || r.RunsOn != SimulationOnly) },
		"what becomes of what was read early is told to the gateway, and the votes go elsewhere; and clusters have no use for it"},
	{func(r Spec) bool {
		return (r.Prepares == decide.Sequential || r.Prepares == decide.Decentralized) && !r.Decide.Logs()
	},
		"who prepares one after the other, or unasked, cannot be asked for its vote again, so the decision must be logged"},
	{func(r Spec) bool {
		return r.Prepares.Validates() != r.Yield.Versions || r.Yield.Versions && !r.Decide.Logs()
	},
		"sources are asked twice if, and only if, what is read there is held by nothing; and what they say then is not to be looked up, so the decision must be logged"},
	{func(r Spec) bool { return (r.Prepares == decide.NoPrepare) != (r.Isolation == NoAtomicity) },
		"participants that commit each by itself give no atomicity, and all others do"},
	{func(r Spec) bool { return r.Yield.Batches && (r.Yield.LockReads || r.Reveal != reveal.OnAppend) },
		"a batch is judged as a whole, without locks, and revealed when it is appended"},
	{func(r Spec) bool { return r.Yield.Hot != yield.HotNone && !r.Yield.LockReads },
		"a hot row is one for which many wait, and without locks nobody waits"},
	{func(r Spec) bool {
		return r.Arrive.SetsArrivalTime() != r.Yield.ByArrivalTime || r.Yield.ByArrivalTime && !r.Decide.FixedSet()
	},
		"votes in the order of stamps need stamps, and declared transactions that have them"},
	{func(r Spec) bool { return r.Forecasts() && !r.Yield.LockReads },
		"what is forecast are waits for locks, and its policy locks no reads"},
	{func(r Spec) bool { return r.Reveal == reveal.OnHotAppend && !r.Yield.Hot.Publishes() },
		"it reveals hot rows at the append and has no groups on them"},
}

// Check refuses choices that do not fit together, in words.
func (r Spec) Check() error {
	for _, rule := range rules {
		if rule.broken(r) {
			return fmt.Errorf("the row %s does not fit together: %s", r.Name, rule.words)
		}
	}
	return nil
}

// Diff tells two rows apart, in a sentence for each choice.
func Diff(a, b Spec) []string {
	var out []string
	for _, c := range columns {
		if x, y := c.value(a), c.value(b); x != y {
			out = append(out, fmt.Sprintf("%s %q under %s, %q under %s", c.name, x, a.Name, y, b.Name))
		}
	}
	return out
}
