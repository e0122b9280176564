package workload

import (
	"context"
	"fmt"
	"strconv"

	"isochron/history"
	"isochron/txn"
)

// Bank moves money between accounts. An account is in a branch, which is a part of the table and so
// a shard; each transfer writes a ledger row.
type Bank struct {
	Parts     int // branches: parts of the table, one for each shard
	Accounts  int // opened at the start, spread over the branches
	BranchMax int // accounts a branch may have; it must leave room above the first ones
	Each      int64
	// ZipfMilli is the skew of the choice of accounts, in thousandths; 0 is uniform.
	ZipfMilli int

	skew uneven
}

func (w *Bank) first(i int) txn.Key {
	return rowKey(tableAccounts, i%w.Parts, w.name(i%w.Parts, i))
}

// name returns "branch/number", which is printable, unlike the key.
func (w *Bank) name(part, i int) string { return fmt.Sprintf("%02d/%03d", part, i) }

// Rules returns the rules for checking the bank's history.
func (w *Bank) Rules() history.BankRules {
	r := history.BankRules{BranchMax: w.BranchMax, Branch: func(a string) string { return a[:2] }}
	for i := range w.Accounts {
		r.Initial = append(r.Initial, history.Account{Name: rowName(w.first(i)), Amount: w.Each})
	}
	return r
}

// Setup opens the accounts, before anything else runs.
func (w *Bank) Setup(ctx context.Context, db txn.DB) error {
	t := db.Begin(txn.Options{})
	for i := range w.Accounts {
		t.Put(w.first(i), formatAmount(w.Each))
	}
	return t.Commit(ctx)
}

