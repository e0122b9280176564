package sourcedb

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/go-sql-driver/mysql"

	"isochron/source"
)

// XA's own errors: after them a branch accepts only a rollback.
const (
	xaNoName     = codeNoSuchBranch // XAER_NOTA
	xaInvalid    = 1398
	xaWrongState = 1399
	xaOutside    = 1400
	xaFatal      = 1401
	xaRolledBack = codeRolledBack
	xaDuplicate  = codeDuplicateName
	xaTimedOut   = 1613
	xaDeadlock   = 1614
)

// myEnds are the errors after which the transaction is rolled back, or must be.
var myEnds = map[uint16]bool{
	1213:     true, // deadlock
	1020:     true, // the row has changed since the snapshot (innodb_snapshot_isolation)
	1206:     true, // the lock table is full
	1180:     true, // at the commit
	xaNoName: true, xaInvalid: true, xaWrongState: true, xaOutside: true, xaFatal: true,
	xaRolledBack: true, xaDuplicate: true, xaTimedOut: true, xaDeadlock: true,
}

// myAgain are the errors of transactions that lost a conflict.
var myAgain = map[uint16]bool{1213: true, 1205: true, 1020: true, xaTimedOut: true, xaDeadlock: true}

// myGone are the errors with which a server closes a connection.
var myGone = map[uint16]bool{1053: true, 1077: true, 1079: true, 1152: true, 1158: true, 1159: true, 1160: true, 1161: true, 1927: true, 4031: true}

// myError converts an error of the Go driver.
func myError(ctx context.Context, err error) error {
	var own *source.Error
	if errors.As(err, &own) {
		return own
	}
	if e := myWord(err); e != nil {
		if e.Code == codeInterrupted && ctx.Err() != nil {
			return interrupted(ctx)
		}
		return e
	}
	if errors.Is(err, driver.ErrSkip) {
		return &source.Error{Code: 1210, State: "HY000", Text: "a statement for the source has a different number of placeholders than values"}
	}
	return lost(ctx, err)
}

// myWord returns a server's error, nil if err is not one.
func myWord(err error) *source.Error {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return nil
	}
	state := string(e.SQLState[:])
	if e.SQLState == [5]byte{} {
		state = "HY000"
	}
	gone := myGone[e.Number]
	return &source.Error{Code: e.Number, State: state, Text: e.Message, Ends: gone || myEnds[e.Number], Again: myAgain[e.Number], Gone: gone}
}
