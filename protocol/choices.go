package protocol

import (
	"fmt"

	"isochron/txn"
)

// Reads is a protocol's choice of where plain reads go. Locking reads go to the
// leader in every protocol that has one; for the reads of a second try see RetryReadsMode. After some
// more tries (txn.Params.LockAfterTries) reads lock in every protocol whose policy ever locks; in protocols
// with reservations, only those of single-region transactions outside the gateway's region.
type Reads uint8

// The choices.
const (
	// ReadLeader reads at the shard's leader.
	ReadLeader Reads = iota + 1
	// ReadNearest reads at the nearest replica and checks the versions at the
	// prepare (D2PC section 4.6).
	ReadNearest
	// ReadHome is ReadNearest, but a shard whose leader is in the gateway's own
	// region is read at the leader, with the locks of the protocol's policy. There a
	// lock costs no wide-area message, and it avoids aborts on hot rows.
	ReadHome
	// ReadAnyReplica reads at the nearest replica, at the others in turn if it does not answer,
	// and checks the versions at the prepare: for protocols in which no replica is special.
	ReadAnyReplica
	// ReadByTemperature reads frequently updated rows at the leader, and all others as ReadNearest
	// (Bonspiel section 3.2). The threshold adapts to the gateway's abort rate.
	ReadByTemperature
	// ReadLeading is ReadAnyReplica, but the first replica asked is the known leader of its shard's
	// view: it is most likely to have the newest commits.
	ReadLeading
	// ReadForwarded is ReadLeader; in addition, the leader forwards the reads of a waiting
	// high-priority 2FI transaction to the coordinator of the transaction it waits for, which answers
	// when that has committed (Natto section 3.4).
	ReadForwarded
)

// readsTexts has the text of each choice, in the order of the constants.
var readsTexts = [...]text{
	{name: unset},
	{
		"leader",
		"Plain reads go to the shard's leader.",
		"A round trip to the leader's region for each round of reads.",
		"",
	},
	{
		"nearest, checked",
		"Plain reads go to the nearest replica, and the prepare checks the versions.",
		"An outdated read aborts the transaction when it prepares.",
		"D2PC section 4.6",
	},
	{
		"home leader locked, else nearest",
		"Leaders in the gateway's region are read with locks, all other shards at the nearest replica with a check at the prepare.",
		"Rows at home are locked during execution; an outdated read elsewhere aborts the transaction.",
		"D2PC section 4.6",
	},
	{
		"any replica, checked",
		"Plain reads go to the nearest replica, or to the next if it does not reply; the prepare checks the versions.",
		"An outdated read aborts the transaction when it prepares.",
		"Carousel (SIGMOD'18)",
	},
	{
		"leader where updated often, else nearest, checked",
		"Records that are updated often are read at the leader, others at the nearest replica with a check at the prepare.",
		"Gateways keep update rates of records; an outdated read aborts the transaction.",
		"Bonspiel section 3.2",
	},
	{
		"leading replica, checked",
		"Plain reads go to the replica that leads the shard's view, or to the next if it does not reply.",
		"A round trip to that replica for each round of reads.",
		"Bonspiel section 4.1",
	},
	{
		"leader, or forwarded to the coordinator of the transaction it waits for",
		"Plain reads go to the leader; it forwards those of a waiting high-priority 2FI transaction to the coordinator of the transaction that it waits for.",
		"One more message for each forwarded read.",
		"Natto section 3.4",
	},
}

func (r Reads) String() string { return readsTexts[r].name }

// Explain returns the choice's meaning, cost and source.
func (r Reads) Explain() (meaning, cost, source string) {
	t := readsTexts[r]
	return t.meaning, t.cost, t.source
}

// Leaderless reports whether no read needs a leader.
func (r Reads) Leaderless() bool { return r == ReadAnyReplica || r == ReadLeading }

// Forwards reports whether leaders forward reads to the coordinators of the transactions they wait for.
func (r Reads) Forwards() bool { return r == ReadForwarded }

// AtLeaders reports whether all plain reads go to leaders.
func (r Reads) AtLeaders() bool { return r == ReadLeader || r == ReadForwarded }

