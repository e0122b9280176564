package reveal

import (
	"math"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// Early reveal (D2PC sections 4.2 and 4.3). When every leader of an attempt has voted Yes, its
// position in the serial order is fixed: its locks can be released and its writes be read, though
// one of the votes may still be lost with its leader. A reader of such a write depends on its
// writer: a vote names the writer and counts when that has committed; a reply that is not validated
// later waits for it.
//
// Invariant, of the caller: revealed and undecided writes are in the log, or on their way there, as
// a vote, before every vote that depends on them.

// Early is a leader's revealed writes and the votes and replies that depend on them.
type Early struct {
	Overlay
	choice Policy
	newest func(txn.Key) txn.Timestamp
	// earlier bounds the timestamps that votes of earlier leaders have proposed.
	earlier txn.Timestamp

	undecided  map[txn.Attempt]bool    // revealed before their decision
	dependents map[txn.Attempt][]*wait // waits for the end of an attempt
	votes      map[txn.Attempt]*wait   // conditional votes
	answers    []*wait                 // waiting replies, in order of arrival
}

// wait waits for the decisions on some attempts.
type wait struct {
	left           int
	failed         bool // one of them aborted
	over           bool
	assumesAborted bool          // it waits for aborts, and fails if one has committed
	deadline       time.Duration // of a reply
	then           func(committed bool)
	expire         func()
}

// MaxAnswers bounds the replies that wait for decisions at one leader.
const MaxAnswers = 10_000

// NewEarly returns an empty Early. newest is the timestamp of the engine's newest version of a row.
func NewEarly(c Policy, newest func(txn.Key) txn.Timestamp) *Early {
	return &Early{choice: c, newest: newest, earlier: math.MaxUint64, undecided: map[txn.Attempt]bool{},
		dependents: map[txn.Attempt][]*wait{}, votes: map[txn.Attempt]*wait{}}
}

// Follow applies another policy from now on.
func (e *Early) Follow(c Policy) { e.choice = c }

// Revealed reports whether the attempt is revealed and undecided.
func (e *Early) Revealed(a txn.Attempt) bool { return e.undecided[a] }

// RevealUndecided shows the writes of a Yes vote before its decision.
func (e *Early) RevealUndecided(a txn.Attempt, proposed txn.Timestamp, writes []txn.Write) {
	e.undecided[a] = true
	e.Reveal(a, proposed, true, e.newestOf(proposed, writes))
}

// Lead notes the largest timestamp in the log when the leader begins to serve. It proposes larger
// ones.
func (e *Early) Lead(largest txn.Timestamp) { e.earlier = largest }

// newestOf drops the writes of which the engine has newer versions: after a change of leaders a
// vote may hold its locks again though they were released once. A vote of this leader has held them
// since it was cast, and has a larger timestamp than all versions.
func (e *Early) newestOf(proposed txn.Timestamp, writes []txn.Write) []txn.Write {
	if !e.choice.Early() || proposed > e.earlier {
		return writes
	}
	var out []txn.Write
	for _, w := range writes {
		if e.newest(w.Key) < proposed {
			out = append(out, w)
		} else {
			e.Rules.Hit(coverage.OlderThanEngine)
		}
	}
	return out
}

// Decided shows the decision on a vote to readers, and resolves what depends on it.
func (e *Early) Decided(a txn.Attempt, proposed txn.Timestamp, writes []txn.Write, commit bool) {
	e.Rules.HitIf(!commit && e.undecided[a], coverage.Withdrawn)
	switch {
	case commit && e.undecided[a]:
		e.Decide(a, writes)
	case commit:
		e.Reveal(a, proposed, false, e.newestOf(proposed, writes))
	default:
		e.Retract(a, writes)
	}
	if w := e.votes[a]; w != nil {
		w.over = true
		delete(e.votes, a)
	}
	e.Settle(a, commit)
}

// Settle notifies the waits for an attempt of its outcome, in order of arrival.
func (e *Early) Settle(a txn.Attempt, commit bool) {
	delete(e.undecided, a)
	ws := e.dependents[a]
	delete(e.dependents, a)
	for _, w := range ws {
		w.left--
		w.failed = w.failed || commit == w.assumesAborted
		e.Rules.HitIf(!w.over && !w.failed && w.left > 0, coverage.AllWriters)
		if !w.over && (w.failed || w.left == 0) {
			w.over = true
			w.then(!w.failed)
		}
	}
}

// await registers a wait that ends once all of the attempts have committed, or one has aborted.
func (e *Early) await(on []txn.Attempt, w *wait) {
	w.left = len(on)
	for _, a := range on {
		e.dependents[a] = append(e.dependents[a], w)
	}
}

// WritersOf lists the undecided attempts on which a reader of the keys and spans depends.
func (e *Early) WritersOf(keys []txn.Key, spans []txn.Span) []txn.Attempt {
	if !e.choice.Early() {
		return nil
	}
	return e.Undecided(keys, spans)
}

// WhenDecided calls then immediately if no attempt in on is undecided, otherwise when all are
// committed, or with false when one has aborted. expire is called instead at the deadline, or if
// too many replies wait.
func (e *Early) WhenDecided(on []txn.Attempt, deadline time.Duration, then func(committed bool), expire func()) {
	if len(on) == 0 {
		then(true)
		return
	}
	if len(e.answers) >= MaxAnswers {
		expire()
		return
	}
	w := &wait{deadline: deadline, then: then, expire: expire}
	e.answers = append(e.answers, w)
	e.await(on, w)
}

// Condition makes a Yes vote wait for its dependencies; reported is called with their outcome,
// unless the vote is decided before. doomed: one of them has aborted already.
func (e *Early) Condition(a txn.Attempt, on []txn.Attempt, doomed bool, reported func(committed bool)) {
	e.condition(a, on, false, doomed, reported)
}

// ConditionOnAborts is Condition with the opposite sign: the vote counts if all of them abort
// (Natto section 3.3.2).
func (e *Early) ConditionOnAborts(a txn.Attempt, on []txn.Attempt, doomed bool, reported func(aborted bool)) {
	e.condition(a, on, true, doomed, reported)
}

func (e *Early) condition(a txn.Attempt, on []txn.Attempt, unless, doomed bool, reported func(held bool)) {
	switch {
	case doomed:
		e.votes[a] = &wait{failed: true, over: true}
	case len(on) > 0:
		w := &wait{assumesAborted: unless, then: func(held bool) {
			if held {
				delete(e.votes, a)
			}
			reported(held)
		}}
		e.votes[a] = w
		e.await(on, w)
	}
}

// Conditional reports the state of a vote: whether dependencies are open, and whether one has
// failed.
func (e *Early) Conditional(a txn.Attempt) (open, doomed bool) {
	w := e.votes[a]
	if w == nil {
		return false, false
	}
	return !w.failed, w.failed
}

// NextExpiry is when Expire has a wait to end; txn.Never if none.
func (e *Early) NextExpiry() time.Duration {
	at := txn.Never
	for _, w := range e.answers {
		if !w.over {
			at = min(at, w.deadline)
		}
	}
	return at
}

// Expire ends the waits of replies whose deadline has passed.
func (e *Early) Expire(now time.Duration) {
	var rest []*wait
	for _, w := range e.answers {
		switch {
		case w.over:
		case now >= w.deadline:
			w.over = true
			w.expire()
		default:
			rest = append(rest, w)
		}
	}
	e.answers = rest
}
