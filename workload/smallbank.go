package workload

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"isochron/txn"
)

// smallbank is six small transactions over customers with a savings and a checking account each,
// nine tenths of them on hot customers. Balances are cents; an absent row is an account with its
// opening balance, so none is loaded.
type smallbank struct{ customers, hot, parts int }

const (
	smallOpening    = 1_000_000 // cents
	smallHotPercent = 90
)

func newSmallbank(cfg MixConfig) Mix {
	return &smallbank{customers: cfg.Keys, hot: cfg.Hot, parts: cfg.Parts}
}

func (*smallbank) Rows() iter.Seq[txn.Write] { return func(func(txn.Write) bool) {} }

// smallKinds are the kinds, and the share of each in a hundred.
var smallKinds = []struct {
	class   string
	percent int
	make    func(*smallbank, *Client) Job
}{
	{"amalgamate", 15, (*smallbank).amalgamate},
	{"balance", 15, (*smallbank).balance},
	{"deposit-checking", 15, (*smallbank).depositChecking},
	{"send-payment", 25, (*smallbank).sendPayment},
	{"transact-savings", 15, (*smallbank).transactSavings},
	{"write-check", 15, (*smallbank).writeCheck},
}

func (m *smallbank) Next(c *Client) Job {
	n := c.Rand.IntN(100)
	for _, k := range smallKinds {
		if n -= k.percent; n < 0 {
			j := k.make(m, c)
			j.Class = k.class
			return j
		}
	}
	panic("the mix does not add up to a hundred")
}

func (m *smallbank) customer(c *Client) int {
	if c.Rand.IntN(100) < smallHotPercent || m.hot == m.customers {
		return c.Rand.IntN(m.hot)
	}
	return m.hot + c.Rand.IntN(m.customers-m.hot)
}

// two draws different customers, each with the same odds of being hot.
func (m *smallbank) two(c *Client) (a, b int) {
	a = m.customer(c)
	if b = m.customer(c); a == b {
		b = (a + 1) % m.hot
	}
	return a, b
}

func (m *smallbank) amount(c *Client) int64 { return 1 + c.Rand.Int64N(5000) }

// A customer's two accounts are in one part.
func (m *smallbank) savings(customer int) txn.Key {
	return rowKey(tableMix, customer%m.parts, "s"+strconv.Itoa(customer))
}

func (m *smallbank) checking(customer int) txn.Key {
	return rowKey(tableMix, customer%m.parts, "c"+strconv.Itoa(customer))
}

// book reads accounts in one round and lets change compute their new balances; unchanged accounts
// are not written.
func book(keys []txn.Key, change func(b []int64)) Job {
	return settle(keys, keys, change)
}

// settle is book of a transaction that writes only some of the accounts that it reads: the keys in
// writes are first among those in reads. It can be a 2FI transaction: its reads and possible writes
// are known from the start.
func settle(reads, writes []txn.Key, change func(b []int64)) Job {
	after := func(values [][]byte) (out []txn.Write) {
		before := balances(values)
		now := slices.Clone(before)
		change(now)
		for i, k := range writes {
			if now[i] != before[i] {
				out = append(out, txn.Write{Key: k, Value: formatAmount(now[i])})
			}
		}
		return out
	}
	fixedSet := func() txn.FixedSetTxn {
		return txn.FixedSetTxn{Reads: reads, Writes: writes, Then: func(values [][]byte) ([]txn.Write, bool) { return after(values), true }}
	}
	return Job{FixedSet: fixedSet, Body: func(ctx context.Context, t txn.Txn) error {
		res, err := t.Read(ctx, txn.Read{Gets: reads, ForWrite: len(writes) == len(reads)})
		if err != nil {
			return err
		}
		for _, w := range after(res.Values) {
			t.Put(w.Key, w.Value)
		}
		return nil
	}}
}

// balances parses the cents in accounts.
func balances(values [][]byte) []int64 {
	b := make([]int64, len(values))
	for i, v := range values {
		if b[i] = smallOpening; v != nil {
			b[i] = parseAmount(v)
		}
	}
	return b
}

// amalgamate moves all money of one customer to another's checking account.
func (m *smallbank) amalgamate(c *Client) Job {
	from, to := m.two(c)
	return book([]txn.Key{m.savings(from), m.checking(from), m.checking(to)}, func(b []int64) {
		b[0], b[1], b[2] = 0, 0, b[2]+b[0]+b[1]
	})
}

// balance reads the accounts of one customer.
func (m *smallbank) balance(c *Client) Job {
	who := m.customer(c)
	return look("", []txn.Key{m.savings(who), m.checking(who)})
}

func (m *smallbank) depositChecking(c *Client) Job {
	amount := m.amount(c)
	return book([]txn.Key{m.checking(m.customer(c))}, func(b []int64) { b[0] += amount })
}

// sendPayment pays from one checking account to another, if there is enough.
func (m *smallbank) sendPayment(c *Client) Job {
	from, to := m.two(c)
	amount := m.amount(c)
	return book([]txn.Key{m.checking(from), m.checking(to)}, func(b []int64) {
		if b[0] >= amount {
			b[0], b[1] = b[0]-amount, b[1]+amount
		}
	})
}

// transactSavings adds to the savings, or takes from them if they suffice.
func (m *smallbank) transactSavings(c *Client) Job {
	amount := m.amount(c)
	if c.Rand.IntN(2) == 0 {
		amount = -amount
	}
	return book([]txn.Key{m.savings(m.customer(c))}, func(b []int64) {
		if b[0]+amount >= 0 {
			b[0] += amount
		}
	})
}

// writeCheck takes from the checking account, with a fine of one cent if both accounts together do
// not have the amount.
func (m *smallbank) writeCheck(c *Client) Job {
	who, amount := m.customer(c), m.amount(c)
	checking := m.checking(who)
	return settle([]txn.Key{checking, m.savings(who)}, []txn.Key{checking}, func(b []int64) {
		fine := int64(0)
		if b[0]+b[1] < amount {
			fine = 1
		}
		b[0] -= amount + fine
	})
}
