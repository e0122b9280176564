package temporary

import (
	"context"

	"isochron/sql/catalog"
	"isochron/txn"
)

// Txn is a transaction in which a session's temporary tables are read and written, too.
type Txn struct {
	txn.Txn
	t *Tables
}

// savepoint is one of the transaction, with the place in the journal.
type savepoint struct{ inner, journal int }

// firstMark is the first savepoint that a Txn makes: those below are the transaction's, from before there was a temporary table.
const firstMark = 1 << 40

// Over is a transaction with the session's temporary tables; without any it is the transaction itself.
func (t *Tables) Over(tx txn.Txn) txn.Txn {
	if _, is := tx.(*Txn); is || !t.Any() {
		return tx
	}
	return &Txn{tx, t}
}

// Inner is the transaction below.
func (x *Txn) Inner() txn.Txn { return x.Txn }

// Read implements txn.Txn.
func (x *Txn) Read(ctx context.Context, r txn.Read) (txn.ReadResult, error) {
	outer := r
	outer.Gets, outer.Scans = nil, nil
	var gets, scans []int // places of those that are not of temporary tables
	for i, key := range r.Gets {
		if !catalog.IsTemporary(key) {
			gets, outer.Gets = append(gets, i), append(outer.Gets, key)
		}
	}
	for i, s := range r.Scans {
		if !catalog.IsTemporary(s.Span.Start) {
			scans, outer.Scans = append(scans, i), append(outer.Scans, s)
		}
	}
	if len(gets) == len(r.Gets) && len(scans) == len(r.Scans) {
		return x.Txn.Read(ctx, r)
	}
	var of txn.ReadResult
	if len(gets)+len(scans) > 0 {
		var err error
		if of, err = x.Txn.Read(ctx, outer); err != nil {
			return of, err
		}
	}
	out := txn.ReadResult{At: of.At, Values: make([][]byte, len(r.Gets)), Pairs: make([][]txn.Pair, len(r.Scans)), More: make([]bool, len(r.Scans))}
	for i, key := range r.Gets {
		if catalog.IsTemporary(key) {
			out.Values[i] = x.t.get(key)
		}
	}
	for i, s := range r.Scans {
		if catalog.IsTemporary(s.Span.Start) {
			out.Pairs[i] = x.t.scan(s)
		}
	}
	for i, at := range gets {
		out.Values[at] = of.Values[i]
	}
	for i, at := range scans {
		out.Pairs[at] = of.Pairs[i]
		if i < len(of.More) {
			out.More[at] = of.More[i]
		}
	}
	return out, nil
}

// Put implements txn.Txn.
func (x *Txn) Put(key txn.Key, value []byte) {
	if catalog.IsTemporary(key) {
		x.t.write(key, value)
		return
	}
	x.Txn.Put(key, value)
}

// Delete implements txn.Txn.
func (x *Txn) Delete(key txn.Key) {
	if catalog.IsTemporary(key) {
		x.t.write(key, nil)
		return
	}
	x.Txn.Delete(key)
}

// Savepoint implements txn.Txn.
func (x *Txn) Savepoint() int {
	x.t.marks = append(x.t.marks, savepoint{x.Txn.Savepoint(), len(x.t.journal)})
	return firstMark + len(x.t.marks) - 1
}

// RollbackTo implements txn.Txn.
func (x *Txn) RollbackTo(mark int) {
	if mark < firstMark {
		x.t.undo(0)
		x.Txn.RollbackTo(mark)
		return
	}
	if at := mark - firstMark; at < len(x.t.marks) {
		m := x.t.marks[at]
		x.t.marks = x.t.marks[:at+1]
		x.t.undo(m.journal)
		x.Txn.RollbackTo(m.inner)
	}
}

// Commit implements txn.Txn.
func (x *Txn) Commit(ctx context.Context) error {
	if full := x.t.full; full != nil {
		return full
	}
	err := x.Txn.Commit(ctx)
	if err == nil {
		x.t.Ended()
	}
	return err
}

// Rollback implements txn.Txn.
func (x *Txn) Rollback() {
	x.RolledBack()
	x.Txn.Rollback()
}

// RolledBack takes the writes to temporary tables back: the transaction below is rolled back.
func (x *Txn) RolledBack() {
	x.t.undo(0)
	x.t.Ended()
}

// Full implements txn.Bounded.
func (x *Txn) Full() *txn.Error {
	if x.t.full != nil {
		return x.t.full
	}
	if b, ok := x.Txn.(txn.Bounded); ok {
		return b.Full()
	}
	return nil
}

// Confirm implements txn.Confirmer.
func (x *Txn) Confirm(ctx context.Context) error {
	if c, ok := x.Txn.(txn.Confirmer); ok {
		return c.Confirm(ctx)
	}
	return nil
}
