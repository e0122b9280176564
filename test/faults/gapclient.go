package faults

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
)

// The time-outs of a client of the gap table: for a login, and for an answer. After a time-out it
// takes another node. Clients at a node that will be lost have short ones; if all had, the time of
// an answer could not be seen.
const (
	gapLoginWait  = time.Second
	gapHastyWait  = 2 * time.Second
	gapAnswerWait = 20 * time.Second
	gapAgain      = 20 * time.Millisecond // after a login that failed
)

// gapRows are the rows that all clients drive.
const gapRows = 5

// gapClients are clients that change rows in one small transaction after another, each
// on a connection of its own, and write down when they committed.
type gapClients struct {
	addresses []string // of SQL, by node
	password  string
	begun     time.Time
	all       []*gapClient
	// shunned are the nodes at fault: a client that looks for another node skips them, as it would
	// behind a load balancer with health checks.
	shunned atomic.Pointer[[]int]
	hasty   atomic.Pointer[[]int] // nodes whose clients are
}

// gapClient is one of them.
type gapClient struct {
	*gapClients
	home int // the node, counted from 0, at which it is when nothing is wrong
	rand *rand.Rand

	homewards atomic.Bool // it has to return to its home node

	mu      sync.Mutex
	commits []time.Duration // since begun, in order
	notes   []gapNote       // what went wrong, the latest
}

// gapNote is something that went wrong for a client.
type gapNote struct {
	at   time.Duration
	node int
	what string
}

// notesMax bounds what a client remembers.
const notesMax = 200

func newGapClients(c *Cluster, each int, seed uint64, begun time.Time) *gapClients {
	g := &gapClients{password: c.Password, begun: begun}
	for _, n := range c.Nodes {
		g.addresses = append(g.addresses, n.SQL)
	}
	for i := range each * len(c.Nodes) {
		g.all = append(g.all, &gapClient{gapClients: g, home: i % len(c.Nodes), rand: rand.New(rand.NewPCG(seed, uint64(i)))})
	}
	return g
}

// drive lets every client work until ctx ends.
func (g *gapClients) drive(ctx context.Context) {
	var wg sync.WaitGroup
	for _, c := range g.all {
		wg.Go(func() { c.drive(ctx) })
	}
	wg.Wait()
}

func (g *gapClients) shun(nodes []int)  { g.shunned.Store(&nodes) }
func (g *gapClients) hurry(nodes []int) { g.hasty.Store(&nodes) }

// among reports whether a node is in a list that may be set.
func among(list *atomic.Pointer[[]int], node int) bool {
	nodes := list.Load()
	return nodes != nil && slices.Contains(*nodes, node)
}

// next is the node that follows, in a circle, and is not at fault.
func (g *gapClients) next(node int) int {
	for range g.addresses {
		node = (node + 1) % len(g.addresses)
		if !among(&g.shunned, node) {
			break
		}
	}
	return node
}

func (c *gapClient) drive(ctx context.Context) {
	for at := c.home; ctx.Err() == nil; {
		s, err := c.login(ctx, at)
		if err == nil {
			err = c.work(ctx, s, at)
			s.close()
		} else {
			time.Sleep(gapAgain)
		}
		if err == nil {
			at = c.home
			continue
		}
		c.note(at, err)
		at = c.next(at)
	}
}

// gapSession is a connection, alone in its pool.
type gapSession struct {
	db   *sql.DB
	conn *sql.Conn
}

func (s *gapSession) close() {
	_ = s.conn.Close() // whatever was open ends with it
	_ = s.db.Close()
}

func (g *gapClients) login(ctx context.Context, node int) (*gapSession, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.Logger = "root", g.password, "tcp", g.addresses[node], &mysql.NopLogger{}
	cfg.Timeout = gapLoginWait
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	limit, cancel := context.WithTimeout(ctx, gapLoginWait)
	defer cancel()
	conn, err := db.Conn(limit)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("login: %w", err), db.Close())
	}
	return &gapSession{db, conn}, nil
}

