package workload

import (
	"context"
	"time"

	"isochron/txn"
)

// Rush appends to one of two lists that everybody wants, as an application does
// that sends one statement after another: it locks the list first, passes on what it
// has written if others wait, and then does something else before it commits, or
// thinks better of it.
func (w *ListAppend) Rush(ctx context.Context, c *Client) {
	hot, cold := w.key(c.Rand.IntN(2)), w.key(c.Rand.IntN(w.Lists))
	locks, other, again := c.Rand.IntN(2) == 0, c.Rand.IntN(3) == 0, c.Rand.IntN(12) == 0
	coldFirst := c.Rand.IntN(8) == 0
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
			if again {
				w.append(a, c, key, append(list[:len(list):len(list)], id))
			}
		}
		return c.giveUp()
	})
}

// passOn lets others go on from what is written, thinks for a while if any do,
// and then sometimes gives up.
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
