package session

import (
	"time"

	"isochron/txn"
)

// Stats gathers what the statement of a session costs, over its tries, and the
// Texts of the transaction that it may belong to.
type Stats struct {
	Began   time.Time
	Rounds  int
	Wide    int
	Planned bool
	Again   int
	Resumed bool     // the statement has begun already, and continues another way
	Texts   []string // of the open transaction's statements, the first ones
	More    int      // statements beyond those
}

// The bounds of what a session remembers of the texts of its transaction.
const (
	textsMax     = 8
	TextBytesMax = 1 << 10
)

// Begin begins a statement; its text is shortened.
func (c *Stats) Begin(text string, now time.Time) {
	if c.Resumed {
		c.Resumed = false
		return
	}
	c.Began, c.Rounds, c.Wide, c.Planned, c.Again = now, 0, 0, false, 0
	if len(c.Texts) >= textsMax {
		c.More++
		return
	}
	c.Texts = append(c.Texts, text)
}

// Shortened is the part of a text that is remembered.
func Shortened(text string) string {
	if len(text) > TextBytesMax {
		return string([]byte(text[:TextBytesMax])) // a copy: the rest may be large
	}
	return text
}

// Add adds what a read has cost.
func (c *Stats) Add(before, after txn.Stats) {
	c.Rounds += after.Rounds - before.Rounds
	c.Wide += after.WideRounds - before.WideRounds
}
