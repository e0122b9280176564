package sqlload

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
)

// hotspot counts up the same few rows with all clients, one update a transaction.
type hotspot struct {
	rows int
	answered
}

func newHotspot(o Options) Workload { return &hotspot{rows: or(o.Rows, 1)} }

func (h *hotspot) Sizes() map[string]float64 { return map[string]float64{"rows": float64(h.rows)} }

func (h *hotspot) Adopt(sizes map[string]float64) { h.rows = int(sizes["rows"]) }

func (h *hotspot) Tables() []Table {
	return []Table{{"hotspot_rows", "id BIGINT NOT NULL PRIMARY KEY, counted BIGINT NOT NULL", "id"}}
}

func (h *hotspot) Load(ctx context.Context, e *Env) error {
	return fill(ctx, e, "hotspot_rows (id, counted)", h.rows, func(i int) string { return fmt.Sprintf("(%d, 0)", i) })
}

// Start implements Starter.
func (h *hotspot) Start(ctx context.Context, e *Env) (err error) {
	h.before, _, err = h.counted(ctx, e)
	return err
}

func (h *hotspot) counted(ctx context.Context, e *Env) (sum int64, rows int, err error) {
	err = e.DB().QueryRowContext(ctx, "SELECT COALESCE(SUM(counted), 0), COUNT(*) FROM hotspot_rows").Scan(&sum, &rows)
	return sum, rows, err
}

func (h *hotspot) Client(_ *Env, _ int, r *rand.Rand) (Client, error) {
	return &counter{h, r}, nil
}

type counter struct {
	*hotspot
	rand *rand.Rand
}

// Next counts one row up.
func (c *counter) Next() Txn {
	row := c.rand.Int64N(int64(c.rows))
	return Txn{
		Kind: "update",
		Body: func(ctx context.Context, tx *sql.Tx) error {
			return ChangeOne(ctx, tx, "UPDATE hotspot_rows SET counted = counted + 1 WHERE id = ?", row)
		},
		After: func(t Try) { c.receive(t.Outcome) },
	}
}

// Check compares the counts with the outcomes that clients received in this run.
func (h *hotspot) Check(ctx context.Context, e *Env, run *Report) ([]string, error) {
	sum, rows, err := h.counted(ctx, e)
	if err != nil {
		return nil, err
	}
	return h.judge(sum, rows, run != nil), nil
}

func (h *hotspot) judge(sum int64, rows int, ran bool) (found []string) {
	if rows != h.rows {
		found = append(found, fmt.Sprintf("there are %d rows, not %d", rows, h.rows))
	}
	if by, right := h.since(sum); ran && !right {
		found = append(found, fmt.Sprintf("the rows have counted %d since the run began, with %d acknowledged and %d unknown", by, h.acknowledged, h.unknown))
	}
	return found
}
