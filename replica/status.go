package replica

import (
	"cmp"
	"fmt"
	"slices"

	"isochron/participant"
	"isochron/routing"
	"isochron/txn"
)

// Status returns the current state of this replica: Term is the view, and all members are
// Voters, because they are fixed.
func (r *Replica) Status() participant.Status {
	role := "takes part"
	if r.Serving() {
		role = "leads"
	}
	leader, view := r.Leader()
	return participant.Status{
		Shard: r.cfg.ID, Kind: routing.Unordered, Role: role, Serving: r.Serving(), Term: view, Leader: leader,
		Undecided: r.Undecided(), Holders: r.Holders(), Voters: r.Members(),
		Counts: participant.Counts{Proposals: r.slow.begun, Refusals: r.refusals, Campaigns: r.change.begun},
	}
}

// Summary returns a one-line description for people.
func (r *Replica) Summary() string {
	role := "takes part in"
	if !r.takesPart() {
		role = "changes to"
	}
	return fmt.Sprintf("shard %d: %s view %d, led by %d, %d undecided, %d decided entries kept",
		r.cfg.ID, role, r.view(), r.leaderOf(r.view()), r.Undecided(), r.Endings())
}

// InDoubt returns the oldest attempts without a decision, at most max of them.
func (r *Replica) InDoubt(max int) []participant.InDoubt {
	now := r.env.Now().Mono
	var out []participant.InDoubt
	r.rec.entries.All(func(a txn.Attempt, e txn.Entry) bool {
		out = append(out, participant.InDoubt{Shard: r.cfg.ID, Txn: e.Prepare.Txn, Attempt: e.Prepare.Attempt,
			Participants: e.Prepare.Participants, Age: now - r.holds.local[a].since})
		return true
	})
	slices.SortStableFunc(out, func(a, b participant.InDoubt) int { return cmp.Compare(b.Age, a.Age) })
	return out[:min(max, len(out))]
}

// Holds returns the memory used for rows, in bytes; there is no log.
func (r *Replica) Holds() (rows, logs int64) { return r.RowsHeld(), 0 }
