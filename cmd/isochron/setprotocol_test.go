package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/protocol"
)

// try runs a command and returns its exit code and its output.
func try(args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	code = run(context.Background(), args, &o, &e)
	return code, o.String(), e.String()
}

func TestSetProtocolRefuses(t *testing.T) {
	c := initCluster(t)
	config := c.about.Nodes[0].Config
	for _, bad := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"set-protocol", "--config", config}, exitUsage, "name one protocol"},
		{[]string{"set-protocol", "a", "b", "--config", config}, exitUsage, "name one protocol"},
		{[]string{"set-protocol", "pigeon", "--config", config}, exitUsage, `there is no protocol "pigeon"; choose one of: `},
		{[]string{"set-protocol", "tapir", "--config", config}, exitUsage, "the protocol tapir runs in simulations only"},
		{[]string{"set-protocol", "txsql"}, exitUsage, "--config is missing"},
		{[]string{"set-protocol", "txsql", "--config", config, "--drain", "-1s"}, exitUsage, "--drain -1s"},
		{[]string{"set-protocol", "txsql", "--config", config, "--timeout", "2s"}, exitFailed, "no node of the cluster answers"},
	} {
		code, out, errs := try(bad.args...)
		if code != bad.code || out != "" || !strings.Contains(errs, bad.text) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit %d, %q, %q", bad.args, code, out, errs)
		}
	}
}

// transfers are clients that move money between rows of two shards, and record each move; they know
// the acknowledged ones.
type transfers struct {
	next   atomic.Int64
	mu     sync.Mutex
	acked  map[int64]bool
	broken error
}

const (
	transferRows  = 20
	transferFirst = 100
)

func (b *transfers) create(t *testing.T, db *sql.DB) {
	t.Helper()
	mustExec(t, db, "CREATE DATABASE d")
	mustExec(t, db, `CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL)`)
	mustExec(t, db, `CREATE TABLE d.ledger (id BIGINT PRIMARY KEY, a INT NOT NULL, b INT NOT NULL, amount INT NOT NULL) COMMENT='isochron: {"leader":"r2"}'`)
	for id := range transferRows {
		mustExec(t, db, fmt.Sprintf("INSERT INTO d.t VALUES (%d, %d)", id, transferFirst))
	}
}

