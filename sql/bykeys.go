package sql

import (
	"context"

	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/plan"
	"isochron/txn"
)

// byKeys are statements that name the rows which they write by their keys: one that is its own
// transaction, or those of one packet up to its COMMIT (declaredpacket.go). What they read is read,
// and what they make of it committed, in one request to the gateway. If all that they may write is
// known before, the gateway is told: then they are a declared transaction, where the row of the
// protocol has them.
type byKeys struct {
	all   *plan.Together
	of    []*plan.ByKey
	ahead []*executedAhead // those of a packet behind the first, with its COMMIT; nil: it is alone
	rest  string           // what stands behind the first
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
	if p.ahead == nil {
		x.yieldOK(int64(r.RowsAffected), r.Info)
		return nil
	}
	s.packet.ahead, x.rest = p.ahead, p.rest
	return x.yield(r, true)
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

// doneAhead is the plan of a statement of a packet that was done with one before it.
type doneAhead struct{ of *plan.ByKey }

func (doneAhead) kind() planKind { return pointPlan }

func (d doneAhead) counter() string { return countedAs(d.of) }

// Execute implements Plan.
func (d doneAhead) Execute(_ context.Context, x *execution) error {
	s := x.s
	s.adopt(d.of.Plan)
	s.packet.ahead = s.packet.ahead[1:]
	return x.yield(s.toldOf(d.of), true)
}
