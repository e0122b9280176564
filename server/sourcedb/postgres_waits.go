package sourcedb

import (
	"context"
	"strings"

	"isochron/source"
)

// Lock waits at a PostgreSQL. Any account may query them (pg_blocking_pids, pg_locks and pg_prepared_xacts).

// askWaits lists the waits. For a prepared transaction pg_blocking_pids returns 0; its locks are in pg_locks under
// the virtual transaction that has the lock of the prepared one's number. The omitted lock modes conflict with no row
// and no guard.
const askWaits = `WITH waiting AS MATERIALIZED (SELECT pid, pg_blocking_pids(pid) AS before FROM unnest($1::int[]) AS pid),
	locks AS MATERIALIZED (SELECT * FROM pg_locks WHERE 0 = ANY (SELECT unnest(before) FROM waiting))
SELECT pid, by, '' FROM waiting, unnest(before) AS by WHERE by <> 0
UNION ALL
SELECT waiting.pid, 0, x.gid FROM waiting
JOIN locks l ON l.pid = waiting.pid AND NOT l.granted
JOIN locks h ON h.granted AND h.pid IS NULL AND h.locktype = l.locktype AND h.database IS NOT DISTINCT FROM l.database
	AND h.relation IS NOT DISTINCT FROM l.relation AND h.transactionid IS NOT DISTINCT FROM l.transactionid
	AND (h.locktype <> 'relation' OR h.mode NOT IN ('AccessShareLock', 'RowShareLock'))
JOIN locks own ON own.pid IS NULL AND own.locktype = 'transactionid' AND own.virtualtransaction = h.virtualtransaction
JOIN pg_prepared_xacts x ON x.transaction = own.transactionid
WHERE 0 = ANY (waiting.before)`

// Waits implements source.Waiting.
func (d *postgres) Waits(ctx context.Context, of []source.Name) (list []source.Wait, known bool, err error) {
	ids := d.serving.ids(of)
	if len(ids) == 0 {
		return nil, true, nil
	}
	var rows [][][]byte
	err = d.asker.ask(ctx, 0, func(c *pgConn) (err error) {
		rows, err = c.rows(ctx, askWaits, "{"+strings.Join(ids, ",")+"}")
		return err
	})
	if err != nil {
		return nil, false, err
	}
	for _, row := range rows {
		n, ok := d.serving.named(row[0])
		o, by := d.serving.named(row[1])
		if gid := string(row[2]); gid != "" {
			o, by = source.ParseName(gid)
		}
		if ok && by {
			list = append(list, source.Wait{Name: n, For: o})
		}
	}
	return list, true, nil
}