// client transfers until it is stopped. A lost node is expected, and so is a rollback; another
// error of SQL is not.
func (b *transfers) client(db *sql.DB, stop <-chan struct{}, transfer func(*sql.DB, int64) error) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		id := b.next.Add(1)
		err := transfer(db, id)
		var my *mysql.MySQLError
		switch {
		case err == nil:
			b.mu.Lock()
			b.acked[id] = true
			b.mu.Unlock()
		case errors.As(err, &my) && my.Number != 1213 && my.Number != 1205 && my.Number != 1180 && my.Number != 1053:
			b.mu.Lock()
			b.broken = err
			b.mu.Unlock()
		case !errors.As(err, &my):
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// statements move money between two rows, and write it down.
func statements(id int64) []string {
	from, to, amount := rand.IntN(transferRows), rand.IntN(transferRows), 1+rand.IntN(20)
	return []string{
		fmt.Sprintf("UPDATE d.t SET v = v - %d WHERE id = %d", amount, from),
		fmt.Sprintf("UPDATE d.t SET v = v + %d WHERE id = %d", amount, to),
		fmt.Sprintf("INSERT INTO d.ledger VALUES (%d, %d, %d, %d)", id, from, to, amount),
	}
}

// oneByOne sends them by themselves.
func oneByOne(db *sql.DB, id int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, stmt := range statements(id) {
		if _, err := tx.ExecContext(ctx, stmt); err != nil {
			_ = tx.Rollback()
			return err
		}
	}
	return tx.Commit()
}

// inOnePacket sends them together, so that they are declared where the row declares.
func inOnePacket(db *sql.DB, id int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.ExecContext(ctx, "BEGIN; "+strings.Join(statements(id), "; ")+"; COMMIT")
	if err != nil { // open transactions end with their connection
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	return err
}

// check compares the rows with the ledger, and the ledger with the answers.
func (b *transfers) check(t *testing.T, db *sql.DB) {
	t.Helper()
	if b.broken != nil {
		t.Errorf("a client got: %v", b.broken)
	}
	var balances [transferRows]int
	found := map[int64]bool{}
	scan := func(query string, each func(*sql.Rows) error) {
		rows, err := db.Query(query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := each(rows); err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	scan("SELECT id, a, b, amount FROM d.ledger", func(r *sql.Rows) error {
		var id int64
		var from, to, amount int
		err := r.Scan(&id, &from, &to, &amount)
		found[id] = true
		balances[from] -= amount
		balances[to] += amount
		return err
	})
	scan("SELECT id, v FROM d.t", func(r *sql.Rows) error {
		var id, v int
		err := r.Scan(&id, &v)
		if v != transferFirst+balances[id] {
			t.Errorf("row %d holds %d; by the ledger it should hold %d", id, v, transferFirst+balances[id])
		}
		return err
	})
	for id := range b.acked {
		if !found[id] {
			t.Errorf("transfer %d was acknowledged and is lost", id)
		}
	}
	t.Logf("%d transfers in the ledger, %d acknowledged", len(found), len(b.acked))
}

// TestSetProtocol: clients work while the cluster switches from protocol to protocol, and while
// nodes are killed with -9 during a switch. At the end all acknowledged moves are there, and the
// cluster uses the protocol of the last command.
func TestSetProtocol(t *testing.T) {
	c := initCluster(t)
	for i, ready := range []<-chan struct{}{c.start(t, 0), c.start(t, 1), c.start(t, 2)} {
		c.await(t, i, ready)
	}
	b := &transfers{acked: map[int64]bool{}}
	b.create(t, c.connect(t, 0))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range c.nodes {
		db, packets := c.connect(t, i), c.connectWith(t, i, func(cfg *mysql.Config) { cfg.MultiStatements = true })
		for range 2 {
			wg.Go(func() { b.client(db, stop, oneByOne) })
			wg.Go(func() { b.client(packets, stop, inOnePacket) })
		}
	}
	config := c.about.Nodes[0].Config
	if code, out, errs := try("set-protocol", "d2pc+2pl-home", "--config", config); code != exitOK || !strings.HasSuffix(out, "transactions commit by d2pc+2pl-home from now on, at every node\n") {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	if code, out, _ := try("set-protocol", "d2pc+2pl-home", "--config", config, "--json"); code != exitOK || out != `{"protocol":"d2pc+2pl-home","change":1,"changed":false}`+"\n" {
		t.Errorf("again: exit %d, %s", code, out)
	}
	if status := order(t, "status", "--config", config); !strings.Contains(status, "protocol d2pc+2pl-home: 3 of 3 nodes up") {
		t.Errorf("status prints\n%s", status)
	}
	for round, name := range []string{"txsql", "natto-recsf", "2pc+2pl-group", "d2pc+occ"} {
		c.killDuringSwitch(t, round%3, name)
	}
	order(t, "set-protocol", "natto-recsf", "--config", config)
	idle, err := c.connect(t, 2).Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := idle.Exec("INSERT INTO d.ledger VALUES (-1, 0, 0, 0)"); err != nil {
		t.Fatal(err)
	}
	var answered switched
	out := order(t, "set-protocol", "2pc+2pl-home", "--config", config, "--drain", "300ms", "--json")
	if err := json.Unmarshal([]byte(out), &answered); err != nil || answered.Protocol != "2pc+2pl-home" || !answered.Changed {
		t.Errorf("%v: %s", err, out)
	}
	var my *mysql.MySQLError
	if err := idle.Commit(); !errors.As(err, &my) || my.Number != 1213 || !strings.Contains(my.Message, "protocol") {
		t.Errorf("the idle transaction: %v", err)
	}
	close(stop)
	wg.Wait()
	b.check(t, c.connect(t, 1))
}

// killDuringSwitch kills one node, another each round, shortly after a switch was requested, and
// starts it again. The switch succeeds or is cancelled, and the cluster uses one protocol.
func (c *testCluster) killDuringSwitch(t *testing.T, victim int, name string) {
	t.Helper()
	config := c.about.Nodes[(victim+1)%3].Config
	ordered := make(chan struct{})
	go func() {
		defer close(ordered)
		code, out, errs := try("set-protocol", name, "--config", config, "--drain", "1s", "--timeout", "1m")
		t.Logf("to %s, node %d killed: exit %d, %s%s", name, victim+1, code, out, errs)
	}()
	time.Sleep(rand.N(600 * time.Millisecond))
	if err := c.nodes[victim].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.nodes[victim].wait()
	time.Sleep(rand.N(2 * time.Second))
	ready := c.start(t, victim)
	<-ordered
	c.await(t, victim, ready)
	var s clusterStatus
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		s = clusterStatus{}
		if err := json.Unmarshal([]byte(order(t, "status", "--config", config, "--json")), &s); err != nil {
			t.Fatal(err)
		}
		one := s.Change != nil && !s.Change.Under()
		for _, n := range s.Nodes {
			one = one && n.Report != nil && n.Report.Protocol == s.Protocol
		}
		if one {
			return
		}
	}
	t.Fatalf("the nodes do not come to run one protocol: %+v", s)
}

// A node that is down is named, before anybody waits, and the operator may go over
// without it.
func TestSetProtocolWithANodeDown(t *testing.T) {
	c := initCluster(t)
	for i, ready := range []<-chan struct{}{c.start(t, 0), c.start(t, 1)} {
		c.await(t, i, ready)
	}
	config := c.about.Nodes[1].Config
	code, out, errs := try("set-protocol", "txsql", "--config", config)
	if code != exitFailed || out != "" || !strings.Contains(errs, "node 3 in r3 does not answer: the protocol stays "+protocol.Default) || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	order(t, "set-protocol", "txsql", "--config", config, "--allow-unreachable-nodes")
	c.await(t, 2, c.start(t, 2))
	for end := time.Now().Add(startTimeout); ; time.Sleep(50 * time.Millisecond) {
		var s clusterStatus
		if err := json.Unmarshal([]byte(order(t, "status", "--config", config, "--json")), &s); err != nil {
			t.Fatal(err)
		}
		if r := s.Nodes[2].Report; r != nil && r.Protocol == "txsql" {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the node that was down does not follow")
		}
	}
	mustExec(t, c.connect(t, 2), "CREATE DATABASE d")
	mustExec(t, c.connect(t, 2), "CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL)")
	mustExec(t, c.connect(t, 0), "INSERT INTO d.t VALUES (1, 1)")
	if rows, _ := sum(t, c.connect(t, 1)); rows != 1 {
		t.Errorf("%d rows", rows)
	}
}
