package sourcedb

import (
	"context"
	"strings"
	"time"

	"isochron/source"
)

// Lock waits at a MariaDB, which shows them only to accounts with PROCESS. The server shows a copy that it refreshes
// only for a query at least 100 ms after the last one. So queries are kept that far apart here; where other clients
// query more often, the copy may show waits that are over, and a transaction may be aborted unnecessarily. A prepared
// branch that has lost its connection has no number there and is not shown; a MySQL 8 has no such table. Neither is
// unsafe: a wait that is not shown ends by its bound.

// myAskWaits lists the waits of some connections' transactions. All transactions without changes have the number 0
// there. The waiter among them is identified by the lock it requests. The blocker among them is not identifiable, so
// each with locks is taken for it: a deadlock is then found, and at times a transaction outside of any is aborted.
const myAskWaits = `SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id FROM information_schema.INNODB_LOCK_WAITS w
	JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id AND r.trx_requested_lock_id = w.requested_lock_id
	JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id AND b.trx_rows_locked > 0
WHERE b.trx_mysql_thread_id <> r.trx_mysql_thread_id AND r.trx_mysql_thread_id IN (`

// myCopied is the time for which a MariaDB keeps a copy after a query, with a margin.
const myCopied = 110 * time.Millisecond

// myReportsNoWaits are the errors of servers that do not show waits: no PROCESS, or no such table.
var myReportsNoWaits = map[uint16]bool{myNeedsProcess: true, 1109: true, 1146: true}

const myNeedsProcess = 1227

// Waits implements source.Waiting.
func (d *mysqlDB) Waits(ctx context.Context, of []source.Name) (list []source.Wait, known bool, err error) {
	ids := d.serving.ids(of)
	if len(ids) == 0 {
		return nil, true, nil
	}
	var rows [][][]byte
	err = d.asker.ask(ctx, myCopied, func(c *myConn) (err error) {
		rows, err = c.rows(ctx, myAskWaits+strings.Join(ids, ",")+")")
		return err
	})
	if e := asError(err); e != nil && myReportsNoWaits[e.Code] {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	for _, row := range rows {
		n, ok := d.serving.named(row[0])
		if o, by := d.serving.named(row[1]); ok && by {
			list = append(list, source.Wait{Name: n, For: o})
		}
	}
	return list, true, nil
}
