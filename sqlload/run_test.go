package sqlload

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/history"
)

// script is a server that answers COMMIT, and the wish to connect, with what is
// next in a list; after the end of the list all goes well.
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

// Each way in which a try may end is counted as what it is, told to whoever
// keeps a history, and tried again only if nothing can have been done.
func TestOutcomesOfTries(t *testing.T) {
	my := func(n uint16) error { return &mysql.MySQLError{Number: n} }
	for _, c := range []struct {
		name              string
		connects, commits []error
		want              Figures
		told              []history.Outcome
		fails             bool
	}{
		{name: "well", want: Figures{Commits: 1}, told: []history.Outcome{history.OK}},
		{name: "lost twice", commits: []error{my(1213), my(1205)}, want: Figures{Aborts: 2, Commits: 1}, told: []history.Outcome{history.Fail, history.Fail, history.OK}},
		{name: "unknown", commits: []error{my(1180)}, want: Figures{Unknown: 1}, told: []history.Outcome{history.Unknown}},
		{name: "connection lost in commit", commits: []error{mysql.ErrInvalidConn}, want: Figures{Unknown: 1}, told: []history.Outcome{history.Unknown}},
		{name: "no connection, so no body", connects: []error{mysql.ErrInvalidConn, mysql.ErrInvalidConn}, want: Figures{Disconnect: 2, Commits: 1}, told: []history.Outcome{history.OK}},
		{name: "nonsense", commits: []error{my(1064)}, told: []history.Outcome{history.Unknown}, fails: true},
	} {
		db := sql.OpenDB(&script{connects: c.connects, commits: c.commits})
		w := &worker{env: &Env{DBs: []*sql.DB{db, db}, Begun: time.Now()}, meter: newMeter()}
		var told []history.Outcome
		err := w.one(t.Context(), Txn{Kind: "any",
			Body:  func(context.Context, *sql.Tx) error { return nil },
			After: func(t Try) { told = append(told, t.Outcome) }})
		if got := w.meter.total.figures; got != c.want || !slices.Equal(told, c.told) || (err != nil) != c.fails {
			t.Errorf("%s: counted %+v, told %v, %v", c.name, got, told, err)
		}
	}
}

// A body that changes its mind is rolled back, counted so, and not tried again.
func TestRollbackByWish(t *testing.T) {
	w := &worker{env: &Env{DBs: []*sql.DB{sql.OpenDB(&script{})}}, meter: newMeter()}
	err := w.one(t.Context(), Txn{Kind: "any", Body: func(context.Context, *sql.Tx) error { return errRollback }})
	if got := w.meter.total.figures; err != nil || got != (Figures{Rollbacks: 1}) {
		t.Errorf("counted %+v, %v", got, err)
	}
}
