package workload

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"isochron/history"
	"isochron/txn"
)

// fit is payments: the balance of a hot account is changed, and a record of it is inserted into a
// ledger, which only grows. Two statements and a commit.
type fit struct {
	MixConfig
	reported map[string]history.Outcome // of each payment
}

func newFit(cfg MixConfig) Mix { return &fit{cfg, map[string]history.Outcome{}} }

// The prefixes of the names of rows.
const (
	fitAccount = "account "
	fitLedger  = "ledger "
)

const fitAmountMax = 100

// Rows are the accounts, all empty.
func (m *fit) Rows() iter.Seq[txn.Write] {
	return func(yield func(txn.Write) bool) {
		for i := range m.Hot {
			if !yield(txn.Write{Key: m.account(i), Value: formatAmount(0)}) {
				return
			}
		}
	}
}

func (m *fit) account(i int) txn.Key { return rowKey(tableMix, i%m.Parts, fitAccount+strconv.Itoa(i)) }

// Next implements Mix.
func (m *fit) Next(c *Client) Job {
	who := c.Rand.IntN(m.Hot)
	payment := idName(c.nextID())
	record := rowKey(tableMix, who%m.Parts, fitLedger+payment)
	amount, givesUp := m.amount(c.Rand), m.givesUp(c)
	return Job{
		Class: "payment",
		Body: func(ctx context.Context, t txn.Txn) error {
			res, err := t.Read(ctx, txn.Read{Gets: []txn.Key{m.account(who)}, ForWrite: true})
			if err != nil {
				return err
			}
			t.Put(m.account(who), formatAmount(parseAmount(res.Values[0])+amount))
			if res, err = t.Read(ctx, txn.Read{Gets: []txn.Key{record}, ForWrite: true}); err != nil {
				return err
			}
			if res.Values[0] != nil {
				return txn.Errorf(txn.KindInvalidRequest, "the payment %s is in the ledger already", payment)
			}
			t.Put(record, fmt.Appendf(nil, "%d %d", who, amount))
			if givesUp {
				return ErrRollback
			}
			return nil
		},
		Ended: func(o history.Outcome) { m.reported[payment] = o },
	}
}

// amount draws an amount paid in or out.
func (m *fit) amount(r *rand.Rand) int64 {
	return (1 + r.Int64N(fitAmountMax)) * int64(1-2*r.IntN(2))
}

// Check implements Checked: each balance is the sum of the ledger, and the ledger has each
// acknowledged payment and none that was rolled back.
func (m *fit) Check(rows iter.Seq[txn.Pair]) (wrong []string) {
	balances, paid := map[int]int64{}, map[int]int64{}
	seen := map[string]bool{}
	for p := range rows {
		name := rowName(p.Key)
		if account, ok := strings.CutPrefix(name, fitAccount); ok {
			i, _ := strconv.Atoi(account) // we wrote it
			balances[i] = parseAmount(p.Value)
		}
		if payment, ok := strings.CutPrefix(name, fitLedger); ok {
			var who int
			var amount int64
			if _, err := fmt.Sscanf(string(p.Value), "%d %d", &who, &amount); err != nil {
				wrong = append(wrong, fmt.Sprintf("payment %s is damaged: %q", payment, p.Value))
			}
			paid[who] += amount
			seen[payment] = true
		}
	}
	for i := range m.Hot {
		if balances[i] != paid[i] {
			wrong = append(wrong, fmt.Sprintf("account %d has %d, and by the ledger it should have %d", i, balances[i], paid[i]))
		}
	}
	return clipped(append(wrong, m.checkReported(seen)...))
}

func (m *fit) checkReported(seen map[string]bool) (wrong []string) {
	for _, payment := range slices.Sorted(maps.Keys(m.reported)) {
		switch o := m.reported[payment]; {
		case o == history.OK && !seen[payment]:
			wrong = append(wrong, fmt.Sprintf("payment %s was acknowledged and is not in the ledger", payment))
		case o == history.Fail && seen[payment]:
			wrong = append(wrong, fmt.Sprintf("payment %s was not made and is in the ledger", payment))
		}
	}
	return wrong
}

func clipped(wrong []string) []string { return wrong[:min(len(wrong), wrongMax)] }

// hotspots is three applications on one server: one reads single rows, one counts single rows up,
// and one makes payments on a hot account. Spikes are of the third.
type hotspots struct {
	quiet *sysbench
	pay   *fit
}

// Of a hundred transactions outside a spike, the reads and the updates; the others are payments.
const (
	hotspotsReads   = 45
	hotspotsUpdates = 45
)

func newHotspots(cfg MixConfig) Mix {
	cfg.Length = 1
	return &hotspots{newSysbench(cfg).(*sysbench), newFit(cfg).(*fit)}
}

func (m *hotspots) Rows() iter.Seq[txn.Write] { return m.pay.Rows() }

// Next implements Mix.
func (m *hotspots) Next(c *Client) Job {
	n := c.Rand.IntN(100)
	if c.Spike || n >= hotspotsReads+hotspotsUpdates {
		return m.pay.Next(c)
	}
	return m.quiet.job(m.quiet.rows.distinct(c.Rand, 1), []bool{n < hotspotsReads}, false)
}

// Check implements Checked.
func (m *hotspots) Check(rows iter.Seq[txn.Pair]) []string {
	isQuiet := func(p txn.Pair) bool {
		name := rowName(p.Key)
		return !strings.HasPrefix(name, fitAccount) && !strings.HasPrefix(name, fitLedger)
	}
	some := func(quiet bool) iter.Seq[txn.Pair] {
		return func(yield func(txn.Pair) bool) {
			for p := range rows {
				if isQuiet(p) == quiet && !yield(p) {
					return
				}
			}
		}
	}
	return clipped(append(m.quiet.Check(some(true)), m.pay.Check(some(false))...))
}
