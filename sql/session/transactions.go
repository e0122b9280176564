package session

import (
	"vitess.io/vitess/go/mysql/sqlerror"

	"isochron/sql/sysvars"
	"isochron/txn"
)

// LevelOf is the level of a value of the variable. Nothing uncommitted is ever
// shown: READ UNCOMMITTED is READ COMMITTED.
func LevelOf(value string) txn.Level {
	switch value {
	case sysvars.ReadUncommitted, sysvars.ReadCommitted:
		return txn.ReadCommitted
	case sysvars.RepeatableRead:
		return txn.RepeatableRead
	}
	return txn.Serializable
}

// Characteristics is how transactions run.
type Characteristics struct {
	Level    txn.Level
	ReadOnly bool
	Priority txn.Priority
}

// NextCharacteristics is how the next transaction runs, where that differs.
type NextCharacteristics struct {
	level    *txn.Level
	readOnly *bool
	Used     bool // that transaction has begun
}

// Transactions is how the transactions of a session run.
type Transactions struct {
	Characteristics Characteristics
	Next            *NextCharacteristics // nil: as always
}

// Now is how a transaction that begins now runs.
func (s *Transactions) Now() Characteristics {
	m := s.Characteristics
	if n := s.Next; n != nil {
		if n.level != nil {
			m.Level = *n.level
		}
		if n.readOnly != nil {
			m.ReadOnly = *n.readOnly
		}
	}
	return m
}

// SetNext is for the next transaction alone.
func (s *Transactions) SetNext(text string, inTransaction bool) error {
	if inTransaction {
		return sqlerror.NewSQLErrorf(1568, "25001", "Transaction characteristics can't be changed while a transaction is in progress")
	}
	if s.Next == nil {
		s.Next = &NextCharacteristics{}
	}
	switch text {
	case sysvars.NextReadOnly, sysvars.NextReadWrite:
		readOnly := text == sysvars.NextReadOnly
		s.Next.readOnly = &readOnly
	default:
		level := LevelOf(text)
		s.Next.level = &level
	}
	return nil
}

// AfterStatement forgets how the next transaction runs, once that has ended. open: there is a
// transaction; explicit: it is no statement's own.
func (s *Transactions) AfterStatement(open, explicit bool) {
	switch {
	case s.Next == nil:
	case !open && s.Next.Used:
		s.Next = nil
	case open && explicit:
		s.Next.Used = true // though it may have touched nothing yet
	}
}
