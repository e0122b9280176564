package sql

import (
	"time"
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

// reportStatement ends the statement that begin began.
func reportStatement(s *Session, now time.Time) {
	s.account.Swap(nil).Close()
	s.AfterStatement(s.open != nil, s.GetIgnoreAutoCommit())
	if open := s.open.begun() && s.open.over == nil; open != s.transacting.Load() {
		s.transacting.Store(open)
	}
	if w := s.gateway.watcher; w != nil {
		w.Statement(Statement{now.Sub(s.stats.Began), s.stats.Rounds, s.stats.Wide, s.stats.Planned, s.stats.Again})
	}
	if s.open == nil { // the next statement begins anew
		clear(s.stats.Texts)
		s.stats.Texts, s.stats.More = s.stats.Texts[:0], 0
	}
}
