package test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	// stepTimeout is the time the play waits for a step before it considers the step blocked and
	// continues with another transaction.
	stepTimeout = 120 * time.Millisecond
	// endless is when a play that has not ended is stuck.
	endless = 3 * time.Minute
)

// actor is one client with its transaction.
type actor struct {
	name   string
	conn   *sql.Conn
	script script
	layout layout
	next   int
	saw    played
	over   bool
	todo   chan struct{} // a token a step
	did    chan struct{}
	log    func(format string, args ...any)
	fail   func(format string, args ...any)
}

// play runs the scripts in the order given: each entry is the number of the
// transaction that takes its next step, the last step being its end. Steps that
// block are left pending; steps that are not in the order are taken at the end.
func (s *stage) play(start state, scripts []script, order []int) (saw []played, left state, story string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	defer cancel()
	s.reset(ctx, start)

	var mu sync.Mutex
	var answered strings.Builder
	log := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&answered, format+"\n", args...)
	}
	actors := make([]*actor, len(scripts))
	var ended sync.WaitGroup
	for i, sc := range scripts {
		a := &actor{
			name: fmt.Sprintf("t%d", i+1), conn: s.conn(ctx, i), script: sc, layout: s.layout,
			todo: make(chan struct{}, sc.steps()), did: make(chan struct{}, sc.steps()),
			log: log, fail: s.t.Errorf,
		}
		actors[i] = a
		ended.Go(func() { a.act(ctx) })
	}
	for _, i := range order {
		actors[i].todo <- struct{}{}
		select {
		case <-actors[i].did:
		case <-time.After(stepTimeout):
			log("%s waits", actors[i].name)
		}
		time.Sleep(s.pause)
	}
	for i, a := range actors {
		for range a.script.steps() - count(order, i) {
			a.todo <- struct{}{}
		}
	}
	ended.Wait()
	for _, a := range actors {
		saw = append(saw, a.saw)
		a.conn.Close()
	}
	return saw, s.read(), answered.String()
}

func count(order []int, i int) (n int) {
	for _, j := range order {
		if i == j {
			n++
		}
	}
	return n
}

// act takes the actor's steps as they are called for.
func (a *actor) act(ctx context.Context) {
	for range a.script.steps() {
		<-a.todo
		if !a.over {
			a.step(ctx)
		}
		a.did <- struct{}{}
	}
}

func (a *actor) step(ctx context.Context) {
	if a.next == 0 {
		a.saw.begun = time.Now()
		if _, err := a.conn.ExecContext(ctx, "BEGIN"); err != nil {
			a.lose(ctx, "BEGIN", err)
			return
		}
	}
	i := a.next
	a.next++
	if i == len(a.script.ops) {
		a.end(ctx)
		return
	}
	o := a.script.ops[i]
	text := o.sql(a.layout, a.saw.read)
	if text == "" {
		a.log("%s does nothing", a.name)
		return
	}
	if o.read == nil {
		if _, err := a.conn.ExecContext(ctx, text); err != nil {
			a.lose(ctx, text, err)
			return
		}
		a.log("%s %s", a.name, text)
		return
	}
	got, err := queryInts(ctx, a.conn, text)
	if err != nil {
		a.lose(ctx, text, err)
		return
	}
	a.saw.read = append(a.saw.read, got)
	a.log("%s %s -> %v", a.name, text, got)
}

func (a *actor) end(ctx context.Context) {
	a.over = true
	if a.script.undo {
		if _, err := a.conn.ExecContext(ctx, "ROLLBACK"); err != nil {
			a.fail("%s: ROLLBACK failed: %v", a.name, err)
		}
		a.log("%s ROLLBACK", a.name)
		return
	}
	if _, err := a.conn.ExecContext(ctx, "COMMIT"); err != nil {
		a.lose(ctx, "COMMIT", err)
		return
	}
	a.saw.end, a.saw.got = committed, time.Now()
	a.log("%s COMMIT", a.name)
}

// lose ends a transaction that was refused something.
func (a *actor) lose(ctx context.Context, text string, err error) {
	a.over = true
	a.saw.reason = fmt.Sprintf("(%s: %v)", text, err)
	a.log("%s %s: %v", a.name, text, err)
	switch number(err) {
	case 1213, 1205:
		if _, err := a.conn.ExecContext(ctx, "ROLLBACK"); err != nil {
			a.fail("%s: ROLLBACK after %s failed: %v", a.name, a.saw.reason, err)
		}
	case 1180:
		a.saw.end = unknown
	default:
		a.saw.end = unknown
		a.fail("%s: %s: an error that is no lost conflict: %v", a.name, text, err)
	}
}

// number is the MySQL error number, 0 if it is none.
func number(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// queryInts reads the first column of every row.
func queryInts(ctx context.Context, c *sql.Conn, text string) ([]int64, error) {
	rows, err := c.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := []int64{}
	for rows.Next() {
		var v int64
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// reset makes the table hold exactly the rows given.
func (s *stage) reset(ctx context.Context, start state) {
	s.t.Helper()
	c := s.conn(ctx, 0)
	defer c.Close()
	must(s.t, ctx, c, "DELETE FROM kv")
	for id, r := range start {
		must(s.t, ctx, c, s.layout.insert(id, r))
	}
}

// read returns what the table holds.
func (s *stage) read() state {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	defer cancel()
	c := s.conn(ctx, 1)
	defer c.Close()
	rows, err := c.QueryContext(ctx, "SELECT id, v, grp FROM kv")
	if err != nil {
		s.t.Fatalf("reading the final rows: %v", err)
	}
	defer rows.Close()
	left := state{}
	for rows.Next() {
		var id int64
		var r row
		if err := rows.Scan(&id, &r.v, &r.grp); err != nil {
			s.t.Fatal(err)
		}
		left[id] = r
	}
	if err := rows.Err(); err != nil {
		s.t.Fatalf("reading the final rows: %v", err)
	}
	return left
}

// must runs a statement that nothing may refuse; outside a transaction a lost
// conflict is tried again.
func must(t *testing.T, ctx context.Context, c *sql.Conn, text string) {
	t.Helper()
	for {
		_, err := c.ExecContext(ctx, text)
		if n := number(err); n == 1213 || n == 1205 {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return
	}
}
