package protocol

import (
	"isochron/decide"
	"isochron/reveal"
	"isochron/schedule"
	"isochron/txn"
	"isochron/yield"
)

// Spec is one protocol: a choice in every column. In a literal of the table an empty
// column is taken from the base; in a Spec returned by Table no column is empty but
// Notes.
type Spec struct {
	Name       string
	Base       string // the protocol whose choices apply where this one names none
	Admission  yield.AdmissionPolicy
	Arrive     schedule.Policy
	Reads      Reads
	RetryReads RetryReadsMode
	ReadOnly   ReadOnly
	Yield      yield.Policy
	Validates  Validators
	Replicates Replication
	Decide     decide.Policy
	Prepares   decide.PrepareMode // which node asks participants to prepare, and when
	Reveal     reveal.Policy
	Isolation  Isolation
	RunsOn     Target
	CommitRTT  string // bound of the client's commit, in wide-area round trips
	SpanRTT    string // bound of the contention span at a remote shard
	Source     string // its origin; each protocol has its own
	Notes      string // omissions and other readings, if any
}

// Leases reports whether leaders may answer under a lease, without asking others: leaders elected by a
// log.
func (r Spec) Leases() bool { return r.Replicates == ByLog }

// SnapshotReads reports whether reads at a read timestamp are possible: where timestamps rise
// along a log.
func (r Spec) SnapshotReads() bool { return r.Replicates == ByLog && !r.Yield.RowLeases }

// Forecasts reports whether gateways keep statistics of hot records.
func (r Spec) Forecasts() bool { return r.Arrive.Forecasts() || r.Admission.Forecasts() }

// OverSources reports whether the protocol is made for external databases as participants.
func (r Spec) OverSources() bool { return r.Yield.OfSources() }

// Step is one step of a participant's work on a transaction that commits.
type Step string

// The steps.
const (
	Validate  Step = "validate"
	Append    Step = "append"
	Vote      Step = "vote"
	Reveal    Step = "reveal"
	Release   Step = "release"
	LogCommit Step = "log commit"
	Apply     Step = "apply"
)

// Steps returns a participant's steps for a transaction of the class, in order, as they follow from
// the choices.
func (r Spec) Steps(of txn.Class) []Step {
	switch {
	case r.Replicates == Unordered: // the vote is on a disk before it is sent, and nothing is logged twice
		return []Step{Validate, Append, Vote, Reveal, Release, Apply}
	case r.Reveal.RevealsAtValidation(of):
		return []Step{Validate, Reveal, Append, Vote, Release, LogCommit, Apply}
	case r.Reveal.PreCommits() || r.Reveal.OnItsAppend(of):
		return []Step{Validate, Append, Reveal, Release, Vote, LogCommit, Apply}
	}
	if r.Reveal.Logged() {
		return []Step{Validate, Append, Vote, LogCommit, Reveal, Release, Apply}
	}
	// Revealed and released before the decision is logged, because votes are recoverable.
	return []Step{Validate, Append, Vote, Reveal, Release, LogCommit, Apply}
}

// column is one choice of a protocol, as text.
type column struct {
	name  string // the subject of the choice, as the start of a sentence
	value func(Spec) string
}

// columns are the choices, in the order in which a transaction meets them.
var columns = []column{
	{"admission is decided by", func(r Spec) string { return r.Admission.String() }},
	{"parts leave", func(r Spec) string { return r.Arrive.String() }},
	{"plain reads go to", func(r Spec) string { return r.Reads.String() }},
	{"plain reads of a retry go to", func(r Spec) string { return r.RetryReads.String() }},
	{"read-only transactions end by", func(r Spec) string { return r.ReadOnly.String() }},
	{"conflicts are resolved by", func(r Spec) string { return r.Yield.Name }},
	{"a vote is validated by", func(r Spec) string { return r.Validates.String() }},
	{"replicas agree by", func(r Spec) string { return r.Replicates.String() }},
	{"the decision is made by", func(r Spec) string { return r.Decide.String() }},
	{"participants are asked to prepare", func(r Spec) string { return r.Prepares.String() }},
	{"writes are revealed", func(r Spec) string { return r.Reveal.String() }},
	{"clients get", func(r Spec) string { return r.Isolation.String() }},
	{"it runs in", func(r Spec) string { return r.RunsOn.String() }},
}
