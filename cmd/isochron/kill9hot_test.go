package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	hotClients = 60 // more than make a row hot
	hotBetween = 90 // payments that are acknowledged before a kill and after it, at least
)

// TestKill9AtAHotRow kills the node that leads a hot row with uncommitted values, several times:
// with one node everything not on its disk is lost, with three the others continue. Every
// acknowledged payment is there once, payments with an unknown outcome may be, and others are not.
// Seen red with votes sent when they are appended (vote-on-append in sim/inject_bug.go):
// acknowledged lines are lost.
func TestKill9AtAHotRow(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes int
		flags []string
		kills int
	}{
		{"txsql, one node", 1, []string{"--protocol", "txsql", "--regions", "r1"}, 3},
		{"2pc+2pl-group, three nodes", 3, []string{"--protocol", "2pc+2pl-group", "--wan", "uniform:4ms:3"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &payers{c: initNodes(t, c.nodes, c.flags...), acked: map[int64]bool{}, unknown: map[int64]bool{}}
			p.run(t, c.kills)
		})
	}
}

// payers are clients that all pay into one account: half of them in one statement, half in
// transactions that write a line into a ledger too.
type payers struct {
	c   *testCluster
	dbs []*sql.DB // by node

	leader int // the node, from 1, at which a chain was seen

	mu                  sync.Mutex
	next                int64
	acked, unknown      map[int64]bool // lines of the ledger
	plain, plainUnknown int            // payments in one statement
	broken              error          // an answer that is no part of a client's life
}

func (p *payers) run(t *testing.T, kills int) {
	t.Helper()
	var ready []<-chan struct{}
	for i := range p.c.nodes {
		ready = append(ready, p.c.start(t, i))
		p.dbs = append(p.dbs, p.c.connect(t, i))
	}
	for i := range p.c.nodes {
		p.c.await(t, i, ready[i])
	}
	for _, stmt := range []string{
		"CREATE DATABASE d", "CREATE TABLE d.account (id INT PRIMARY KEY, v BIGINT NOT NULL)",
		"CREATE TABLE d.ledger (id BIGINT PRIMARY KEY)", "INSERT INTO d.account VALUES (1, 0)",
	} {
		mustExec(t, p.dbs[0], stmt)
	}
	working, over := context.WithCancel(context.Background())
	defer over()
	var all sync.WaitGroup
	for i := range hotClients {
		all.Go(func() { p.client(working, p.dbs[i%len(p.dbs)], i < hotClients/2) })
	}
	for range kills {
		p.await(t, fmt.Sprintf("%d payments more", hotBetween), p.more())
		p.await(t, "a chain on the row", p.chained)
		p.kill(t)
	}
	p.await(t, fmt.Sprintf("%d payments more", hotBetween), p.more())
	over()
	all.Wait()
	p.check(t, kills)
	p.c.end(t)
}

// await waits for a condition, for as long as a node may take to start.
func (p *payers) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(startTimeout); !holds(); time.Sleep(10 * time.Millisecond) {
		p.mu.Lock()
		broken := p.broken
		p.mu.Unlock()
		if broken != nil {
			t.Fatalf("a client got %v", broken)
		}
		if time.Now().After(end) {
			t.Fatalf("no %s in %v", what, startTimeout)
		}
	}
}

// paid returns the number of acknowledged payments.
func (p *payers) paid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.plain + len(p.acked)
}

func (p *payers) more() func() bool {
	before := p.paid()
	return func() bool { return p.paid() >= before+hotBetween }
}

// chained asks whether uncommitted values stand on the row, and at which node.
func (p *payers) chained() bool {
	return p.dbs[0].QueryRow("SELECT node FROM isochron.hot_rows WHERE table_schema = 'd' AND row_key = 'id=1' AND group_size > 1").Scan(&p.leader) == nil
}

// kill ends the node that leads the row, and starts it again. Where others go on they have
// done so before.
func (p *payers) kill(t *testing.T) {
	t.Helper()
	n := p.leader - 1
	if err := p.c.nodes[n].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := p.c.nodes[n].wait(); err == nil {
		t.Error("a killed node ended well")
	}
	t.Logf("node %d is killed after %d payments", p.leader, p.paid())
	if len(p.c.nodes) > 1 {
		p.await(t, "payments without the node", p.more())
	}
	p.c.await(t, n, p.c.start(t, n))
}

