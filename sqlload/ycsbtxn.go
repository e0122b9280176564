package sqlload

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
)

// ycsbTxn is YCSB with several operations in one transaction, half of them updates, over records
// at several sources, as middleware for such sources is measured.
type ycsbTxn struct {
	spread
	operations int
	updates    int // of a hundred operations
}

func newYCSBTxn(o Options) Workload {
	return &ycsbTxn{spread: newSpread(o), operations: or(o.Operations, 5), updates: 50}
}

func (*ycsbTxn) Tables() []Table { return ycsbTable("ycsb_records") }

func (y *ycsbTxn) Load(ctx context.Context, e *Env) error {
	return fillYCSB(ctx, e, "ycsb_records", y.rows)
}

func (y *ycsbTxn) Client(_ *Env, _ int, r *rand.Rand) (Client, error) {
	return &ycsbTxnClient{y, r}, y.begin(y.operations)
}

type ycsbTxnClient struct {
	*ycsbTxn
	rand *rand.Rand
}

func (c *ycsbTxnClient) Next() Txn {
	keys, kind := c.draw(c.rand, c.operations)
	list := make([]statement, len(keys))
	for i, key := range keys {
		list[i] = statement{text: fmt.Sprintf("SELECT * FROM ycsb_records WHERE ycsb_key = %d", key)}
		if c.rand.IntN(100) < c.updates {
			field := c.rand.IntN(ycsbFields)
			list[i] = statement{text: fmt.Sprintf("UPDATE ycsb_records SET field%d = '%s' WHERE ycsb_key = %d", field, letters(c.rand, ycsbFieldBytes), key), write: true}
		}
	}
	return Txn{Kind: kind, Body: func(ctx context.Context, tx *sql.Tx) error { return c.run(ctx, tx, list) }}
}

// Check reports records that updates have added or removed, and torn fields.
func (y *ycsbTxn) Check(ctx context.Context, e *Env, _ *Report) ([]string, error) {
	var lengths []string
	for i := range ycsbFields {
		lengths = append(lengths, fmt.Sprintf("SUM(CHAR_LENGTH(field%d)) AS length%[1]d", i))
	}
	sums := make([]int64, ycsbFields+1)
	into := make([]any, len(sums))
	for i := range sums {
		into[i] = &sums[i]
	}
	err := query(ctx, e.DB(), "SELECT COUNT(*) AS records, "+strings.Join(lengths, ", ")+" FROM ycsb_records", nil, func(rows *sql.Rows) error { return rows.Scan(into...) })
	if err != nil {
		return nil, err
	}
	return y.judge(sums), nil
}

// judge checks the number of records and the length of each field in all of them together.
func (y *ycsbTxn) judge(sums []int64) (found []string) {
	if sums[0] != int64(y.rows) {
		found = append(found, fmt.Sprintf("there are %d records, not %d", sums[0], y.rows))
	}
	for i, n := range sums[1:] {
		if n != sums[0]*ycsbFieldBytes {
			found = append(found, fmt.Sprintf("field%d has %d characters in all records, not %d in each", i, n, ycsbFieldBytes))
		}
	}
	return found
}
