package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/txn"
)

// updatePoint executes an update of one row by its key that is its own transaction:
// the row is read, changed and committed in one request to the gateway. On a hot
// row that is what counts: nobody waits for the client's goroutine to be woken
// while the row is held. done is false if it is to be executed as others are; the
// transaction may have read the row by then.
func (h *handler) updatePoint(ctx *gms.Context, c *mysql.Conn, s *Session, v *variant, callback mysql.ResultSpoolFn) (done bool, err error) {
	if !s.statement.own || s.open != nil && s.open.real != nil {
		return false, nil
	}
	u := v.plan.Point(ctx)
	if u == nil {
		return false, nil
	}
	tx, err := s.Use(ctx, u.Table.Descriptor())
	if err != nil {
		return true, err
	}
	up, ok := tx.(txn.Updater)
	if !ok {
		return false, nil
	}
	var matched, changed bool // not looked at unless it is done: else they may yet be written
	done, err = up.Update(ctx, txn.Read{Gets: []txn.Key{u.Key}, ForWrite: true}, func(values [][]byte) (writes []txn.Write, ok bool) {
		writes, matched, changed, ok = u.Apply(values[0])
		return writes, ok
	})
	if err != nil || !done {
		return err != nil, err
	}
	h.g.inOneGo.Add(1)
	s.committed()
	s.SetTransaction(nil)
	return true, h.answerPoint(ctx, c, s, matched, changed, callback)
}

// answerPoint gives the client the counts.
func (h *handler) answerPoint(ctx *gms.Context, c *mysql.Conn, s *Session, matched, changed bool, callback mysql.ResultSpoolFn) error {
	count := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	info := gmsplan.UpdateInfo{Matched: count(matched), Updated: count(changed)}
	affected := info.Updated
	if s.Client().Capabilities&mysql.CapabilityClientFoundRows != 0 {
		affected = info.Matched
	}
	last := ctx.GetLastQueryInfo()
	last.FoundRows.Store(int64(info.Matched))
	last.RowCount.Store(int64(affected))
	s.flags(c)
	return callback(&sqltypes.Result{RowsAffected: uint64(affected), Info: info.String()}, false)
}
