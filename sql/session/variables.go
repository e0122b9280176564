package session

import (
	"fmt"
	"hash/maphash"
	"time"

	"isochron/sql/sysvars"
)

// Source is where the variables of a session are.
type Source interface {
	// Variable is a variable's value.
	Variable(name string) (any, error)
	// Bool is the value of a variable that is on or off.
	Bool(name string) (bool, error)
	// All are the values of all variables, by their names.
	All() map[string]any
}

// Variables are the variables of a session, as its statements ask for them. What is worked
// out of them is kept until one changes.
type Variables struct {
	source   Source
	Settings uint64 // rises with each change of a variable
	choices  choices
	zoned    zoneKnown
}

// New are the variables of a session, as they are there.
func New(of Source) Variables { return Variables{source: of} }

// Changed notes that a variable changes.
func (s *Variables) Changed() { s.Settings++ }

// choices are settings of a session that each of its statements asks for.
type choices struct {
	known      bool
	settings   uint64 // they are as of these settings
	autocommit bool
	Retries    int           // of what has lost, inside
	patience   time.Duration // until none begins any more
	Silence    time.Duration // of a source
	Commit     time.Duration // until a commit's outcome is unknown; 0: the cluster's
	timeout    time.Duration // of each statement; 0: none
	execution  time.Duration // of each SELECT; 0: none
	Memory     int64         // of each statement, in bytes; 0: the default
	Files      int64         // of each statement, in bytes
	sum        uint64        // of all settings, 0: not summed up yet
}

// Chosen are the session's choices now.
func (s *Variables) Chosen() *choices {
	if c := &s.choices; !c.known || c.settings != s.Settings {
		*c = choices{known: true, settings: s.Settings, autocommit: true}
		c.Retries = int(s.Number(sysvars.RetryMax, sysvars.RetryMaxDefault))
		c.patience = time.Duration(s.Number(sysvars.RetryTimeout, sysvars.RetryTimeoutDefault)) * time.Second
		c.Silence = time.Duration(s.Number(sysvars.SourceTimeout, 0)) * time.Second
		if n := s.Number(sysvars.CommitTimeout, sysvars.CommitTimeoutDefault); n != sysvars.CommitTimeoutDefault {
			c.Commit = time.Duration(n) * time.Second
		}
		c.timeout = millis(s.Number(sysvars.StatementTimeout, 0))
		c.execution = millis(s.Number(sysvars.MaxExecutionTime, 0))
		c.Memory = s.Number(sysvars.StatementMemory, 0)
		c.Files = s.Number(sysvars.StatementFiles, sysvars.StatementFilesDefault)
		on, err := s.source.Bool("autocommit")
		c.autocommit = err != nil || on
	}
	return &s.choices
}

// Autocommit reports whether a statement outside a transaction is its own.
func (s *Variables) Autocommit() bool { return s.Chosen().autocommit }

// Number is a variable of the session that is a whole number.
func (s *Variables) Number(name string, otherwise int64) int64 {
	if v, err := s.source.Variable(name); err == nil {
		if n, ok := v.(int64); ok {
			return n
		}
	}
	return otherwise
}

// Summed sums up the session's variables: alike in sessions in which all have the
// same values, by whichever session they were set.
func (s *Variables) Summed() uint64 {
	if c := s.Chosen(); c.sum == 0 {
		for name, value := range s.source.All() { // order: a sum
			c.sum += maphash.Comparable(sumSeed, [2]string{name, fmt.Sprintf("%T %v", value, value)})
		}
	}
	return s.choices.sum
}

var sumSeed = maphash.MakeSeed()
