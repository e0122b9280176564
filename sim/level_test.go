package sim

import (
	"context"
	"strconv"
	"testing"
	"time"

	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
)

// value reads an account without a lock.
func (h *faultRun) value(t *testing.T, tx txn.Txn, account int) string {
	t.Helper()
	res, err := tx.Read(context.Background(), txn.Read{Gets: h.bank.Keys()[account : account+1]})
	if err != nil {
		t.Errorf("a plain read: %v", err)
		return ""
	}
	return string(res.Values[0])
}

// put commits a new value of an account; the read timestamp of a later transaction at the same
// gateway is after it.
func (h *faultRun) put(t *testing.T, c *Client, account int, v string) {
	t.Helper()
	tx := c.DB().Begin(txn.Options{})
	tx.Put(h.bank.Keys()[account], []byte(v))
	if err := tx.Commit(context.Background()); err != nil {
		t.Errorf("a write without a fault: %v", err)
	}
}

var weakLevels = []txn.Level{txn.ReadCommitted, txn.RepeatableRead}

// A reader of a weaker level waits for no lock, and holds none.
func TestAWeakReaderWaitsForNoLock(t *testing.T) {
	h := openAsOf(t, node.InjectedBugs{})
	h.do(t, func(c *Client) {
		holder := c.DB().Begin(txn.Options{})
		first := h.bank.Keys()[:1]
		if _, err := holder.Read(context.Background(), txn.Read{Gets: first, Lock: txn.LockExclusive}); err != nil {
			t.Error(err)
		}
		for _, level := range weakLevels {
			reader := c.DB().Begin(txn.Options{Level: level})
			if v := h.value(t, reader, 0); v != "100" {
				t.Errorf("%v reads %q under another's lock, want 100", level, v)
			}
			// While it is open, it blocks no other transaction.
			other := c.DB().Begin(txn.Options{LockWaitMillis: 50})
			if _, err := other.Read(context.Background(), txn.Read{Gets: first, Lock: txn.LockShared}); txn.KindOf(err) != txn.KindLockTimeout {
				t.Errorf("%v: another's locking read returned %v, want a conflict with the holder", level, err)
			}
			other.Rollback()
			if err := reader.Commit(context.Background()); err != nil {
				t.Errorf("%v: %v", level, err)
			}
		}
		holder.Put(first[0], []byte("1"))
		if err := holder.Commit(context.Background()); err != nil {
			t.Errorf("the holder: %v", err)
		}
	})
}

// Each level's view of a commit in between.
func TestReadTimestampsByIsolationLevel(t *testing.T) {
	h := openAsOf(t, node.InjectedBugs{})
	h.do(t, func(c *Client) {
		committed, repeatable := c.DB().Begin(txn.Options{Level: txn.ReadCommitted}), c.DB().Begin(txn.Options{Level: txn.RepeatableRead})
		chosen := c.DB().Begin(txn.Options{Level: txn.RepeatableRead})
		if err := chosen.(txn.SnapshotTxn).Choose(context.Background()); err != nil {
			t.Error(err)
		}
		for _, tx := range []txn.Txn{committed, repeatable} {
			if v := h.value(t, tx, 0); v != "100" {
				t.Errorf("first read %q", v)
			}
		}
		h.put(t, c, 0, "1")
		h.put(t, c, 1, "2")
		if v := h.value(t, committed, 1); v != "100" {
			t.Errorf("a statement reads at another timestamp: %q", v)
		}
		committed.(txn.SnapshotTxn).NextStatement()
		if a, b := h.value(t, committed, 0), h.value(t, committed, 1); a != "1" || b != "2" {
			t.Errorf("read committed, next statement: %q and %q", a, b)
		}
		for _, tx := range []txn.Txn{repeatable, chosen} {
			tx.(txn.SnapshotTxn).NextStatement()
			if a, b := h.value(t, tx, 0), h.value(t, tx, 1); a != "100" || b != "100" {
				t.Errorf("repeatable read: %q and %q", a, b)
			}
			tx.Put(h.bank.Keys()[2], []byte("mine"))
			if v := h.value(t, tx, 2); v != "mine" {
				t.Errorf("its own write reads %q", v)
			}
			tx.Rollback()
		}
	})
}

