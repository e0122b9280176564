package workload

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"isochron/history"
	"isochron/routing"
	"isochron/txn"
)

// Sourced are a bank and lists whose rows are in sources, by statements of a small language
// that models of databases understand, and, of each n+1st, in shards beside them:
//
//	GET key          the row: key and value
//	PUT key value
//	ADD key number   to a row that is a number
//	SCAN prefix      all rows whose keys begin so, up to and with a slash
//	FAIL             an error that ends nothing
type Sourced struct {
	Sources  []txn.ShardID
	Parts    int // of the table of shards
	Accounts int
	Lists    int
	Each     int64
}

// home returns the index of a thing's source, len(Sources) for the shards.
func (w *Sourced) home(i int) int { return i % (len(w.Sources) + 1) }

func (w *Sourced) native(i int) bool { return w.home(i) == len(w.Sources) }

func (w *Sourced) at(i int, format string, args ...any) txn.SourceStatement {
	s := txn.SourceStatement{Source: w.Sources[w.home(i)], Statement: txn.Statement{Text: fmt.Sprintf(format, args...)}}
	if verb, rest, _ := strings.Cut(s.Text, " "); verb == "GET" || verb == "PUT" || verb == "ADD" {
		row, _, _ := strings.Cut(rest, " ")
		s.Records, s.Writes = []txn.Key{txn.Key(row)}, verb != "GET"
	}
	return s
}

func accountName(i int) string { return fmt.Sprintf("account/%03d", i) }

// nativeKey returns the key in the shards of a name at sources.
func (w *Sourced) nativeKey(name string, i int) txn.Key {
	return rowKey(tableMix, i%w.Parts, name)
}

// Rules returns the rules for checking the bank's history.
func (w *Sourced) Rules() history.BankRules {
	var r history.BankRules
	for i := range w.Accounts {
		r.Initial = append(r.Initial, history.Account{Name: accountName(i), Amount: w.Each})
	}
	return r
}

// execute runs statements, if there are any.
func (a *attempt) execute(last bool, s []txn.SourceStatement) ([]txn.SourceResult, error) {
	if len(s) == 0 {
		return nil, nil
	}
	return a.t.(txn.Sources).Execute(a.ctx, s, last)
}

// ending is the way in which a transaction's last statements are run.
type ending int

const (
	plain     ending = iota // as others
	asLast                  // marked as the last
	andCommit               // with the commit
)

// ending draws one.
func (c *Client) ending() ending { return []ending{plain, asLast, asLast, andCommit}[c.Rand.IntN(4)] }

// finally runs the last statements, if there are any.
func (a *attempt) finally(how ending, s []txn.SourceStatement) error {
	if len(s) == 0 || how != andCommit {
		_, err := a.execute(how == asLast, s)
		return err
	}
	_, err := a.t.(txn.Finishing).ExecuteAndCommit(a.ctx, s)
	a.done = err == nil
	return err
}

// mayProceed makes a client sometimes give up an uncommitted transaction.
func (a *attempt) mayProceed(c *Client) error {
	if a.done {
		return nil
	}
	return c.giveUp()
}

// Setup opens the accounts.
func (w *Sourced) Setup(ctx context.Context, db txn.DB) error {
	t := db.Begin(txn.Options{})
	var s []txn.SourceStatement
	for i := range w.Accounts {
		if w.native(i) {
			t.Put(w.nativeKey(accountName(i), i), formatAmount(w.Each))
		} else {
			s = append(s, w.at(i, "PUT %s %d", accountName(i), w.Each))
		}
	}
	if _, err := t.(txn.Sources).Execute(ctx, s, false); err != nil {
		t.Rollback()
		return err
	}
	return t.Commit(ctx)
}