// SetupEach opens the accounts with a transaction each: not atomic, but it succeeds where
// transactions over several shards are aborted before they can commit.
func (w *Bank) SetupEach(ctx context.Context, db txn.DB) error {
	for i := range w.Accounts {
		t := db.Begin(txn.Options{})
		t.Put(w.first(i), formatAmount(w.Each))
		if err := t.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Step runs one transaction.
func (w *Bank) Step(ctx context.Context, c *Client) {
	switch n := c.Rand.IntN(20); {
	case n < 11:
		w.transfer(ctx, c)
	case n < 13:
		w.open(ctx, c)
	case n < 15:
		w.close(ctx, c)
	case n < 17:
		w.ReadAll(ctx, c, false)
	case n < 19:
		w.sumByScan(ctx, c)
	default:
		w.sumByGets(ctx, c)
	}
}

// transfer moves money from one of the first accounts to one or two others.
func (w *Bank) transfer(ctx context.Context, c *Client) {
	if yes, opt := c.runsFixedSet(); yes {
		w.transferFixedSet(ctx, c, opt)
		return
	}
	picked := w.accounts(c)
	amount := 1 + c.Rand.Int64N(5)
	lock, wait := c.lock()
	forWrite := c.Rand.IntN(2) == 0
	c.transact(ctx, txn.Options{}, false, func(a *attempt) error {
		r := txn.Read{Lock: lock, Wait: wait, ForWrite: forWrite}
		for _, i := range picked {
			r.Gets = append(r.Gets, w.first(i))
		}
		res, err := a.read(r)
		if err != nil {
			return err
		}
		moves := make([]history.Account, len(picked))
		for i, v := range res.Values {
			delta := amount
			if i == 0 {
				delta = -amount * int64(len(picked)-1)
			}
			c.scribble(a, r.Gets[i])
			moves[i] = w.move(a, r.Gets[i], v, delta)
		}
		w.enter(a, c, moves)
		return c.giveUp()
	})
}

// accounts draws two or three of the first.
func (w *Bank) accounts(c *Client) []int {
	if w.ZipfMilli == 0 {
		return c.Rand.Perm(w.Accounts)[:2+c.Rand.IntN(2)]
	}
	return w.skew.distinct(c.Rand, w.Accounts, w.ZipfMilli, 2+c.Rand.IntN(2))
}

// account draws one of the first.
func (w *Bank) account(c *Client) int { return w.skew.one(c.Rand, w.Accounts, w.ZipfMilli) }

// move adds delta to an account whose balance was read.
func (w *Bank) move(a *attempt, key txn.Key, balance []byte, delta int64) history.Account {
	a.t.Put(key, formatAmount(parseAmount(balance)+delta))
	return history.Account{Name: rowName(key), Amount: delta}
}

// enter writes the ledger row; it is a blind write.
func (w *Bank) enter(a *attempt, c *Client, moves []history.Account) {
	id := c.nextID()
	a.t.Put(w.ledgerKey(id), []byte(moves[0].Name))
	a.did(history.Op{Kind: history.Transfer, Value: id, Accounts: moves})
}

func (w *Bank) ledgerKey(id int64) txn.Key { return rowKey(tableLedger, int(id)%w.Parts, idName(id)) }

// open counts the accounts of a branch and, if there is room, opens one more with money from one of
// the first: a phantom for a transaction that sums or counts.
func (w *Bank) open(ctx context.Context, c *Client) {
	part, from := c.Rand.IntN(w.Parts), w.account(c)
	lock, wait := c.lock()
	reverse := c.Rand.IntN(2) == 0
	c.transact(ctx, txn.Options{}, false, func(a *attempt) error {
		res, err := a.read(txn.Read{
			Gets:  []txn.Key{w.first(from)},
			Scans: []txn.Scan{{Span: partSpan(tableAccounts, part), Reverse: reverse}},
			Lock:  lock, Wait: wait,
		})
		if err != nil {
			return err
		}
		if len(res.Pairs[0]) >= w.BranchMax {
			return nil // committed without a write: the count was true
		}
		key := rowKey(tableAccounts, part, w.name(part, 100+c.Rand.IntN(800)))
		fresh, err := a.read(txn.Read{Gets: []txn.Key{key}})
		if err != nil {
			return err
		}
		if fresh.Values[0] != nil {
			return errGiveUp
		}
		w.enter(a, c, []history.Account{w.move(a, w.first(from), res.Values[0], -2), w.move(a, key, nil, 2)})
		return nil
	})
}

// close gives the money of an account opened later to one of the first and deletes the row.
func (w *Bank) close(ctx context.Context, c *Client) {
	part, to := c.Rand.IntN(w.Parts), w.account(c)
	c.transact(ctx, txn.Options{}, false, func(a *attempt) error {
		opened := txn.Span{Start: rowKey(tableAccounts, part, w.name(part, 100)), End: partSpan(tableAccounts, part).End}
		res, err := a.read(txn.Read{
			Gets:  []txn.Key{w.first(to)},
			Scans: []txn.Scan{{Span: opened, Limit: 1}}, ForWrite: true,
		})
		if err != nil {
			return err
		}
		if len(res.Pairs[0]) == 0 {
			return errGiveUp
		}
		old := res.Pairs[0][0]
		amount := parseAmount(old.Value)
		a.t.Delete(old.Key)
		w.enter(a, c, []history.Account{{Name: rowName(old.Key), Amount: -amount}, w.move(a, w.first(to), res.Values[0], amount)})
		return nil
	})
}

// ReadAll reads all accounts and the whole ledger in one round; final means that the cluster is
// quiet. It reports whether it could.
func (w *Bank) ReadAll(ctx context.Context, c *Client, final bool) bool {
	return c.transact(ctx, txn.Options{ReadOnly: true}, final, func(a *attempt) error {
		res, err := a.read(txn.Read{
			Scans: []txn.Scan{{Span: tableSpan(tableAccounts)}, {Span: tableSpan(tableLedger)}}, OnlyRead: true,
		})
		if err != nil {
			return err
		}
		a.did(balancesOf(res.Pairs[0]))
		a.did(ledgerOf(res.Pairs[1]))
		return nil
	})
}

// sumByScan reads all accounts part by part, a round each: other transactions run in between.
func (w *Bank) sumByScan(ctx context.Context, c *Client) {
	order := c.Rand.Perm(w.Parts)
	withLedger := c.Rand.IntN(2) == 0
	c.transact(ctx, txn.Options{ReadOnly: c.Rand.IntN(2) == 0}, false, func(a *attempt) error {
		if withLedger {
			res, err := a.read(txn.Read{Scans: []txn.Scan{{Span: tableSpan(tableLedger), Reverse: true}}})
			if err != nil {
				return err
			}
			a.did(ledgerOf(res.Pairs[0]))
		}
		var all []txn.Pair
		for _, part := range order {
			res, err := a.read(txn.Read{Scans: []txn.Scan{{Span: partSpan(tableAccounts, part)}}})
			if err != nil {
				return err
			}
			all = append(all, res.Pairs[0]...)
		}
		a.did(balancesOf(all))
		return nil
	})
}

// sumByGets finds the accounts by a scan and then reads each by key again, under locks: in one
// transaction both must agree.
func (w *Bank) sumByGets(ctx context.Context, c *Client) {
	c.transact(ctx, txn.Options{}, false, func(a *attempt) error {
		found, err := a.read(txn.Read{Scans: []txn.Scan{{Span: tableSpan(tableAccounts)}}})
		if err != nil {
			return err
		}
		r := txn.Read{Lock: txn.LockShared}
		for _, p := range found.Pairs[0] {
			r.Gets = append(r.Gets, p.Key)
		}
		res, err := a.read(r)
		if err != nil {
			return err
		}
		all := make([]txn.Pair, len(r.Gets))
		for i, v := range res.Values {
			all[i] = txn.Pair{Key: r.Gets[i], Value: v}
		}
		a.did(balancesOf(all))
		return nil
	})
}

func balancesOf(pairs []txn.Pair) history.Op {
	op := history.Op{Kind: history.Balances}
	for _, p := range pairs {
		op.Accounts = append(op.Accounts, history.Account{Name: rowName(p.Key), Amount: parseAmount(p.Value)})
	}
	return op
}

func ledgerOf(pairs []txn.Pair) history.Op {
	op := history.Op{Kind: history.Ledger}
	for _, p := range pairs {
		id, err := strconv.ParseInt(rowName(p.Key), 10, 64)
		if err != nil {
			id = -1 // no transaction wrote it: the checker will report it
		}
		op.List = append(op.List, id)
	}
	return op
}

func formatAmount(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

// parseAmount parses a formatAmount; a missing row is an empty account. An unreadable value becomes
// an amount that breaks every sum.
func parseAmount(b []byte) int64 {
	if b == nil {
		return 0
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 1 << 40
	}
	return n
}

// Keys returns those of the first accounts.
func (w *Bank) Keys() []txn.Key {
	keys := make([]txn.Key, w.Accounts)
	for i := range keys {
		keys[i] = w.first(i)
	}
	return keys
}
