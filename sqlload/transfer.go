package sqlload

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
)

// transfer moves money between two accounts, of one source or of two, and does nothing else:
// two updates and a commit.
type transfer struct {
	spread
	answered // of transfers
}

// transferFirstBalance is the initial balance of each account.
const transferFirstBalance = 1000

func newTransfer(o Options) Workload { return &transfer{spread: newSpread(o)} }

func (*transfer) Tables() []Table {
	return []Table{{"transfer_accounts", "id BIGINT NOT NULL PRIMARY KEY, balance BIGINT NOT NULL, moves BIGINT NOT NULL", "id"}}
}

func (t *transfer) Load(ctx context.Context, e *Env) error {
	return fill(ctx, e, "transfer_accounts (id, balance, moves)", t.rows, func(i int) string {
		return fmt.Sprintf("(%d, %d, 0)", i, transferFirstBalance)
	})
}

// Start implements Starter.
func (t *transfer) Start(ctx context.Context, e *Env) error {
	sums, err := t.read(ctx, e)
	t.before = sums.moves / 2
	return err
}

func (t *transfer) Client(_ *Env, _ int, r *rand.Rand) (Client, error) {
	return &mover{t, r}, t.begin(2)
}

type mover struct {
	*transfer
	rand *rand.Rand
}

func (m *mover) Next() Txn {
	keys, kind := m.draw(m.rand, 2)
	amount := 1 + m.rand.Int64N(10)
	if m.rand.IntN(2) == 0 {
		amount = -amount // the rows are locked in their order, whichever gives
	}
	update := func(id, by int64) statement {
		return statement{text: fmt.Sprintf("UPDATE transfer_accounts SET balance = balance + %d, moves = moves + 1 WHERE id = %d", by, id), write: true}
	}
	list := []statement{update(keys[0], amount), update(keys[1], -amount)}
	return Txn{
		Kind:  kind,
		Body:  func(ctx context.Context, tx *sql.Tx) error { return m.run(ctx, tx, list) },
		After: func(try Try) { m.receive(try.Outcome) },
	}
}

// movedSums are the sums of all accounts.
type movedSums struct{ accounts, balance, moves int64 }

func (*transfer) read(ctx context.Context, e *Env) (b movedSums, err error) {
	// Plain aggregates with names of their own are what every middleware puts together.
	text := "SELECT COUNT(*) AS accounts, SUM(balance) AS balances, SUM(moves) AS changes FROM transfer_accounts"
	var balance, moves sql.NullInt64 // of no accounts at all
	err = query(ctx, e.DB(), text, nil, func(rows *sql.Rows) error { return rows.Scan(&b.accounts, &balance, &moves) })
	b.balance, b.moves = balance.Int64, moves.Int64
	return b, err
}

// Check reports a changed sum of money, and acknowledged transfers that are missing or half done.
func (t *transfer) Check(ctx context.Context, e *Env, run *Report) ([]string, error) {
	b, err := t.read(ctx, e)
	if err != nil {
		return nil, err
	}
	return t.judge(b, run != nil), nil
}

func (t *transfer) judge(b movedSums, ran bool) (found []string) {
	if b.accounts != int64(t.rows) {
		found = append(found, fmt.Sprintf("there are %d accounts, not %d", b.accounts, t.rows))
	}
	if want := int64(t.rows) * transferFirstBalance; b.balance != want {
		found = append(found, fmt.Sprintf("the balances add up to %d, not %d", b.balance, want))
	}
	if b.moves%2 != 0 {
		found = append(found, fmt.Sprintf("accounts were changed %d times, and every transfer changes two", b.moves))
	}
	if by, right := t.since(b.moves / 2); ran && !right {
		found = append(found, fmt.Sprintf("%d transfers were made since the run began, with %d acknowledged and %d unknown", by, t.acknowledged, t.unknown))
	}
	return found
}
