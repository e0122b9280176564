package decide

import (
	"slices"

	"isochron/txn"
)

// Choice is a row's choice of who tells whom.
type Choice uint8

// The choices.
const (
	// LeaderVotes: each leader votes to the coordinator once its vote is
	// replicated; the coordinator decides and does not log (votes are recoverable).
	LeaderVotes Choice = iota
)

func (c Choice) String() string { return [...]string{"leaders vote, coordinator decides"}[c] }

// Verdict is what a tally forces.
type Verdict uint8

// The verdicts.
const (
	Open Verdict = iota
	Commit
	Abort
)

func (v Verdict) String() string { return [...]string{"open", "commit", "abort"}[v] }

// Tally counts one attempt's votes.
//
// Invariant: once a verdict is not Open it never changes.
type Tally struct {
	Participants []txn.ShardID
	yes          []txn.ShardID
	verdict      Verdict
	at           txn.Timestamp
}

// NewTally opens a tally.
func NewTally(participants []txn.ShardID) *Tally {
	return &Tally{Participants: slices.Clone(participants)}
}

// Yes counts a logged Yes with its proposed timestamp.
func (t *Tally) Yes(s txn.ShardID, proposed txn.Timestamp) {
	if t.verdict != Open || slices.Contains(t.yes, s) || !slices.Contains(t.Participants, s) {
		return
	}
	t.yes = append(t.yes, s)
	t.at = max(t.at, proposed)
	if len(t.yes) == len(t.Participants) {
		t.verdict = Commit
	}
}

// No counts a No that can never become a Yes.
func (t *Tally) No() {
	if t.verdict == Open {
		t.verdict = Abort
	}
}

// Learned takes over a decision that a participant has logged.
func (t *Tally) Learned(commit bool, at txn.Timestamp) {
	want := Abort
	if commit {
		want = Commit
	}
	if t.verdict != Open && t.verdict != want {
		panic("decide: a logged decision contradicts the votes: " + t.verdict.String() + " against " + want.String())
	}
	t.verdict, t.at = want, at
}

// Verdict is what the votes force so far; at is the commit timestamp.
func (t *Tally) Verdict() (v Verdict, at txn.Timestamp) { return t.verdict, t.at }

// Missing lists the participants that have not said Yes.
func (t *Tally) Missing() []txn.ShardID {
	var out []txn.ShardID
	for _, p := range t.Participants {
		if !slices.Contains(t.yes, p) {
			out = append(out, p)
		}
	}
	return out
}
