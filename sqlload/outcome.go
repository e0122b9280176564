package sqlload

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/go-sql-driver/mysql"

	"isochron/history"
)

// The MySQL errors with a meaning for clients that run transactions.
const (
	errTableExists  = 1050
	errDuplicate    = 1062
	errNoSuchTable  = 1146
	errPackets      = 1158 // a shard did not answer before anything was prepared: rolled back
	errUnknown      = 1180 // the commit may or may not have happened
	errLockWait     = 1205
	errDeadlock     = 1213
	errNewSchema    = 1412
	errRecordChange = 1020 // MariaDB under snapshot isolation: write conflict
)

// verdict is the conclusion of a client from the end of a try.
type verdict int

const (
	committed  verdict = iota
	lost               // not done: retry in a new transaction
	cut                // not done: the connection is lost, retry at another address
	unknown            // may have been done: never retry
	rolledBack         // not done: the client rolled it back
	broken             // another error
)

// number is the MySQL error number, 0 for any other error.
func number(err error) uint16 {
	var my *mysql.MySQLError
	if errors.As(err, &my) {
		return my.Number
	}
	return 0
}

// connectionGone reports whether the error is of the wire, not of the server.
func connectionGone(err error) bool {
	var netErr net.Error
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &netErr)
}

// judge returns the verdict on an error; inCommit: COMMIT had been sent.
func judge(err error, inCommit bool) verdict {
	switch {
	case err == nil:
		return committed
	case errors.Is(err, errRollback):
		return rolledBack
	case errors.Is(err, errBeaten):
		return lost
	}
	switch number(err) {
	case errDeadlock, errLockWait, errPackets, errNewSchema, errRecordChange:
		return lost
	case errUnknown:
		return unknown
	case 1040, 1053, 1077, 1079, 1429, 1927, 2003, 2013: // too many connections, shutdown, killed: no answer from this server now, or from one behind it
		if inCommit {
			return unknown
		}
		return cut
	case 0:
		if connectionGone(err) {
			if inCommit {
				return unknown
			}
			return cut
		}
	}
	if lostAt(sqlState(err)) {
		return lost
	}
	return broken
}

// sqlState is the SQLSTATE of a server's error, "" for any other error.
func sqlState(err error) string {
	var my *mysql.MySQLError
	if errors.As(err, &my) {
		return string(my.SQLState[:])
	}
	return ""
}

// lostAt recognizes aborts by their SQLSTATE, where a middleware passes on the errors of its
// databases: rolled back for a conflict, by the standard, or PostgreSQL's lock_timeout.
func lostAt(state string) bool { return strings.HasPrefix(state, "40") || state == "55P03" }

// outcome returns the verdict in the form of histories.
func (v verdict) outcome(inCommit bool) history.Outcome {
	switch {
	case v == committed:
		return history.OK
	case v == unknown, v == broken && inCommit:
		return history.Unknown
	}
	return history.Fail
}

// beginner is a pool, or one connection of it.
type beginner interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
}

// try runs a body once. A transaction that has begun is finished: a stop of ctx takes effect
// between transactions, and patience bounds each.
func try(ctx context.Context, db beginner, body func(context.Context, *sql.Tx) error) (v verdict, o history.Outcome, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		v = judge(err, false)
		return v, v.outcome(false), err
	}
	if err := body(ctx, tx); err != nil {
		// The first error is the one to report; a connection that cannot roll back is dropped by the driver.
		_ = tx.Rollback()
		v = judge(err, false)
		return v, v.outcome(false), err
	}
	err = tx.Commit()
	v = judge(err, true)
	return v, v.outcome(true), err
}
