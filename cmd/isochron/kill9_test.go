package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/protocol"
	"isochron/test/hours"
)

// The bank of TestKill9: accounts and the ledger of moves.
const (
	bankRegions   = 5
	bankAccounts  = 8 // in each region
	bankFirst     = int64(1000)
	bankClients   = 2 // at each region's port
	bankLoadAtMin = 2 * time.Second
)

var bankRegionNames = []string{"va", "wa", "pr", "nsw", "sg"}

// TestKill9 kills the demo under load, repeatedly, and starts it on the same data: every transfer
// whose COMMIT was answered must be in the ledger, and every account must have the ledger's
// balance. The demo itself adds up its shop at each start.
func TestKill9(t *testing.T) {
	for _, name := range []string{protocol.Default, "d2pc+occ", "bonspiel"} {
		t.Run(name, func(t *testing.T) {
			if name != protocol.Default {
				hours.Only(t)
			}
			testKill9(t, name)
		})
	}
}

// TestKill9Switch starts it with another protocol each time.
func TestKill9Switch(t *testing.T) { testKill9(t, "2pc+2pl-home", "d2pc+2pl-home", "txsql") }

func testKill9(t *testing.T, protocols ...string) {
	dir := t.TempDir()
	bank := &bank{acknowledged: map[int64]bool{}}
	for round := 0; ; round++ {
		p := startDemo(t, bankRegions, "--data", dir, "--protocol", protocols[round%len(protocols)],
			"--wan-scale", "0.05", "--port", "0", "--clients", "2")
		bank.connect(t, p)
		if round == 0 {
			bank.create(t)
		} else {
			bank.check(t)
		}
		if round == *kills {
			bank.disconnect()
			end(t, p)
			return
		}
		bank.workUntilKilled(t, p)
		t.Logf("kill %d: %d transfers acknowledged so far", round+1, len(bank.acknowledged))
	}
}

// end lets the last demo end well.
func end(t *testing.T, p *process) {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.wait(); err != nil {
		t.Errorf("exit: %v\n%s", err, p.stderr)
	}
}

// bank is the clients' side: the answers they received.
type bank struct {
	dbs  []*sql.DB // by region
	next atomic.Int64

	mu           sync.Mutex
	acknowledged map[int64]bool
	broken       []error // answers that are no part of a client's life
}

func (b *bank) connect(t *testing.T, p *process) {
	t.Helper()
	b.dbs = nil
	for _, port := range p.ports {
		cfg := mysql.NewConfig()
		cfg.User, cfg.Net, cfg.Addr = "root", "tcp", fmt.Sprintf("127.0.0.1:%d", port)
		cfg.DBName, cfg.InterpolateParams, cfg.Logger = "shop", true, &mysql.NopLogger{}
		c, err := mysql.NewConnector(cfg)
		if err != nil {
			t.Fatal(err)
		}
		b.dbs = append(b.dbs, sql.OpenDB(c))
	}
}

func (b *bank) disconnect() {
	for _, db := range b.dbs {
		_ = db.Close()
	}
}

func (b *bank) create(t *testing.T) {
	t.Helper()
	const home = `COMMENT='isochron: {"spread":"region","column":"region"}'`
	for _, stmt := range []string{
		`CREATE TABLE accounts (region VARCHAR(8), id BIGINT, balance BIGINT NOT NULL, PRIMARY KEY (region, id)) ` + home,
		`CREATE TABLE ledger (region VARCHAR(8), id BIGINT, from_id BIGINT NOT NULL, to_region VARCHAR(8) NOT NULL,
			to_id BIGINT NOT NULL, amount BIGINT NOT NULL, PRIMARY KEY (region, id)) ` + home,
	} {
		b.exec(t, stmt)
	}
	for _, r := range bankRegionNames {
		for id := range bankAccounts {
			b.exec(t, fmt.Sprintf("INSERT INTO accounts (region, id, balance) VALUES ('%s', %d, %d)", r, id, bankFirst))
		}
	}
}

func (b *bank) exec(t *testing.T, stmt string) {
	t.Helper()
	if _, err := b.dbs[0].Exec(stmt); err != nil {
		t.Fatalf("%s: %v", stmt, err)
	}
}

