package shop

import (
	"context"
	"errors"
	"time"

	"github.com/go-sql-driver/mysql"
)

// The MySQL errors that a client of a serializable database lives with.
const (
	errLockWait = 1205 // a lock was not granted in time
	errDeadlock = 1213 // lost to another transaction: do it again
	errUnknown  = 1180 // the commit may or may not have happened
)

// outcome is a client's conclusion from an error.
type outcome int

const (
	committed outcome = iota
	lost              // nothing was done; try again
	unknown           // never try again: look first
	broken            // something else is wrong
)

// of returns the meaning of an error for its transaction.
func of(err error) outcome {
	var my *mysql.MySQLError
	switch {
	case err == nil:
		return committed
	case !errors.As(err, &my):
		return broken
	case my.Number == errDeadlock || my.Number == errLockWait:
		return lost
	case my.Number == errUnknown:
		return unknown
	}
	return broken
}

// triesMax bounds how often a transaction that loses is tried again.
const triesMax = 100

// retry runs a transaction of one statement until it does not lose.
func retry(ctx context.Context, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if of(err) != lost || try == triesMax {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(min(try, 10)) * 10 * time.Millisecond):
		}
	}
}
