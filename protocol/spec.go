package protocol

import (
	"isochron/decide"
	"isochron/reveal"
	"isochron/schedule"
	"isochron/txn"
	"isochron/yield"
)

// Spec is one protocol: a choice in every column. In a literal of the table an empty
// column is the one of the row it is like; in a row that Table gives none is empty but
// Remark.
type Spec struct {
	Name       string
	Base       string // the row whose choices hold where this one names none
	Admission  yield.AdmissionPolicy
	Arrive     schedule.Policy
	Reads      Reads
	RetryReads RetryReadsMode
	ReadOnly   ReadOnly
	Yield      yield.Policy
	Validates  Validators
	Replicates Replication
	Decide     decide.Policy
	Prepares   decide.PrepareMode // who asks participants to prepare
	Reveal     reveal.Policy
	Isolation  Isolation
	RunsOn     Target
	CommitRTT  string // bound of the client's commit, in wide-area round trips
	SpanRTT    string // bound of the contention span at a remote shard
	Source     string // where it comes from; each row says its own
	Notes      string // what is left out or read otherwise, if anything
}

// Leases reports whether leaders may answer by a lease, without asking others: what a log
// has elected.
func (r Spec) Leases() bool { return r.Replicates == ByLog }

// SnapshotReads reports whether what was committed up to a moment can be read later: where timestamps rise
// with a log.
func (r Spec) SnapshotReads() bool { return r.Replicates == ByLog && !r.Yield.RowLeases }

// Forecasts reports whether gateways keep statistics of hot records.
func (r Spec) Forecasts() bool { return r.Arrive.Forecasts() || r.Admission.Forecasts() }

// OverSources reports whether the row is made for participants that are databases of others.
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

// Steps are what a participant does for such a transaction, in order, as it follows from
// the choices.
func (r Spec) Steps(of txn.Class) []Step {
	switch {
	case r.Replicates == Unordered: // the vote is on a disk before it is told, and nothing is logged twice
		return []Step{Validate, Append, Vote, Reveal, Release, Apply}
	case r.Reveal.RevealsAtValidation(of):
		return []Step{Validate, Reveal, Append, Vote, Release, LogCommit, Apply}
	case r.Reveal.PreCommits() || r.Reveal.OnItsAppend(of):
		return []Step{Validate, Append, Reveal, Release, Vote, LogCommit, Apply}
	}
	if r.Reveal.Logged() {
		return []Step{Validate, Append, Vote, LogCommit, Reveal, Release, Apply}
	}
	// Revealed and released before the decision is logged, for votes are recoverable.
	return []Step{Validate, Append, Vote, Reveal, Release, LogCommit, Apply}
}

// column is one choice of a row, as people read it.
type column struct {
	name  string // what the choice is about, as the beginning of a sentence
	value func(Spec) string
}

// columns are the choices, in the order in which a transaction meets them.
var columns = []column{
	{"who may begin is judged by", func(r Spec) string { return r.Admission.String() }},
	{"parts leave", func(r Spec) string { return r.Arrive.String() }},
	{"plain reads go to", func(r Spec) string { return r.Reads.String() }},
	{"plain reads of a second try go to", func(r Spec) string { return r.RetryReads.String() }},
	{"what wrote nothing ends by", func(r Spec) string { return r.ReadOnly.String() }},
	{"conflicts are judged by", func(r Spec) string { return r.Yield.Name }},
	{"a vote is validated by", func(r Spec) string { return r.Validates.String() }},
	{"replicas agree by", func(r Spec) string { return r.Replicates.String() }},
	{"it is decided so:", func(r Spec) string { return r.Decide.String() }},
	{"participants are asked to prepare", func(r Spec) string { return r.Prepares.String() }},
	{"writes are revealed", func(r Spec) string { return r.Reveal.String() }},
	{"clients are given", func(r Spec) string { return r.Isolation.String() }},
	{"it runs in", func(r Spec) string { return r.RunsOn.String() }},
}
