package workload

import (
	"context"
	"math/rand/v2"
	"time"

	"isochron/history"
	"isochron/txn"
)

// Env is a client's time.
type Env interface {
	// Elapsed returns the time since some start common to all clients. It never jumps.
	Elapsed() time.Duration
	Sleep(d time.Duration)
}

// Client is one process at one gateway.
type Client struct {
	Process int
	DB      txn.DB
	Env     Env
	Rand    *rand.Rand
	Record  func(*history.Record)
	// Pause is the average wait of the client before it retries an aborted transaction. It varies
	// widely when a node or a shard is unreachable.
	Pause time.Duration
	// Tries bounds the attempts at one transaction.
	Tries int
	// Repeatable makes snapshot readers read in one repeatable-read transaction.
	Repeatable bool
	// Ahead bounds how far a read timestamp may be in the future; 0: not at all.
	Ahead time.Duration
	// Priority returns the priority of the next transaction; nil: all are low.
	Priority func() txn.Priority
	// FixedSet: most transactions whose keys are known from the start are 2FI transactions.
	FixedSet bool
	// Spike: the next transaction is one of a spike, see hotspots.
	Spike bool

	ids int64
}

// idsMax bounds the ids of one client.
const idsMax = 1_000_000

// nextID returns an id that is unique among all clients of a run.
func (c *Client) nextID() int64 {
	c.ids++
	return int64(c.Process)*idsMax + c.ids
}

// attempt is one try of a transaction, as its body sees it.
type attempt struct {
	ctx context.Context
	t   txn.Txn
	rec *history.Record
	// done: it has committed already.
	done bool
}

func (a *attempt) did(op history.Op) { a.rec.Ops = append(a.rec.Ops, op) }

func (a *attempt) read(r txn.Read) (txn.ReadResult, error) { return a.t.Read(a.ctx, r) }

// errGiveUp ends a transaction that the client itself cancels.
var errGiveUp = txn.Errorf(txn.KindInvalidRequest, "the client gave the transaction up")

// transact runs body in a transaction until it commits, its outcome is unknown, or the tries are
// used up. It reports whether it committed.
func (c *Client) transact(ctx context.Context, opt txn.Options, final bool, body func(a *attempt) error) bool {
	if c.Priority != nil {
		opt.Priority = max(opt.Priority, c.Priority())
	}
	for try := 1; ; try++ {
		t := c.DB.Begin(opt)
		a := &attempt{ctx: ctx, t: t, rec: &history.Record{
			Process: c.Process, Region: string(c.DB.Region()),
			InvokeNanos: int64(c.Env.Elapsed()), Final: final,
		}}
		err := body(a)
		switch {
		case err != nil:
			t.Rollback()
		case !a.done:
			err = t.Commit(ctx)
		}
		if id := t.ID(); !id.IsZero() { // it has none before its first request
			a.rec.Txn = id.String()
		}
		a.rec.At = int64(t.Stats().CommitAt)
		c.finish(a.rec, err)
		kind := txn.KindOf(err)
		if err == nil || kind == txn.KindUnknown || err == errGiveUp || try >= c.Tries {
			return err == nil
		}
		opt.RetryOf = t // it keeps its age, whatever the conflict was
		c.pause(kind)
	}
}

// finish records the outcome that the client received.
func (c *Client) finish(rec *history.Record, err error) {
	rec.CompleteNanos = int64(c.Env.Elapsed())
	switch {
	case err == nil:
		rec.Outcome = history.OK
	case txn.KindOf(err) == txn.KindUnknown, txn.KindOf(err) == 0:
		rec.Outcome = history.Unknown // an error without a kind promises nothing
	default:
		rec.Outcome = history.Fail
	}
	if err != nil {
		rec.Reason = err.Error()
	}
	c.Record(rec)
}

func (c *Client) pause(kind txn.Kind) {
	d := c.Pause
	if kind == txn.KindUnavailable {
		d = c.Pause / 8 << c.Rand.IntN(9) // sometimes short: a node has just started
	}
	c.Env.Sleep(d/2 + time.Duration(c.Rand.Int64N(int64(d)+1)))
}

// lock draws the lock of a read: mostly none, sometimes one that may be refused.
func (c *Client) lock() (txn.Lock, txn.Wait) {
	switch c.Rand.IntN(12) {
	case 0:
		return txn.LockShared, txn.WaitForLock
	case 1, 2:
		return txn.LockExclusive, txn.WaitForLock
	case 3:
		return txn.LockExclusive, txn.NoWait
	}
	return txn.LockNone, txn.WaitForLock
}

// scribble sometimes writes a key and rolls back to before it: no trace of it may remain.
func (c *Client) scribble(a *attempt, key txn.Key) {
	if c.Rand.IntN(10) > 0 {
		return
	}
	mark := a.t.Savepoint()
	a.t.Put(key, []byte("scribble"))
	if c.Rand.IntN(2) == 0 {
		a.t.Delete(key)
	}
	a.t.RollbackTo(mark)
}

// giveUp sometimes ends the transaction before its commit.
func (c *Client) giveUp() error {
	if c.Rand.IntN(40) == 0 {
		return errGiveUp
	}
	return nil
}
