package faults

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Clients of a run over sources. Each moves money between accounts at one place, at two or at all
// three, in one transaction, which records its number at each place that it touches: so the parts
// of a move can be checked place by place.
const (
	moveClients   = 6
	accounts      = 40  // of clients, at each place
	probeAccounts = 200 // of the probes for progress
	accountHas    = 1000
	// moveWait bounds a move with all its waits; lockWaitSeconds bounds its wait for a lock at a
	// source, for deadlocks over sources are ended by that alone.
	moveWait        = 30 * time.Second
	lockWaitSeconds = 3
)

// outcome is a client's conclusion about a move.
type outcome int8

const (
	refused        outcome = iota // it has not been made
	unknownOutcome                // unknown to the client
	acknowledged                  // it was acknowledged
	outcomes
)

// move is one try: its places, as bits, and its client's answer, with time and gateway.
type move struct {
	places uint8
	outcome
	errorText string // the error, if there was one
	door      int
	at        time.Time
}

func (m move) String() string {
	if m.errorText == "" {
		return fmt.Sprintf("gateway %d, %s", m.door+1, m.at.Format(time.TimeOnly))
	}
	return fmt.Sprintf("gateway %d, %s: %s", m.door+1, m.at.Format(time.TimeOnly), m.errorText)
}

// movers are the clients, and their answers.
type movers struct {
	places []*place
	doors  []*sql.DB // by gateway
	seed   uint64
	number atomic.Int64
	period uint64
	probes sync.WaitGroup

	mu     sync.Mutex
	moves  map[int64]move   // since the last check
	sums   [outcomes]int64  // of all moves
	errors map[string]int64 // errors, by their number
	// There were so many moves at each place, up to a number, when it was last checked.
	checkedTo int64
	had       []int64
}

// newMovers imports the tables at the sources, and makes the cluster's own.
func newMovers(ctx context.Context, r *sourcesRun) (*movers, error) {
	m := &movers{places: r.places, seed: r.cfg.Seed, moves: map[int64]move{}, errors: map[string]int64{}, had: make([]int64, len(r.places))}
	for i := range gatewayNodes {
		cfg := mysql.NewConfig()
		cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.Logger = "root", r.cluster.Password, "tcp", r.cluster.Nodes[firstGateway+i].SQL, &mysql.NopLogger{}
		cfg.InterpolateParams, cfg.Timeout = true, 5*time.Second
		cfg.Params = map[string]string{"innodb_lock_wait_timeout": fmt.Sprint(lockWaitSeconds)}
		conn, err := mysql.NewConnector(cfg)
		if err != nil {
			return nil, err
		}
		m.doors = append(m.doors, sql.OpenDB(conn))
	}
	stmts := []string{"CREATE DATABASE IF NOT EXISTS faults"}
	for _, p := range r.places {
		if p.database == nil {
			for _, text := range p.tables() {
				stmts = append(stmts, strings.Replace(strings.Replace(text, "TABLE ", "TABLE faults.", 1), "INTO ", "INTO faults.", 1))
			}
			continue
		}
		for _, table := range []string{"acct_", "moves_"} {
			stmts = append(stmts, fmt.Sprintf("CALL isochron.import_table('%s', 'faults', '%s%[1]s')", p.name, table))
		}
	}
	for _, stmt := range stmts {
		if err := m.insist(ctx, stmt); err != nil {
			return m, fmt.Errorf("%.80s: %w", stmt, err)
		}
	}
	return m, nil
}

