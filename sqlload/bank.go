package sqlload

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"isochron/history"
)

// bank moves money between accounts, writes each transfer into a ledger, and sometimes adds
// everything up.
type bank struct {
	accounts int
	entries
	mu    sync.Mutex
	wrong []string // sums that a committed transaction saw
}

const (
	bankFirstBalance = 1000
	bankAuditPercent = 5
	bankWrongMax     = 20 // more of the same have no new information
)

func newBank(o Options) Workload {
	return &bank{accounts: or(o.Rows, 1000), entries: newEntries("transfer")}
}

func (b *bank) Sizes() map[string]float64 { return map[string]float64{"accounts": float64(b.accounts)} }

func (b *bank) Adopt(sizes map[string]float64) { b.accounts = int(sizes["accounts"]) }

func (b *bank) Tables() []Table {
	return []Table{
		{"bank_accounts", "id BIGINT NOT NULL PRIMARY KEY, balance BIGINT NOT NULL", "id"},
		{"bank_ledger", "id BIGINT NOT NULL PRIMARY KEY, source BIGINT NOT NULL, target BIGINT NOT NULL, amount BIGINT NOT NULL", "id"},
	}
}

func (b *bank) Load(ctx context.Context, e *Env) error {
	return fill(ctx, e, "bank_accounts (id, balance)", b.accounts, func(i int) string {
		return fmt.Sprintf("(%d, %d)", i, bankFirstBalance)
	})
}

func (b *bank) Client(e *Env, _ int, r *rand.Rand) (Client, error) {
	if b.accounts < 2 {
		return nil, fmt.Errorf("a bank of %d accounts has nothing to move", b.accounts)
	}
	b.begin(e)
	return &banker{b, r}, nil
}

type banker struct {
	bank *bank
	rand *rand.Rand
}

func (c *banker) Next() Txn {
	if c.rand.IntN(100) < bankAuditPercent {
		return c.audit()
	}
	return c.transfer()
}

// transfer moves an amount. Every try has its own id, so that a rolled-back try that appears in the
// ledger is detected.
func (c *banker) transfer() Txn {
	from := c.rand.Int64N(int64(c.bank.accounts))
	to := (from + 1 + c.rand.Int64N(int64(c.bank.accounts)-1)) % int64(c.bank.accounts)
	amount := 1 + c.rand.Int64N(10)
	var id int64
	return Txn{
		Kind: "transfer",
		Body: func(ctx context.Context, tx *sql.Tx) error {
			id = c.bank.newID()
			var balance int64
			err := tx.QueryRowContext(ctx, "SELECT balance FROM bank_accounts WHERE id = ?", from).Scan(&balance)
			if err != nil {
				return err
			}
			if balance < amount {
				return errRollback
			}
			const insert = "INSERT INTO bank_ledger (id, source, target, amount) VALUES (?, ?, ?, ?)"
			if _, err := tx.ExecContext(ctx, insert, id, from, to, amount); err != nil {
				return err
			}
			if err := ChangeOne(ctx, tx, "UPDATE bank_accounts SET balance = ? WHERE id = ?", balance-amount, from); err != nil {
				return err
			}
			return ChangeOne(ctx, tx, "UPDATE bank_accounts SET balance = balance + ? WHERE id = ?", amount, to)
		},
		After: func(t Try) { c.bank.receive(id, t.Outcome) },
	}
}

// audit adds up all balances; only a committed sum counts.
func (c *banker) audit() Txn {
	var sum int64
	return Txn{
		Kind: "audit",
		Body: func(ctx context.Context, tx *sql.Tx) error {
			return tx.QueryRowContext(ctx, "SELECT SUM(balance) FROM bank_accounts").Scan(&sum)
		},
		After: func(t Try) {
			if want := int64(c.bank.accounts) * bankFirstBalance; t.Outcome == history.OK && sum != want {
				c.bank.complain("a committed audit added up all balances to %d, not %d", sum, want)
			}
		},
	}
}

func (b *bank) complain(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.wrong) < bankWrongMax {
		b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
	}
}

// Check compares the balances with the ledger, and the ledger with the outcomes that clients
// received.
func (b *bank) Check(ctx context.Context, e *Env, _ *Report) ([]string, error) {
	want := map[int64]int64{}
	seen := map[int64]bool{}
	err := query(ctx, e.DB(), "SELECT id, source, target, amount FROM bank_ledger", nil, func(rows *sql.Rows) error {
		var id, from, to, amount int64
		if err := rows.Scan(&id, &from, &to, &amount); err != nil {
			return err
		}
		seen[id] = true
		want[from] -= amount
		want[to] += amount
		return nil
	})
	if err != nil {
		return nil, err
	}
	balances := map[int64]int64{}
	err = query(ctx, e.DB(), "SELECT id, balance FROM bank_accounts", nil, func(rows *sql.Rows) error {
		var id, balance int64
		if err := rows.Scan(&id, &balance); err != nil {
			return err
		}
		balances[id] = balance
		return nil
	})
	if err != nil {
		return nil, err
	}
	found := append(slices.Clone(b.wrong), b.checkBalances(want, balances)...)
	return append(found, b.checkOutcomes(seen)...), nil
}

func (b *bank) checkBalances(moved, balances map[int64]int64) []string {
	var found []string
	if len(balances) != b.accounts {
		found = append(found, fmt.Sprintf("there are %d accounts, not %d", len(balances), b.accounts))
	}
	sum := int64(0)
	for _, id := range slices.Sorted(maps.Keys(balances)) {
		sum += balances[id]
		if want := bankFirstBalance + moved[id]; balances[id] != want && len(found) < bankWrongMax {
			found = append(found, fmt.Sprintf("account %d has %d, and by the ledger it should have %d", id, balances[id], want))
		}
	}
	if want := int64(b.accounts) * bankFirstBalance; sum != want {
		found = append(found, fmt.Sprintf("all balances add up to %d, not %d", sum, want))
	}
	return found
}

// ChangeOne runs a statement that changes exactly one row; any other number is an error.
func ChangeOne(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n != 1 {
		return fmt.Errorf("%d rows changed where one should: %s %v", n, query, args)
	}
	return nil
}
