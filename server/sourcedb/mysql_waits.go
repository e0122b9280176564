package sourcedb

import (
	"context"
	"strings"
	"time"

	"isochron/source"
)

// Who waits for whom at a MariaDB. It tells that to accounts with PROCESS alone. What it tells is a
// copy that it makes anew only for who asks 100 ms after the last who did: so nobody is asked sooner
// here, and where others keep asking it may tell of waits that are over, so that one is given up in
// vain. A branch that is prepared and has lost its connection has no number there
// and is not told of; a MySQL 8 has no such table. Neither makes it wrong: what is not told of ends
// by the bound of its wait.

// myAskWaits lists who waits for whom, of those who wait on some connections. All transactions that
// have only read so far have the number 0 there. Who of them waits is told by the lock it asks for;
// who of them is in the way is told by nothing, so each that has locks is taken for it: a deadlock is
// found then, and at times one is given up that was in none.
const myAskWaits = `SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id FROM information_schema.INNODB_LOCK_WAITS w
	JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id AND r.trx_requested_lock_id = w.requested_lock_id
	JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id AND b.trx_rows_locked > 0
WHERE b.trx_mysql_thread_id <> r.trx_mysql_thread_id AND r.trx_mysql_thread_id IN (`

// myCopied is for how long a MariaDB keeps a copy after it was asked, and a little.
const myCopied = 110 * time.Millisecond

// myTellsNot are the errors of those that do not tell: no PROCESS, and no such table.
var myTellsNot = map[uint16]bool{myNeedsProcess: true, 1109: true, 1146: true}

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
	if e := asError(err); e != nil && myTellsNot[e.Code] {
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