// ByTemperature reports whether gateways use the update rates of records.
func (r Reads) ByTemperature() bool { return r == ReadByTemperature }

// LockAtHome reports whether a transaction locks its reads at leaders in its own
// region. A read-only transaction takes no lock: it would block others without benefit.
func (r Reads) LockAtHome(of txn.Class) bool { return r == ReadHome && !of.ReadOnly }

// RetryReadsMode is a protocol's choice of where the plain reads of a second try go.
type RetryReadsMode uint8

// The choices.
const (
	// RetryReadsAtLeader: to leaders, under the locks of the protocol's policy. D2PC section 4.6 specifies it
	// for locking protocols: a transaction that reads much near and locks nothing could be refused forever.
	RetryReadsAtLeader RetryReadsMode = iota + 1
	// RetryReadsUnchanged: as in the first try. The same section names no exception for
	// validation, the paper's prototype has none, and the protocols that other papers
	// compare with read near on every try.
	RetryReadsUnchanged
)

// retryReadsTexts has the text of each choice, in the order of the constants.
var retryReadsTexts = [...]text{
	{name: unset},
	{
		"leader",
		"Plain reads of a retried transaction go to leaders, and take the locks of the protocol.",
		"A retry waits for far leaders, and for locks.",
		"D2PC section 4.6",
	},
	{
		"as in the first try",
		"Plain reads of a retried transaction go where those of the first try went.",
		"A retry can abort on an outdated read again; after a few retries reads take locks.",
		"",
	},
}

func (r RetryReadsMode) String() string { return retryReadsTexts[r].name }

// Explain returns the choice's meaning, cost and source.
func (r RetryReadsMode) Explain() (meaning, cost, source string) {
	t := retryReadsTexts[r]
	return t.meaning, t.cost, t.source
}

// ReadsAtLeader reports whether a transaction's plain reads go to leaders.
func (r Spec) ReadsAtLeader(of txn.Class) bool {
	return r.Reads.AtLeaders() || r.Reads == ReadByTemperature && of.Warm || of.Try > 0 && r.RetryReads == RetryReadsAtLeader
}

// ReadOnly is a protocol's choice of how a transaction that wrote nothing ends.
type ReadOnly uint8

// The choices.
const (
	// ByLease: each leader checks the versions under its lease, and nothing is
	// locked or logged: one round trip. A single read of one shard needs not even that.
	ByLease ReadOnly = iota + 1
	// AsOthers: it is prepared, its votes are logged and it is decided, as in
	// papers whose prototypes make no difference. For experiments.
	AsOthers
)

// VotesOnFixedSetReads reports whether a 2FI transaction that writes nothing is prepared in the round
// that reads, instead of a round of reads and one of checks.
func (r Spec) VotesOnFixedSetReads() bool { return r.Decide.FixedSet() && r.ReadOnly == AsOthers }

// readOnlyTexts has the text of each choice, in the order of the constants.
var readOnlyTexts = [...]text{
	{name: unset},
	{
		"lease",
		"Each leader checks the versions under its lease; nothing is locked or logged.",
		"One round trip to the leaders; none for a single read of one shard.",
		"",
	},
	{
		"logged",
		"A read-only transaction is prepared, logged and decided as others are.",
		"A commit with a log entry at each participant.",
		"prototypes of several papers",
	},
}

func (r ReadOnly) String() string { return readOnlyTexts[r].name }

// Explain returns the choice's meaning, cost and source.
func (r ReadOnly) Explain() (meaning, cost, source string) {
	t := readOnlyTexts[r]
	return t.meaning, t.cost, t.source
}

// ParseReadOnly parses the output of String.
func ParseReadOnly(s string) (ReadOnly, error) {
	for _, r := range []ReadOnly{ByLease, AsOthers} {
		if s == r.String() {
			return r, nil
		}
	}
	return 0, fmt.Errorf("unknown way to end a read-only transaction: %q; choose lease or logged", s)
}

// Validators is a protocol's choice of which replicas validate transactions.
type Validators uint8

// The choices.
const (
	// Leaders: each shard's leader, whose vote the other replicas store.
	Leaders Validators = iota + 1
	// EveryReplica: each by itself; a sufficient number of equal results counts.
	EveryReplica
)