// client pays until it is over, on a connection of its own, and on another one when that breaks.
func (p *payers) client(working context.Context, db *sql.DB, ledger bool) {
	for working.Err() == nil {
		conn, err := db.Conn(working)
		if err != nil {
			time.Sleep(20 * time.Millisecond) // the node is not there
			continue
		}
		for err == nil && working.Err() == nil {
			if ledger {
				err = p.payWithLine(conn)
			} else {
				err = p.pay(conn)
			}
		}
		conn.Close()
	}
}

// ended is the outcome of a payment.
type ended int

const (
	isDone ended = iota
	isRolledBack
	isUnknown
)

// ending returns what a client may conclude. A connection that breaks during COMMIT leaves the
// outcome unknown. The error is nil if the connection can be used again.
func (p *payers) ending(err error, asked bool) (ended, error) {
	var my *mysql.MySQLError
	switch {
	case err == nil:
		return isDone, nil
	case !errors.As(err, &my) && asked:
		return isUnknown, err
	case !errors.As(err, &my):
		return isRolledBack, err
	}
	switch my.Number {
	case 1213, 1205, 1158:
		return isRolledBack, nil
	case 1180:
		return isUnknown, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = err
	return isUnknown, err
}

func (p *payers) pay(conn *sql.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	_, err := conn.ExecContext(ctx, "UPDATE d.account SET v = v + 1 WHERE id = 1")
	how, err := p.ending(err, true)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch how {
	case isDone:
		p.plain++
	case isUnknown:
		p.plainUnknown++
	}
	return err
}

// payWithLine sends a statement at a time, as applications do.
func (p *payers) payWithLine(conn *sql.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	p.mu.Lock()
	p.next++
	id := p.next
	p.mu.Unlock()
	for _, stmt := range []string{
		"BEGIN", "SELECT v FROM d.account WHERE id = 1 FOR UPDATE", "UPDATE d.account SET v = v + 1 WHERE id = 1",
		fmt.Sprintf("INSERT INTO d.ledger VALUES (%d)", id),
	} {
		if _, err := conn.ExecContext(ctx, stmt); err != nil {
			if _, err = p.ending(err, false); err == nil {
				_, err = conn.ExecContext(ctx, "ROLLBACK")
			}
			return err
		}
	}
	_, err := conn.ExecContext(ctx, "COMMIT")
	how, err := p.ending(err, true)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch how {
	case isDone:
		p.acked[id] = true
	case isUnknown:
		p.unknown[id] = true
	}
	return err
}

// check compares the account and the ledger with the answers, at every node.
func (p *payers) check(t *testing.T, kills int) {
	t.Helper()
	t.Logf("%d payments in one statement and %d with a line are acknowledged; %d and %d have an unknown outcome", p.plain, len(p.acked), p.plainUnknown, len(p.unknown))
	if open := p.plainUnknown + len(p.unknown); len(p.dbs) == 1 && open > hotClients*kills {
		t.Errorf("%d payments have an unknown end, and a kill can do that to %d", open, hotClients)
	}
	for i, db := range p.dbs {
		var v, lines int
		if err := db.QueryRow("SELECT v FROM d.account").Scan(&v); err != nil {
			t.Fatal(err)
		}
		rows, err := db.Query("SELECT id FROM d.ledger")
		if err != nil {
			t.Fatal(err)
		}
		missing := len(p.acked)
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				t.Fatal(err)
			}
			lines++
			switch {
			case p.acked[id]:
				missing--
			case !p.unknown[id]:
				t.Errorf("node %d: line %d is in the ledger, and its payment was not committed", i+1, id)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
		if missing > 0 {
			t.Errorf("node %d: %d lines are lost that were acknowledged", i+1, missing)
		}
		if plain := v - lines; plain < p.plain || plain > p.plain+p.plainUnknown {
			t.Errorf("node %d: the account has %d, of which %d have a line; %d without one were acknowledged, %d more may be there", i+1, v, lines, p.plain, p.plainUnknown)
		}
	}
}
