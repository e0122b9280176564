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

func (r Reads) String() string {
	return [...]string{unset, "leader", "nearest, checked", "home leader locked, else nearest", "any replica, checked",
		"leader where updated often, else nearest, checked", "leading replica, checked",
		"leader, and there forwarded to the coordinators of those waited for"}[r]
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

func (r RetryReadsMode) String() string { return [...]string{unset, "leader", "as the first"}[r] }

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

func (r ReadOnly) String() string { return [...]string{unset, "lease", "logged"}[r] }

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

func (v Validators) String() string { return [...]string{unset, "leader", "every replica"}[v] }

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

func (r Replication) String() string { return [...]string{unset, "raft", "unordered"}[r] }

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

func (i Isolation) String() string {
	return [...]string{unset, "strict serializability",
		"serializability; not strict: three transactions can be put in an order that real time contradicts, by clocks that differ or by leases",
		"no atomicity over several participants: some may commit and others not"}[i]
}

// Target is a protocol's choice of where it can run.
type Target uint8

// The choices.
const (
	InClusters     Target = iota + 1
	SimulationOnly        // in virtual time only; no cluster can be started with it
)

func (w Target) String() string { return [...]string{unset, "clusters", "laboratory"}[w] }

// unset is the text of a choice that a literal takes from its base.
const unset = "as its base"
