package yield

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// Reservations (Bonspiel section 3.1, after Polaris). A transaction of several regions (MR)
// reserves what it reads at leaders, and one of a single region (SR) reserves nothing and gives
// way to reservations when it validates. So no SR makes an MR lose what it has read. In the
// tables S is of a single region and M of several; M' is another one of these.
//
// A reservation is a matter of who goes first and not of safety: one that is refused, late, or
// lost with its leader costs an abort at most, for whoever votes is validated as elsewhere.
//
// Invariant: whoever has reserved something has a Holder, and its reservations end with that.

// ReserveRule is a policy's choice of what comes of reservations.
type ReserveRule uint8

// The choices.
const (
	// ReservesNothing: nobody does.
	ReservesNothing ReserveRule = iota
	// ReservesPatiently: who reserves waits for whoever has locked the row (Polaris).
	ReservesPatiently
	// ReservesConditionally: who reserves waits for M' alone, and reads what S is about to
	// commit (GDCC).
	ReservesConditionally
)

// step is what comes of one who meets another.
type step uint8

const (
	proceeds step = iota
	halts
	givesWay
)

// class is whether a transaction is S or M.
type class uint8

const (
	single class = iota
	several
	classes
)

func classOf(p txn.RegionPriority) class {
	if p.MultiRegion() {
		return several
	}
	return single
}

// reserveLock is Bonspiel's table 2: M is to reserve what another has locked.
//
//	M reserves x           wound-wait   wait-die    Polaris   GDCC
//	x is locked by S       S aborts     M waits     M waits   M proceeds
//	x is locked by M'      M waits      M aborts    M waits   M waits
//
// Here stand the columns of those that reserve. M proceeds once the write of S is revealed: an S
// that is still validated elsewhere may yet be refused.
var reserveLock = [...][classes]step{
	ReservesPatiently:     {single: halts, several: halts},
	ReservesConditionally: {single: proceeds, several: halts},
}

// place is where a reservation comes to stand among others of its row.
type place uint8

const (
	lateBehind place = iota
	before
)

// standing is how a priority compares with another's.
type standing uint8

const (
	lower standing = iota
	equal
	higher
)

func standingOf(p, other txn.RegionPriority) standing {
	switch {
	case p < other:
		return lower
	case p > other:
		return higher
	}
	return equal
}

// reserveReserve is Bonspiel's table 3, with the priorities of section 3.1.5: M is to reserve what
// another has reserved.
//
//	M reserves x                                  GDCC
//	x is reserved by S                            cannot be
//	x is reserved by M', of the same priority     M stands behind it, and both count
//	x is reserved by M', of a lower one           M stands before it
//	x is reserved by M', of a higher one          M fails: it stands behind it
//
// In the paper M forgets a reservation that has failed, or before which another has come. Here it
// counts again when the higher one has ended: else an S could come then, and abort M.
var reserveReserve = [...]place{equal: lateBehind, higher: before, lower: lateBehind}

// lockReserve is Bonspiel's table 4, with the priorities of section 3.1.5: one that validates is
// to lock what another has reserved.
//
//	             x is reserved by S   by M'        by M', of a higher priority
//	S locks x    cannot be            S gives way  S gives way
//	M locks x    cannot be            M proceeds   M waits
//
// Where another has locked x, whoever validates waits, S or M, whatever that is (section 3.1.3).
// Other rules for both, and why there are any: votes.go.
var lockReserve = [classes][3]step{
	single:  {lower: givesWay, equal: givesWay, higher: givesWay},
	several: {lower: halts, equal: proceeds, higher: proceeds},
}

// reservation is one transaction's of a row.
type reservation struct {
	txn      txn.ID
	priority txn.RegionPriority
}

// reservedSpan is one transaction's of a span.
type reservedSpan struct {
	reservation
	span txn.Span
}

// MaxReservations bounds the reservations at one shard; what is beyond is not reserved.
const MaxReservations = 100_000

// Reservations are who has reserved what at a table.
type Reservations struct {
	rule    ReserveRule
	rows    *rows
	holders *holders
	counts  *coverage.Counts
	votes   VoteRule
	spans   []reservedSpan
	count   int  // rows and spans
	outlive bool // a planted bug: see txn.Bugs.KeepReservation
}

