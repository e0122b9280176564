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

// policy is a value of a column: its text in lists, and what Explain adds to it.
type policy interface {
	String() string
	Explain() (meaning, cost, source string)
}

// column is a choice that every protocol makes.
type column struct {
	field    string // of Spec
	label    string // in lists
	question string
	sentence string // the subject of the choice, as the start of a sentence
	value    func(Spec) policy
}

// columns are the choices, in the order in which a transaction meets them.
var columns = []column{
	{"Admission", "admission", "which transactions a gateway queues before their first request", "admission is decided by", func(r Spec) policy { return r.Admission }},
	{"Arrive", "dispatch", "when the messages of a round leave", "messages leave", func(r Spec) policy { return r.Arrive }},
	{"Reads", "plain reads", "where plain reads go", "plain reads go to", func(r Spec) policy { return r.Reads }},
	{"RetryReads", "reads of a retry", "where plain reads of a retried transaction go", "plain reads of a retry go to", func(r Spec) policy { return r.RetryReads }},
	{"ReadOnly", "read-only commit", "how a transaction ends that wrote nothing", "read-only transactions end by", func(r Spec) policy { return r.ReadOnly }},
	{"Yield", "conflicts", "which transaction waits, and which aborts, on a conflict", "conflicts are resolved by", func(r Spec) policy { return r.Yield }},
	{"Validates", "validation", "which replicas validate a vote", "a vote is validated by", func(r Spec) policy { return r.Validates }},
	{"Replicates", "replication", "how the replicas of a shard agree", "replicas agree by", func(r Spec) policy { return r.Replicates }},
	{"Decide", "decision", "how votes become a decision", "the decision is made by", func(r Spec) policy { return r.Decide }},
	{"Prepares", "prepares", "how participants are asked to prepare", "participants are asked to prepare", func(r Spec) policy { return r.Prepares }},
	{"Reveal", "writes visible", "when others may read a write", "writes are revealed", func(r Spec) policy { return r.Reveal }},
	{"Isolation", "isolation", "what clients are guaranteed", "clients get", func(r Spec) policy { return r.Isolation }},
	{"RunsOn", "runs on", "where the protocol can run", "it runs in", func(r Spec) policy { return r.RunsOn }},
}

// Choice is one choice of a protocol with its texts.
type Choice struct {
	Field    string `json:"-"`        // of Spec
	Label    string `json:"choice"`   // a short name
	Question string `json:"question"` // that the choice answers
	Value    string `json:"value"`
	Meaning  string `json:"meaning"` // a sentence
	Cost     string `json:"cost"`    // a sentence
	Source   string `json:"source,omitempty"`
}

// Choices returns the choices of a protocol, in the order in which a transaction meets them.
func (r Spec) Choices() []Choice {
	var out []Choice
	for _, c := range columns {
		v := c.value(r)
		meaning, cost, source := v.Explain()
		out = append(out, Choice{c.field, c.label, c.question, v.String(), meaning, cost, source})
	}
	return out
}
