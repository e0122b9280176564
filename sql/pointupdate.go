package sql

import (
	"context"

	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/plan"
	"isochron/txn"
)

// pointUpdate is an update of one row by its key that is its own transaction: the row is
// read, changed and committed in one request to the gateway. On a hot row that is what
// counts: nobody waits for the client's goroutine to be woken while the row is held.
// Its memory is used again when it has ended; one that was given up may yet be carried
// out, so it is left alone.
type pointUpdate struct {
	plan.PointUpdate
	matched, changed bool // not looked at unless it is done: else they may yet be written
	apply            func([][]byte) ([]txn.Write, bool)
}

// points is what a session keeps for its next point update.
type points struct {
	update *pointUpdate
	spare  *transaction // one that has ended, and that nobody has any more
}

func newPointUpdate() *pointUpdate {
	u := &pointUpdate{}
	u.apply = func(values [][]byte) (writes []txn.Write, ok bool) {
		writes, u.matched, u.changed, ok = u.Apply(values[0])
		return writes, ok
	}
	return u
}

// commitsAtOnce reports whether the statement is a transaction of its own that may write,
// and of which nothing was done yet.
func commitsAtOnce(s *Session) bool {
	return s.statement.own && (!s.open.begun()) && !readsOnly(s) && !s.temporary.Any()
}

// pointUpdateOf is the statement as such an update, if this session or one like it has
// compiled a plan for values of these kinds; else nil.
func pointUpdateOf(s *Session, t *text, x *execution) *pointUpdate {
	if !commitsAtOnce(s) {
		return nil
	}
	if t.direct == nil && len(t.core.changes) == 0 {
		t.direct = s.gateway.directs.get(t.sharing(x.request.key(), s.Client(), s.Summed()))
	}
	if t.direct == nil {
		return nil
	}
	var room [8]any
	values := x.given(room[:0])
	if values == nil || !t.direct.takes(values) {
		return nil
	}
	u := s.points.update
	if u == nil {
		u = newPointUpdate()
	}
	s.points.update = nil
	if !t.direct.plan.Fill(values, &u.PointUpdate) {
		return nil
	}
	return u
}

func (*pointUpdate) kind() planKind { return pointPlan }

func (*pointUpdate) counter() string { return "Com_update" }

// Execute implements Plan.
func (u *pointUpdate) Execute(ctx context.Context, x *execution) error {
	s := x.s
	s.statement.updates(u.Table.ID())
	if _, err := s.use(ctx, u.Table); err != nil {
		return err
	}
	r := txn.Read{Gets: []txn.Key{u.Key}, ForWrite: true}
	if u.FixedSet() {
		r.FixedSet = r.Gets
	}
	done, err := s.open.watch.Update(ctx, r, u.apply)
	if err != nil {
		return err
	}
	if !done {
		return errOtherPlan
	}
	x.h.g.pointUpdates.Add(1)
	t := s.open
	s.committed()
	s.SetTransaction(nil)
	s.points.update, s.points.spare = u, t.emptied()
	p, affected := countedRows(s, asCount(u.matched), asCount(u.changed))
	x.yieldOK(affected, p.text)
	return nil
}

// emptied is the transaction's memory for the next one.
func (t *transaction) emptied() *transaction {
	t.real, t.watch.Txn, t.timedOut, t.over = nil, nil, false, nil
	t.numbers, t.branches, t.source = 0, nil, 0
	clear(t.uses)
	clear(t.rules)
	t.uses, t.rules, t.marks = t.uses[:0], t.rules[:0], t.marks[:0]
	return t
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

// infoOf is such an answer for so many rows.
func infoOf(matched, changed int) *pointInfo {
	switch {
	case matched > 1:
		return newPointInfo(matched, changed)
	case changed > 0:
		return pointChanged
	case matched > 0:
		return pointMatched
	}
	return pointNone
}

func asCount(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// countedRows notes how many rows an update has found and changed, for who asks later: affected are
// the rows that the client is told of.
func countedRows(s *Session, matched, changed int) (p *pointInfo, affected int64) {
	p = infoOf(matched, changed)
	affected = int64(p.Updated)
	if s.Client().Capabilities&mysql.CapabilityClientFoundRows != 0 {
		affected = int64(p.Matched)
	}
	last := s.GetLastQueryInfo()
	last.FoundRows.Store(int64(p.Matched))
	last.RowCount.Store(affected)
	return p, affected
}
