package test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"isochron/history"
)

const (
	// A crowd works for crowdTime once all are connected, and on a slow machine for
	// longer, until it has committed crowdCommits or the time is up.
	crowdTime    = 3 * time.Second
	crowdTimeMax = 20 * time.Second
	crowdCommits = 30
	// crowdCommitsMin is the number of commits even on a slow machine.
	crowdCommitsMin = 5
)

// crowd is clients of every region that work on one database concurrently, and the history of their
// observations.
type crowd struct {
	*stage
	began time.Time
	ids   atomic.Int64

	mu      sync.Mutex
	hist    history.History
	commits int
}

// over reports whether the crowd has worked enough.
func (c *crowd) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ran := time.Since(c.began)
	return ran > crowdTimeMax || ran > crowdTime && c.commits >= crowdCommits
}

func (s *stage) crowd() *crowd { return &crowd{stage: s} }

// run lets n clients work until the time is over. Each call of work is one transaction: it begins
// it, does something and returns its operations; run ends it.
func (c *crowd) run(n int, work func(ctx context.Context, rnd *rand.Rand, tx *sql.Conn) ([]history.Op, error)) {
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	defer cancel()
	var conns []*sql.Conn
	for i := range n {
		conns = append(conns, c.conn(ctx, i))
	}
	c.began = time.Now()
	var all sync.WaitGroup
	for i, conn := range conns {
		all.Go(func() {
			defer func() { conn.Close() }()
			rnd := rand.New(rand.NewPCG(7, uint64(i)))
			for !c.over() {
				if c.transact(ctx, i, rnd, conn, work) == history.Unknown {
					conn.Close()
					conn = c.conn(ctx, i)
				}
			}
		})
	}
	all.Wait()
}

// transact runs one transaction and records it.
func (c *crowd) transact(ctx context.Context, process int, rnd *rand.Rand, conn *sql.Conn,
	work func(context.Context, *rand.Rand, *sql.Conn) ([]history.Op, error)) history.Outcome {
	rec := &history.Record{Process: process, InvokeNanos: time.Since(c.began).Nanoseconds()}
	rec.Outcome, rec.Reason = history.OK, ""
	_, err := conn.ExecContext(ctx, "BEGIN")
	if err == nil {
		rec.Ops, err = work(ctx, rnd, conn)
	}
	if err == nil {
		_, err = conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		rec.Outcome, rec.Reason = c.outcome(ctx, conn, err), err.Error()
	}
	rec.CompleteNanos = time.Since(c.began).Nanoseconds()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hist.Add(rec)
	if rec.Outcome == history.OK {
		c.commits++
	}
	return rec.Outcome
}

// outcome returns what a client may conclude from an error, and ends the transaction.
func (c *crowd) outcome(ctx context.Context, conn *sql.Conn, err error) history.Outcome {
	switch number(err) {
	case 1213, 1205, 1412:
		if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
			c.t.Errorf("ROLLBACK after a lost conflict failed: %v", err)
		}
		return history.Fail
	case 1180:
		return history.Unknown
	}
	c.t.Errorf("an error that is no lost conflict: %v", err)
	return history.Unknown
}

// last records a read of everything when all is quiet.
func (c *crowd) last(work func(ctx context.Context, tx *sql.Conn) ([]history.Op, error)) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	defer cancel()
	conn := c.conn(ctx, 0)
	defer conn.Close()
	invoked := time.Since(c.began).Nanoseconds()
	ops, err := work(ctx, conn)
	if err != nil {
		c.t.Fatalf("the last look failed: %v", err)
	}
	c.hist.Add(&history.Record{
		InvokeNanos: invoked, CompleteNanos: time.Since(c.began).Nanoseconds(),
		Ops: ops, Outcome: history.OK, Final: true,
	})
}

// judge fails the test on the checker's findings, and logs the counts.
func (c *crowd) judge(report *history.Report) {
	c.t.Helper()
	count := map[history.Outcome]int{}
	for _, r := range c.hist.Records {
		count[r.Outcome]++
	}
	c.t.Logf("%d committed, %d lost a conflict, %d unknown", count[history.OK], count[history.Fail], count[history.Unknown])
	for i, v := range report.Violations {
		if i == 10 {
			c.t.Errorf("and %d more", len(report.Violations)-i)
			break
		}
		c.t.Errorf("%v", v)
	}
	if count[history.OK] < crowdCommitsMin {
		c.t.Errorf("only %d transactions committed", count[history.OK])
	}
}

// TestListAppend lets a crowd append to lists in five shards and read them.
func TestListAppend(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		const keys = 8
		s.exec(`CREATE TABLE lists (id INT PRIMARY KEY, v TEXT NOT NULL) COMMENT='isochron: {"spread":"range","split":[[2],[4],[6]]}'`)
		for k := range keys {
			s.exec(fmt.Sprintf("INSERT INTO lists VALUES (%d, '')", k))
		}
		c := s.crowd()
		c.run(10, func(ctx context.Context, rnd *rand.Rand, tx *sql.Conn) ([]history.Op, error) {
			var ops []history.Op
			for range 1 + rnd.IntN(4) {
				op, err := c.touchList(ctx, rnd, tx, rnd.IntN(keys))
				ops = append(ops, op)
				if err != nil {
					return ops, err
				}
			}
			return ops, nil
		})
		c.last(func(ctx context.Context, tx *sql.Conn) (ops []history.Op, err error) {
			for k := range keys {
				list, err := readList(ctx, tx, k)
				if err != nil {
					return nil, err
				}
				ops = append(ops, history.Op{Kind: history.ReadList, Key: strconv.Itoa(k), List: list})
			}
			return ops, nil
		})
		c.judge(history.CheckLists(&c.hist))
	})
}

