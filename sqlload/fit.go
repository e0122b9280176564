package sqlload

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// fit is payments on hot accounts: the balance of one is changed, and the payment is inserted into
// a ledger, which only grows.
type fit struct {
	accounts int
	entries
}

const fitAmountMax = 100

func newFit(o Options) Workload {
	return &fit{accounts: or(o.Rows, 1), entries: newEntries("payment")}
}

func (f *fit) Sizes() map[string]float64 { return map[string]float64{"accounts": float64(f.accounts)} }

func (f *fit) Adopt(sizes map[string]float64) { f.accounts = int(sizes["accounts"]) }

func (f *fit) Tables() []Table {
	return []Table{
		{"fit_accounts", "id BIGINT NOT NULL PRIMARY KEY, balance BIGINT NOT NULL", "id"},
		{"fit_ledger", "id BIGINT NOT NULL PRIMARY KEY, account BIGINT NOT NULL, amount BIGINT NOT NULL", "id"},
	}
}

func (f *fit) Load(ctx context.Context, e *Env) error {
	return fill(ctx, e, "fit_accounts (id, balance)", f.accounts, func(i int) string { return fmt.Sprintf("(%d, 0)", i) })
}

func (f *fit) Client(e *Env, _ int, r *rand.Rand) (Client, error) {
	f.begin(e)
	return &payer{f, r}, nil
}

type payer struct {
	*fit
	rand *rand.Rand
}

// Next is a payment in or out. Every try has an id of its own.
func (p *payer) Next() Txn {
	account := p.rand.Int64N(int64(p.accounts))
	amount := (1 + p.rand.Int64N(fitAmountMax)) * int64(1-2*p.rand.IntN(2))
	var id int64
	return Txn{
		Kind: "payment",
		Body: func(ctx context.Context, tx *sql.Tx) error {
			id = p.newID()
			if err := ChangeOne(ctx, tx, "UPDATE fit_accounts SET balance = balance + ? WHERE id = ?", amount, account); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO fit_ledger (id, account, amount) VALUES (?, ?, ?)", id, account, amount)
			return err
		},
		After: func(t Try) { p.receive(id, t.Outcome) },
	}
}

// Check compares the balances with the ledger, and the ledger with the outcomes that clients
// received.
func (f *fit) Check(ctx context.Context, e *Env, _ *Report) ([]string, error) {
	paid, seen := map[int64]int64{}, map[int64]bool{}
	err := query(ctx, e.DB(), "SELECT id, account, amount FROM fit_ledger", nil, func(rows *sql.Rows) error {
		var id, account, amount int64
		err := rows.Scan(&id, &account, &amount)
		paid[account] += amount
		seen[id] = true
		return err
	})
	if err != nil {
		return nil, err
	}
	balances := map[int64]int64{}
	err = query(ctx, e.DB(), "SELECT id, balance FROM fit_accounts", nil, func(rows *sql.Rows) error {
		var id, balance int64
		err := rows.Scan(&id, &balance)
		balances[id] = balance
		return err
	})
	if err != nil {
		return nil, err
	}
	return append(f.checkBalances(paid, balances), f.checkOutcomes(seen)...), nil
}

func (f *fit) checkBalances(paid, balances map[int64]int64) []string {
	var found []string
	if len(balances) != f.accounts {
		found = append(found, fmt.Sprintf("there are %d accounts, not %d", len(balances), f.accounts))
	}
	for _, id := range slices.Sorted(maps.Keys(balances)) {
		if balances[id] != paid[id] && len(found) < bankWrongMax {
			found = append(found, fmt.Sprintf("account %d has %d, and by the ledger it should have %d", id, balances[id], paid[id]))
		}
	}
	return found
}
