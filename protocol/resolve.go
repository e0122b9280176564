package protocol

import (
	"errors"
	"fmt"

	"isochron/decide"
	"isochron/reveal"
	"isochron/schedule"
	"isochron/yield"
)

// likeMax bounds the length of a chain of bases.
const likeMax = 8

// resolve fills in each literal from its base, and checks the results.
func resolve(literals []Spec) ([]Spec, error) {
	byName := map[string]Spec{}
	for _, r := range literals {
		if _, twice := byName[r.Name]; twice || r.Name == "" {
			return nil, fmt.Errorf("the protocol %q is in the table twice, or has no name", r.Name)
		}
		byName[r.Name] = r
	}
	var out []Spec
	var errs []error
	for _, r := range literals {
		if r.Source == "" {
			errs = append(errs, fmt.Errorf("%s has no Source", r.Name))
		}
		like := r
		for n := 0; like.Base != ""; n++ {
			next, ok := byName[like.Base]
			if !ok || n == likeMax {
				errs = append(errs, fmt.Errorf("%s has the base %q, which does not exist or forms a cycle", like.Name, like.Base))
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
		panic(fmt.Sprintf("the table of protocols is inconsistent: %v", err))
	}
	return specs
}

// fill sets the empty choices of r from like.
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

// rule is a constraint on a protocol's choices; broken reports a violation, which words
// describes.
type rule struct {
	broken func(Spec) bool
	words  string
}

// rules are the combinations that do not fit together, and why. Combinations that are merely not
// built are marked so.
var rules = []rule{
	{func(r Spec) bool {
		return r.Admission == yield.AdmitUnset || r.Arrive == schedule.Unset || r.Reads == 0 || r.RetryReads == 0 || r.ReadOnly == 0 || r.Yield.Name == "" || r.Validates == 0 || r.Replicates == 0 ||
			r.Decide == decide.Unset || r.Prepares == decide.AskUnset || r.Reveal == reveal.Unset || r.Isolation == 0 || r.RunsOn == 0 || r.CommitRTT == "" || r.SpanRTT == ""
	}, "a column is empty, in it and in its bases"},
	{func(r Spec) bool { return (r.Validates == EveryReplica) != r.Decide.CountsReplicaVotes() },
		"votes of replicas are counted if, and only if, every replica validates"},
	{func(r Spec) bool { return r.Validates == EveryReplica && r.Replicates != Unordered },
		"every replica validates by itself, so their results differ and no log can order them"},
	{func(r Spec) bool { return r.Validates == Leaders && r.Replicates == Unordered },
		"a leader's vote is recovered from the log, and there is none"},
	{func(r Spec) bool { return r.Replicates == Unordered && !r.Yield.NeverLocks },
		"a lock needs one holder of the lock table for all replicas, and without a log there is none"},
	{func(r Spec) bool { return r.Replicates == Unordered && r.Reads == ReadHome },
		"reads at home lock at the leader, and without a log there are no locks"},
	{func(r Spec) bool { return (r.Replicates == Unordered) != r.Reads.Leaderless() },
		"reads go to any replica if, and only if, there is no log whose leader has the newest"},
	{func(r Spec) bool { return r.Reads.Leaderless() && r.RetryReads == RetryReadsAtLeader },
		"reads of a second try go to the leader, and without a log there is none"},
	{func(r Spec) bool { return r.Replicates == Unordered && r.Reveal.Early() },
		"early revealed writes are recovered from the log, and there is none"},
	{func(r Spec) bool { return r.Replicates == Unordered && r.ReadOnly == ByLease },
		"without a log there is no leader with a lease to answer by"},
	{func(r Spec) bool { return r.Replicates == Unordered && r.RunsOn != SimulationOnly },
		"without a log members cannot change, which clusters need"},
	{func(r Spec) bool { return r.Replicates == ByLog && r.Yield.NeverLocks },
		"FOR UPDATE must hold its locks where leaders can"},
	{func(r Spec) bool { return r.Yield.ByTimestamp && r.Validates != EveryReplica },
		"replicas validate by timestamp order, and leaders by the order of their log"},
	{func(r Spec) bool {
		return (r.Yield.ByTimestamp || r.Yield.RowLeases) != (r.Isolation == Serializability)
	},
		"timestamp order may contradict real time, and no other order does"},
	{func(r Spec) bool {
		return r.Yield.RowLeases && (r.Replicates != ByLog || !r.Reads.AtLeaders() || r.ReadOnly != AsOthers || r.Yield.LockReads || r.Yield.OnConflict != yield.ConflictNoWait)
	},
		"leases are granted by leaders, last by logged votes, and a renewal does not wait"},
	{func(r Spec) bool {
		return r.Yield.RowLeases && (r.Reveal != reveal.OnDecision || r.RunsOn != SimulationOnly)
	},
		"a lease begins with a commit's timestamp, which is known with the decision; and clusters need snapshot reads"},
	{func(r Spec) bool { return r.Reads == ReadHome && !r.Yield.LockReads },
		"reads at home lock, and its policy locks no reads"},
	{func(r Spec) bool { return r.Reads.ByTemperature() && r.Yield.LockReads },
		"some reads of a round would lock and others not, which is not built"},
	{func(r Spec) bool { return r.Reveal.WhenVoted() && !r.Decide.Bypasses() },
		"a pre-commit needs acknowledgements that bypass the leader, and none are sent"},
	{func(r Spec) bool { return r.Reveal.KeepsLocks() && r.Yield.Reserves == yield.ReservesNothing },
		"revealed writes that stay locked are for reserving reads"},
	{func(r Spec) bool {
		return r.Yield.Reserves != yield.ReservesNothing && (r.Replicates != ByLog || r.Yield.LockReads)
	},
		"reservations are kept by leaders, for reads that take no locks"},
	{func(r Spec) bool { return r.Decide.CoCoordinates() && !r.Reveal.PreCommits() },
		"co-coordinators without a pre-commit are not built"},
	{func(r Spec) bool { return r.Decide.ParticipantsDecide() && r.Reveal.Tracked() },
		"outcomes of dependencies are reported to the coordinator alone, and the other participants decide without them"},
	{func(r Spec) bool { return r.Decide.Logs() && (r.Reveal.PreCommits() || r.Yield.Batches) },
		"early revealed and batched writes need decisions that follow from votes"},
	{func(r Spec) bool { return r.Decide.LeaderDecides() && (r.Reveal.Early() || r.RunsOn != SimulationOnly) },
		"outcomes of dependencies are reported to the gateway, and the votes go elsewhere; and clusters have no use for it"},
	{func(r Spec) bool {
		return (r.Prepares == decide.Sequential || r.Prepares == decide.Decentralized) && !r.Decide.Logs()
	},
		"a participant that prepares in sequence, or unasked, cannot repeat its vote, so the decision must be logged"},
	{func(r Spec) bool {
		return r.Prepares.Validates() != r.Yield.Versions || r.Yield.Versions && !r.Decide.Logs()
	},
		"sources are asked twice if, and only if, reads there are not locked; and their second answer is not recoverable, so the decision must be logged"},
	{func(r Spec) bool { return (r.Prepares == decide.NoPrepare) != (r.Isolation == NoAtomicity) },
		"participants that commit independently give no atomicity, and all others do"},
	{func(r Spec) bool { return r.Yield.Batches && (r.Yield.LockReads || r.Reveal != reveal.OnAppend) },
		"a batch is validated as a whole, without locks, and revealed when it is appended"},
	{func(r Spec) bool { return r.Yield.Hot != yield.HotNone && !r.Yield.LockReads },
		"a hot row is one with many waiters, and without locks there are none"},
	{func(r Spec) bool {
		return r.Arrive.SetsArrivalTime() != r.Yield.ByArrivalTime || r.Yield.ByArrivalTime && !r.Decide.FixedSet()
	},
		"prepares in the order of arrival times need arrival times, and 2FI transactions that have them"},
	{func(r Spec) bool { return r.Forecasts() && !r.Yield.LockReads },
		"forecasts are of lock waits, and its policy locks no reads"},
	{func(r Spec) bool { return r.Reveal == reveal.OnHotAppend && !r.Yield.Hot.Publishes() },
		"it reveals hot rows at the append and has no groups for them"},
}

// Check returns an error that describes choices that do not fit together.
func (r Spec) Check() error {
	for _, rule := range rules {
		if rule.broken(r) {
			return fmt.Errorf("the choices of %s do not fit together: %s", r.Name, rule.words)
		}
	}
	return nil
}

// Diff returns the differences of two protocols, a sentence for each choice.
func Diff(a, b Spec) []string {
	var out []string
	for _, c := range columns {
		if x, y := c.value(a).String(), c.value(b).String(); x != y {
			out = append(out, fmt.Sprintf("%s %q under %s, %q under %s", c.sentence, x, a.Name, y, b.Name))
		}
	}
	return out
}
