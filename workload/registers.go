package workload

import (
	"context"
	"fmt"
	"strconv"

	"isochron/history"
	"isochron/txn"
)

// Registers overwrites a few hot values, mostly blindly. Only timestamps order such writes; all
// other writes of clients are ordered by the reads before them.
type Registers struct {
	Parts int // parts of the table of lists, beside which they lie: one for each shard
	Count int
}

func (w *Registers) key(i int) txn.Key { return rowKey(tableLists, i%w.Parts, fmt.Sprintf("r%02d", i)) }

// Step runs one transaction: half of them read nothing.
func (w *Registers) Step(ctx context.Context, c *Client) {
	picked := c.Rand.Perm(w.Count)[:1+c.Rand.IntN(min(3, w.Count))]
	looks, writes := 0, len(picked)
	switch n := c.Rand.IntN(10); {
	case n < 5:
	case n < 8: // the first is read, the others are not; of one that is both
		looks = 1
		writes = max(1, len(picked)-1)
	default:
		looks, writes = len(picked), 0
	}
	ranged, readOnly := c.Rand.IntN(3) == 0, writes == 0 && c.Rand.IntN(2) == 0
	c.transact(ctx, txn.Options{ReadOnly: readOnly}, false, func(a *attempt) error {
		if err := w.look(a, picked[:looks], ranged); err != nil {
			return err
		}
		for _, i := range picked[len(picked)-writes:] {
			w.put(a, c, w.key(i))
		}
		return c.giveUp()
	})
}

// look reads some of them, by their keys or each as the content of a range.
func (w *Registers) look(a *attempt, some []int, ranged bool) error {
	var r txn.Read
	for _, i := range some {
		if k := w.key(i); ranged {
			r.Scans = append(r.Scans, txn.Scan{Span: txn.Span{Start: k, End: k + "\x00"}})
		} else {
			r.Gets = append(r.Gets, k)
		}
	}
	if len(some) == 0 {
		return nil
	}
	res, err := a.read(r)
	if err != nil {
		return err
	}
	for j, i := range some {
		var value []byte
		if !ranged {
			value = res.Values[j]
		} else if len(res.Pairs[j]) > 0 {
			value = res.Pairs[j][0].Value
		}
		a.did(history.Op{Kind: history.Get, Key: rowName(w.key(i)), Value: parseRegister(value)})
	}
	return nil
}

func (w *Registers) put(a *attempt, c *Client, key txn.Key) {
	id := c.nextID()
	a.t.Put(key, strconv.AppendInt(nil, id, 10))
	a.did(history.Op{Kind: history.Put, Key: rowName(key), Value: id})
}

// ReadAll reads all of them in one transaction; final means that the cluster is quiet, so that it
// must see every commit. It reports whether it could.
func (w *Registers) ReadAll(ctx context.Context, c *Client, final bool) bool {
	all := make([]int, w.Count)
	for i := range all {
		all[i] = i
	}
	return c.transact(ctx, txn.Options{ReadOnly: true}, final, func(a *attempt) error { return w.look(a, all, false) })
}

// Keys returns those of all of them.
func (w *Registers) Keys() []txn.Key {
	keys := make([]txn.Key, w.Count)
	for i := range keys {
		keys[i] = w.key(i)
	}
	return keys
}

// parseRegister parses a put value; a missing row is 0. An unreadable value becomes one that no
// transaction wrote: the checker will report it.
func parseRegister(b []byte) int64 {
	if b == nil {
		return 0
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return -1
	}
	return n
}
