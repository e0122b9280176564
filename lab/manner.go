package lab

import (
	"fmt"
	"strings"
)

// Manner is the reaction of a client to the abort of its transaction. In a closed loop it decides
// the measurement: a client that retries without end is held up by starvation, one that drops its
// transaction is not.
type Manner string

// The manners.
const (
	// Drop: the transaction is dropped and another is drawn immediately, as in the public prototype
	// of D2PC (github.com/ZhangZihao270/D2PC); its paper does not specify it.
	Drop Manner = "drop"
	// Hold5: the same reads are prepared up to five times more, without a pause, and then another
	// transaction is drawn: an earlier version of that prototype. A row that has changed since the
	// read ends it sooner, because the same read can never be valid again; in the prototype all
	// versions are 0, and no read is ever outdated.
	Hold5 Manner = "hold5"
	// Forever: it is retried, with the age of its first try, until Experiment.Tries are used up: an
	// application that needs its transaction done. Ours.
	Forever Manner = "forever"
	// ByRegion is Forever with pauses that are drawn from 0 to twice Experiment.Backoff, and grow
	// for transactions of a single region alone: the public prototype of Bonspiel; in its paper
	// they grow for all.
	ByRegion Manner = "by-region"
)

// Manners are all, in the order of listings.
var Manners = []Manner{Drop, Hold5, Forever, ByRegion}

// hold5Prepares is the number of times that Hold5 prepares the same reads after the first time.
const hold5Prepares = 5

// check refuses an unknown manner. The empty one is Forever.
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

// tries returns how often a transaction is tried by a client with a configured number.
func (m Manner) tries(asked int) int {
	if m == Drop || m == Hold5 {
		return 1
	}
	return asked
}

// prepares returns how often the same reads are prepared again after a conflict.
func (m Manner) prepares() int {
	if m == Hold5 {
		return hold5Prepares
	}
	return 0
}
