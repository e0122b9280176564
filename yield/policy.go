package yield

import "isochron/txn"

// Policy is a protocol's choice of which transaction waits, which aborts and which goes first.
type Policy struct {
	Name string
	// LockReads: a plain read at the leader takes a shared lock.
	LockReads bool
	// PrepareWaits: a prepare that conflicts with a voted, younger holder waits for it. Otherwise
	// it aborts immediately, as optimistic validation does.
	PrepareWaits bool
	// OnConflict is the rule for a request that conflicts with a holder.
	OnConflict ConflictRule
	// NeverLocks: a locking read is validated at the commit like any other and locks nothing, since
	// no single replica can hold a lock for all replicas.
	NeverLocks bool
	// ByTimestamp: undecided writes of one row may coexist, ordered by their timestamps.
	ByTimestamp bool
	// Detect: in execution a request waits for any holder, unless a walk over the waits of this
	// shard leads back to the requester, which then aborts. Deadlocks over several shards are found
	// by probes (deadlock_detector.go).
	Detect bool
	// Objects: every lock is an object of its own, with or without conflict.
	Objects bool
	// Batches: prepares are gathered and judged together (batch.go).
	Batches bool
	// Reserves: multi-region transactions reserve what they read, and a validation waits for the
	// holders of the rows it writes or has read (reserve.go).
	Reserves ReserveRule
	// Votes is the rule for such a validation where it cannot have a row yet (vote_rules.go).
	Votes VoteRule
	// Hot is the handling of hot rows.
	Hot HotRule
	// IncrementalLocking: in execution a request that waits for some of its rows holds the others
	// meanwhile (incremental_locking.go).
	IncrementalLocking bool
	// Priority is the effect of high priority on low priority.
	Priority PriorityRule
	// ByArrivalTime: prepares of 2FI transactions are processed in the order of their arrival
	// times, and those of high priority wait (arrival_queue.go). Preempts: conflicting ones of low
	// priority abort (priority abort). Conditional: a high-priority prepare may assume the abort of
	// a voted low-priority one that is priority-aborted at another shard (conditional.go).
	ByArrivalTime, Preempts, Conditional bool
	// Versions: data sources are used as stores of single records. The middleware compares versions
	// at the prepare, and again when all have prepared; a transaction that meets prepared records
	// aborts (source/versions.go).
	Versions bool
	// RowLeases: rows have leases. Reads lock nothing and renew leases, writes lock in execution,
	// and all of a transaction happens at one timestamp (lease.go).
	RowLeases bool
}

// OfSources reports whether the policy is for participants that are data sources.
func (p Policy) OfSources() bool { return p == OfItsSource || p.Versions }

// ConflictRule is the rule for a request that is to hold locks and conflicts with a holder.
type ConflictRule uint8

// The rules, by the names of the field.
const (
	// ConflictWoundWait: an older request aborts the younger holder unless that has voted; a
	// younger request waits.
	ConflictWoundWait ConflictRule = iota
	// ConflictWaitDie: an older request waits, whatever the holder's state; a younger one aborts.
	ConflictWaitDie
	// ConflictNoWait: the request aborts.
	ConflictNoWait
)

// HotRule is the handling of rows with many waiters.
type HotRule uint8

// The rules.
const (
	// HotNone: like other rows.
	HotNone HotRule = iota
	// HotQueue: requests for a hot row wait in its queue without a check for deadlocks (TXSQL
	// section 3.2).
	HotQueue
	// HotGroup is HotQueue, and a transaction that has written a hot row publishes its uncommitted
	// value to the next; they commit in that order (TXSQL section 3.3).
	HotGroup
	// Retire: a transaction publishes every row it has written, for younger transactions alone; an
	// older one that needs the row aborts it (Bamboo).
	Retire
)

// Deadlocks reports whether waits at several shards can form a cycle: where a request waits for a
// holder of any age, or for predecessors in a chain, or where a vote at one shard waits for a
// transaction that has voted at another. Under the other policies ages order all waits, and no
// detector runs.
func (p Policy) Deadlocks() bool {
	return p.Detect || p.Hot != HotNone || p.Reserves != ReservesNothing
}

// Publishes reports whether uncommitted values are published.
func (h HotRule) Publishes() bool { return h == HotGroup || h == Retire }

func (h HotRule) String() string {
	return [...]string{"none", "queue", "group", "retire"}[h]
}

