package sql

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"isochron/sql/parse"
	"isochron/sql/session"
	"isochron/txn"
)

// SlowLog says which transactions are logged as slow.
type SlowLog struct {
	// Threshold is from how long a transaction is slow, from its first statement
	// and over the tries that its client made of it. 0: none is logged.
	Threshold time.Duration
	Log       *slog.Logger // nil: slog.Default()
}

// slowBurst lines may be logged at once, and one more every slowEvery; what is
// beyond is counted in the next line.
const (
	slowBurst = 20
	slowEvery = time.Second
)

// slowRoundsMax bounds the rounds in a line: the slowest ones, in their order.
const slowRoundsMax = 12

// slowLog writes one line for each slow transaction, within bounds.
type slowLog struct {
	threshold time.Duration
	log       *slog.Logger
	db        txn.DB

	mu      sync.Mutex
	tokens  float64
	filled  time.Time
	skipped int
}

func newSlowLog(c SlowLog, db txn.DB) *slowLog {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return &slowLog{threshold: c.Threshold, log: c.Log, db: db, tokens: slowBurst, filled: time.Now()}
}

// admit reports whether a line may be written now, and how many were not before it.
func (l *slowLog) admit() (skipped int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.tokens = min(slowBurst, l.tokens+now.Sub(l.filled).Seconds()/slowEvery.Seconds())
	l.filled = now
	if l.tokens < 1 {
		l.skipped++
		return 0, false
	}
	l.tokens--
	skipped, l.skipped = l.skipped, 0
	return skipped, true
}

// slowEnd logs the end of a transaction if it was slow. f is what ended it, if
// anything did.
func (g *gateway) slowEnd(s *Session, t *transaction, f *txn.Error, rolledBack bool) {
	l := g.slow
	if l == nil || l.threshold <= 0 || t.began.IsZero() {
		return
	}
	total := time.Since(t.firstBegan())
	if total < l.threshold {
		return
	}
	skipped, ok := l.admit()
	if !ok {
		return
	}
	outcome := "committed"
	switch {
	case rolledBack:
		outcome = "rolled back"
	case f != nil:
		outcome = kindNames[f.Kind]
	}
	attrs := []slog.Attr{
		slog.String("txn", t.real.ID().String()), slog.String("region", string(l.db.Region())),
		slog.String("outcome", outcome), slog.Float64("total_ms", inMillis(total)),
		slog.String("user", s.Client().User), slog.String("client", g.remote(s.ID())),
	}
	attrs = append(attrs, l.whereItWent(unwatched(t.real), total)...)
	attrs = append(attrs, slog.String("statements", digests(&s.stats)))
	if skipped > 0 {
		attrs = append(attrs, slog.Int("not_logged_before", skipped))
	}
	l.log.LogAttrs(context.Background(), slog.LevelWarn, "slow transaction", attrs...)
}

// remote is the address of a client, "" of one that has gone.
func (g *gateway) remote(id uint32) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.conns[id]; c != nil {
		return c.RemoteAddr().String()
	}
	return ""
}

// kindNames are the outcomes of transactions that failed.
var kindNames = map[txn.Kind]string{
	txn.KindAborted: "aborted", txn.KindLockTimeout: "lock wait timeout", txn.KindNoWait: "not waited for a lock",
	txn.KindStale: "schema changed", txn.KindUnavailable: "unavailable", txn.KindUnknown: "unknown", txn.KindInvalidRequest: "refused", txn.KindTooLarge: "too large",
}

// whereItWent tells of the rounds, and of the time between them.
func (l *slowLog) whereItWent(t txn.Txn, total time.Duration) []slog.Attr {
	j, ok := t.(txn.Journaled)
	if !ok {
		return nil
	}
	rounds := j.Rounds()
	var inRounds, waited time.Duration
	for _, r := range rounds {
		inRounds += r.Took
		var w time.Duration
		for _, p := range r.Parts {
			w = max(w, p.Waited)
		}
		waited += w
	}
	st := t.Stats()
	return []slog.Attr{
		slog.Int("tries", j.Try()+1), slog.Int("rounds", st.Rounds+st.CommitRounds), slog.Int("wide_rounds", st.WideRounds),
		slog.Float64("in_rounds_ms", inMillis(inRounds)), slog.Float64("lock_wait_ms", inMillis(waited)),
		slog.Float64("elsewhere_ms", inMillis(max(total-inRounds, 0))),
		slog.String("where", l.describe(rounds)),
	}
}

// describe tells of each round: when it began, what for, how long it took, and
// what each shard took of it.
func (l *slowLog) describe(rounds []txn.RoundReport) string {
	floor := floorOf(rounds)
	var b strings.Builder
	left := 0
	for n, r := range rounds {
		if r.Took < floor {
			left++
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "#%d %s at %.1f took %.1f ms", n+1, r.Kind, inMillis(r.Start), inMillis(r.Took))
		if r.Wide {
			b.WriteString(" wide")
		}
		b.WriteString(":")
		for i, p := range r.Parts {
			if i > 0 {
				b.WriteString(",")
			}
			l.describePart(&b, p)
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "; and %d shorter rounds", left)
	}
	return b.String()
}

// floorOf is the least duration among the longest rounds.
func floorOf(rounds []txn.RoundReport) time.Duration {
	if len(rounds) <= slowRoundsMax {
		return 0
	}
	var longest []time.Duration
	for _, r := range rounds {
		longest = append(longest, r.Took)
	}
	slices.Sort(longest)
	return longest[len(longest)-slowRoundsMax]
}

func (l *slowLog) describePart(b *strings.Builder, p txn.PartReport) {
	fmt.Fprintf(b, " shard %d", p.Shard)
	if p.Node != 0 {
		fmt.Fprintf(b, " in %s", l.db.Directory().RegionOf(uint32(p.Node)))
	}
	fmt.Fprintf(b, " %.1f ms", inMillis(p.Took))
	if !p.Answered {
		b.WriteString(" without an answer")
	}
	if p.Tries > 1 {
		fmt.Fprintf(b, " (%d tries)", p.Tries)
	}
	if p.Waited > 0 {
		fmt.Fprintf(b, " (waited %.1f ms for %v)", inMillis(p.Waited), p.WaitedFor)
	}
}

// digests are the statements of the transaction without their literals.
func digests(c *session.Stats) string {
	var out []string
	for _, t := range c.Texts {
		d := parse.Digest(t)
		if len(out) == 0 || out[len(out)-1] != d {
			out = append(out, d)
		}
	}
	if c.More > 0 {
		out = append(out, fmt.Sprintf("and %d more", c.More))
	}
	return strings.Join(out, "; ")
}

// inMillis are milliseconds to the microsecond.
func inMillis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
