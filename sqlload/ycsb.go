package sqlload

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
)

// ycsb is the Yahoo benchmark's workloads a, b and c: reads and updates of one
// record by key, the keys drawn by Zipf.
type ycsb struct {
	records int
	updates int // of a hundred
	mix     string
	theta   float64
	keys    *zipf
}

// YCSB's own: ten fields of a hundred bytes are a record of 1 KB.
const (
	ycsbFields     = 10
	ycsbFieldBytes = 100
	ycsbTheta      = 0.99
)

// ycsbUpdates is the percentage of writing operations.
var ycsbUpdates = map[string]int{"a": 50, "b": 5, "c": 0}

func newYCSB(o Options) Workload {
	if o.Mix == "" {
		o.Mix = "a"
	}
	return &ycsb{records: or(o.Rows, 10000), mix: o.Mix, theta: or(o.Theta, ycsbTheta), updates: ycsbUpdates[o.Mix]}
}

func (y *ycsb) Sizes() map[string]float64 { return map[string]float64{"records": float64(y.records)} }

func (y *ycsb) Adopt(sizes map[string]float64) { y.records = int(sizes["records"]) }

func (*ycsb) Tables() []Table { return ycsbTable("usertable") }

func (y *ycsb) Load(ctx context.Context, e *Env) error {
	return fillYCSB(ctx, e, "usertable", y.records)
}

// ycsbTable is YCSB's table under a name.
func ycsbTable(name string) []Table {
	columns := "ycsb_key BIGINT NOT NULL PRIMARY KEY"
	for i := range ycsbFields {
		columns += fmt.Sprintf(", field%d VARCHAR(%d) NOT NULL", i, ycsbFieldBytes)
	}
	return []Table{{name, columns, "ycsb_key"}}
}

// fillYCSB loads it.
func fillYCSB(ctx context.Context, e *Env, table string, records int) error {
	return fill(ctx, e, table, records, func(i int) string {
		r := rand.New(rand.NewPCG(e.Seed, uint64(i))) // the loaders are several
		row := fmt.Sprintf("(%d", i)
		for range ycsbFields {
			row += ", '" + letters(r, ycsbFieldBytes) + "'"
		}
		return row + ")"
	})
}

func (y *ycsb) Client(_ *Env, _ int, r *rand.Rand) (Client, error) {
	if y.records < 1 {
		return nil, fmt.Errorf("there are no records")
	}
	if y.keys == nil {
		y.keys = newZipf(uint64(y.records), y.theta)
	}
	return &ycsbClient{y, r}, nil
}

type ycsbClient struct {
	*ycsb
	rand *rand.Rand
}

func (c *ycsbClient) Next() Txn {
	key := int64(scatter(c.keys.draw(c.rand), uint64(c.records)))
	if c.rand.IntN(100) < c.updates {
		field, value := c.rand.IntN(ycsbFields), letters(c.rand, ycsbFieldBytes)
		return Txn{Kind: "update", Body: func(ctx context.Context, tx *sql.Tx) error {
			return ChangeOne(ctx, tx, fmt.Sprintf("UPDATE usertable SET field%d = ? WHERE ycsb_key = ?", field), value, key)
		}}
	}
	return Txn{Kind: "read", Body: func(ctx context.Context, tx *sql.Tx) error {
		var got int64
		into := []any{&got}
		for range ycsbFields {
			into = append(into, new(string))
		}
		if err := tx.QueryRowContext(ctx, "SELECT * FROM usertable WHERE ycsb_key = ?", key).Scan(into...); err != nil {
			return err
		}
		return wantSize(key, into[1:])
	}}
}

// wantSize: no update changes how long a field is.
func wantSize(key int64, fields []any) error {
	for i, f := range fields {
		if n := len(*f.(*string)); n != ycsbFieldBytes {
			return fmt.Errorf("field%d of record %d has %d bytes, not %d", i, key, n, ycsbFieldBytes)
		}
	}
	return nil
}

// Check reports records that updates have added or removed, and torn fields.
func (y *ycsb) Check(ctx context.Context, e *Env, _ *Report) ([]string, error) {
	var lengths []string
	for i := range ycsbFields {
		lengths = append(lengths, fmt.Sprintf("CHAR_LENGTH(field%d) = %d", i, ycsbFieldBytes))
	}
	var records, whole int
	text := "SELECT COUNT(*), COALESCE(SUM(CASE WHEN " + strings.Join(lengths, " AND ") + " THEN 1 ELSE 0 END), 0) FROM usertable"
	err := query(ctx, e.DB(), text, nil, func(rows *sql.Rows) error { return rows.Scan(&records, &whole) })
	if err != nil {
		return nil, err
	}
	var found []string
	if records != y.records {
		found = append(found, fmt.Sprintf("there are %d records, not %d", records, y.records))
	}
	if whole != records {
		found = append(found, fmt.Sprintf("%d records have a field of another length than was written", records-whole))
	}
	return found, nil
}

// letters is a text of so many letters.
func letters(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}