// The policies.
var (
	// WoundWait is two-phase locking: wound-wait until the vote, waiting for voted holders (D2PC
	// notes, rule e).
	WoundWait = Policy{Name: "2pl wound-wait", LockReads: true, PrepareWaits: true}
	// WaitDie and NoWait are two-phase locking without wounds: a waiting transaction, if there is
	// any, is older than those it waits for (Bonspiel section 6.1, baselines).
	WaitDie = Policy{Name: "2pl wait-die", LockReads: true, PrepareWaits: true, OnConflict: ConflictWaitDie}
	NoWait  = Policy{Name: "2pl no-wait", LockReads: true, OnConflict: ConflictNoWait}
	// Lease is Sundial: leases of rows for reads, no waiting among writes (Bonspiel section 6.1;
	// Sundial's paper has wait-die, the public prototype of Bonspiel no-wait).
	Lease = Policy{Name: "row leases, written rows locked no-wait", OnConflict: ConflictNoWait, RowLeases: true}
	// WoundWaitAlike is WoundWait by ages alone. WoundWaitPreempting and WoundWaitOnWait add
	// preemption of any low-priority holder, or of one that itself waits (Natto section 4,
	// baselines). Each row's lock is acquired by itself, as in the public prototype of Natto.
	WoundWaitAlike      = Policy{Name: "2pl wound-wait, priorities alike", LockReads: true, PrepareWaits: true, IncrementalLocking: true, Priority: PriorityIgnored}
	WoundWaitPreempting = Policy{Name: "2pl wound-wait, high priority preempts low", LockReads: true, PrepareWaits: true, IncrementalLocking: true, Priority: PriorityPreempts}
	WoundWaitOnWait     = Policy{Name: "2pl wound-wait, high priority preempts low that waits", LockReads: true, PrepareWaits: true, IncrementalLocking: true, Priority: PriorityPreemptsWaiting}
	// WoundWaitGroup is WoundWait with groups on hot rows.
	WoundWaitGroup = Policy{Name: "2pl wound-wait, groups on hot rows", LockReads: true, PrepareWaits: true, Hot: HotGroup}
	// OfItsSource is for data sources: their own concurrency control decides, and their waits are
	// not visible here. Shards of the same cluster use WoundWait.
	OfItsSource = Policy{Name: "as the source does; 2pl wound-wait at shards", LockReads: true, PrepareWaits: true}
	// OverItsSource is for data sources whose own concurrency control is not used (ScalarDB, PVLDB
	// 16(12), 2023).
	OverItsSource = Policy{Name: "by versions that the middleware keeps at its sources; 2pl wound-wait at shards", LockReads: true, PrepareWaits: true, Versions: true}
	// Validate is optimistic concurrency control: plain reads take no locks; the prepare validates
	// and aborts on a conflict.
	Validate = Policy{Name: "occ"}
	// InArrivalOrder is optimistic for low priority; high priority waits, in the order of arrival
	// times (Natto section 3.2). InArrivalOrderPreempting adds priority aborts of low priority
	// before its vote (section 3.3.1).
	InArrivalOrder           = Policy{Name: "in arrival order: low priority aborts, high priority waits", ByArrivalTime: true}
	InArrivalOrderPreempting = Policy{Name: "in arrival order, with priority aborts before the vote", ByArrivalTime: true, Preempts: true}
	// InArrivalOrderConditional adds conditional prepare: high priority votes assuming the abort of
	// a voted low-priority transaction that is priority-aborted at another shard (section 3.3.2).
	InArrivalOrderConditional = Policy{Name: "in arrival order, with priority aborts and conditional prepare", ByArrivalTime: true, Preempts: true, Conditional: true}
	// ValidateInBatches is optimistic validation of many prepares together.
	ValidateInBatches = Policy{Name: "occ in batches, with reordering", Batches: true}
	// EachValidates is optimistic validation by every replica for itself.
	EachValidates = Policy{Name: "occ at every replica", NeverLocks: true}
	// EachByTimestamp is the same, in the order of proposed timestamps.
	EachByTimestamp = Policy{Name: "occ at every replica, by timestamp", NeverLocks: true, ByTimestamp: true}
	// Reserve is GDCC, optimistic validation in which multi-region transactions go first (Bonspiel
	// section 3.1). ReservePatiently is Polaris.
	Reserve          = Policy{Name: "occ, several regions reserve, gdcc", PrepareWaits: true, Reserves: ReservesConditionally}
	ReservePatiently = Policy{Name: "occ, several regions reserve, polaris", PrepareWaits: true, Reserves: ReservesPatiently}
	// ReserveByAge is GDCC in which votes of multi-region transactions wait for each other by age
	// alone. ReserveGivingWay is GDCC in which no vote waits.
	ReserveByAge     = Policy{Name: "occ, several regions reserve, gdcc, votes wait by age", PrepareWaits: true, Reserves: ReservesConditionally, Votes: VotesByAge}
	ReserveGivingWay = Policy{Name: "occ, several regions reserve, gdcc, no vote waits", PrepareWaits: true, Reserves: ReservesConditionally, Votes: VotesAbort}
	// DetectEager is two-phase locking with a walk over the waits at each wait and an object for
	// each lock.
	DetectEager = Policy{Name: "2pl, deadlocks detected", LockReads: true, PrepareWaits: true, Detect: true, Objects: true}
	// Detect has lock objects only under conflict (TXSQL section 3.1).
	Detect = Policy{Name: "2pl, deadlocks detected, lock objects under conflict", LockReads: true, PrepareWaits: true, Detect: true}
	// DetectQueue adds wait queues for hot rows.
	DetectQueue = Policy{Name: "2pl, deadlocks detected, wait queues at hot rows", LockReads: true, PrepareWaits: true, Detect: true, Hot: HotQueue}
	// DetectGroup adds groups on hot rows.
	DetectGroup = Policy{Name: "2pl, deadlocks detected, groups on hot rows", LockReads: true, PrepareWaits: true, Detect: true, Hot: HotGroup}
	// WoundWaitRetire publishes every written row.
	WoundWaitRetire = Policy{Name: "2pl wound-wait, written rows retired", LockReads: true, PrepareWaits: true, Hot: Retire}
)