// make reserves rows and spans for a holder, as far as there is room.
func (v *Reservations) make(h *Holder, keys []txn.Key, spans []txn.Span) {
	mine := reservation{h.Txn, h.Age.Region}
	for _, k := range keys {
		if p := v.rows.entry(k); !slices.Contains(p.reserved, mine) && v.count < MaxReservations {
			p.reserve(mine, v.counts)
			h.reserved = append(h.reserved, k)
			v.count++
		}
	}
	for _, s := range spans {
		if r := (reservedSpan{mine, s}); !slices.Contains(v.spans, r) && v.count < MaxReservations {
			v.spans = append(v.spans, r)
			h.reservedSpans++
			v.count++
		}
	}
}

// reserve gives a reservation its place by table 3.
func (p *lockState) reserve(mine reservation, counts *coverage.Counts) {
	at := 0
	for at < len(p.reserved) && reserveReserve[standingOf(mine.priority, p.reserved[at].priority)] == lateBehind {
		at++
	}
	counts.HitIf(at < len(p.reserved), coverage.HigherReserves)
	p.reserved = slices.Insert(p.reserved, at, mine)
}

// release ends the reservations of a holder.
func (v *Reservations) release(h *Holder) {
	if v.outlive {
		return
	}
	of := func(r reservation) bool { return r.txn == h.Txn }
	for _, k := range h.reserved {
		if p, ok := v.rows.Get(k); ok {
			v.count -= len(p.reserved)
			p.reserved = slices.DeleteFunc(p.reserved, of)
			v.count += len(p.reserved)
			v.rows.drop(k, p)
		}
	}
	if h.reservedSpans > 0 {
		v.count -= len(v.spans)
		v.spans = slices.DeleteFunc(v.spans, func(r reservedSpan) bool { return of(r.reservation) })
		v.count += len(v.spans)
	}
}

// meets is what comes, by table 4, of a transaction that is to lock rows which others have
// reserved; and who is in its way, if somebody is.
func (v *Reservations) meets(id txn.ID, priority txn.RegionPriority, keys []txn.Key) (s step, by txn.ID) {
	look := func(r reservation) {
		if got := lockReserve[classOf(priority)][standingOf(priority, r.priority)]; r.txn != id && got > s {
			s, by = got, r.txn
		}
	}
	for _, k := range keys {
		if p, ok := v.rows.Get(k); ok {
			for _, r := range p.reserved {
				look(r)
			}
		}
		for _, r := range v.spans {
			if r.span.Contains(k) {
				look(r.reservation)
			}
		}
	}
	return s, by
}

// Reserve reserves what a transaction reads, or has read before: of what was written since, its
// vote will hear. It looks at no locks.
func (v *Reservations) Reserve(now time.Duration, id txn.ID, age txn.Age, keys []txn.Key, spans []txn.Span) {
	if v.rule == ReservesNothing || !age.Region.MultiRegion() || len(keys)+len(spans) == 0 {
		return // S never reserves
	}
	v.make(v.holders.enter(now, id, age), keys, spans)
}

// Count is how many rows and spans are reserved, each as often as it is.
func (v *Reservations) Count() int { return v.count }

// Outlive plants a bug: they outlive their transactions.
func (v *Reservations) Outlive() { v.outlive = true }

// Reveal has readers wait no more for what a transaction has voted on: they are shown it.
// Whoever is to lock it waits on.
func (t *Table) Reveal(id txn.ID) {
	h := t.holders.get(id)
	if h == nil || !h.Voted {
		return
	}
	h.Revealed = true
	t.waits.freeReaders(h)
	t.Wake()
}

// stop is what comes of a vote that is to write what others have reserved: it is refused, or waits
// for a holder; both are nothing if it goes on.
func (v *Reservations) stop(r *LockRequest) (no txn.Refusal, behind *Holder) {
	if v.count == 0 || r.Phase != Prepare {
		return no, nil
	}
	s, by := v.meets(r.Txn, r.Age.Region, r.Exclusive)
	switch h := v.holders.get(by); {
	case s == givesWay:
		v.counts.Hit(coverage.ReservedRefuses)
		return txn.Refusal{Reason: txn.ReasonReserved, ConflictingTxn: by}, nil
	case s == halts && h != nil && v.votes == VotesWait:
		v.counts.Hit(coverage.ReservedWaits)
		return no, h
	}
	return no, nil
}

// passes reports whether one who meets a holder in a phase in which it is to hold no lock goes on:
// it is shown what that is about to commit.
func (p Policy) passes(phase Phase, h *Holder) bool {
	switch {
	case !h.Revealed:
		return false
	case phase == Reserving:
		return reserveLock[p.Reserves][classOf(h.Age.Region)] == proceeds
	}
	return phase == UnlockedRead
}
