// Package replica is a participant without a log: every replica of a shard validates a transaction by
// itself and votes to the coordinator (Carousel, TAPIR, STARRY). Package shard is the participant with a
// log.
//
// # How it works
//
// A Replica is a state machine. For each undecided attempt it keeps an entry: its own validation
// result or, once a majority has accepted a proposal, the accepted vote (Final). The coordinator's
// decision replaces the entry by a decided entry, which is kept until the coordinator reports that every
// replica has it. There is no order between attempts: rows are ordered by the timestamps that
// coordinators propose, and no replica accepts two conflicting attempts.
//
//	         Prepare            Accept, or the leader settles            Decide
//	(none) ----------> entry ---------------------------------> final ----------> decided --> retired
//	                   ok, abstain, retry, no                   yes, no           (dropped)
//
// Results and acceptances count within one view, whose number determines its leader. A view changes
// when a node asks for an attempt whose outcome cannot be determined: every replica sends the next leader
// its record and stops taking part; from the records of a majority that leader settles every open
// attempt (merge.go) and starts the view with the result.
//
// The parts own their state: the persistent record (record), the rows (committed), locks of undecided
// attempts (holds), validation (validator), waiting reads (readers), the slow path of one view
// (slowPath), the change of views (viewChange, merger) and anti-entropy (comparing). They share
// only the member they belong to.
//
// Limits: the members are fixed; only decided entries are transferred, while they are kept; reads take
// no locks, and there are no snapshot reads.
//
// # Invariants
//
//   - What a replica has sent about an attempt within a view stays true within that view, over crashes too.
//   - Normal <= View; it takes part only if they are equal. View never decreases.
//   - At most one vote is proposed for an attempt in a view.
//   - No replica accepts a Yes while it holds a conflicting Yes.
//
// # What the caller owes it
//
// The same as a shard's caller: see package shard. Members must be the same list at every replica.
//
// Story: sim/testdata/13-replicas-validate-in-one-round-trip.txt. Papers: TAPIR (SOSP'15) section 3,
// Carousel (SIGMOD'18) section 4.
package replica
