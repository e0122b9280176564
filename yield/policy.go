package yield

import "isochron/txn"

// Policy is a row's choice of who yields.
type Policy struct {
	Name string
	// LockReads: a plain read that goes to the leader locks what it reads.
	LockReads bool
	// PrepareWaits: a prepare that meets a voted, younger holder waits for it.
	// Otherwise it gives way at once, as optimistic validation does.
	PrepareWaits bool
	// OnConflict is what happens where a request meets a holder that is in its way.
	OnConflict ConflictRule
	// NeverLocks: a read that asks for a lock is checked at the commit like any
	// other, and holds nothing: there is nobody who could hold it for all replicas.
	NeverLocks bool
	// ByTimestamp: undecided writes may stand beside others in the order of their
	// timestamps.
	ByTimestamp bool
	// Detect: in execution one waits for anybody, unless a walk over who waits for
	// whom at this shard comes back to the asker, who gives way then. Deadlocks over
	// several shards are chased (chase.go).
	Detect bool
	// Objects: every lock is an object of its own, in conflict or not.
	Objects bool
	// Batches: prepares are gathered and judged together (batch.go).
	Batches bool
	// Reserves: what transactions of several regions read is reserved for them, and whoever
	// validates waits for who has locked what it writes or has read (reserve.go).
	Reserves ReserveRule
	// Votes is what such a vote does that may not have a row yet (votes.go).
	Votes VoteRule
	// Hot is what is done about rows for which many wait.
	Hot HotRule
	// IncrementalLocking: in execution who has to wait for some of its rows holds the others meanwhile
	// (rowbyrow.go).
	IncrementalLocking bool
	// Priority is what high priority does to low priority.
	Priority PriorityRule
	// ByArrivalTime: votes of declared transactions are asked for in the order of their stamps, and
	// those of high priority wait (instants.go). Preempts: those of low priority make way for them.
	// Conditional: who should make way elsewhere is voted beside (conditional.go).
	ByArrivalTime, Preempts, Conditional bool
	// Versions: databases of others are stores of single records, of which the middleware compares
	// versions at the prepare and once more when all have prepared; who meets what is prepared
	// gives way (source/versions.go).
	Versions bool
	// RowLeases: rows have leases. What reads locks nothing and renews them, what writes locks in
	// execution, and all of it happens at one timestamp (lease.go).
	RowLeases bool
}

// OfSources reports whether it is for participants that are databases of others.
func (p Policy) OfSources() bool { return p == OfItsSource || p.Versions }

// ConflictRule is what happens where a request that is to hold something meets a holder.
type ConflictRule uint8

// The rules, by the names of the field.
const (
	// ConflictWoundWait: the older one has the younger give way unless that has voted, and the younger
	// waits (wound-wait).
	ConflictWoundWait ConflictRule = iota
	// ConflictWaitDie: the older one waits, whatever the other does, and the younger gives way.
	ConflictWaitDie
	// ConflictNoWait: whoever comes later gives way.
	ConflictNoWait
)

// HotRule is what is done about rows for which many wait.
type HotRule uint8

// The rules.
const (
	// HotNone: they are rows like others.
	HotNone HotRule = iota
	// HotQueue: whoever wants one waits in its queue, whoever else waits for whom
	// (TXSQL section 3.2).
	HotQueue
	// HotGroup is HotQueue, and whoever has written one lets the next go on from
	// its uncommitted value; they commit in that order (TXSQL section 3.3).
	HotGroup
	// Retire: whoever has written any row lets others go on from it, but only
	// younger ones; an older one undoes it (Bamboo).
	Retire
)

// Deadlocks reports whether waits at several shards can form a cycle: where one waits for
// anybody, or for those before it in a chain, or votes at one shard for who has voted at another.
// Elsewhere ages keep waits in order, and nobody looks for deadlocks.
func (p Policy) Deadlocks() bool {
	return p.Detect || p.Hot != HotNone || p.Reserves != ReservesNothing
}

// Publishes reports whether uncommitted values are passed on.
func (h HotRule) Publishes() bool { return h == HotGroup || h == Retire }

