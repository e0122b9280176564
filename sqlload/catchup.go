package sqlload

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// catchUp waits until the checked server has applied everything that the others have acknowledged.
// A node of Galera answers reads from its applied state, so a transfer that was committed at
// another site may be missing there for a while, and a check would call it lost. Servers without
// the setting need no waiting.
func catchUp(ctx context.Context, db *sql.DB) error {
	const setting = "wsrep_sync_wait"
	known := false
	err := query(ctx, db, "SHOW VARIABLES LIKE '"+setting+"'", nil, func(rows *sql.Rows) error {
		known = true
		var name, value string
		return rows.Scan(&name, &value)
	})
	if err != nil || !known {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err = conn.ExecContext(ctx, "SET SESSION "+setting+" = 1"); err == nil {
		var one int
		err = conn.QueryRowContext(ctx, "SELECT 1").Scan(&one)
		// The connection goes back to the pool, so it gets the server's own setting again.
		_, back := conn.ExecContext(ctx, "SET SESSION "+setting+" = DEFAULT")
		err = errors.Join(err, back)
	}
	if err = errors.Join(err, conn.Close()); err != nil {
		return fmt.Errorf("waiting for this node to have what the others have committed: %w", err)
	}
	return nil
}