// First committer wins: a row written since the read timestamp is neither locked nor written, read
// before or not, deleted or not.
func TestRepeatableReadLosesNoUpdate(t *testing.T) {
	ctx := context.Background()
	h := openAsOf(t, node.InjectedBugs{})
	keys := h.bank.Keys()
	h.do(t, func(c *Client) {
		ways := map[string]func(tx txn.Txn) error{
			"a lock": func(tx txn.Txn) error {
				_, err := tx.Read(ctx, txn.Read{Gets: keys[:1], Lock: txn.LockShared})
				return err
			},
			"a read for writing": func(tx txn.Txn) error {
				_, err := tx.Read(ctx, txn.Read{Gets: keys[:1], ForWrite: true})
				return err
			},
			"a range": func(tx txn.Txn) error {
				_, err := tx.Read(ctx, txn.Read{Scans: []txn.Scan{{Span: txn.Span{Start: keys[0], End: keys[0] + "\xff"}}}, ForWrite: true})
				return err
			},
			"a blind write": func(tx txn.Txn) error {
				tx.Put(keys[0], []byte("7"))
				return tx.Commit(ctx)
			},
		}
		changes := map[string]func(tx txn.Txn){
			"written": func(tx txn.Txn) { tx.Put(keys[0], []byte("8")) },
			"deleted": func(tx txn.Txn) { tx.Delete(keys[0]) },
		}
		for way, try := range ways {
			for change, make := range changes {
				h.put(t, c, 0, "100")
				tx := c.DB().Begin(txn.Options{Level: txn.RepeatableRead})
				h.value(t, tx, 1)
				other := c.DB().Begin(txn.Options{})
				make(other)
				if err := other.Commit(ctx); err != nil {
					t.Error(err)
				}
				if err := try(tx); txn.KindOf(err) != txn.KindAborted {
					t.Errorf("%s of a row that was %s since: %v, want KindAborted", way, change, err)
				}
				tx.Rollback()
			}
		}
		// With no read timestamp yet, or no change since, nothing conflicts.
		tx := c.DB().Begin(txn.Options{Level: txn.RepeatableRead})
		for _, k := range keys[2:4] {
			if _, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{k}, ForWrite: true}); err != nil {
				t.Errorf("an update without a concurrent writer: %v", err)
			}
			tx.Put(k, []byte("9"))
			h.value(t, tx, 4)
		}
		if err := tx.Commit(ctx); err != nil {
			t.Error(err)
		}
	})
}

// Write skew is possible under repeatable read, and not under serializable.
func TestWriteSkew(t *testing.T) {
	ctx := context.Background()
	for _, level := range []txn.Level{txn.Serializable, txn.RepeatableRead, txn.ReadCommitted} {
		h := openAsOf(t, node.InjectedBugs{})
		h.do(t, func(c *Client) {
			a, b := c.DB().Begin(txn.Options{Level: level}), c.DB().Begin(txn.Options{Level: level})
			h.value(t, a, 0)
			h.value(t, b, 1)
			a.Put(h.bank.Keys()[1], []byte("1"))
			b.Put(h.bank.Keys()[0], []byte("1"))
			errA, errB := a.Commit(ctx), b.Commit(ctx)
			if both := errA == nil && errB == nil; both != (level != txn.Serializable) {
				t.Errorf("%v: %v and %v", level, errA, errB)
			}
		})
	}
}

// A client sees what its gateway has acknowledged, though its clock is behind those of the leaders,
// and a commit far from all of them after the first read at the leader.
func TestASnapshotReadHasItsGatewaysCommits(t *testing.T) {
	h := openAsOf(t, node.InjectedBugs{})
	for _, host := range h.w.hosts[1:] {
		host.wallShift = time.Minute
	}
	h.do(t, func(c *Client) {
		for account := range h.bank.Keys()[:6] {
			h.put(t, c, account, "5")
			for _, level := range weakLevels {
				tx := c.DB().Begin(txn.Options{Level: level})
				if v := h.value(t, tx, account); v != "5" {
					t.Errorf("%v reads %q of account %d right after its commit", level, v, account)
				}
				tx.Rollback()
			}
		}
	})
}