func (h HotRule) String() string {
	return [...]string{"none", "queue", "group", "retire"}[h]
}

// The policies there are.
var (
	// WoundWait is two-phase locking: wound-wait until the vote, waiting for
	// voted holders (D2PC notes, rule e).
	WoundWait = Policy{Name: "2pl wound-wait", LockReads: true, PrepareWaits: true}
	// WaitDie and NoWait are two-phase locking without wounds: who waits, if anybody, is older
	// than those it waits for (Bonspiel section 6.1, what it is compared with).
	WaitDie = Policy{Name: "2pl wait-die", LockReads: true, PrepareWaits: true, OnConflict: ConflictWaitDie}
	NoWait  = Policy{Name: "2pl no-wait", LockReads: true, OnConflict: ConflictNoWait}
	// Lease is Sundial's: leases of rows for those who read, and no waiting among those who write (the
	// same section; its paper has wait-die, the public prototype of Bonspiel no-wait).
	Lease = Policy{Name: "leases of rows, written ones locked no-wait", OnConflict: ConflictNoWait, RowLeases: true}
	// WoundWaitAlike is WoundWait by ages alone; WoundWaitPreempting and WoundWaitOnWait are that
	// with preemption, whatever waits, or of who waits (Natto section 4, what it is compared with).
	// Each row's lock is had by itself, as in the public prototype of Natto.
	WoundWaitAlike      = Policy{Name: "2pl wound-wait, priorities alike", LockReads: true, PrepareWaits: true, IncrementalLocking: true, Priority: PriorityIgnored}
	WoundWaitPreempting = Policy{Name: "2pl wound-wait, high priority preempts low", LockReads: true, PrepareWaits: true, IncrementalLocking: true, Priority: PriorityPreempts}
	WoundWaitOnWait     = Policy{Name: "2pl wound-wait, high priority preempts low that waits", LockReads: true, PrepareWaits: true, IncrementalLocking: true, Priority: PriorityPreemptsWaiting}
	// WoundWaitGroup is WoundWait with groups on hot rows.
	WoundWaitGroup = Policy{Name: "2pl wound-wait, groups on hot rows", LockReads: true, PrepareWaits: true, Hot: HotGroup}
	// OfItsSource is for participants that are databases of others: who yields there is
	// theirs to say, and their waits are not ours to see. Shards beside them have WoundWait.
	OfItsSource = Policy{Name: "as the source does; 2pl wound-wait at shards", LockReads: true, PrepareWaits: true}
	// OverItsSource is for them too, and their own concurrency control is not used (ScalarDB, PVLDB
	// 16(12), 2023).
	OverItsSource = Policy{Name: "by versions that the middleware keeps at its sources; 2pl wound-wait at shards", LockReads: true, PrepareWaits: true, Versions: true}
	// Validate is optimistic concurrency control: plain reads take no locks; the
	// prepare validates and meets a conflict by giving way.
	Validate = Policy{Name: "occ"}
	// InArrivalOrder is optimistic for low priority, and has high priority wait, in the order of
	// stamps (Natto section 3.2). InArrivalOrderPreempting is that with low priority making way
	// before it has voted (section 3.3.1).
	InArrivalOrder           = Policy{Name: "in the order of stamps: low priority gives way, high priority waits", ByArrivalTime: true}
	InArrivalOrderPreempting = Policy{Name: "in the order of stamps, low priority makes way for high before its vote", ByArrivalTime: true, Preempts: true}
	// InArrivalOrderConditional is that with high priority voting beside low that has voted, if that
	// should have made way elsewhere (section 3.3.2).
	InArrivalOrderConditional = Policy{Name: "in the order of stamps, low priority makes way for high, which votes on condition of that", ByArrivalTime: true, Preempts: true, Conditional: true}
	// ValidateInBatches is optimistic validation of many at once.
	ValidateInBatches = Policy{Name: "occ in batches, with reordering", Batches: true}
	// EachValidates is optimistic validation by every replica for itself.
	EachValidates = Policy{Name: "occ at every replica", NeverLocks: true}
	// EachByTimestamp is the same, in the order of proposed timestamps.
	EachByTimestamp = Policy{Name: "occ at every replica, by timestamp", NeverLocks: true, ByTimestamp: true}
	// Reserve is GDCC, optimistic validation in which those of several regions go first (Bonspiel
	// section 3.1), and ReservePatiently what Polaris makes of it.
	Reserve          = Policy{Name: "occ, several regions reserve, gdcc", PrepareWaits: true, Reserves: ReservesConditionally}
	ReservePatiently = Policy{Name: "occ, several regions reserve, polaris", PrepareWaits: true, Reserves: ReservesPatiently}
	// ReserveByAge is GDCC in which votes of several regions wait for each other by age alone, and
	// ReserveGivingWay that in which no vote waits.
	ReserveByAge     = Policy{Name: "occ, several regions reserve, gdcc, votes wait by age", PrepareWaits: true, Reserves: ReservesConditionally, Votes: VotesByAge}
	ReserveGivingWay = Policy{Name: "occ, several regions reserve, gdcc, no vote waits", PrepareWaits: true, Reserves: ReservesConditionally, Votes: VotesGiveWay}
	// DetectEager is two-phase locking with a walk over the waits at each wait and
	// an object for each lock.
	DetectEager = Policy{Name: "2pl, deadlocks detected", LockReads: true, PrepareWaits: true, Detect: true, Objects: true}
	// Detect has objects under conflict alone (TXSQL section 3.1).
	Detect = Policy{Name: "2pl, deadlocks detected, lock objects under conflict", LockReads: true, PrepareWaits: true, Detect: true}
	// DetectQueue has wait queues for hot rows as well.
	DetectQueue = Policy{Name: "2pl, deadlocks detected, wait queues at hot rows", LockReads: true, PrepareWaits: true, Detect: true, Hot: HotQueue}
	// DetectGroup has groups on hot rows.
	DetectGroup = Policy{Name: "2pl, deadlocks detected, groups on hot rows", LockReads: true, PrepareWaits: true, Detect: true, Hot: HotGroup}
	// WoundWaitRetire passes on every written row.
	WoundWaitRetire = Policy{Name: "2pl wound-wait, written rows retired", LockReads: true, PrepareWaits: true, Hot: Retire}
)

