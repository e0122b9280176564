package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/plan"
	"isochron/txn"
)

// updatePoint executes an update of one row by its key that is its own transaction:
// the row is read, changed and committed in one request to the gateway. On a hot
// row that is what counts: nobody waits for the client's goroutine to be woken
// while the row is held. done is false if it is to be executed as others are; the
// transaction may have read the row by then.
func (h *handler) updatePoint(ctx *gms.Context, c *mysql.Conn, s *Session, u *plan.PointUpdate, callback mysql.ResultSpoolFn) (done bool, err error) {
	if !s.statement.own || s.open != nil && s.open.real != nil {
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
	p, affected := s.counted(matched, changed)
	s.flags(c)
	return true, callback(&sqltypes.Result{RowsAffected: uint64(affected), Info: p.text}, false)
}

// pointInfo is the answer to such an update, in MySQL's words.
type pointInfo struct {
	gmsplan.UpdateInfo
	text string
}

func newPointInfo(matched, changed int) *pointInfo {
	i := gmsplan.UpdateInfo{Matched: matched, Updated: changed}
	return &pointInfo{i, i.String()}
}

// It changed its row, found it as it was to be, or found none.
var pointChanged, pointMatched, pointNone = newPointInfo(1, 1), newPointInfo(1, 0), newPointInfo(0, 0)

// counted notes what such an update has changed, for who asks later: affected are
// the rows that the client is told of.
func (s *Session) counted(matched, changed bool) (p *pointInfo, affected int64) {
	p = pointNone
	switch {
	case changed:
		p = pointChanged
	case matched:
		p = pointMatched
	}
	affected = int64(p.Updated)
	if s.Client().Capabilities&mysql.CapabilityClientFoundRows != 0 {
		affected = int64(p.Matched)
	}
	last := s.GetLastQueryInfo()
	last.FoundRows.Store(int64(p.Matched))
	last.RowCount.Store(affected)
	return p, affected
}
