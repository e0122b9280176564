package protocol

import (
	"fmt"

	"isochron/txn"
)

// Reads is a row's choice of where plain reads go. Locking reads go to the
// leader in every row that has one; for those of a second try see Retries. After some more tries
// (txn.Params.LockAfterTries) they lock in every row whose policy ever locks; where rows are reserved,
// those of a single region alone that is not the gateway's.
type Reads uint8

// The choices.
const (
	// ReadLeader reads at the shard's leader.
	ReadLeader Reads = iota + 1
	// ReadNearest reads at the nearest replica and checks the versions at the
	// prepare (D2PC section 4.6).
	ReadNearest
	// ReadHome is ReadNearest, but a shard whose leader is in the gateway's own
	// region is read at the leader, with the locks of the row's policy. There a
	// lock costs no wide-area message, and it saves the aborts of hot rows.
	ReadHome
	// ReadAnyReplica reads at the nearest replica, at the others in turn if it is silent,
	// and checks the versions at the prepare: where no replica is asked before others.
	ReadAnyReplica
	// ReadByTemperature reads what is updated often at the leader, and all else as ReadNearest
	// (Bonspiel section 3.2). What counts as often follows how the gateway's transactions fare.
	ReadByTemperature
	// ReadLeading is ReadAnyReplica, but the first that is asked is the one that leads its shard's
	// view, as far as is known: it has most often seen what is committed.
	ReadLeading
	// ReadForwarded is ReadLeader; and of a declared transaction of high priority that waits for another
	// the leader passes the read on to that one's coordinator, which answers when it
	// has committed (Natto section 3.4).
	ReadForwarded
)

func (r Reads) String() string {
	return [...]string{unset, "leader", "nearest, checked", "home leader locked, else nearest", "any replica, checked",
		"leader where updated often, else nearest, checked", "leading replica, checked",
		"leader, and there forwarded to the coordinators of those waited for"}[r]
}

// Leaderless reports whether no read is asked of a leader.
func (r Reads) Leaderless() bool { return r == ReadAnyReplica || r == ReadLeading }

// Forwards reports whether leaders pass reads on to the coordinators of those for whom they wait.
func (r Reads) Forwards() bool { return r == ReadForwarded }

// AtLeaders reports whether all plain reads go to leaders.
func (r Reads) AtLeaders() bool { return r == ReadLeader || r == ReadForwarded }

// ByTemperature reports whether gateways go by how often records are updated.
func (r Reads) ByTemperature() bool { return r == ReadByTemperature }

// LockAtHome reports whether it locks what it reads where the leader is in its own
// region. Who only reads takes no lock: it would be in the way of others for nothing.
func (r Reads) LockAtHome(of txn.Class) bool { return r == ReadHome && !of.ReadOnly }

// RetryReadsMode is a row's choice of where the plain reads of a second try go.
type RetryReadsMode uint8

// The choices.
const (
	// RetryReadsAtLeader: to leaders, under the locks of the row's policy. D2PC section 4.6 has it so
	// for locking rows: who reads much near and locks nothing would be refused for ever.
	RetryReadsAtLeader RetryReadsMode = iota + 1
	// RetryReadsUnchanged: where those of the first went. The same section names no exception for
	// validation, in the paper's prototype there is none, and the rows of other papers that
	// theirs are compared with read near on every try.
	RetryReadsUnchanged
)

func (r RetryReadsMode) String() string { return [...]string{unset, "leader", "as the first"}[r] }

// ReadsAtLeader reports whether such a transaction's plain reads go to leaders.
func (r Spec) ReadsAtLeader(of txn.Class) bool {
	return r.Reads.AtLeaders() || r.Reads == ReadByTemperature && of.Warm || of.Try > 0 && r.RetryReads == RetryReadsAtLeader
}

// ReadOnly is a row's choice of how a transaction ends that wrote nothing.
type ReadOnly uint8

// The choices.
const (
	// ByLease: each leader checks the versions under its lease, and nothing is
	// held or logged: one round trip. A single read of one shard needs not even that.
	ByLease ReadOnly = iota + 1
	// AsOthers: it is prepared, its votes are logged and it is decided, as in the
	// papers whose prototypes make no difference. Experiments choose it.
	AsOthers
)

// VotesOnFixedSetReads reports whether a declared transaction that writes nothing is voted on as it is
// read, in the place of a round of reads and one of checks.
func (r Spec) VotesOnFixedSetReads() bool { return r.Decide.FixedSet() && r.ReadOnly == AsOthers }

func (r ReadOnly) String() string { return [...]string{unset, "lease", "logged"}[r] }

// ParseReadOnly reads what String prints.
func ParseReadOnly(s string) (ReadOnly, error) {
	for _, r := range []ReadOnly{ByLease, AsOthers} {
		if s == r.String() {
			return r, nil
		}
	}
	return 0, fmt.Errorf("%q is no way to end a transaction that wrote nothing; choose lease or logged", s)
}

// Validators is a row's choice of who judges whether a transaction may commit.
type Validators uint8

// The choices.
const (
	// Leaders: each shard's leader, whose vote the others take in.
	Leaders Validators = iota + 1
	// EveryReplica: each for itself, and what counts is what enough of them say.
	EveryReplica
)

func (v Validators) String() string { return [...]string{unset, "leader", "every replica"}[v] }

// Replication is a row's choice of how the replicas of a shard agree.
type Replication uint8

// The choices.
const (
	// ByLog: they take in the same entries in the same order (Raft).
	ByLog Replication = iota + 1
	// Unordered: nothing orders what they take in; a vote is on a disk before it is
	// told. Their members are fixed, and nobody hands over.
	Unordered
)

func (r Replication) String() string { return [...]string{unset, "raft", "unordered"}[r] }

// Isolation is what a row gives its clients.
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

func (i Isolation) String() string {
	return [...]string{unset, "strict serializability",
		"serializability; not strict: three transactions can be put in an order that real time contradicts, by clocks that differ or by leases",
		"no atomicity over several participants: some may commit and others not"}[i]
}

// Target is a row's choice of where it can run.
type Target uint8

// The choices.
const (
	InClusters     Target = iota + 1
	SimulationOnly        // in virtual time only; no cluster can be started with it
)

func (w Target) String() string { return [...]string{unset, "clusters", "laboratory"}[w] }

// unset is a choice that a literal leaves to the row it is like.
const unset = "as the row it is like"