// Phase says at which point of its life a transaction asks.
type Phase uint8

// The phases.
const (
	// UnlockedRead asks whether something can be read now, holding nothing: only
	// voted writers are in the way, for their writes may already be committed.
	UnlockedRead Phase = iota
	ReadOnly           // the same, of the vote of a transaction that has written nothing
	ChainOrder         // the turn of a vote behind those before it in a chain, holding nothing more
	Execute            // a lock in execution
	Prepare            // all locks of the vote
	Reserving          // Instant, and what is read is reserved
)

// holds reports whether what is granted is held.
func (p Phase) holds() bool { return p == Execute || p == Prepare }

// verdict is what the rules say of a request: wound the victims and ask again, or wait
// for that holder, or die, which is to give way to it; else nothing is in the way.
type verdict struct {
	victims []txn.ID
	wait    *Holder
	die     *Holder
}

// granted reports whether nothing is in the way.
func (v verdict) granted() bool { return len(v.victims) == 0 && v.wait == nil && v.die == nil }

// judge applies the rules above to the holders in the way, oldest first. fresh:
// the asker holds nothing anywhere, so nobody waits for it, and it may wait for
// anybody. wounds says who gives way to whom.
func (p Policy) judge(phase Phase, age txn.Age, fresh bool, conflicts []*Holder, wounds func(txn.Age, *Holder) bool) verdict {
	var v verdict
	for _, h := range conflicts {
		switch {
		case p.passes(phase, h):
		case p.Reserves != ReservesNothing && phase == Prepare && h.Voted: // see votes.go
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
		v.victims = nil // wounding them now would not let us in
	}
	return v
}

func (h HotRule) waits() bool { return h == HotQueue || h == HotGroup }
