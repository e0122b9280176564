package workload

import (
	"context"

	"isochron/history"
	"isochron/txn"
)

// 2FI transactions (txn.FixedSetRunner), of clients that use them (Client.FixedSet).

// runFixedSet carries out a 2FI transaction, which is the whole attempt.
func (a *attempt) runFixedSet(d txn.FixedSetTxn) error {
	done, err := a.t.(txn.FixedSetRunner).RunFixedSet(a.ctx, d)
	a.done = done
	if err == nil && !done {
		return errGiveUp
	}
	return err
}

// runsFixedSet draws whether the next transaction of keys alone is a 2FI transaction, and its
// priority.
func (c *Client) runsFixedSet() (yes bool, opt txn.Options) {
	if !c.FixedSet || c.Rand.IntN(4) == 0 {
		return false, opt
	}
	if c.Rand.IntN(3) == 0 {
		opt.Priority = txn.PriorityHigh
	}
	return true, opt
}

// transferFixedSet is transfer as a 2FI transaction.
func (w *Bank) transferFixedSet(ctx context.Context, c *Client, opt txn.Options) {
	picked := w.accounts(c)
	amount := 1 + c.Rand.Int64N(5)
	givesUp := c.giveUp() != nil
	c.transact(ctx, opt, false, func(a *attempt) error {
		id := c.nextID()
		d := txn.FixedSetTxn{Writes: []txn.Key{w.ledgerKey(id)}}
		for _, i := range picked {
			d.Reads, d.Writes = append(d.Reads, w.first(i)), append(d.Writes, w.first(i))
		}
		d.Then = func(values [][]byte) (writes []txn.Write, ok bool) {
			moves := make([]history.Account, len(picked))
			for i, v := range values {
				delta := amount
				if i == 0 {
					delta = -amount * int64(len(picked)-1)
				}
				writes = append(writes, txn.Write{Key: d.Reads[i], Value: formatAmount(parseAmount(v) + delta)})
				moves[i] = history.Account{Name: rowName(d.Reads[i]), Amount: delta}
			}
			writes = append(writes, txn.Write{Key: d.Writes[0], Value: []byte(moves[0].Name)})
			a.did(history.Op{Kind: history.Transfer, Value: id, Accounts: moves})
			return writes, !givesUp
		}
		return a.runFixedSet(d)
	})
}

// stepFixedSet reads up to five lists and appends to some of them in a 2FI transaction.
func (w *ListAppend) stepFixedSet(ctx context.Context, c *Client, opt txn.Options) {
	var d txn.FixedSetTxn
	appends := map[txn.Key]bool{}
	for range 1 + c.Rand.IntN(5) {
		k := w.key(w.list(c))
		if _, twice := appends[k]; twice {
			continue
		}
		appends[k] = c.Rand.IntN(2) == 0
		d.Reads = append(d.Reads, k)
		if appends[k] || c.Rand.IntN(8) == 0 { // it need not write all that it declares
			d.Writes = append(d.Writes, k)
		}
	}
	w.runFixedSet(ctx, c, opt, d, appends)
}

// Duel appends to two lists in a 2FI transaction: the same for all clients, of the parts of
// DuelsAt, beside the Lists. One in oneOf has high priority.
func (w *ListAppend) Duel(ctx context.Context, c *Client, oneOf int) {
	var d txn.FixedSetTxn
	var opt txn.Options
	if c.Rand.IntN(oneOf) == 0 {
		opt.Priority = txn.PriorityHigh
	}
	appends := map[txn.Key]bool{}
	for _, k := range w.duelled() {
		appends[k] = true
	}
	d.Reads, d.Writes = w.duelled(), w.duelled()
	w.runFixedSet(ctx, c, opt, d, appends)
}

// DuelsAt reports whether one of these lists is of a part.
func (w *ListAppend) DuelsAt(part int) bool {
	return part == w.Lists%w.Parts || part == (w.Lists+1)%w.Parts
}

func (w *ListAppend) duelled() []txn.Key { return []txn.Key{w.key(w.Lists), w.key(w.Lists + 1)} }

// runFixedSet runs a 2FI transaction that appends to some of the lists it reads.
func (w *ListAppend) runFixedSet(ctx context.Context, c *Client, opt txn.Options, d txn.FixedSetTxn, appends map[txn.Key]bool) {
	givesUp := c.giveUp() != nil
	c.transact(ctx, opt, false, func(a *attempt) error {
		d.Then = func(values [][]byte) (writes []txn.Write, ok bool) {
			for i, k := range d.Reads {
				a.did(history.Op{Kind: history.ReadList, Key: rowName(k), List: parseList(values[i])})
			}
			for i, k := range d.Reads {
				if appends[k] {
					id := c.nextID()
					writes = append(writes, txn.Write{Key: k, Value: formatList(append(parseList(values[i]), id))})
					a.did(history.Op{Kind: history.Append, Key: rowName(k), Value: id})
				}
			}
			return writes, !givesUp
		}
		return a.runFixedSet(d)
	})
}