// touchList appends to a list or reads it.
func (c *crowd) touchList(ctx context.Context, rnd *rand.Rand, tx *sql.Conn, key int) (history.Op, error) {
	if rnd.IntN(2) == 0 {
		op := history.Op{Kind: history.Append, Key: strconv.Itoa(key), Value: c.ids.Add(1)}
		_, err := tx.ExecContext(ctx, "UPDATE lists SET v = CONCAT(v, ',', ?) WHERE id = ?", op.Value, key)
		return op, err
	}
	list, err := readList(ctx, tx, key)
	return history.Op{Kind: history.ReadList, Key: strconv.Itoa(key), List: list}, err
}

func readList(ctx context.Context, tx *sql.Conn, key int) ([]int64, error) {
	var text string
	if err := tx.QueryRowContext(ctx, "SELECT v FROM lists WHERE id = ?", key).Scan(&text); err != nil {
		return nil, err
	}
	var list []int64
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}
		v, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// TestBank lets a crowd transfer money between accounts in every region, with a
// ledger into which every transfer is written.
func TestBank(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		const accounts, opening = 10, 100
		s.exec(`CREATE TABLE accounts (region VARCHAR(8), id INT, balance BIGINT, PRIMARY KEY (region, id))
			COMMENT='isochron: {"spread":"region","column":"region"}'`)
		s.exec(`CREATE TABLE ledger (id BIGINT PRIMARY KEY, amount BIGINT) COMMENT='isochron: {"spread":"hash","shards":3}'`)
		rules := history.BankRules{}
		for i := range accounts {
			s.exec(fmt.Sprintf("INSERT INTO accounts VALUES ('%s', %d, %d)", s.regions[i%len(s.regions)], i, opening))
			rules.Initial = append(rules.Initial, history.Account{Name: strconv.Itoa(i), Amount: opening})
		}
		c := s.crowd()
		c.run(10, func(ctx context.Context, rnd *rand.Rand, tx *sql.Conn) ([]history.Op, error) {
			if rnd.IntN(5) == 0 {
				return readBank(ctx, tx)
			}
			from := rnd.IntN(accounts)
			to := (from + 1 + rnd.IntN(accounts-1)) % accounts
			return c.transfer(ctx, tx, from, to, int64(rnd.IntN(20)))
		})
		c.last(readBank)
		c.judge(history.CheckBank(&c.hist, rules))
	})
}

func (c *crowd) transfer(ctx context.Context, tx *sql.Conn, from, to int, amount int64) ([]history.Op, error) {
	region := func(i int) string { return string(c.regions[i%len(c.regions)]) }
	op := history.Op{Kind: history.Transfer, Value: c.ids.Add(1), Accounts: []history.Account{
		{Name: strconv.Itoa(from), Amount: -amount}, {Name: strconv.Itoa(to), Amount: amount},
	}}
	ops := []history.Op{op}
	var have int64
	err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE region = ? AND id = ?", region(from), from).Scan(&have)
	if err != nil {
		return ops, err
	}
	for _, change := range []struct {
		text string
		args []any
	}{
		{"UPDATE accounts SET balance = ? WHERE region = ? AND id = ?", []any{have - amount, region(from), from}},
		{"UPDATE accounts SET balance = balance + ? WHERE region = ? AND id = ?", []any{amount, region(to), to}},
		{"INSERT INTO ledger VALUES (?, ?)", []any{op.Value, amount}},
	} {
		if _, err := tx.ExecContext(ctx, change.text, change.args...); err != nil {
			return ops, err
		}
	}
	return ops, nil
}

func readBank(ctx context.Context, tx *sql.Conn) ([]history.Op, error) {
	balances := history.Op{Kind: history.Balances}
	rows, err := tx.QueryContext(ctx, "SELECT id, balance FROM accounts")
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var a history.Account
		if err := rows.Scan(&a.Name, &a.Amount); err != nil {
			return nil, err
		}
		balances.Accounts = append(balances.Accounts, a)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	ids, err := queryInts(ctx, tx, "SELECT id FROM ledger")
	return []history.Op{balances, {Kind: history.Ledger, List: ids}}, err
}

// TestCounter: autocommit increments of one row from everywhere. Acknowledged ones are applied
// exactly once.
func TestCounter(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		const clients, each = 10, 6
		s.exec("INSERT INTO kv VALUES (1, 0, 0)")
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		var done, lost atomic.Int64
		var all sync.WaitGroup
		for i := range clients {
			conn := s.conn(ctx, i)
			all.Go(func() {
				defer conn.Close()
				for range each {
					_, err := conn.ExecContext(ctx, "UPDATE kv SET v = v + 1 WHERE id = 1")
					switch n := number(err); {
					case err == nil:
						done.Add(1)
					case n == 1213 || n == 1205:
						lost.Add(1)
					default:
						t.Errorf("an error that is no lost conflict: %v", err)
						return
					}
				}
			})
		}
		all.Wait()
		t.Logf("%d increments acknowledged, %d given up", done.Load(), lost.Load())
		if got := s.read()[1].v; got != done.Load() {
			t.Errorf("%d increments were acknowledged, the row has %d", done.Load(), got)
		}
	})
}
