package faults

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// holder is a client with rows locked in a transaction that it does not end.
type holder struct {
	conn *sql.Conn
	tx   *sql.Tx
}

// holdWait bounds how long a holder tries to lock its rows, among others that want them.
const holdWait = 30 * time.Second

// hold locks half of the probe's rows in every region, and changes one of each: nearly
// every probe meets them.
func (p *prober) hold(ctx context.Context, node int) (*holder, error) {
	var stmts []string
	for _, region := range p.regions {
		stmts = append(stmts,
			fmt.Sprintf("SELECT id FROM faults.probe WHERE region = '%s' AND id < %d FOR UPDATE", region, probeRows/2),
			fmt.Sprintf("UPDATE faults.probe SET balance = balance + 1 WHERE region = '%s' AND id = 0", region))
	}
	return holding(ctx, p.dbs[node], holdWait, stmts)
}

// holding locks with statements in one transaction, and retries while it is aborted: on the same
// connection, whose transactions grow older then.
func holding(ctx context.Context, db *sql.DB, wait time.Duration, stmts []string) (*holder, error) {
	limit, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	conn, err := db.Conn(limit)
	if err != nil {
		return nil, fmt.Errorf("rows to be held: %w", err)
	}
	for {
		// Not under the limit: it would end the transaction.
		tx, err := conn.BeginTx(ctx, nil)
		for _, stmt := range stmts {
			if err == nil {
				_, err = tx.ExecContext(limit, stmt)
			}
		}
		if err == nil {
			return &holder{conn, tx}, nil
		}
		if tx != nil {
			_ = tx.Rollback() // it is over, or its connection is
		}
		if !again(err) || limit.Err() != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("rows could not be locked in %v: %w", wait, err)
		}
	}
}

// close releases the locks, if the node is still there.
func (h *holder) close() {
	if h == nil {
		return
	}
	_ = h.tx.Rollback()
	_ = h.conn.Close()
}