// Phase is the point in a transaction's life at which it requests.
type Phase uint8

// The phases.
const (
	// UnlockedRead checks whether rows can be read now, and locks nothing. Only voted writers
	// conflict: their writes may already be committed.
	UnlockedRead Phase = iota
	ReadOnly           // the same, for the vote of a transaction that has written nothing
	ChainOrder         // a vote waits for its predecessors in a chain; nothing more is locked
	Execute            // a lock in execution
	Prepare            // all locks of the vote
	Reserving          // UnlockedRead, and read rows are reserved
)

// holds reports whether granted locks are held.
func (p Phase) holds() bool { return p == Execute || p == Prepare }

// verdict is the rules' answer to a request: abort the victims and retry; or wait for that holder;
// or die, that is abort because of it. Zero: granted.
type verdict struct {
	victims []txn.ID
	wait    *Holder
	die     *Holder
}

// granted reports whether nothing conflicts.
func (v verdict) granted() bool { return len(v.victims) == 0 && v.wait == nil && v.die == nil }

// judge applies the rules above to the conflicting holders, oldest first. fresh: the requester
// holds nothing anywhere, so no transaction waits for it and it may wait for any. wounds reports
// whether a requester of this age aborts a holder.
func (p Policy) judge(phase Phase, age txn.Age, fresh bool, conflicts []*Holder, wounds func(txn.Age, *Holder) bool) verdict {
	var v verdict
	for _, h := range conflicts {
		switch {
		case p.passes(phase, h):
		case p.Reserves != ReservesNothing && phase == Prepare && h.Voted: // see vote_rules.go
			if p.Votes.yieldsTo(age, h.Age) {
				return verdict{die: h}
			}
			v.wait = h
		case !phase.holds(), p.OnConflict == ConflictWaitDie && age.Older(h.Age):
			v.wait = h
		case p.OnConflict != ConflictWoundWait:
			return verdict{die: h}
		case phase == Execute && (h.Voted || p.Detect || fresh && p.Hot.waits()):
			v.wait = h
		case !h.Voted && wounds(age, h):
			v.victims = append(v.victims, h.Txn)
		case phase == Execute:
			v.wait = h
		case p.PrepareWaits && h.Voted && age.Older(h.Age):
			v.wait = h
		default:
			return verdict{die: h}
		}
	}
	if v.wait != nil {
		v.victims = nil // aborting them now would not grant the request
	}
	return v
}

func (h HotRule) waits() bool { return h == HotQueue || h == HotGroup }
