package yield

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// AdmissionPolicy is a protocol's choice of which transactions wait at the gateway before their
// first request.
type AdmissionPolicy uint8

// The choices.
const (
	// AdmitUnset is no choice; a protocol of the table that has it inherits one.
	AdmitUnset AdmissionPolicy = iota
	// AdmitByAbortRate: tries of a class of which many were lost queue (Admission).
	AdmitByAbortRate
	// AdmitByForecast: a transaction that is likely not to get its locks sleeps and is judged again
	// (LateScheduler).
	AdmitByForecast
)

// admissionTexts has the text of each choice, in the order of the constants.
var admissionTexts = [...]text{
	{name: "unset"},
	{
		"by abort rate",
		"Transactions of a class in which many abort queue at the gateway before their first request.",
		"A queued transaction starts later; without aborts none queues.",
		"",
	},
	{
		"by forecast",
		"A transaction that is unlikely to get its locks sleeps at the gateway and is judged again; it holds nothing.",
		"On contended records a transaction starts later, and aborts after too many sleeps.",
		"GeoTP section 4.3",
	},
}

func (a AdmissionPolicy) String() string { return admissionTexts[a].name }

// Explain returns the choice's meaning, cost and source.
func (a AdmissionPolicy) Explain() (meaning, cost, source string) {
	t := admissionTexts[a]
	return t.meaning, t.cost, t.source
}

// Forecasts reports whether it needs the forecast of each transaction.
func (a AdmissionPolicy) Forecasts() bool { return a == AdmitByForecast }

// LateScheduler delays, at one gateway, transactions that are likely not to get all their locks:
// late transaction scheduling of GeoTP (section 4.3, Alg. 2 lines 10 to 18).
//
// # How it works
//
// The probability that a transaction is not granted its first lock requests is forecast from the
// statistics of the records (Eq. 9, estimate.Forecast). With that probability the transaction is
// blocked: it sleeps, holding nothing, and is judged again by the statistics of then. One that was
// blocked too often aborts. So fewer transactions request a contended record, and the waiting ones
// finish. (Line 15 of Alg. 2 as printed, "p < rand()", would admit the likelier to fail; section
// 4.3 states the intent.)
//
// No transaction sleeps without bound: it is blocked Again+1 times at most, for Sleep each. A
// transaction without competitors has probability 0, so some always proceed.
//
// # What the caller owes it
//
// Time does not run backwards. Judge again each transaction that Next returns, and call Leave for
// one whose client has gone.
type LateScheduler struct {
	bounds LateBounds
	chance *rand.Rand
	asleep []*Sleeper // by wake time, which is the order of blocking
	counts LateCounts
}

// LateBounds are the settings of LateScheduler. Zero fields get defaults.
type LateBounds struct {
	Sleep time.Duration // 10 ms (Alg. 2; the prototype): how long a block lasts
	// Again is the number of times a blocked transaction is evaluated again: 10 (Alg. 2 line 16).
	// The next block aborts it: the prototype too gives up at the eleventh.
	Again int
	// Alone: transactions at one participant are judged as well, as in the paper. The prototype,
	// and the default, judges distributed transactions only.
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

// LateCounts are the numbers of judgements by result.
type LateCounts struct {
	Entered uint64 // admitted, immediately or later
	Blocked uint64 // blocks, of all transactions
	GaveUp  uint64 // blocked too often
}

// Sleeper is a transaction before its admission.
type Sleeper struct {
	Txn     txn.ID
	blocks  int
	until   time.Duration
	removed bool
}

// Verdict is the result of a judgement.
type Verdict uint8

// The verdicts.
const (
	Enter  Verdict = iota // it is admitted, and not judged again
	Sleep                 // Next will return it
	GiveUp                // abort it: it has done nothing
)

// NewLateScheduler returns a scheduler with its own random source: one seed, one run.
func NewLateScheduler(b LateBounds, seed, stream uint64) *LateScheduler {
	return &LateScheduler{bounds: b.withDefaults(), chance: rand.New(rand.NewPCG(seed, stream))}
}

// Judge decides about a transaction at places participants that fails to get all its locks with
// probability lost, from 0 to 1.
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

// Next removes and returns a transaction whose sleep is over, nil if there is none.
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

// NextWake returns the first wake time, txn.Never if none sleeps. It may be the wake time of a
// transaction that has left.
func (l *LateScheduler) NextWake() time.Duration {
	if len(l.asleep) == 0 {
		return txn.Never
	}
	return l.asleep[0].until
}

// Leave notes that a transaction no longer asks for admission. After its admission, and for nil, it
// does nothing.
func (l *LateScheduler) Leave(s *Sleeper) {
	if s != nil {
		s.removed = true
	}
}

// Counts returns the counts of all transactions so far.
func (l *LateScheduler) Counts() LateCounts { return l.counts }
