package protocol

import (
	"fmt"
	"slices"
	"strings"

	"isochron/decide"
	"isochron/reveal"
	"isochron/schedule"
	"isochron/yield"
)

// Reads is a row's choice of where plain reads go. Locking reads go to the
// leader in every row, and so do the reads of a second try. After some more tries
// (txn.Params.LockAfterTries) they lock in every row whose policy ever locks.
type Reads uint8

// The choices.
const (
	// ReadLeader reads at the shard's leader.
	ReadLeader Reads = iota
	// ReadNearest reads at the nearest replica and checks the versions at the
	// prepare (D2PC section 4.6).
	ReadNearest
	// ReadHome is ReadNearest, but a shard whose leader is in the gateway's own
	// region is read at the leader, with the locks of the row's policy. There a
	// lock costs no wide-area message, and it saves the aborts of hot rows.
	ReadHome
)

func (r Reads) String() string {
	return [...]string{"leader", "nearest, checked", "home leader locked, else nearest"}[r]
}

// ReadOnly is a row's choice of how a transaction ends that wrote nothing.
type ReadOnly uint8

// The choices.
const (
	// ByLease: each leader checks the versions under its lease, and nothing is
	// held or logged: one round trip. A single read of one shard needs not even that.
	ByLease ReadOnly = iota
	// AsOthers: it is prepared, its votes are logged and it is decided, as in the
	// papers whose prototypes make no difference. Experiments choose it.
	AsOthers
)

func (r ReadOnly) String() string { return [...]string{"lease", "logged"}[r] }

// ParseReadOnly reads what String prints.
func ParseReadOnly(s string) (ReadOnly, error) {
	for _, r := range []ReadOnly{ByLease, AsOthers} {
		if s == r.String() {
			return r, nil
		}
	}
	return 0, fmt.Errorf("%q is no way to end a transaction that wrote nothing; choose lease or logged", s)
}

// Step is one step of a participant's work on a transaction that commits.
type Step string

// The steps, in the order in which a row lists them.
const (
	Validate  Step = "validate"
	Append    Step = "append"
	Vote      Step = "vote"
	Reveal    Step = "reveal"
	Release   Step = "release"
	LogCommit Step = "log commit"
	Apply     Step = "apply"
)

// Row is one protocol.
type Row struct {
	Name       string
	Arrive     schedule.Choice
	Reads      Reads
	ReadOnly   ReadOnly
	Yield      yield.Policy
	Decide     decide.Choice
	Reveal     reveal.Choice
	Validates  string // who validates
	Replicates string // how a shard replicates
	Steps      []Step // at a participant, in order
	Gives      string // the isolation it gives
	Remark     string // what is left out or read otherwise, if anything
	// NotStrict: it is serializable, but its order may contradict real time.
	NotStrict bool
	// Laboratory: it runs in virtual time only; no cluster can be started with it.
	Laboratory bool
	CommitRTT  string // bound of the client's commit, in wide-area round trips
	SpanRTT    string // bound of the contention span at a remote shard
	Source     string
}

// layered are the steps of 2PC over Raft: the decision is revealed and the
// locks released before the decision is logged, for votes are recoverable.
var layered = []Step{Validate, Append, Vote, Reveal, Release, LogCommit, Apply}

func classic(name string, reads Reads, y yield.Policy, span, source string) Row {
	return Row{
		Name: name, Arrive: schedule.AtOnce, Reads: reads, Yield: y,
		Decide: decide.LeaderVotes, Reveal: reveal.OnDecision,
		Validates: "leader", Replicates: "raft", Steps: layered,
		Gives: "strict serializability", CommitRTT: "2 (own region's quorum when one shard)", SpanRTT: span,
		Source: source,
	}
}

// d2pc differs from classic in two moves, and in where a participant's steps stand.
func d2pc(name string, reads Reads, y yield.Policy, span string) Row {
	r := classic(name, reads, y, span, "D2PC section 4")
	r.Decide, r.Reveal = decide.CoCoordinators, reveal.OnPreCommit
	r.Steps = []Step{Validate, Append, Reveal, Release, Vote, LogCommit, Apply}
	r.CommitRTT = "1 with three replicas, else 1.5"
	return r
}

// d2pcGroup is d2pc, and reveals what one shard votes on when the vote is appended.
func d2pcGroup(name string) Row {
	r := d2pc(name, ReadHome, yield.WoundWaitGroup, "0.5; execution + 0.5 in the client's region; on a hot row of one shard the statements alone")
	r.Reveal = reveal.OnAppendOrPreCommit
	r.Source = "d2pc+2pl-home; TXSQL section 4, over wound-wait"
	r.Remark = "one who stands in a chain behind a transaction on several shards votes when that one has pre-committed, and depends on it"
	return r
}

// grouped reveals what one shard commits when it is appended, not when it is durable.
func grouped(r Row, on reveal.Choice) Row {
	r.Reveal = on
	r.Steps = []Step{Validate, Append, Reveal, Release, Vote, LogCommit, Apply}
	return r
}

// hot are the rows of one engine that differ in what they do about hot rows.
func hot(name string, y yield.Policy, span, source string) Row {
	r := classic(name, ReadLeader, y, span, source)
	r.Remark = "deadlocks over several shards are chased in two laps, and the youngest gives way"
	if y.Hot == yield.Retire {
		r.Remark = "readers that do not write wait for the rows to be committed; passed on at the end of each statement, and at the vote"
	}
	return r
}