// Reads at the present cost the log an entry now and then, not one each.
func TestReadsOfThePresentShareMaxReadTS(t *testing.T) {
	h := openAsOf(t, node.InjectedBugs{})
	proposals := func() (n uint64) {
		for _, host := range h.w.hosts {
			for _, s := range host.node.Statuses() {
				n += s.Counts.Proposals
			}
		}
		return n
	}
	before := proposals()
	h.do(t, func(c *Client) {
		for range 200 {
			tx := c.DB().Begin(txn.Options{Level: txn.ReadCommitted})
			h.value(t, tx, 0)
			tx.Rollback()
		}
	})
	if n := proposals() - before; n > 40 {
		t.Errorf("200 reads of the present cost %d log entries", n)
	}
}

// Increments in repeatable reads, blind or locked, from everywhere and across a loss of a leader:
// each acknowledged one is there, on every row of the table.
func TestIncrementsOfRepeatableReadsAreKept(t *testing.T) {
	for _, spec := range protocol.Table() {
		if spec.Yield.NeverLocks || spec.Isolation == protocol.NoAtomicity {
			continue
		}
		t.Run(spec.Name, func(t *testing.T) {
			for seed := range uint64(3) {
				incrementsAreKept(t, spec, seed+1)
			}
		})
	}
}

func incrementsAreKept(t *testing.T, spec protocol.Spec, seed uint64) {
	ctx := context.Background()
	h := &faultRun{cfg: FaultRunConfig{}}
	h.open(seed, spec)
	defer h.w.Close()
	if !h.w.RunUntil(quietWait, h.w.Ready) || !h.setup() {
		t.Fatalf("the cluster does not start: %v", h.result.Violations)
	}
	keys := h.bank.Keys()[:2] // in different shards
	done, unsure, lost := make([]int, len(keys)), make([]int, len(keys)), 0
	work := func(c *Client, way int) {
		for until := c.Elapsed() + 2*time.Second; c.Elapsed() < until; c.Sleep(time.Duration(c.Rand().Int64N(int64(20 * time.Millisecond)))) {
			tx := c.DB().Begin(txn.Options{Level: txn.RepeatableRead, LockWaitMillis: 200})
			res, err := tx.Read(ctx, txn.Read{Gets: keys})
			if err == nil && way == 1 {
				_, err = tx.Read(ctx, txn.Read{Gets: keys[:1], ForWrite: true})
			}
			if err == nil {
				for i := range keys[:1+way%2] {
					n, _ := strconv.Atoi(string(res.Values[i]))
					tx.Put(keys[i], []byte(strconv.Itoa(n+1)))
				}
				err = tx.Commit(ctx)
			}
			for i := range keys[:1+way%2] {
				switch {
				case err == nil:
					done[i]++
				case txn.KindOf(err) == txn.KindUnknown:
					unsure[i]++
				}
			}
			if err != nil {
				lost++
				tx.Rollback()
			}
		}
	}
	var clients []*Client
	for _, host := range h.w.hosts {
		for way := range 3 {
			clients = append(clients, h.w.Go(host.id, func(c *Client) { work(c, way) }))
		}
	}
	h.w.Run(time.Second)
	h.w.hosts[0].crash(strictly)
	h.w.Run(300 * time.Millisecond)
	h.w.hosts[0].restart()
	if !h.w.RunUntil(readWait, func() bool { return allDone(clients) }) {
		t.Fatal("a client did not finish")
	}
	h.w.RunUntil(quietWait, h.w.Ready)
	h.do(t, func(c *Client) {
		for range 100 {
			tx := c.DB().Begin(txn.Options{ReadOnly: true})
			res, err := tx.Read(ctx, txn.Read{Gets: keys})
			if err == nil {
				err = tx.Commit(ctx)
			}
			if err != nil {
				tx.Rollback()
				c.Sleep(faultRunUnit)
				continue
			}
			for i, v := range res.Values {
				n, _ := strconv.Atoi(string(v))
				if n -= 100; n < done[i] || n > done[i]+unsure[i] || done[i] == 0 || lost == 0 {
					t.Errorf("seed %d: %d of account %d, after %d increments and %d unknown ones; %d tries were lost", seed, n, i, done[i], unsure[i], lost)
				}
			}
			return
		}
		t.Error("the accounts cannot be read in the end")
	})
}
