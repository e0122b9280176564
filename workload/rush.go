package workload

import (
	"context"
	"time"

	"isochron/history"
	"isochron/txn"
)

// Rush appends to one of two hot lists, as an application does that sends one statement after
// another: it locks the list first, publishes its write if others wait, and then does something
// else before it commits or rolls back.
func (w *ListAppend) Rush(ctx context.Context, c *Client) {
	hottest := c.Rand.IntN(2)
	hot, cold := w.key(hottest), w.key(w.list(c))
	if beside := hottest + w.Parts; beside < w.Lists && c.Rand.IntN(2) == 0 {
		cold = w.key(beside) // of the same shard
	}
	locks, other, again := c.Rand.IntN(2) == 0, c.Rand.IntN(3) == 0, c.Rand.IntN(4) == 0
	coldFirst, looks := c.Rand.IntN(8) == 0, c.Rand.IntN(7) == 0
	if c.Rand.IntN(3) == 0 {
		w.bump(ctx, c, hot)
		return
	}
	if looks {
		w.look(ctx, c, cold, hot)
		return
	}
	c.transact(ctx, txn.Options{}, false, func(a *attempt) error {
		r := txn.Read{ForWrite: true}
		if locks {
			r.Lock = txn.LockExclusive
		}
		keys := []txn.Key{hot}
		switch {
		case coldFirst:
			keys = []txn.Key{cold, hot}
		case other:
			keys = append(keys, cold)
		}
		for i, key := range keys {
			if i > 0 && key == keys[0] {
				continue
			}
			list, err := w.get(a, key, r)
			if err != nil {
				return err
			}
			id := w.append(a, c, key, list)
			if err := a.passOn(c); err != nil {
				return err
			}
			if again { // others may have read its former value
				c.Env.Sleep(time.Duration(c.Rand.Int64N(int64(2*c.Pause) + 1)))
				w.append(a, c, key, append(list[:len(list):len(list)], id))
			}
		}
		return c.giveUp()
	})
}

// look reads one list, then locks the other as if to write it, and writes nothing: both reads must
// be of one state, though the second may not have been committed yet.
func (w *ListAppend) look(ctx context.Context, c *Client, first, then txn.Key) {
	c.transact(ctx, txn.Options{}, false, func(a *attempt) error {
		if _, err := w.get(a, first, txn.Read{}); err != nil {
			return err
		}
		_, err := w.get(a, then, txn.Read{Lock: txn.LockExclusive, ForWrite: true})
		return err
	})
}

// bump appends to one list, which is read and written in one round if possible, and sometimes taken
// for a list that does not exist.
func (w *ListAppend) bump(ctx context.Context, c *Client, key txn.Key) {
	refuse, expects := c.Rand.IntN(10) == 0, c.Rand.IntN(3) == 0
	c.transact(ctx, txn.Options{}, false, func(a *attempt) error {
		r := txn.Read{Gets: []txn.Key{key}, ForWrite: true, FixedSet: []txn.Key{key}, ExpectsAbsent: expects}
		u, ok := a.t.(txn.Updater)
		if !ok {
			list, err := w.get(a, key, r)
			if err == nil {
				w.append(a, c, key, list)
			}
			return err
		}
		id := c.nextID()
		a.did(history.Op{Kind: history.ReadList, Key: rowName(key)})
		a.did(history.Op{Kind: history.Append, Key: rowName(key), Value: id})
		done, err := u.Update(ctx, r, func(values [][]byte) ([]txn.Write, bool) {
			list := parseList(values[0])
			a.rec.Ops[0].List = list
			return []txn.Write{{Key: key, Value: formatList(append(list, id))}}, !refuse
		})
		if err != nil || done {
			a.done = true
			return err
		}
		res, err := a.read(r)
		if err != nil {
			return err
		}
		list := parseList(res.Values[0])
		a.rec.Ops[0].List = list
		a.t.Put(key, formatList(append(list, id)))
		return nil
	})
}

// passOn publishes its writes, pauses for a while if others read them, and then sometimes gives up.
func (a *attempt) passOn(c *Client) error {
	p, ok := a.t.(txn.Publisher)
	if !ok || !p.Publish() {
		return nil
	}
	c.Env.Sleep(time.Duration(c.Rand.Int64N(int64(c.Pause) + 1)))
	if c.Rand.IntN(15) == 0 {
		return errGiveUp
	}
	return nil
}
