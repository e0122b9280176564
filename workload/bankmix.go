package workload

import (
	"context"
	"fmt"
	"iter"

	"isochron/txn"
)

// bankMix moves money between a few accounts, as an application does that sends one statement after
// another: it reads the balance of one account, records the transfer, takes from the one and gives
// to the other. One transaction in twenty adds up all accounts.
type bankMix struct{ MixConfig }

// newBankMix has all of Keys as accounts: 20 by default.
func newBankMix(cfg MixConfig) Mix {
	if cfg.Keys == defaultKeys {
		cfg.Keys = bankAccounts
	}
	return &bankMix{cfg}
}

const (
	bankAccounts     = 20
	bankOpening      = 1000
	bankAmountMax    = 10
	bankAuditPercent = 5
)

func (m *bankMix) account(i int) txn.Key {
	return rowKey(tableMix, i%m.Parts, fmt.Sprintf("account %06d", i))
}

// Rows are the accounts, as they were opened.
func (m *bankMix) Rows() iter.Seq[txn.Write] {
	return func(yield func(txn.Write) bool) {
		for i := range m.Keys {
			if !yield(txn.Write{Key: m.account(i), Value: formatAmount(bankOpening)}) {
				return
			}
		}
	}
}

// Next implements Mix.
func (m *bankMix) Next(c *Client) Job {
	if c.Rand.IntN(100) < bankAuditPercent {
		all := make([]txn.Key, m.Keys)
		for i := range all {
			all[i] = m.account(i)
		}
		j := look("audit", all)
		j.Autocommit = true
		return j
	}
	from := c.Rand.IntN(m.Keys)
	to := (from + 1 + c.Rand.IntN(m.Keys-1)) % m.Keys
	id := idName(c.nextID())
	record := rowKey(tableMix, from%m.Parts, fitLedger+id)
	amount := 1 + c.Rand.Int64N(bankAmountMax)
	return Job{Class: "transfer", Body: func(ctx context.Context, t txn.Txn) error {
		if _, err := t.Read(ctx, txn.Read{Gets: []txn.Key{m.account(from)}}); err != nil {
			return err
		}
		if _, err := t.Read(ctx, txn.Read{Gets: []txn.Key{record}, ForWrite: true}); err != nil {
			return err
		}
		t.Put(record, formatAmount(amount))
		for _, move := range []struct {
			account txn.Key
			by      int64
		}{{m.account(from), -amount}, {m.account(to), amount}} {
			res, err := t.Read(ctx, txn.Read{Gets: []txn.Key{move.account}, ForWrite: true})
			if err != nil {
				return err
			}
			t.Put(move.account, formatAmount(parseAmount(res.Values[0])+move.by))
		}
		return nil
	}}
}

// Check implements Checked: the sum of money does not change.
func (m *bankMix) Check(rows iter.Seq[txn.Pair]) (wrong []string) {
	accounts := map[txn.Key]bool{}
	for i := range m.Keys {
		accounts[m.account(i)] = true
	}
	sum, seen := int64(0), 0
	for p := range rows {
		if accounts[p.Key] {
			sum += parseAmount(p.Value)
			seen++
		}
	}
	if want := int64(m.Keys) * bankOpening; sum != want || seen != m.Keys {
		wrong = append(wrong, fmt.Sprintf("%d accounts of %d have %d together, and they were opened with %d", seen, m.Keys, sum, want))
	}
	return wrong
}