// SetupEach opens the accounts one by one.
func (w *Sourced) SetupEach(ctx context.Context, db txn.DB) error {
	for i := range w.Accounts {
		t := db.Begin(txn.Options{})
		if w.native(i) {
			t.Put(w.nativeKey(accountName(i), i), formatAmount(w.Each))
		} else if _, err := t.(txn.Sources).Execute(ctx, []txn.SourceStatement{w.at(i, "PUT %s %d", accountName(i), w.Each)}, false); err != nil {
			t.Rollback()
			return err
		}
		if err := t.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Bank moves money, or reads all.
func (w *Sourced) Bank(ctx context.Context, c *Client) {
	if c.Rand.IntN(6) == 0 {
		w.ReadBank(ctx, c, false)
		return
	}
	picked := c.Rand.Perm(w.Accounts)[:2+c.Rand.IntN(2)]
	amount, blind, ending, stumbles := 1+c.Rand.Int64N(5), c.Rand.IntN(2) == 0, c.ending(), c.Rand.IntN(12) == 0
	near := c.Rand.IntN(4) == 0
	if near { // all at one place
		picked = []int{picked[0], (picked[0] + len(w.Sources) + 1) % w.Accounts}
	}
	c.transact(ctx, txn.Options{}, false, func(a *attempt) error {
		if stumbles {
			if _, err := a.execute(false, []txn.SourceStatement{w.at(0, "FAIL")}); txn.KindOf(err) != txn.KindStatement {
				return err
			}
		}
		balances, err := w.balances(a, picked, blind)
		if err != nil {
			return err
		}
		id := c.nextID()
		for near && w.home(int(id)) != w.home(picked[0]) {
			id = c.nextID()
		}
		var s []txn.SourceStatement
		op := history.Op{Kind: history.Transfer, Value: id}
		for j, i := range picked {
			delta := amount
			if j == 0 {
				delta = -amount * int64(len(picked)-1)
			}
			switch name := accountName(i); {
			case w.native(i):
				a.t.Put(w.nativeKey(name, i), formatAmount(balances[j]+delta))
			case blind:
				s = append(s, w.at(i, "ADD %s %d", name, delta))
			default:
				s = append(s, w.at(i, "PUT %s %d", name, balances[j]+delta))
			}
			op.Accounts = append(op.Accounts, history.Account{Name: accountName(i), Amount: delta})
		}
		if entry := fmt.Sprintf("ledger/%d", id); w.native(int(id)) {
			a.t.Put(w.nativeKey(entry, int(id)), []byte("1"))
		} else {
			s = append(s, w.at(int(id), "PUT %s 1", entry))
		}
		a.did(op)
		if err := a.finally(ending, s); err != nil {
			return err
		}
		return a.mayProceed(c)
	})
}

// balances reads accounts; blind: those in the shards alone.
func (w *Sourced) balances(a *attempt, picked []int, blind bool) ([]int64, error) {
	out := make([]int64, len(picked))
	var s []txn.SourceStatement
	var of []int
	for j, i := range picked {
		name := accountName(i)
		switch {
		case w.native(i):
			res, err := a.read(txn.Read{Gets: []txn.Key{w.nativeKey(name, i)}, ForWrite: true})
			if err != nil {
				return nil, err
			}
			out[j] = parseAmount(res.Values[0])
		case !blind:
			s, of = append(s, w.at(i, "GET %s", name)), append(of, j)
		}
	}
	got, err := a.execute(false, s)
	if err != nil {
		return nil, err
	}
	for k, j := range of {
		out[j] = parseAmount(valueOf(got[k]))
	}
	return out, nil
}

// valueOf returns the value of a GET.
func valueOf(r txn.SourceResult) []byte {
	if len(r.Rows) != 1 {
		return nil
	}
	return r.Rows[0][1]
}

// all reads everything with these prefixes, everywhere.
func (w *Sourced) all(a *attempt, prefixes ...string) ([][]txn.Pair, error) {
	out := make([][]txn.Pair, len(prefixes))
	var s []txn.SourceStatement
	for i := range w.Sources {
		for _, p := range prefixes {
			s = append(s, w.at(i, "SCAN %s", p))
		}
	}
	got, err := a.execute(true, s)
	if err != nil {
		return nil, err
	}
	for j, r := range got {
		for _, row := range r.Rows {
			out[j%len(prefixes)] = append(out[j%len(prefixes)], txn.Pair{Key: txn.Key(row[0]), Value: row[1]})
		}
	}
	for part := range w.Parts {
		for j, p := range prefixes {
			from := string(w.nativeKey(p, part))
			res, err := a.read(txn.Read{Scans: []txn.Scan{{Span: txn.Span{Start: txn.Key(from), End: txn.Key(routing.PrefixEnd(from))}}}})
			if err != nil {
				return nil, err
			}
			for _, pair := range res.Pairs[0] {
				out[j] = append(out[j], txn.Pair{Key: txn.Key(rowName(pair.Key)), Value: pair.Value})
			}
		}
	}
	return out, nil
}

// ReadBank reads all accounts and the whole ledger. It reports whether it could.
func (w *Sourced) ReadBank(ctx context.Context, c *Client, final bool) bool {
	return c.transact(ctx, txn.Options{}, final, func(a *attempt) error {
		got, err := w.all(a, "account/", "ledger/")
		if err != nil {
			return err
		}
		balances, ledger := history.Op{Kind: history.Balances}, history.Op{Kind: history.Ledger}
		for _, p := range got[0] {
			balances.Accounts = append(balances.Accounts, history.Account{Name: string(p.Key), Amount: parseAmount(p.Value)})
		}
		for _, p := range got[1] {
			id, err := strconv.ParseInt(strings.TrimPrefix(string(p.Key), "ledger/"), 10, 64)
			if err != nil {
				id = -1 // no transaction wrote it: the checker will report it
			}
			ledger.List = append(ledger.List, id)
		}
		a.did(balances)
		a.did(ledger)
		return nil
	})
}

func listName(i int) string { return fmt.Sprintf("list/%02d", i) }

// Append reads lists and appends to some, one after the other or in one round.
func (w *Sourced) Append(ctx context.Context, c *Client) {
	type step struct {
		list   int
		append bool
	}
	plan := make([]step, 1+c.Rand.IntN(4))
	readOnly := c.Rand.IntN(5) == 0
	for i := range plan {
		plan[i] = step{c.Rand.IntN(w.Lists), !readOnly && c.Rand.IntN(2) == 0}
	}
	together, ending := c.Rand.IntN(3) == 0, c.ending()
	c.transact(ctx, txn.Options{}, false, func(a *attempt) error {
		if together {
			var s []txn.SourceStatement
			for _, p := range plan {
				if !w.native(p.list) {
					s = append(s, w.at(p.list, "GET %s", listName(p.list)))
				}
			}
			if _, err := a.execute(false, s); err != nil {
				return err
			}
		}
		for i, p := range plan {
			list, err := w.list(a, p.list)
			if err != nil {
				return err
			}
			a.did(history.Op{Kind: history.ReadList, Key: listName(p.list), List: list})
			if p.append {
				how := plain
				if i == len(plan)-1 {
					how = ending
				}
				if err := w.push(a, c, p.list, list, how); err != nil {
					return err
				}
			}
		}
		return a.mayProceed(c)
	})
}

// list reads one.
func (w *Sourced) list(a *attempt, i int) ([]int64, error) {
	if w.native(i) {
		res, err := a.read(txn.Read{Gets: []txn.Key{w.nativeKey(listName(i), i)}})
		if err != nil {
			return nil, err
		}
		return parseList(res.Values[0]), nil
	}
	got, err := a.execute(false, []txn.SourceStatement{w.at(i, "GET %s", listName(i))})
	if err != nil {
		return nil, err
	}
	return parseList(valueOf(got[0])), nil
}

// push appends to a list that was read.
func (w *Sourced) push(a *attempt, c *Client, i int, list []int64, how ending) error {
	id := c.nextID()
	a.did(history.Op{Kind: history.Append, Key: listName(i), Value: id})
	text := formatList(append(list[:len(list):len(list)], id))
	if w.native(i) {
		a.t.Put(w.nativeKey(listName(i), i), text)
		return nil
	}
	return a.finally(how, []txn.SourceStatement{w.at(i, "PUT %s %s", listName(i), text)})
}

// ReadLists reads every list; it reports whether it could.
func (w *Sourced) ReadLists(ctx context.Context, c *Client, final bool) bool {
	return c.transact(ctx, txn.Options{}, final, func(a *attempt) error {
		for i := range w.Lists {
			list, err := w.list(a, i)
			if err != nil {
				return err
			}
			a.did(history.Op{Kind: history.ReadList, Key: listName(i), List: list})
		}
		return nil
	})
}