// insist has a statement executed, again while it fails: an agent may still be on its way.
func (m *movers) insist(ctx context.Context, stmt string) error {
	ctx, cancel := context.WithTimeout(ctx, serviceWait)
	defer cancel()
	for {
		_, err := m.doors[0].ExecContext(ctx, stmt)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (m *movers) close() {
	for _, db := range m.doors {
		_ = db.Close() // nothing is pending
	}
}

// start lets the clients work; stop ends them, each after its move.
func (m *movers) start(ctx context.Context) (stop func()) {
	m.period++
	over := make(chan struct{})
	var working sync.WaitGroup
	for c := range moveClients {
		r := rand.New(rand.NewPCG(m.seed<<16+m.period, uint64(c)))
		working.Go(func() {
			door := c % len(m.doors)
			for ctx.Err() == nil {
				select {
				case <-over:
					return
				default:
				}
				if _, gone := m.move(ctx, door, m.draw(r), r, false); gone {
					door = (door + 1) % len(m.doors)
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
	return func() { close(over); working.Wait(); m.probes.Wait() }
}

// draw is the places of a move, mostly in one order: what meets in two orders at two sources
// waits until somebody's patience ends.
func (m *movers) draw(r *rand.Rand) []int {
	at := r.Perm(len(m.places))[:[]int{1, 2, 2, 2, 3, 3}[r.IntN(6)]]
	if r.IntN(10) > 0 {
		for i := range at {
			for j := range i {
				if at[i] < at[j] {
					at[i], at[j] = at[j], at[i]
				}
			}
		}
	}
	return at
}

// move makes one move among places through a gateway, a probe on accounts of its own; gone: the
// gateway does not answer.
func (m *movers) move(ctx context.Context, door int, at []int, r *rand.Rand, probe bool) (o outcome, gone bool) {
	number, amount := m.number.Add(1), 1+r.IntN(5)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), moveWait)
	defer cancel()
	base, n := 0, accounts
	if probe {
		base, n = accounts, probeAccounts
	}
	var stmts []string
	for i, p := range at {
		by := [...]int{-amount, amount, 0}[i]
		stmts = append(stmts, fmt.Sprintf("UPDATE faults.acct_%s SET v = v + (%d) WHERE id = %d", m.places[p].name, by, base+r.IntN(n)))
		if len(at) == 1 {
			stmts = append(stmts, fmt.Sprintf("UPDATE faults.acct_%s SET v = v - (%d) WHERE id = %d", m.places[p].name, by, base+r.IntN(n)))
		}
		stmts = append(stmts, fmt.Sprintf("INSERT INTO faults.moves_%s (id) VALUES (%d)", m.places[p].name, number))
	}
	if r.IntN(3) == 0 {
		last := &stmts[len(stmts)-1]
		*last = "INSERT /*+ last */" + strings.TrimPrefix(*last, "INSERT")
	}
	tx, err := m.doors[door].BeginTx(ctx, nil)
	if err != nil {
		return refused, true
	}
	o, err = try(ctx, tx, stmts)
	var places uint8
	for _, p := range at {
		places |= 1 << p
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	m.note(number, move{places, o, text, door, time.Now()}, err)
	var my *mysql.MySQLError
	return o, err != nil && !errors.As(err, &my)
}

// try executes a move. Before COMMIT has been sent nothing of it can stand.
func try(ctx context.Context, tx *sql.Tx, stmts []string) (outcome, error) {
	for _, stmt := range stmts {
		if _, err := tx.ExecContext(ctx, stmt); err != nil {
			_ = tx.Rollback() // it is over, or its connection is
			return refused, err
		}
	}
	err := tx.Commit()
	var my *mysql.MySQLError
	switch {
	case err == nil:
		return acknowledged, nil
	case errors.As(err, &my) && my.Number != errUnconfirmed:
		return refused, err
	}
	return unknownOutcome, err
}

// errUnconfirmed is the number of an error that leaves open whether a commit was made.
const errUnconfirmed = 1180

func (m *movers) note(number int64, v move, err error) {
	text := ""
	var my *mysql.MySQLError
	switch {
	case errors.As(err, &my):
		text = fmt.Sprint(my.Number)
	case err != nil:
		text = "no answer"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.moves[number] = v
	m.sums[v.outcome]++
	if text != "" {
		m.errors[text]++
	}
}

// count returns the number of moves with an outcome.
func (m *movers) count(o outcome) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sums[o]
}

// served waits until a move over places commits through a gateway. A new one starts while older
// ones wait, for they may wait for lost nodes.
func (m *movers) served(ctx context.Context, door int, at []int) error {
	limit, cancel := context.WithTimeout(ctx, serviceWait)
	defer cancel()
	ended := make(chan outcome, probeTries)
	for flying := 0; ; {
		if flying < probeTries {
			flying++
			m.probes.Go(func() {
				o, _ := m.move(limit, door, at, rand.New(rand.NewPCG(rand.Uint64(), 1)), true)
				ended <- o
			})
		}
		select {
		case o := <-ended:
			if o == acknowledged {
				return nil
			}
			flying--
			time.Sleep(probeEvery / 5)
		case <-limit.Done():
			return fmt.Errorf("no move over %s commits through gateway %d in %v", m.names(at), door+1, serviceWait)
		case <-time.After(probeEvery):
		}
	}
}

func (m *movers) names(at []int) string {
	var names []string
	for _, p := range at {
		names = append(names, m.places[p].name)
	}
	return strings.Join(names, ", ")
}