// workUntilKilled runs the clients, kills the demo in their midst, and waits for them to notice.
func (b *bank) workUntilKilled(t *testing.T, p *process) {
	t.Helper()
	var wg sync.WaitGroup
	for region := range b.dbs {
		for range bankClients {
			wg.Go(func() { b.client(region) })
		}
	}
	time.Sleep(bankLoadAtMin + rand.N(2*time.Second))
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := p.wait(); err == nil {
		t.Error("a killed demo ended well")
	}
	wg.Wait()
	b.disconnect()
	if len(b.broken) > 0 {
		t.Fatalf("a client got %v", b.broken[0])
	}
}

// client transfers until the connection breaks.
func (b *bank) client(region int) {
	for {
		id := b.next.Add(1)
		err := b.transfer(region, id)
		var my *mysql.MySQLError
		switch {
		case err == nil:
			b.mu.Lock()
			b.acknowledged[id] = true
			b.mu.Unlock()
		case !errors.As(err, &my):
			return // the demo is gone; the outcome of this one is unknown
		case my.Number != 1213 && my.Number != 1205 && my.Number != 1180:
			b.mu.Lock()
			b.broken = append(b.broken, err)
			b.mu.Unlock()
			return
		}
	}
}

func (b *bank) transfer(region int, id int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tx, err := b.dbs[region].BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	from, to := rand.IntN(bankAccounts), rand.IntN(bankAccounts)
	here, there := bankRegionNames[region], bankRegionNames[rand.IntN(bankRegions)]
	amount := 1 + rand.IntN(20)
	for _, stmt := range []string{
		fmt.Sprintf("UPDATE accounts SET balance = balance - %d WHERE region = '%s' AND id = %d", amount, here, from),
		fmt.Sprintf("UPDATE accounts SET balance = balance + %d WHERE region = '%s' AND id = %d", amount, there, to),
		fmt.Sprintf("INSERT INTO ledger (region, id, from_id, to_region, to_id, amount) VALUES ('%s', %d, %d, '%s', %d, %d)",
			here, id, from, there, to, amount),
	} {
		if _, err := tx.ExecContext(ctx, stmt); err != nil {
			_ = tx.Rollback()
			return err
		}
	}
	return tx.Commit()
}

type account struct {
	region string
	id     int64
}

// check compares the ledger with the acknowledged transfers, and the accounts with the ledger.
func (b *bank) check(t *testing.T) {
	t.Helper()
	want := map[account]int64{}
	for _, r := range bankRegionNames {
		for id := range int64(bankAccounts) {
			want[account{r, id}] = bankFirst
		}
	}
	found := b.readLedger(t, want)
	for id := range b.acknowledged {
		if !found[id] {
			t.Errorf("transfer %d was acknowledged and is lost", id)
		}
	}
	for a, balance := range b.readAccounts(t) {
		if want[a] != balance {
			t.Errorf("account %v holds %d; by the ledger it should hold %d", a, balance, want[a])
		}
	}
	t.Logf("%d transfers in the ledger, %d acknowledged", len(found), len(b.acknowledged))
}

// readLedger applies the ledger to the balances and returns the transfers in it.
func (b *bank) readLedger(t *testing.T, balances map[account]int64) map[int64]bool {
	t.Helper()
	rows, err := b.dbs[1].Query("SELECT region, id, from_id, to_region, to_id, amount FROM ledger")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[int64]bool{}
	for rows.Next() {
		var from, to account
		var id, amount int64
		if err := rows.Scan(&from.region, &id, &from.id, &to.region, &to.id, &amount); err != nil {
			t.Fatal(err)
		}
		found[id] = true
		balances[from] -= amount
		balances[to] += amount
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

func (b *bank) readAccounts(t *testing.T) map[account]int64 {
	t.Helper()
	rows, err := b.dbs[2].Query("SELECT region, id, balance FROM accounts")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[account]int64{}
	for rows.Next() {
		var a account
		var balance int64
		if err := rows.Scan(&a.region, &a.id, &balance); err != nil {
			t.Fatal(err)
		}
		out[a] = balance
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) != bankRegions*bankAccounts {
		t.Errorf("%d accounts; there should be %d", len(out), bankRegions*bankAccounts)
	}
	return out
}
