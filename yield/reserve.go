package yield

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// Reservations (Bonspiel section 3.1, after Polaris). A multi-region transaction (MR) reserves the
// rows that it reads at leaders; a single-region one (SR) reserves nothing and aborts on
// reservations when it validates. So no SR invalidates the reads of an MR. In the tables S is a
// single-region transaction, M a multi-region one, and M' another of these.
//
// A reservation is about priority, not safety: one that is refused, late, or lost with its leader
// costs an abort at most, since every vote is validated.
//
// Invariant: a transaction with reservations has a Holder, and they end with it.

// ReserveRule is a policy's choice of reservations.
type ReserveRule uint8

// The choices.
const (
	// ReservesNothing: no transaction reserves.
	ReservesNothing ReserveRule = iota
	// ReservesPatiently: a reserving read waits for any lock of the row (Polaris).
	ReservesPatiently
	// ReservesConditionally: a reserving read waits for M' only, and reads what S is about to
	// commit (GDCC).
	ReservesConditionally
)

// step is the result for a transaction that meets another.
type step uint8

const (
	proceeds step = iota
	halts
	refuses
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
// Only the columns of the policies that reserve. M proceeds once the write of S is revealed: an S
// that is still validated elsewhere may yet abort.
var reserveLock = [...][classes]step{
	ReservesPatiently:     {single: halts, several: halts},
	ReservesConditionally: {single: proceeds, several: halts},
}

// place is a reservation's position relative to another of its row.
type place uint8

const (
	lateBehind place = iota
	before
)

// standing is the comparison of a priority with another's.
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
//	x is reserved by M', of the same priority     M is placed behind it, and both count
//	x is reserved by M', of a lower one           M is placed before it
//	x is reserved by M', of a higher one          M fails: it is placed behind it
//
// In the paper a failed or replaced reservation is dropped. Here it counts again when the higher
// one has ended: otherwise an S could then validate, and abort M.
var reserveReserve = [...]place{equal: lateBehind, higher: before, lower: lateBehind}

// lockReserve is Bonspiel's table 4, with the priorities of section 3.1.5: one that validates is
// to lock what another has reserved.
//
//	             x is reserved by S   by M'        by M', of a higher priority
//	S locks x    cannot be            S aborts     S aborts
//	M locks x    cannot be            M proceeds   M waits
//
// Where another transaction has locked x, a validation waits, S or M (section 3.1.3). Other rules
// for both, and their reasons: vote_rules.go.
var lockReserve = [classes][3]step{
	single:  {lower: refuses, equal: refuses, higher: refuses},
	several: {lower: halts, equal: proceeds, higher: proceeds},
}

// reservation is one transaction's reservation of a row.
type reservation struct {
	txn      txn.ID
	priority txn.RegionPriority
}

// reservedSpan is one transaction's reservation of a span.
type reservedSpan struct {
	reservation
	span txn.Span
}

// MaxReservations bounds the reservations at one shard; more are not made.
const MaxReservations = 100_000

// Reservations are the reservations of a table.
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

// reserve places a reservation by table 3.
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

// meets is the result, by table 4, of a transaction that is to lock reserved rows, and the
// reserving transaction that conflicts, if any.
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

// Reserve reserves what a transaction reads, or has read before: its vote checks later writes. It
// ignores locks.
func (v *Reservations) Reserve(now time.Duration, id txn.ID, age txn.Age, keys []txn.Key, spans []txn.Span) {
	if v.rule == ReservesNothing || !age.Region.MultiRegion() || len(keys)+len(spans) == 0 {
		return // SR transactions never reserve
	}
	v.make(v.holders.enter(now, id, age), keys, spans)
}

// Count is the number of reservations, of rows and spans.
func (v *Reservations) Count() int { return v.count }

// Outlive injects a bug: reservations outlive their transactions.
func (v *Reservations) Outlive() { v.outlive = true }

// Reveal ends the wait of readers for a voted transaction: they are shown its writes. Requests that
// are to lock the rows continue to wait.
func (t *Table) Reveal(id txn.ID) {
	h := t.holders.get(id)
	if h == nil || !h.Voted {
		return
	}
	h.Revealed = true
	t.waits.freeReaders(h)
	t.Wake()
}

// stop is the result of a vote that is to write reserved rows: it is refused, or waits for a
// holder; neither: it proceeds.
func (v *Reservations) stop(r *LockRequest) (no txn.Refusal, behind *Holder) {
	if v.count == 0 || r.Phase != Prepare {
		return no, nil
	}
	s, by := v.meets(r.Txn, r.Age.Region, r.Exclusive)
	switch h := v.holders.get(by); {
	case s == refuses:
		v.counts.Hit(coverage.ReservedRefuses)
		return txn.Refusal{Reason: txn.ReasonReserved, ConflictingTxn: by}, nil
	case s == halts && h != nil && v.votes == VotesWait:
		v.counts.Hit(coverage.ReservedWaits)
		return no, h
	}
	return no, nil
}

// passes reports whether a request that is to hold no lock proceeds past a holder: it is shown the
// holder's uncommitted writes.
func (p Policy) passes(phase Phase, h *Holder) bool {
	switch {
	case !h.Revealed:
		return false
	case phase == Reserving:
		return reserveLock[p.Reserves][classOf(h.Age.Region)] == proceeds
	}
	return phase == UnlockedRead
}
