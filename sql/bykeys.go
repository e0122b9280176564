package sql

import (
	"context"

	"github.com/dolthub/go-mysql-server/server"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/plan"
	"isochron/txn"
)

// byKeys are the statements of one packet up to its COMMIT that name the rows which they write by their keys
// (declaredpacket.go). What they read is read, and what they make of it committed, in one request to the gateway. If all that they may write is
// known before, the gateway is told: then they are a declared transaction, where the row of the
// protocol has them.
type byKeys struct {
	all   *plan.Together
	of    []keyed
	ahead []*executedAhead // those behind the first, with the COMMIT
	rest  string           // what stands behind the first
}

// keyed is one of the statements, and how its rows look if it is a query.
type keyed struct {
	*plan.ByKey
	*text
	*variant
}

func (*byKeys) kind() planKind { return pointPlan }

func (p *byKeys) counter() string { return countedAs(p.of[0].ByKey) }

// countedAs is the status variable that counts a statement.
func countedAs(b *plan.ByKey) string {
	switch b.Kind {
	case plan.Deletes:
		return "Com_delete"
	case plan.Inserts:
		return "Com_insert"
	case plan.Reads:
		return "Com_select"
	}
	return "Com_update"
}

// Execute implements Plan.
func (p *byKeys) Execute(ctx context.Context, x *execution) error {
	s := x.s
	s.statement.adopt(p.of[0].ByKey.Plan, s.statement.own)
	for _, b := range p.of {
		if _, err := s.use(ctx, b.Table.Descriptor()); err != nil {
			return err
		}
	}
	done, err := s.open.watch.Update(ctx, txn.Read{Gets: p.all.Reads, ForWrite: true, FixedSet: p.all.Writes}, p.all.Apply)
	if err != nil {
		return err
	}
	if !done {
		return errOtherPlan
	}
	x.h.g.pointUpdates.Add(int64(len(p.of)))
	s.committed()
	s.SetTransaction(nil)
	s.packet.ahead, x.rest = p.ahead, p.rest
	return x.tell(ctx, p.of[0])
}

// toldOf is the answer to a statement that was done, which the session notes for who asks later.
func toldOf(s *Session, b *plan.ByKey) *sqltypes.Result {
	if b.Kind == plan.Updates {
		p, affected := countedRows(s, b.Matched, b.Changed)
		return &sqltypes.Result{RowsAffected: uint64(affected), Info: p.text}
	}
	s.GetLastQueryInfo().RowCount.Store(int64(b.Changed))
	return &sqltypes.Result{RowsAffected: uint64(b.Changed)}
}

// tell yields the answer to a statement of a packet that was done.
func (x *execution) tell(ctx context.Context, k keyed) error {
	if k.Kind != plan.Reads {
		return x.yield(toldOf(x.s, k.ByKey), true)
	}
	rows, err := k.Rows()
	if err != nil {
		return err
	}
	gctx, err := x.h.sm.NewContextWithQuery(ctx, x.c, x.text)
	if err != nil {
		return err
	}
	r, buf := &sqltypes.Result{Fields: k.fields}, gms.NewByteBuffer(512)
	for _, row := range rows {
		out, err := server.RowToSQL(gctx, k.schema, row, nil, buf)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, out)
	}
	r.RowsAffected = uint64(len(r.Rows))
	info := x.s.GetLastQueryInfo()
	info.RowCount.Store(-1)
	info.FoundRows.Store(int64(len(r.Rows)))
	tellFlags(x.s, x.c)
	return x.yield(r, true)
}

// doneAhead is the plan of a statement of a packet that was done with one before it.
type doneAhead struct{ of keyed }

func (doneAhead) kind() planKind { return pointPlan }

func (d doneAhead) counter() string { return countedAs(d.of.ByKey) }

// Execute implements Plan.
func (d doneAhead) Execute(ctx context.Context, x *execution) error {
	s := x.s
	s.statement.adopt(d.of.ByKey.Plan, s.statement.own)
	s.packet.ahead = s.packet.ahead[1:]
	return x.tell(ctx, d.of)
}
