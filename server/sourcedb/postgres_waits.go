package sourcedb

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"isochron/source"
)

// Who waits for whom at a PostgreSQL. Any account may ask that (pg_blocking_pids, pg_locks and
// pg_prepared_xacts show it to all). It is asked on a connection besides the pool's, all of which
// may wait.

// pgWaits knows which branch a connection serves, and asks.
type pgWaits struct {
	dial func(context.Context) (*pgConn, error)

	mu     sync.Mutex // of one question at a time, and of c
	c      *pgConn
	closed bool

	names   sync.Mutex
	serving map[uint32]source.Name // by the server's number of the connection; also of one that has ended
}

// serves says whose branch a connection has from now on.
func (w *pgWaits) serves(c *pgConn, n source.Name) {
	w.names.Lock()
	defer w.names.Unlock()
	if w.serving == nil {
		w.serving = map[uint32]source.Name{}
	}
	w.serving[c.c.PID()] = n
}

// left says that a connection is no more.
func (w *pgWaits) left(c *pgConn) {
	w.names.Lock()
	defer w.names.Unlock()
	delete(w.serving, c.c.PID())
}

// pids are the connections of branches, as an array of the server's.
func (w *pgWaits) pids(of []source.Name) string {
	wanted := map[source.Name]bool{}
	for _, n := range of {
		wanted[n] = true
	}
	var out []string
	w.names.Lock()
	defer w.names.Unlock()
	for pid, n := range w.serving { // order: a set
		if wanted[n] {
			out = append(out, strconv.FormatUint(uint64(pid), 10))
		}
	}
	return "{" + strings.Join(out, ",") + "}"
}

// named is whose branch a connection has.
func (w *pgWaits) named(pid []byte) (source.Name, bool) {
	n, err := strconv.ParseUint(string(pid), 10, 32)
	w.names.Lock()
	defer w.names.Unlock()
	name, ok := w.serving[uint32(n)]
	return name, ok && err == nil
}

// askWaits lists who waits for whom. Of what is prepared pg_blocking_pids says 0; whose lock it is
// stands in pg_locks then, under the virtual transaction that has the lock of the prepared one's own
// number. The modes that are left out are in the way of no row and of no guard.
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
	w := &d.waits
	pids := w.pids(of)
	if pids == "{}" {
		return nil, true, nil
	}
	rows, err := w.ask(ctx, pids)
	if err != nil {
		return nil, false, err
	}
	for _, row := range rows {
		n, ok := w.named(row[0])
		o, by := w.named(row[1])
		if gid := string(row[2]); gid != "" {
			o, by = source.ParseName(gid)
		}
		if ok && by {
			list = append(list, source.Wait{Name: n, For: o})
		}
	}
	return list, true, nil
}

// ask asks on the connection that is kept for it.
func (w *pgWaits) ask(ctx context.Context, pids string) ([][][]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, over()
	}
	if w.c != nil && w.c.c.IsClosed() {
		w.c.close()
		w.c = nil
	}
	if w.c == nil {
		c, err := w.dial(ctx)
		if err != nil {
			return nil, err
		}
		w.c = c
	}
	return w.c.rows(ctx, askWaits, pids)
}

// close ends the connection.
func (w *pgWaits) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.c != nil {
		w.c.close()
	}
}
