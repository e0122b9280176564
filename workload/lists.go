package workload

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"isochron/history"
	"isochron/txn"
)

// ListAppend reads and appends to a few hot lists.
type ListAppend struct {
	Parts int // parts of the table: one for each shard
	Lists int
	// ZipfMilli is the skew of the choice of lists, in thousandths; 0 is uniform.
	ZipfMilli int
	Duels     bool // two more lists are for Duel

	skew uneven
}

// list draws one.
func (w *ListAppend) list(c *Client) int { return w.skew.one(c.Rand, w.Lists, w.ZipfMilli) }

func (w *ListAppend) key(i int) txn.Key {
	return rowKey(tableLists, i%w.Parts, fmt.Sprintf("l%02d", i))
}

// Step runs one transaction of one to five operations or, rarely, one that changes the guarded
// fact.
func (w *ListAppend) Step(ctx context.Context, c *Client) {
	if c.Rand.IntN(30) == 0 {
		w.change(ctx, c)
		return
	}
	if yes, opt := c.runsFixedSet(); yes {
		w.stepFixedSet(ctx, c, opt)
		return
	}
	type step struct {
		key    int
		append bool
	}
	plan := make([]step, 1+c.Rand.IntN(5))
	readOnly := c.Rand.IntN(5) == 0
	for i := range plan {
		plan[i] = step{w.list(c), !readOnly && c.Rand.IntN(2) == 0}
	}
	batched := c.Rand.IntN(3) == 0 // all reads in one round, as a scheduler would
	lock, wait := c.lock()
	forWrite, guarded, ranged := c.Rand.IntN(2) == 0, c.Rand.IntN(3) == 0, c.Rand.IntN(4) == 0
	c.transact(ctx, txn.Options{ReadOnly: readOnly}, false, func(a *attempt) error {
		if guarded {
			w.guard(a, c)
		}
		if batched {
			r := txn.Read{Lock: lock, Wait: wait, OnlyRead: readOnly}
			for _, s := range plan {
				r.Gets = append(r.Gets, w.key(s.key))
			}
			if _, err := a.read(r); err != nil {
				return err
			}
		}
		for _, s := range plan {
			r := txn.Read{Lock: lock, Wait: wait, ForWrite: forWrite && s.append}
			if ranged {
				r.Scans = []txn.Scan{{Span: txn.Span{Start: w.key(s.key), End: w.key(s.key) + "\x00"}}}
			}
			list, err := w.get(a, w.key(s.key), r)
			if err != nil {
				return err
			}
			if s.append {
				w.append(a, c, w.key(s.key), list)
			}
		}
		return c.giveUp()
	})
}

// get reads a list: by its key, or as the content of a range if r has one.
func (w *ListAppend) get(a *attempt, key txn.Key, r txn.Read) ([]int64, error) {
	if len(r.Scans) == 0 {
		r.Gets = []txn.Key{key}
	}
	res, err := a.read(r)
	if err != nil {
		return nil, err
	}
	var value []byte
	switch {
	case len(r.Gets) > 0:
		value = res.Values[0]
	case len(res.Pairs[0]) > 0:
		value = res.Pairs[0][0].Value
	}
	list := parseList(value)
	a.did(history.Op{Kind: history.ReadList, Key: rowName(key), List: list})
	return list, nil
}

func (w *ListAppend) append(a *attempt, c *Client, key txn.Key, list []int64) int64 {
	c.scribble(a, key)
	id := c.nextID()
	a.t.Put(key, formatList(append(list[:len(list):len(list)], id)))
	a.did(history.Op{Kind: history.Append, Key: rowName(key), Value: id})
	return id
}

// ReadAll reads every list in one transaction; final means that the cluster is quiet, so that it
// must see every commit. It reports whether it could.
func (w *ListAppend) ReadAll(ctx context.Context, c *Client, final bool) bool {
	r := txn.Read{Gets: w.Keys()}
	return c.transact(ctx, txn.Options{ReadOnly: true}, final, func(a *attempt) error {
		res, err := a.read(r)
		if err != nil {
			return err
		}
		for i, v := range res.Values {
			a.did(history.Op{Kind: history.ReadList, Key: rowName(r.Gets[i]), List: parseList(v)})
		}
		_, err = w.readFact(a, w.guardKeys(c))
		return err
	})
}

func formatList(list []int64) []byte {
	var b []byte
	for i, v := range list {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, v, 10)
	}
	return b
}

// parseList parses a formatList. An unreadable value becomes an element that no transaction
// appended: the checker will report it.
func parseList(b []byte) []int64 {
	var list []int64
	for _, f := range strings.Fields(string(b)) {
		v, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			v = -1
		}
		list = append(list, v)
	}
	return list
}

// Keys returns those of the lists.
func (w *ListAppend) Keys() []txn.Key {
	keys := make([]txn.Key, w.Lists)
	for i := range keys {
		keys[i] = w.key(i)
	}
	if w.Duels {
		keys = append(keys, w.duelled()...)
	}
	return keys
}
