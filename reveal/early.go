package reveal

import (
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// Early reveal (D2PC sections 4.2 and 4.3). When every leader of an attempt has
// voted Yes, its place in the serial order is fixed: its locks can go and its
// writes be read, though one of the votes may still be lost with its leader.
// Whoever reads such a write depends on its writer: a vote names it and counts
// when it has committed; an answer that nobody will validate waits for it.
//
// Invariant, of the caller: what is revealed and undecided stands in its log, or is on
// its way there, as a vote, before every vote that depends on it.

// Early is what a leader knows of writes that it has revealed and of who depends on them.
type Early struct {
	Overlay
	choice Policy
	newest func(txn.Key) txn.Timestamp

	undecided  map[txn.Attempt]bool    // revealed before their decision
	dependents map[txn.Attempt][]*wait // who waits for the end of an attempt
	votes      map[txn.Attempt]*wait   // conditional ones
	answers    []*wait                 // in the order in which they came
}

// wait is for some attempts to be decided.
type wait struct {
	left           int
	failed         bool // one of them aborted
	over           bool
	assumesAborted bool          // it is for them to abort, and failed if one has committed
	deadline       time.Duration // of an answer
	then           func(committed bool)
	expire         func()
}

// MaxAnswers bounds the answers that wait for decisions at one leader.
const MaxAnswers = 10_000

// NewEarly has revealed nothing. newest is the timestamp of the newest version that the
// engine has of a row.
func NewEarly(c Policy, newest func(txn.Key) txn.Timestamp) *Early {
	return &Early{choice: c, newest: newest, undecided: map[txn.Attempt]bool{},
		dependents: map[txn.Attempt][]*wait{}, votes: map[txn.Attempt]*wait{}}
}

// Follow has it go by another choice from now on.
func (e *Early) Follow(c Policy) { e.choice = c }

// Revealed reports whether the attempt is revealed and not decided.
func (e *Early) Revealed(a txn.Attempt) bool { return e.undecided[a] }

// RevealUndecided shows the writes of a vote of Yes before its decision.
func (e *Early) RevealUndecided(a txn.Attempt, proposed txn.Timestamp, writes []txn.Write) {
	e.undecided[a] = true
	e.Reveal(a, proposed, true, e.newestOf(proposed, writes))
}

// newestOf leaves out the writes than which the engine has newer ones: after a
// change of leaders a vote may hold its locks again though they were free once.
func (e *Early) newestOf(proposed txn.Timestamp, writes []txn.Write) []txn.Write {
	if !e.choice.Early() {
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

// Decided shows the decision on a vote to readers, and settles what depends on it.
func (e *Early) Decided(a txn.Attempt, proposed txn.Timestamp, writes []txn.Write, commit bool) {
	e.Rules.HitIf(!commit && e.undecided[a], coverage.TakenBack)
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

// Settle tells those who wait for an attempt how it has ended, in the order in which they came.
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

// await has it told once all of the attempts have committed, or one aborted.
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

// WhenDecided calls then at once if nothing that was read is undecided, else when it is: with
// false if it was undone. expire is called if that takes beyond the deadline, or if too many wait.
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

// Condition makes a vote of Yes wait for what it depends on; told hears how that has ended,
// unless the vote is decided before. A doomed one depends on what has aborted already.
func (e *Early) Condition(a txn.Attempt, on []txn.Attempt, doomed bool, reported func(committed bool)) {
	e.condition(a, on, false, doomed, reported)
}

// ConditionOnAborts is Condition with the other sign: the vote counts if all of them abort (Natto
// section 3.3.2).
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

// Conditional tells how a vote stands: whether what it depends on is open, and
// whether some of it is lost.
func (e *Early) Conditional(a txn.Attempt) (open, doomed bool) {
	w := e.votes[a]
	if w == nil {
		return false, false
	}
	return !w.failed, w.failed
}

// NextExpiry is when Expire has a wait to end; txn.Never if nobody waits.
func (e *Early) NextExpiry() time.Duration {
	at := txn.Never
	for _, w := range e.answers {
		if !w.over {
			at = min(at, w.deadline)
		}
	}
	return at
}

// Expire ends the waits of answers whose time is over.
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
