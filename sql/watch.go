package sql

import (
	"time"

	"isochron/txn"
)

// Statement is what one statement of a client cost, all its tries together.
type Statement struct {
	Took       time.Duration
	Rounds     int  // of reads
	WideRounds int  // of these, those that waited for another region
	Planned    bool // a round plan did its reads, at the last try
	Again      int  // tries that lost and of which its client saw nothing
}

// StatementObserver is notified of every statement's end. It is called by many
// goroutines, on the way of every statement: it must be cheap.
type StatementObserver interface {
	Statement(Statement)
}

// statementStats gathers what the statement of a session costs, over its tries, and the
// texts of the transaction that it may belong to.
type statementStats struct {
	began   time.Time
	rounds  int
	wide    int
	planned bool
	again   int
	resumed bool     // the statement has begun already, and goes on another way
	texts   []string // of the open transaction's statements, the first ones
	more    int      // statements beyond those
}

// The bounds of what a session remembers of the texts of its transaction.
const (
	textsMax     = 8
	textBytesMax = 1 << 10
)

// begin begins a statement; its text is shortened.
func (c *statementStats) begin(text string, now time.Time) {
	if c.resumed {
		c.resumed = false
		return
	}
	c.began, c.rounds, c.wide, c.planned, c.again = now, 0, 0, false, 0
	if len(c.texts) >= textsMax {
		c.more++
		return
	}
	c.texts = append(c.texts, text)
}

// shortened is the part of a text that is remembered.
func shortened(text string) string {
	if len(text) > textBytesMax {
		return string([]byte(text[:textBytesMax])) // a copy: the rest may be large
	}
	return text
}

func (c *statementStats) add(before, after txn.Stats) {
	c.rounds += after.Rounds - before.Rounds
	c.wide += after.WideRounds - before.WideRounds
}

// reportStatement ends the statement that begin began.
func reportStatement(s *Session, now time.Time) {
	s.account.Swap(nil).close()
	s.afterStatement(s.open != nil, s.GetIgnoreAutoCommit())
	if open := s.open.begun() && s.open.over == nil; open != s.transacting.Load() {
		s.transacting.Store(open)
	}
	if w := s.gateway.watcher; w != nil {
		w.Statement(Statement{now.Sub(s.stats.began), s.stats.rounds, s.stats.wide, s.stats.planned, s.stats.again})
	}
	if s.open == nil { // the next statement begins anew
		clear(s.stats.texts)
		s.stats.texts, s.stats.more = s.stats.texts[:0], 0
	}
}