// integrated are the steps where every replica validates and no log orders them:
// the vote is on a disk before it is told, and nothing is logged twice.
var integratedSteps = []Step{Validate, Append, Vote, Reveal, Release, Apply}

// integrated differs from 2pc+occ in all moves but when its parts leave.
func integrated(name string, d decide.Choice, y yield.Policy, gives, commit, span, source, remark string) Row {
	return Row{
		Name: name, Arrive: schedule.AtOnce, Reads: ReadNearest, ReadOnly: AsOthers, Yield: y,
		Decide: d, Reveal: reveal.OnDecision,
		Validates: "every replica", Replicates: "unordered", Steps: integratedSteps,
		Gives: gives, CommitRTT: commit, SpanRTT: span, Source: source, Remark: remark, Laboratory: true,
	}
}

// inLaboratory is for what no cluster needs: another row is never worse.
func inLaboratory(r Row) Row {
	r.Laboratory = true
	return r
}

func notStrict(r Row) Row {
	r.NotStrict = true
	return r
}

// leftOut is what all rows of the integrated family share.
const leftOut = "fixed members; FOR UPDATE holds nothing and is checked at the commit; no reads at a moment; a read waits at its replica for undecided writers"

// Table names every protocol.
func Table() []Row {
	return []Row{
		classic("2pc+2pl", ReadNearest, yield.WoundWait, "2", "D2PC (SIGMOD'25) section 5.1"),
		classic("2pc+2pl-home", ReadHome, yield.WoundWait, "2; execution + 2 in the client's region", "2pc+2pl; ours: locks at once where they cost no wide-area message"),
		classic("2pc+2pl-nro", ReadLeader, yield.WoundWait, "execution + 2", "D2PC section 5.1, no read optimisation"),
		classic("2pc+occ", ReadNearest, yield.Validate, "2", "D2PC section 5.1"),
		grouped(classic("2pc+2pl-group", ReadHome, yield.WoundWaitGroup, "2; on a hot row of one shard the statements alone", "2pc+2pl-home; TXSQL section 4, over wound-wait"), reveal.OnAppend),
		d2pc("d2pc+2pl", ReadNearest, yield.WoundWait, "0.5"),
		d2pc("d2pc+2pl-home", ReadHome, yield.WoundWait, "0.5; execution + 1 in the client's region"),
		d2pcGroup("d2pc+2pl-group"),
		d2pc("d2pc+2pl-nro", ReadLeader, yield.WoundWait, "execution + 0.5"),
		d2pc("d2pc+occ", ReadNearest, yield.Validate, "0.5"),
		integrated("carousel-fast", decide.FastWithLeader, yield.EachValidates, "strict serializability", "1, else 2", "1",
			"Carousel (SIGMOD'18), D2PC section 5", leftOut+"; views in place of raft terms, and nothing ordered in a log"),
		notStrict(integrated("tapir", decide.FastQuorum, yield.EachByTimestamp, "serializability; not strict: three transactions with skewed clocks can be put in an order that real time contradicts", "1, else 2", "1",
			"TAPIR (SOSP'15), D2PC section 5", leftOut+"; whoever finishes another's attempt has the views of its shards changed")),
		integrated("starry", decide.FastOfAll, yield.EachValidates, "strict serializability", "1, else 2.5", "1, else 2.5",
			"STARRY (VLDB'22) as D2PC section 5 tells of it", leftOut+"; our reading, its own paper was not at hand"),
		hot("mysql", yield.DetectEager, "execution + 2", "TXSQL section 6.1.2, what it is compared with"),
		hot("o1", yield.Detect, "execution + 2", "TXSQL section 3.1"),
		hot("o2", yield.DetectQueue, "execution + 2", "TXSQL section 3.2"),
		grouped(hot("txsql", yield.DetectGroup, "on a hot row of one shard the statements alone", "TXSQL sections 3.3 and 4; ours: rows that are not hot are revealed at the append too"), reveal.OnAppend),
		inLaboratory(grouped(hot("txsql-hot", yield.DetectGroup, "on a hot row of one shard the statements alone", "TXSQL sections 3.3 and 4, to the letter"), reveal.OnHotAppend)),
		hot("bamboo", yield.WoundWaitRetire, "the statements alone", "Bamboo (SIGMOD'21) as TXSQL section 3.3 tells of it"),
		grouped(classic("aria", ReadLeader, yield.ValidateInBatches, "a batch", "Aria (VLDB'20) as TXSQL section 6.1.2 tells of it; our reading"), reveal.OnAppend),
		classic("2pc+occ-nro", ReadLeader, yield.Validate, "2", "2pc+occ with leader reads"),
	}
}

// Default is the row of a cluster that was not told otherwise.
const Default = "d2pc+2pl-group"

// Live are the rows that a cluster can be started with.
func Live() []Row {
	return slices.DeleteFunc(Table(), func(r Row) bool { return r.Laboratory })
}

// ByName finds a row; the error lists the names there are.
func ByName(name string) (Row, error) { return byName(Table(), name) }

// LiveByName finds a row that a cluster can be started with.
func LiveByName(name string) (Row, error) {
	if r, err := ByName(name); err == nil && r.Laboratory {
		return Row{}, fmt.Errorf("the protocol %s runs in the laboratory only: isochron sim --protocol %s", name, name)
	}
	return byName(Live(), name)
}

func byName(rows []Row, name string) (Row, error) {
	var names []string
	for _, r := range rows {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Row{}, fmt.Errorf("there is no protocol %q; choose one of: %s", name, strings.Join(names, ", "))
}
