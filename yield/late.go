package yield

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// AdmissionPolicy is a row's choice of who waits at the gateway before its first request.
type AdmissionPolicy uint8

// The choices.
const (
	// AdmitUnset is no choice; a row of the table that has it takes another's.
	AdmitUnset AdmissionPolicy = iota
	// AdmitByAbortRate: tries of a kind of which many have lost to each other queue (Admission).
	AdmitByAbortRate
	// AdmitByForecast: who is likely not to get its locks sleeps and is judged anew (LateScheduler).
	AdmitByForecast
)

func (a AdmissionPolicy) String() string {
	return [...]string{"unset", "how many of their kind were lost", "how likely they are to get their locks"}[a]
}

// Forecasts reports whether it asks for the chance of each transaction.
func (a AdmissionPolicy) Forecasts() bool { return a == AdmitByForecast }

// LateScheduler holds back, at one gateway, transactions that are likely not to get all their locks:
// late transaction scheduling of GeoTP (section 4.3, Alg. 2 lines 10 to 18).
//
// How it thinks. The chance that a transaction is not granted all that it first asks for is
// forecast from what others have met there (Eq. 9, estimate.Forecast). With that chance it is
// blocked: it sleeps for a while, holding nothing, and is judged anew by what is known then.
// Whoever was blocked too often is aborted. So a record for which many wait in vain is asked
// for by fewer, and those who wait for it come to their end. (Line 15 of Alg. 2 as printed,
// "p < rand()", would let in the likelier to fail; section 4.3 says whom it means.)
//
// Nobody sleeps for ever: a transaction is blocked Again+1 times at most, for Sleep each. Where
// one is all there is, its chance to lose is 0, so that some always go on.
//
// What the caller owes it. Time does not run back. It judges whom Next names again, and calls
// Leave for one whose client has gone.
type LateScheduler struct {
	bounds LateBounds
	chance *rand.Rand
	asleep []*Sleeper // by when they wake, which is the order in which they were blocked
	counts LateCounts
}

// LateBounds are the settings of LateScheduler. Zero fields get defaults.
type LateBounds struct {
	Sleep time.Duration // 10 ms (Alg. 2; the prototype): how long a block lasts
	// Again is how often one that was blocked is judged anew: 10 (Alg. 2 line 16). The next
	// block is its end: the prototype counts so too, and gives up at the eleventh.
	Again int
	// Alone has transactions at one place judged as well, as the paper has it. The
	// prototype, and the default, judges those at several places alone.
	Alone bool
}

func (b LateBounds) withDefaults() LateBounds {
	if b.Sleep <= 0 {
		b.Sleep = 10 * time.Millisecond
	}
	if b.Again <= 0 {
		b.Again = 10
	}
	return b
}

// LateCounts tell what has become of transactions that were judged.
type LateCounts struct {
	Entered uint64 // let in, at once or later
	Blocked uint64 // how often any was
	GaveUp  uint64 // were blocked too often
}

// Sleeper is a transaction that asks to be let in.
type Sleeper struct {
	Txn     txn.ID
	blocks  int
	until   time.Duration
	removed bool
}

// Verdict is what comes of judging.
type Verdict uint8

// The verdicts.
const (
	Enter  Verdict = iota // it goes on, and is not judged again
	Sleep                 // Next will name it
	GiveUp                // it is to be aborted: it has done nothing
)

// NewLateScheduler judges by chance of its own: one seed, one run.
func NewLateScheduler(b LateBounds, seed, stream uint64) *LateScheduler {
	return &LateScheduler{bounds: b.withDefaults(), chance: rand.New(rand.NewPCG(seed, stream))}
}

// Judge says what becomes of a transaction at so many places whose chance not to get all its
// locks is lost, from 0 to 1.
func (l *LateScheduler) Judge(now time.Duration, s *Sleeper, lost float64, places int) Verdict {
	if lost <= 0 || places < 2 && !l.bounds.Alone || l.chance.Float64() >= lost {
		l.counts.Entered++
		return Enter
	}
	l.counts.Blocked++
	if s.blocks++; s.blocks > l.bounds.Again {
		l.counts.GaveUp++
		return GiveUp
	}
	s.until = now + l.bounds.Sleep
	l.asleep = append(l.asleep, s)
	return Sleep
}

// Next takes out one whose sleep is over, nil if there is none.
func (l *LateScheduler) Next(now time.Duration) *Sleeper {
	for len(l.asleep) > 0 {
		s := l.asleep[0]
		if !s.removed && s.until > now {
			return nil
		}
		l.asleep[0] = nil
		l.asleep = l.asleep[1:]
		if !s.removed {
			return s
		}
	}
	l.asleep = nil
	return nil
}

// NextWake is when the first wakes, txn.Never if nobody sleeps. It may name one that has gone.
func (l *LateScheduler) NextWake() time.Duration {
	if len(l.asleep) == 0 {
		return txn.Never
	}
	return l.asleep[0].until
}

// Leave says that a transaction wants to be let in no more; once it has entered that is no
// harm. Nil is nobody.
func (l *LateScheduler) Leave(s *Sleeper) {
	if s != nil {
		s.removed = true
	}
}

// Counts tells of all transactions so far.
func (l *LateScheduler) Counts() LateCounts { return l.counts }
