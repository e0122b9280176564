package protocol

import (
	"isochron/decide"
	"isochron/reveal"
	"isochron/schedule"
	"isochron/txn"
	"isochron/yield"
)

// Row is one protocol: a choice in every column. In a literal of the table an empty
// column is the one of the row it is like; in a row that Table gives none is empty but
// Remark.
type Row struct {
	Name       string
	Like       string // the row whose choices hold where this one names none
	Admits     yield.Admitting
	Arrive     schedule.Choice
	Reads      Reads
	Retries    Retries
	ReadOnly   ReadOnly
	Yield      yield.Policy
	Validates  Validators
	Replicates Replication
	Decide     decide.Choice
	Asks       decide.Asking // who asks participants to prepare
	Reveal     reveal.Choice
	Gives      Isolation
	Runs       Where
	CommitRTT  string // bound of the client's commit, in wide-area round trips
	SpanRTT    string // bound of the contention span at a remote shard
	Source     string // where it comes from; each row says its own
	Remark     string // what is left out or read otherwise, if anything
}

// Leases reports whether leaders may answer by a lease, without asking others: what a log
// has elected.
func (r Row) Leases() bool { return r.Replicates == ByLog }

// Moments reports whether what was committed up to a moment can be read later: where timestamps rise
// with a log.
func (r Row) Moments() bool { return r.Replicates == ByLog && !r.Yield.RowLeases }

// Forecasts reports whether gateways keep statistics of hot records.
func (r Row) Forecasts() bool { return r.Arrive.Forecasts() || r.Admits.Forecasts() }

// OverSources reports whether the row is made for participants that are databases of others.
func (r Row) OverSources() bool { return r.Yield.OfSources() }

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
func (r Row) Steps(of txn.Class) []Step {
	switch {
	case r.Replicates == Unordered: // the vote is on a disk before it is told, and nothing is logged twice
		return []Step{Validate, Append, Vote, Reveal, Release, Apply}
	case r.Reveal.TellsValidation(of):
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
	value func(Row) string
}

// columns are the choices, in the order in which a transaction meets them.
var columns = []column{
	{"who may begin is judged by", func(r Row) string { return r.Admits.String() }},
	{"parts leave", func(r Row) string { return r.Arrive.String() }},
	{"plain reads go to", func(r Row) string { return r.Reads.String() }},
	{"plain reads of a second try go to", func(r Row) string { return r.Retries.String() }},
	{"what wrote nothing ends by", func(r Row) string { return r.ReadOnly.String() }},
	{"conflicts are judged by", func(r Row) string { return r.Yield.Name }},
	{"a vote is validated by", func(r Row) string { return r.Validates.String() }},
	{"replicas agree by", func(r Row) string { return r.Replicates.String() }},
	{"it is decided so:", func(r Row) string { return r.Decide.String() }},
	{"participants are asked to prepare", func(r Row) string { return r.Asks.String() }},
	{"writes are revealed", func(r Row) string { return r.Reveal.String() }},
	{"clients are given", func(r Row) string { return r.Gives.String() }},
	{"it runs in", func(r Row) string { return r.Runs.String() }},
}
