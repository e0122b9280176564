package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/go-sql-driver/mysql"
)

// tried is the result of one hostile statement.
type tried struct {
	Name    string         `json:"name"`
	Times   int            `json:"times"`
	OK      int            `json:"ok"`
	Codes   map[uint16]int `json:"codes"` // MySQL errors
	Left    int            `json:"left"`  // the client had waited enough and hung up
	Cut     int            `json:"cut"`   // the node closed the connection
	Longest float64        `json:"longest_s"`
}

// attack is the attackers' side.
type attack struct {
	b      *bench
	list   []hostile
	report *report

	mu    sync.Mutex
	tried map[string]*tried
	cut   []string // connections that the node should not have closed
}

// How long attackers wait for an answer before they hang up, at least and at most.
const (
	leaveLeast = 2 * time.Second
	leaveMost  = 20 * time.Second
)

// statements runs ordinary clients alone, and beside the attack, and judges.
func (b *bench) statements(ctx context.Context) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go b.watch(watching)
	b.log("ordinary clients alone, for %v", b.report.phase)
	quiet, cancel := context.WithTimeout(ctx, b.report.phase)
	b.report.Idle = b.ordinarily(quiet)
	cancel()
	b.log("and now beside the attack, for %v", b.report.phase)
	a := &attack{b: b, list: hostiles(), report: b.report, tried: map[string]*tried{}}
	loud, cancel := context.WithTimeout(ctx, b.report.phase)
	defer cancel()
	go b.mourn(loud, cancel)
	var wg sync.WaitGroup
	for i := range b.attackers {
		wg.Go(func() { a.attacker(loud, i) })
	}
	wg.Go(func() { a.knocker(loud) })
	wg.Go(func() { a.progress(loud) })
	b.report.Ordinary = b.ordinarily(loud)
	wg.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	b.judge(ctx, a)
	return nil
}

// mourn ends the attack when its node has ended.
func (b *bench) mourn(ctx context.Context, cancel func()) {
	for ctx.Err() == nil && b.cluster.Nodes[0].Strayed() == nil {
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	cancel()
}

// attacker runs statements drawn at random, on a connection that is renewed when it is gone.
func (a *attack) attacker(ctx context.Context, number int) {
	rng := rand.New(rand.NewPCG(a.b.seed, 1000+uint64(number)))
	user := []string{unprivilegedUser, grantedUser}[number%2]
	pool := a.b.open(0, user, password)
	defer pool.Close()
	var conn *sql.Conn
	for ctx.Err() == nil {
		h := a.list[rng.IntN(len(a.list))]
		if h.needs && user != grantedUser {
			continue
		}
		if conn == nil {
			login, cancel := context.WithTimeout(ctx, leaveMost)
			c, err := pool.Conn(login)
			if err == nil {
				_, err = c.ExecContext(login, prelude)
			}
			if err == nil && user == grantedUser {
				_, err = c.ExecContext(login, "USE lair") // without it a recursion is refused for its name
			}
			cancel()
			if err != nil {
				if c != nil {
					discard(c)
				}
				time.Sleep(50 * time.Millisecond)
				continue
			}
			conn = c
		}
		wait := leaveLeast + time.Duration(rng.Int64N(int64(leaveMost-leaveLeast)))
		if !a.try(ctx, conn, h, wait) {
			discard(conn)
			conn = nil
		}
	}
	if conn != nil {
		_ = conn.Close()
	}
}

// discard closes a connection, instead of giving it back to its pool.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = conn.Close()
}

// try runs a statement; false: the connection is gone.
func (a *attack) try(ctx context.Context, conn *sql.Conn, h hostile, wait time.Duration) bool {
	limit, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	begun := time.Now()
	var err error
	if h.prepared {
		var p *sql.Stmt
		if p, err = conn.PrepareContext(limit, h.text); err == nil {
			_ = p.Close()
		}
	} else {
		_, err = conn.ExecContext(limit, h.text)
	}
	if ctx.Err() != nil {
		return false // the attack is over
	}
	took := time.Since(begun).Seconds()
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tried[h.name]
	if t == nil {
		t = &tried{Name: h.name, Codes: map[uint16]int{}}
		a.tried[h.name] = t
	}
	t.Times++
	t.Longest = max(t.Longest, took)
	var my *mysql.MySQLError
	switch {
	case err == nil:
		t.OK++
		if h.refused {
			a.report.broken("%q was not refused", h.name)
		}
	case errors.As(err, &my):
		t.Codes[my.Number]++
		for _, trace := range []string{"goroutine ", ".go:", "runtime error"} {
			if strings.Contains(my.Message, trace) {
				a.report.broken("%q shows a trace: %.200s", h.name, my.Message)
			}
		}
	case limit.Err() != nil:
		t.Left++
		return false
	default:
		t.Cut++
		if !h.mayCut {
			a.cut = append(a.cut, fmt.Sprintf("%q lost its connection: %.200v", h.name, err))
		}
		return false
	}
	return err == nil || !h.mayCut // or it is closed behind its error
}

