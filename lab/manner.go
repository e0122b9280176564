package lab

import (
	"fmt"
	"strings"
)

// Manner is what a client does when its transaction is aborted. In a closed loop it decides what
// is measured: a client that tries for ever is caught by what starves, one that draws anew is not.
type Manner string

// The manners.
const (
	// Drop: the transaction is dropped and another is drawn at once. So does the client of the
	// public prototype of D2PC (github.com/ZhangZihao270/D2PC), whose paper says nothing of it.
	Drop Manner = "drop"
	// Hold5: what was read is prepared up to five times more, without a pause, and then another
	// is drawn: an earlier version of that prototype. A row that has changed since it was read
	// ends it sooner, because the same read can never pass any more; in the prototype all
	// versions are 0, and no read is ever too old.
	Hold5 Manner = "hold5"
	// Forever: it is tried again, with the age of its first try, until Spec.Tries are used up:
	// what an application does that wants its transaction done. Ours.
	Forever Manner = "forever"
	// ByRegion is Forever with pauses that are drawn from 0 to twice Spec.Backoff, and grow for
	// transactions of a single region alone: the public prototype of Bonspiel, whose paper has them
	// grow for all.
	ByRegion Manner = "by-region"
)

// Manners are all, in the order in which they are listed.
var Manners = []Manner{Drop, Hold5, Forever, ByRegion}

// hold5Prepares is how often Hold5 prepares what it has read beside the first time.
const hold5Prepares = 5

// check refuses what is no manner. None is Forever.
func (m Manner) check() error {
	switch m {
	case "", Drop, Hold5, Forever, ByRegion:
		return nil
	}
	var names []string
	for _, m := range Manners {
		names = append(names, string(m))
	}
	return fmt.Errorf("there is no client %q; choose one of: %s", m, strings.Join(names, ", "))
}

// tries is how often a transaction is tried by a client that is asked for so many.
func (m Manner) tries(asked int) int {
	if m == Drop || m == Hold5 {
		return 1
	}
	return asked
}

// prepares is how often what was read is prepared again after a conflict.
func (m Manner) prepares() int {
	if m == Hold5 {
		return hold5Prepares
	}
	return 0
}
