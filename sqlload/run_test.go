package sqlload

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/history"
)

// script is a server that answers COMMIT, and attempts to connect, from a list; after its end all
// succeed.
type script struct {
	mu       sync.Mutex
	connects []error
	commits  []error
}

func next(mu *sync.Mutex, list *[]error) error {
	mu.Lock()
	defer mu.Unlock()
	if len(*list) == 0 {
		return nil
	}
	err := (*list)[0]
	*list = (*list)[1:]
	return err
}

func (s *script) Connect(context.Context) (driver.Conn, error) {
	if err := next(&s.mu, &s.connects); err != nil {
		return nil, err
	}
	return scripted{s}, nil
}

func (s *script) Driver() driver.Driver { return nil }

type scripted struct{ *script }

func (scripted) Prepare(string) (driver.Stmt, error) { return nil, errors.New("no statements here") }
func (scripted) Close() error                        { return nil }
func (s scripted) Begin() (driver.Tx, error)         { return s, nil }
func (s scripted) Commit() error                     { return next(&s.mu, &s.commits) }
func (scripted) Rollback() error                     { return nil }

// Each end of a try is counted by its kind, reported to recorders of histories, and retried only if
// nothing can have been done.
func TestOutcomesOfTries(t *testing.T) {
	my := func(n uint16) error { return &mysql.MySQLError{Number: n} }
	for _, c := range []struct {
		name              string
		connects, commits []error
		want              Figures
		answered          []history.Outcome
		fails             bool
	}{
		{name: "well", want: Figures{Commits: 1, TriesMax: 1}, answered: []history.Outcome{history.OK}},
		{name: "lost twice", commits: []error{my(1213), my(1205)}, want: Figures{Aborts: 2, Commits: 1, TriesMax: 3}, answered: []history.Outcome{history.Fail, history.Fail, history.OK}},
		{name: "unknown", commits: []error{my(1180)}, want: Figures{Unknown: 1, TriesMax: 1}, answered: []history.Outcome{history.Unknown}},
		{name: "connection lost in commit", commits: []error{mysql.ErrInvalidConn}, want: Figures{Unknown: 1, TriesMax: 1}, answered: []history.Outcome{history.Unknown}},
		{name: "no connection, so no body", connects: []error{mysql.ErrInvalidConn, mysql.ErrInvalidConn}, want: Figures{Disconnect: 2, Commits: 1, TriesMax: 3}, answered: []history.Outcome{history.OK}},
		{name: "nonsense", commits: []error{my(1064)}, answered: []history.Outcome{history.Unknown}, fails: true},
	} {
		db := sql.OpenDB(&script{connects: c.connects, commits: c.commits})
		w := &worker{env: &Env{DBs: []*sql.DB{db, db}, Begun: time.Now()}, meter: newMeter()}
		var answered []history.Outcome
		err := w.one(t.Context(), Txn{Kind: "any",
			Body:  func(context.Context, *sql.Tx) error { return nil },
			After: func(t Try) { answered = append(answered, t.Outcome) }})
		if got := counted(w); got != c.want || !slices.Equal(answered, c.answered) || (err != nil) != c.fails {
			t.Errorf("%s: counted %+v, reported %v, %v", c.name, got, answered, err)
		}
	}
}

// A body that cancels its transaction is rolled back, counted so, and not retried.
func TestRollbackByTheClient(t *testing.T) {
	w := &worker{env: &Env{DBs: []*sql.DB{sql.OpenDB(&script{})}}, meter: newMeter()}
	err := w.one(t.Context(), Txn{Kind: "any", Body: func(context.Context, *sql.Tx) error { return errRollback }})
	if got := counted(w); err != nil || got != (Figures{Rollbacks: 1, TriesMax: 1}) {
		t.Errorf("counted %+v, %v", got, err)
	}
}

// counted returns the counts of all, without times.
func counted(w *worker) Figures {
	f := w.meter.total.figures
	f.LongestMS = 0
	return f
}

// A transaction that was aborted at the end of the time is not retried; it counts with its tries
// and its time.
func TestUnfinished(t *testing.T) {
	over, stop := context.WithCancel(t.Context())
	w := &worker{env: &Env{DBs: []*sql.DB{sql.OpenDB(&script{})}}, meter: newMeter()}
	tries := 0
	err := w.one(over, Txn{Kind: "any", Body: func(context.Context, *sql.Tx) error {
		if tries++; tries == 2 {
			stop()
		}
		time.Sleep(time.Millisecond)
		return errBeaten
	}})
	if got := counted(w); err != nil || got != (Figures{Aborts: 2, Unfinished: 1, TriesMax: 2}) {
		t.Errorf("counted %+v, %v", got, err)
	}
	if took := w.meter.total.figures.LongestMS; took < 2 {
		t.Errorf("a transaction of two tries of a millisecond each is reported with %v ms", took)
	}
}

func commits(f *Figures) *int64 { return &f.Commits }
func gaveUp(f *Figures) *int64  { return &f.GaveUp }
func aborts(f *Figures) *int64  { return &f.Aborts }

// The figures are those since the warm-up; a commit after the time is no throughput, and has a
// latency; the longest of all may be one that was given up.
func TestFiguresOfTheTime(t *testing.T) {
	m := newMeter()
	m.end("a", time.Minute, 9, commits)
	m.lose("a", aborts)
	m.warm(2 * time.Second)
	for range 10 {
		m.end("a", 5*time.Millisecond, 1, commits)
	}
	m.lose("a", aborts)
	m.end("b", 700*time.Millisecond, 4, gaveUp)
	m.over(4 * time.Second)
	m.end("a", 300*time.Millisecond, 2, commits)
	r := m.report(9 * time.Second)
	f := r.Total
	if r.Seconds != 2 || f.Throughput != 5 || f.Commits != 11 || f.Aborts != 1 {
		t.Errorf("%v s, %v a second, %d commits, %d aborts; want 2, 5, 11 and 1", r.Seconds, f.Throughput, f.Commits, f.Aborts)
	}
	if f.LatencyMS.Max < 299 || f.LatencyMS.Max > 301 || f.LongestMS != 700 || f.TriesMax != 4 {
		t.Errorf("slowest commit %v ms, longest %v ms, %d tries; want 300, 700 and 4", f.LatencyMS.Max, f.LongestMS, f.TriesMax)
	}
	if mean := f.LatencyMS.Mean; mean < 31 || mean > 32.5 {
		t.Errorf("the mean of ten at 5 ms and one at 300 is %v ms", mean)
	}
	if a := r.ByType["a"]; a.LongestMS != 300 || a.TriesMax != 2 {
		t.Errorf("of kind a the longest is %v ms, %d tries; want 300 and 2", a.LongestMS, a.TriesMax)
	}
}

// A run has a warm-up of its own, and its time is that after it.
func TestWarmup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := sql.OpenDB(&script{})
		defer db.Close()
		r, err := Run(t.Context(), &Env{DBs: []*sql.DB{db}}, idle{}, Plan{Name: "idle", Clients: 2, Warmup: 2 * time.Second, For: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if r.Total.Commits < 1990 || r.Total.Commits > 2010 || r.Seconds != 1 {
			t.Errorf("%d commits in %v s; want about 2000 in 1", r.Total.Commits, r.Seconds)
		}
	})
}

// idle is a workload of transactions that do nothing for a millisecond.
type idle struct{ Workload }

func (idle) Client(*Env, int, *rand.Rand) (Client, error) { return idle{}, nil }

func (idle) Next() Txn {
	return Txn{Kind: "idle", Body: func(context.Context, *sql.Tx) error { time.Sleep(time.Millisecond); return nil }}
}