// knocker connects and goes, in the midst of a login or before.
func (a *attack) knocker(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		if knock(a.b.cluster.Nodes[0].SQL, i) == nil {
			atomic.AddInt64(&a.report.Knocks, 1)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// knock connects and disconnects: immediately, after the greeting, or within the login.
func knock(address string, way int) error {
	c, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	if way%3 == 0 {
		return nil
	}
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	header := make([]byte, 4)
	if _, err := io.ReadFull(c, header); err != nil {
		return err
	}
	if way%3 == 2 {
		_, err = c.Write([]byte{200, 0, 0, 1, 0x05, 0xa2, 0x28, 0x00, 0, 0, 0, 1, 45}) // the beginning of an answer
	}
	return err
}

// progress prints the progress.
func (a *attack) progress(ctx context.Context) {
	for tick := time.NewTicker(15 * time.Second); ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			tick.Stop()
			return
		}
		now, _ := resident(a.b.cluster.Nodes[0].PID())
		a.mu.Lock()
		n := 0
		for _, t := range a.tried {
			n += t.Times
		}
		a.mu.Unlock()
		a.b.log("  %d hostile statements, %d knocks, %d MB resident", n, atomic.LoadInt64(&a.report.Knocks), now>>20)
	}
}

// loginMax bounds a login afterwards; bookWait bounds the last check.
const (
	loginMax = time.Second
	bookWait = time.Minute
)

// judge looks whether the node kept its promises.
func (b *bench) judge(ctx context.Context, a *attack) {
	r := b.report
	for _, t := range a.tried {
		r.Statements = append(r.Statements, t)
	}
	slices.SortFunc(r.Statements, func(x, y *tried) int { return strings.Compare(x.Name, y.Name) })
	err := b.cluster.Nodes[0].Strayed()
	r.Alive = err == nil
	if err != nil {
		r.broken("%v", err) // the rest follows from it
		return
	}
	r.Broken = append(r.Broken, a.cut...)
	for what, o := range map[string]*ordinary{"alone": r.Idle, "beside the attack": r.Ordinary} {
		if o.Failed > 0 {
			r.broken("ordinary clients %s: %d statements failed, %d connections were lost: %s", what, o.Failed, o.Cut, strings.Join(o.Said, "; "))
		}
	}
	if r.PeakMB > float64(r.MemoryMB) {
		r.broken("the resident set came to %.0f MB", r.PeakMB)
	}
	if took, err := b.login(ctx, "root", b.cluster.Password); err != nil || took > loginMax {
		r.broken("afterwards a login of root takes %v (%v)", took, err)
	}
	limit, cancel := context.WithTimeout(ctx, bookWait)
	defer cancel()
	var sum int64
	added, maybe := r.Idle.added+r.Ordinary.added, r.Idle.maybe+r.Ordinary.maybe
	if err := b.root.QueryRowContext(limit, "SELECT CAST(SUM(v) AS SIGNED) FROM plain.t").Scan(&sum); err != nil || sum < added || sum > added+maybe {
		r.broken("the rows add up to %d, and %d were acknowledged, %d perhaps (%v)", sum, added, maybe, err)
	}
}

// printStatements prints what ordinary clients met, and the attackers.
func (r *report) printStatements(out io.Writer) {
	if r.Ordinary == nil {
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\nordinary clients, %.0f s each\tdone\tp50 ms\tp99\tlongest\tfailed\tconnections lost\t\n", r.Seconds)
	for _, part := range []struct {
		name string
		o    *ordinary
	}{{"alone", r.Idle}, {"beside", r.Ordinary}} {
		for _, k := range ordinaryKinds {
			fmt.Fprintf(w, "%s, %s\t%d\t%.1f\t%.1f\t%.1f\t%d\t%d\t\n", part.name, k, part.o.Done[k], part.o.P50[k], part.o.P99[k], part.o.Max[k], part.o.Failed, part.o.Cut)
		}
	}
	_ = w.Flush() // a failed write does not change the verdict
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\nhostile statement\ttimes\tdone\tleft\tcut off\tlongest s\terrors\t\n")
	all := 0
	for _, t := range r.Statements {
		all += t.Times
		fmt.Fprintf(w, "%.40s\t%d\t%d\t%d\t%d\t%.1f\t%s\t\n", t.Name, t.Times, t.OK, t.Left, t.Cut, t.Longest, strings.TrimPrefix(fmt.Sprint(t.Codes), "map"))
	}
	_ = w.Flush()
	fmt.Fprintf(out, "%d hostile statements, %d connections without a login\n", all, r.Knocks)
}