// validatorsTexts has the text of each choice, in the order of the constants.
var validatorsTexts = [...]text{
	{name: unset},
	{
		"leader",
		"The leader of each shard validates, and the other replicas store its vote.",
		"A round trip from each leader to a majority of its replicas.",
		"",
	},
	{
		"every replica",
		"Every replica validates by itself, and enough equal votes count.",
		"Replicas that receive conflicting transactions in different orders disagree.",
		"Carousel, TAPIR, STARRY, G-PAC",
	},
}

func (v Validators) String() string { return validatorsTexts[v].name }

// Explain returns the choice's meaning, cost and source.
func (v Validators) Explain() (meaning, cost, source string) {
	t := validatorsTexts[v]
	return t.meaning, t.cost, t.source
}

// Replication is a protocol's choice of how the replicas of a shard agree.
type Replication uint8

// The choices.
const (
	// ByLog: they apply the same entries in the same order (Raft).
	ByLog Replication = iota + 1
	// Unordered: no order between attempts; a vote is on a disk before it is
	// sent. The members are fixed, and leadership is not transferred.
	Unordered
)

// replicationTexts has the text of each choice, in the order of the constants.
var replicationTexts = [...]text{
	{name: unset},
	{
		"raft",
		"The replicas of a shard apply the same log entries in the same order.",
		"Every write goes through the shard's leader.",
		"Raft (USENIX ATC'14)",
	},
	{
		"unordered",
		"The replicas of a shard store votes in no common order, each on disk before it is sent.",
		"The members of a shard are fixed.",
		"TAPIR (SOSP'15)",
	},
}

func (r Replication) String() string { return replicationTexts[r].name }

// Explain returns the choice's meaning, cost and source.
func (r Replication) Explain() (meaning, cost, source string) {
	t := replicationTexts[r]
	return t.meaning, t.cost, t.source
}

// Isolation is a protocol's guarantee to clients.
type Isolation uint8

// The choices.
const (
	StrictSerializability Isolation = iota + 1
	// Serializability alone: there is one order of all transactions, but it may
	// contradict real time.
	Serializability
	// NoAtomicity: of several participants some may commit and others not.
	NoAtomicity
)

// isolationTexts has the text of each choice, in the order of the constants.
var isolationTexts = [...]text{
	{name: unset},
	{
		"strict serializability",
		"Transactions appear in one order, which agrees with real time.",
		"Reads are locked, or checked at the commit.",
		"",
	},
	{
		"serializability, not strict",
		"Transactions appear in one order, which may contradict real time: by clocks that differ, or by leases.",
		"A transaction may be ordered before one that had committed when it started.",
		"",
	},
	{
		"no atomicity over several participants",
		"Of several participants some may commit and others abort.",
		"Data of several participants may become inconsistent.",
		"",
	},
}

func (i Isolation) String() string { return isolationTexts[i].name }

// Explain returns the choice's meaning, cost and source.
func (i Isolation) Explain() (meaning, cost, source string) {
	t := isolationTexts[i]
	return t.meaning, t.cost, t.source
}

// Target is a protocol's choice of where it can run.
type Target uint8

// The choices.
const (
	InClusters     Target = iota + 1
	SimulationOnly        // in virtual time only; no cluster can be started with it
)

// targetTexts has the text of each choice, in the order of the constants.
var targetTexts = [...]text{
	{name: unset},
	{
		"clusters",
		"Clusters can be started with it, or be switched to it; simulations can use it as well.",
		"Its choices allow changes of members and snapshot reads.",
		"",
	},
	{
		"simulation",
		"It runs in virtual time only: isochron sim and isochron lab.",
		"No cluster can be started with it.",
		"",
	},
}

func (w Target) String() string { return targetTexts[w].name }

// Explain returns the choice's meaning, cost and source.
func (w Target) Explain() (meaning, cost, source string) {
	t := targetTexts[w]
	return t.meaning, t.cost, t.source
}

// unset is the text of a choice that a literal takes from its base.
const unset = "as its base"

// text presents a choice: its name in lists, and its meaning, cost and source, a sentence each.
type text struct{ name, meaning, cost, source string }
