package lab

import "time"

// The costs of a lock manager like MySQL's beyond the work that all rows have, from runs of MariaDB
// 10.11 (two cores, the client on them too):
//
//   - One row, every commit synced, no binary log: 14,804, 12,256, 8,606 and 4,705 updates a second
//     with
//     16, 64, 256 and 1024 connections on a quiet machine (docs/laboratory/performance.md), that is 68,
//     82, 116 and 213 us each. An update takes 0.14 us longer for each waiter.
//   - By perf, with 1024: a fifth of the server's CPU spins for a mutex, nearly half is the
//     kernel's
//     putting to sleep and waking; 7 % (22 us of 312) are walks along lists of locks. So 0.02 us of the
//     0.14 are walks, 10 ns for each of the two steps that ours makes for a waiter; the rest is the
//     mutex over a page of locks, half of it when a lock is granted and half when it is released.
//   - With innodb_deadlock_detect off it is the same: 2,913 and 2,707 a second with 1024
//     connections,
//     10,362 and 9,256 with 16 (a busy machine). Walks are not the cause of MariaDB's slowness.
//   - A select of one row without locks copies the list of transactions that write: 13 us of the
//     server's CPU without writers, 24, 28 and 58 us beside 100, 400 and 1,000 open ones.
//
// TestFallsLikeMariaDB compares the first two with the table above.
const (
	// PageCPU is the cost of the mutex over a page of locks: for each waiter, whenever a lock of
	// the row is granted or released. Only protocols that keep an object for each lock have it.
	PageCPU = 60 * time.Nanosecond
	// WalkCPU is the cost of a step of a walk over the wait graph.
	WalkCPU = 10 * time.Nanosecond
	// ListCPU is the cost of copying the list of transactions that write: for each of them, at
	// every statement that only reads, under a mutex of its own. The same protocols have it.
	ListCPU = 40 * time.Nanosecond
)

// managed returns the costs of the protocol's lock manager: the model of MySQL has pages and lists,
// and the others have neither (TXSQL section 3.1).
func (s resolved) managed() (page, list time.Duration) {
	if !s.spec.Yield.Objects {
		return 0, 0
	}
	return s.PageCPU, s.ListCPU
}

// writerList is the list of transactions that write, which readers copy one after another.
type writerList struct {
	each    time.Duration
	writers int
	free    time.Duration // end of the last copy
}

// copied returns the time from now until a new reader has its copy.
func (l *writerList) copied(now time.Duration) time.Duration {
	if l.each == 0 || l.writers == 0 {
		return 0
	}
	l.free = max(l.free, now) + time.Duration(l.writers)*l.each
	return l.free - now
}