// work runs transactions until the connection breaks, or the client has to return home: then it
// returns no error.
func (c *gapClient) work(ctx context.Context, s *gapSession, at int) error {
	for ctx.Err() == nil {
		if c.homewards.Swap(false) && at != c.home {
			return nil
		}
		err := c.transact(ctx, s.conn, c.rand.IntN(gapRows))
		if err == nil {
			c.committed()
			continue
		}
		if !again(err) {
			return err
		}
		c.note(at, err)
		if err := c.exec(ctx, s.conn, "ROLLBACK"); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// exec runs a statement, for as long as the client waits.
func (c *gapClient) exec(ctx context.Context, conn *sql.Conn, stmt string) error {
	wait := gapAnswerWait
	if among(&c.hasty, c.home) {
		wait = gapHastyWait
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if _, err := conn.ExecContext(ctx, stmt); err != nil {
		return fmt.Errorf("%.6s: %w", stmt, err)
	}
	return nil
}

// addOne are the statements that lock a row and add one to it.
func addOne(row int) []string {
	return []string{fmt.Sprintf("SELECT v FROM faults.gaps WHERE id = %d FOR UPDATE", row), fmt.Sprintf("UPDATE faults.gaps SET v = v + 1 WHERE id = %d", row)}
}

// transact adds one to a row.
func (c *gapClient) transact(ctx context.Context, conn *sql.Conn, row int) error {
	for _, stmt := range slices.Concat([]string{"BEGIN"}, addOne(row), []string{"COMMIT"}) {
		if err := c.exec(ctx, conn, stmt); err != nil {
			return err
		}
	}
	return nil
}

// again reports whether a connection can be used again after an error.
func again(err error) bool {
	var my *mysql.MySQLError
	if !errors.As(err, &my) {
		return false
	}
	switch my.Number {
	case 1213, 1205, 1158, 1412:
		return true
	}
	return false
}

func (c *gapClient) committed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commits = append(c.commits, time.Since(c.begun))
}

func (c *gapClient) note(node int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.notes) == notesMax {
		c.notes = slices.Delete(c.notes, 0, notesMax/2)
	}
	c.notes = append(c.notes, gapNote{time.Since(c.begun), node, err.Error()})
}

// since returns the times of the client's commits, from its last commit before a time on.
func (c *gapClient) since(from time.Duration) []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, _ := slices.BinarySearch(c.commits, from)
	return slices.Clone(c.commits[max(0, i-1):])
}

// story returns the client's errors in a time, at most so many lines.
func (c *gapClient) story(from, to time.Duration, linesMax int) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, n := range c.notes {
		if n.at < from || n.at > to {
			continue
		}
		if len(out) == linesMax {
			return append(out, "and more")
		}
		out = append(out, fmt.Sprintf("after %.1f s at node %d: %.200s", (n.at-from).Seconds(), n.node+1, n.what))
	}
	return out
}

// longest is the longest time without a commit that reaches into a window, and when it
// began. commits are in order, and begin with the last before the window, if there is one.
func longest(commits []time.Duration, from, to time.Duration) (gap, began time.Duration) {
	last := from
	for _, at := range append(slices.Clone(commits), to) {
		if at <= from {
			last = at
			continue
		}
		at = min(at, to)
		if at-last > gap {
			gap, began = at-last, last
		}
		last = at
	}
	return gap, began
}

// firstAfter returns the time from a given time to the first commit after it, or to the end of all.
func firstAfter(commits []time.Duration, from, to time.Duration) time.Duration {
	for _, at := range commits {
		if at > from {
			return min(at, to) - from
		}
	}
	return to - from
}

// atWork names a client that has not committed at home since a given time.
func (g *gapClients) atWork(from time.Duration) error {
	for _, c := range g.all {
		commits := c.since(from)
		if len(commits) == 0 || commits[len(commits)-1] <= from {
			return fmt.Errorf("a client of node %d commits nothing", c.home+1)
		}
	}
	return nil
}
