package workload

import (
	"context"
	"slices"
	"time"

	"isochron/history"
	"isochron/txn"
)

// holdMillis is the time for which a snapshot reader has its versions protected.
const holdMillis = 250

// ReadAsOf reads all accounts and the ledger at one read timestamp, in several transactions with
// pauses between them, and records all as one read: it must be consistent, and contain everything
// acknowledged before it began.
func (w *Bank) ReadAsOf(ctx context.Context, c *Client) {
	c.lookBack(ctx, func(m *snapshotRead) error {
		var accounts []txn.Pair
		for _, part := range c.Rand.Perm(w.Parts) {
			rows, err := m.scan(partSpan(tableAccounts, part))
			if err != nil {
				return err
			}
			accounts = append(accounts, rows...)
		}
		if m.tx != nil && len(accounts) == 0 {
			return txn.Errorf(txn.KindUnavailable, "a read timestamp before the bank was opened: the gateway's clock is far behind")
		}
		entries, err := m.scan(tableSpan(tableLedger))
		if err != nil {
			return err
		}
		m.did(balancesOf(accounts))
		m.did(ledgerOf(entries))
		return nil
	})
}

// ReadAsOf reads every list at one read timestamp, one by one.
func (w *ListAppend) ReadAsOf(ctx context.Context, c *Client) {
	c.lookBack(ctx, func(m *snapshotRead) error {
		for i := range w.Lists {
			res, err := m.read(txn.Read{Gets: []txn.Key{w.key(i)}})
			if err != nil {
				return err
			}
			m.did(history.Op{Kind: history.ReadList, Key: rowName(w.key(i)), List: parseList(res.Values[0])})
		}
		return nil
	})
}

// snapshotRead is a read at one timestamp.
type snapshotRead struct {
	attempt
	c  *Client
	at txn.Timestamp
	// hold is for how many milliseconds each read has its versions protected; 0: the default.
	hold int64
	// tx, if not nil, is a repeatable-read transaction that does all the reading; its gateway chose
	// the read timestamp.
	tx txn.Txn
}

// lookBack records what read finds at the present, or at a future timestamp.
func (c *Client) lookBack(ctx context.Context, read func(*snapshotRead) error) {
	m := &snapshotRead{c: c, hold: holdMillis, attempt: attempt{ctx: ctx, rec: &history.Record{
		Process: c.Process, ReadTS: true, Region: string(c.DB.Region()), InvokeNanos: int64(c.Env.Elapsed())}}}
	var err error
	if c.Repeatable {
		m.tx = c.DB.Begin(txn.Options{Level: txn.RepeatableRead, ReadOnly: true})
		m.rec.InvokeNanos = 0 // it may miss the latest commits of other gateways
		if err = read(m); err == nil {
			err = m.tx.Commit(ctx)
		}
		m.tx.Rollback()
		m.rec.At = int64(m.at)
	} else if m.at, err = txn.ReadPresent(ctx, c.DB); err == nil {
		if c.Ahead > 0 && c.Rand.IntN(2) == 0 {
			m.at += txn.Timestamp(c.Rand.Int64N(int64(c.Ahead)))
			m.hold *= int64(c.Rand.IntN(2)) // else leaders log the read timestamp itself
		}
		m.rec.At = int64(m.at)
		err = read(m)
	}
	if err != nil {
		m.rec.Ops = nil
	}
	if txn.KindOf(err) == txn.KindUnknown {
		err = txn.Errorf(txn.KindUnavailable, "a reading is never in doubt: %v", err)
	}
	c.finish(m.rec, err)
}

// read is one read at the timestamp, retried while shards are unreachable: the answer is the same
// at any time.
func (m *snapshotRead) read(r txn.Read) (res txn.ReadResult, err error) {
	if m.tx != nil {
		m.c.Env.Sleep(time.Duration(m.c.Rand.Int64N(int64(2*m.c.Pause) + 1)))
		res, err = m.tx.Read(m.ctx, r)
		if err == nil && m.at != 0 && res.At != m.at {
			panic("workload: a transaction of repeatable reads has read at two timestamps")
		}
		m.at, m.rec.Txn = res.At, m.tx.ID().String()
		return res, err
	}
	for try := 1; ; try++ {
		m.c.Env.Sleep(time.Duration(m.c.Rand.Int64N(int64(2*m.c.Pause) + 1)))
		t := m.c.DB.Begin(txn.Options{AsOf: m.at, ProtectMillis: m.hold})
		if res, err = t.Read(m.ctx, r); err == nil {
			err = t.Commit(m.ctx)
		} else {
			t.Rollback()
		}
		if id := t.ID(); !id.IsZero() {
			m.rec.Txn = id.String()
		}
		if err == nil || txn.KindOf(err) != txn.KindUnavailable || try >= m.c.Tries {
			return res, err
		}
		m.c.pause(txn.KindUnavailable)
	}
}

// scan reads a span in pages of a few rows, forwards or backwards.
func (m *snapshotRead) scan(span txn.Span) (all []txn.Pair, err error) {
	reverse := m.c.Rand.IntN(3) == 0
	for {
		res, err := m.read(txn.Read{Page: true, Scans: []txn.Scan{{Span: span, Reverse: reverse, Limit: 1 + m.c.Rand.IntN(60)}}})
		if err != nil {
			return nil, err
		}
		got := res.Pairs[0]
		all = append(all, got...)
		if len(got) == 0 || !res.More[0] {
			break
		}
		if last := got[len(got)-1].Key; reverse {
			span.End = last
		} else {
			span.Start = last + "\x00"
		}
	}
	if reverse {
		slices.Reverse(all)
	}
	return all, nil
}
