package sql

import (
	"context"

	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/plan"
	"isochron/txn"
)

// byKeys is a statement that names the rows which it writes by their keys and is its own transaction:
// what it reads is read, and what it makes of that committed, in one request to the gateway. If all
// that it may write is known before, the gateway is told: then it is a declared transaction, where the
// row of the protocol has them.
type byKeys struct {
	all *plan.Together
	of  []*plan.ByKey
}

// newByKeys makes a plan of a statement that is its own transaction; nil if it asks for too much.
func newByKeys(b *plan.ByKey) *byKeys {
	all := plan.Join(b)
	if all == nil {
		return nil
	}
	return &byKeys{all: all, of: []*plan.ByKey{b}}
}

func (*byKeys) kind() planKind { return pointPlan }

func (p *byKeys) counter() string { return countedAs(p.of[0]) }

// countedAs is the status variable that counts a statement.
func countedAs(b *plan.ByKey) string {
	switch b.Kind {
	case plan.Deletes:
		return "Com_delete"
	case plan.Inserts:
		return "Com_insert"
	}
	return "Com_update"
}

// Execute implements Plan.
func (p *byKeys) Execute(ctx context.Context, x *execution) error {
	s := x.s
	s.adopt(p.of[0].Plan)
	for _, b := range p.of {
		if _, err := s.use(ctx, b.Table.Descriptor()); err != nil {
			return err
		}
	}
	done, err := s.open.watch.Update(ctx, txn.Read{Gets: p.all.Reads, ForWrite: true, Declares: p.all.Writes}, p.all.Apply)
	if err != nil {
		return err
	}
	if !done {
		return errOtherPlan
	}
	x.h.g.pointUpdates.Add(int64(len(p.of)))
	s.committed()
	s.SetTransaction(nil)
	r := s.toldOf(p.of[0])
	x.yieldOK(int64(r.RowsAffected), r.Info)
	return nil
}

// toldOf is the answer to a statement that was done, which the session notes for who asks later.
func (s *Session) toldOf(b *plan.ByKey) *sqltypes.Result {
	if b.Kind == plan.Updates {
		p, affected := s.counted(b.Matched, b.Changed)
		return &sqltypes.Result{RowsAffected: uint64(affected), Info: p.text}
	}
	s.GetLastQueryInfo().RowCount.Store(int64(b.Changed))
	return &sqltypes.Result{RowsAffected: uint64(b.Changed)}
}
