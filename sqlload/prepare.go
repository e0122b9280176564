package sqlload

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// settings is the table of the loaded workloads and their sizes.
var settings = Table{"load_settings", "workload VARCHAR(32) NOT NULL, name VARCHAR(32) NOT NULL, value DOUBLE NOT NULL, PRIMARY KEY (workload, name)", "workload"}

// Prepare creates and fills the tables of a workload. Existing tables are an error, unless drop is
// set.
func Prepare(ctx context.Context, e *Env, name string, w Workload, drop bool) error {
	if err := create(ctx, e, Table{settings.Name, settings.Columns, settings.Home}, true); err != nil {
		return err
	}
	if _, err := exec(ctx, e.DB(), "DELETE FROM load_settings WHERE workload = ?", name); err != nil {
		return fmt.Errorf("load_settings cannot be written: %w", err)
	}
	for _, t := range w.Tables() {
		if drop {
			if _, err := exec(ctx, e.DB(), "DROP TABLE IF EXISTS "+t.Name); err != nil {
				return fmt.Errorf("the table %s cannot be dropped: %w", t.Name, err)
			}
		}
		if err := create(ctx, e, t, false); err != nil {
			return err
		}
	}
	if err := w.Load(ctx, e); err != nil {
		return fmt.Errorf("%s cannot be loaded: %w", name, err)
	}
	rows := []string{fmt.Sprintf("('%s', 'ready', 1)", name)}
	for _, size := range slices.Sorted(maps.Keys(w.Sizes())) {
		rows = append(rows, fmt.Sprintf("('%s', '%s', %v)", name, size, w.Sizes()[size]))
	}
	_, err := exec(ctx, e.DB(), "INSERT INTO load_settings (workload, name, value) VALUES "+strings.Join(rows, ", "))
	return err
}

func create(ctx context.Context, e *Env, t Table, may bool) error {
	comment, err := Comment(e.Placement, t)
	if err != nil {
		return err
	}
	unless := ""
	if may {
		unless = "IF NOT EXISTS "
	}
	e.Log("creating table %s", t.Name)
	_, err = exec(ctx, e.DB(), "CREATE TABLE "+unless+t.Name+" ("+t.Columns+")"+comment)
	if number(err) == errTableExists {
		return fmt.Errorf("the table %s exists already; --drop creates it again", t.Name)
	}
	if err != nil {
		return fmt.Errorf("the table %s cannot be created: %w", t.Name, err)
	}
	return nil
}

// Adopt sets a workload's sizes to those of Prepare.
func Adopt(ctx context.Context, e *Env, name string, w Workload) error {
	sizes := map[string]float64{}
	err := query(ctx, e.DB(), "SELECT name, value FROM load_settings WHERE workload = ?", []any{name}, func(rows *sql.Rows) error {
		var size string
		var value float64
		if err := rows.Scan(&size, &value); err != nil {
			return err
		}
		sizes[size] = value
		return nil
	})
	if number(err) == errNoSuchTable || err == nil && sizes["ready"] == 0 {
		return fmt.Errorf("%s is not loaded in this database; run: isochron workload %s prepare", name, name)
	}
	if err != nil {
		return fmt.Errorf("load_settings cannot be read: %w", err)
	}
	w.Adopt(sizes)
	return nil
}

// triesMax bounds the tries of a statement outside of the load.
const triesMax = 60

// exec runs one statement, and retries it when it is aborted.
func exec(ctx context.Context, db *sql.DB, query string, args ...any) (sql.Result, error) {
	for n := 1; ; n++ {
		res, err := db.ExecContext(ctx, query, args...)
		if judge(err, true) != lost || n == triesMax {
			return res, err
		}
		if err := pause(ctx, n); err != nil {
			return nil, err
		}
	}
}

// query reads the rows of one statement; as long as no row was received it retries after an abort,
// a dead connection, or an unknown outcome.
func query(ctx context.Context, db *sql.DB, text string, args []any, row func(*sql.Rows) error) error {
	for n := 1; ; n++ {
		rows, err := db.QueryContext(ctx, text, args...)
		if err == nil {
			return scan(rows, row)
		}
		if !readable(err, n) {
			return err
		}
		if err := pause(ctx, n); err != nil {
			return err
		}
	}
}

// readable reports whether a read may succeed after n tries and this error. A read with an unknown
// outcome may be repeated.
func readable(err error, n int) bool {
	switch judge(err, false) {
	case lost, cut, unknown:
		return n < triesMax
	}
	return false
}

// scan passes on each row and closes.
func scan(rows *sql.Rows, row func(*sql.Rows) error) error {
	for rows.Next() {
		if err := row(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// pause waits a while that grows with the tries so far.
func pause(ctx context.Context, tries int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(min(tries, 10)) * 5 * time.Millisecond):
		return nil
	}
}

// Loaders in parallel, and rows of a statement.
const (
	loaders   = 4
	batchRows = 200
)

// fill inserts the rows that row makes for 0..n-1, each a text "(..)".
func fill(ctx context.Context, e *Env, into string, n int, row func(i int) string) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	starts := make(chan int)
	var wg sync.WaitGroup
	for l := range loaders {
		wg.Go(func() {
			for start := range starts {
				if ctx.Err() != nil {
					continue // drain: the sender must not wait without end
				}
				var rows []string
				for i := start; i < min(start+batchRows, n); i++ {
					rows = append(rows, row(i))
				}
				if _, err := exec(ctx, e.DBs[l%len(e.DBs)], "INSERT INTO "+into+" VALUES "+strings.Join(rows, ", ")); err != nil {
					stop(fmt.Errorf("rows for %s: %w", into, err))
				}
			}
		})
	}
	for start := 0; start < n; start += batchRows {
		starts <- start
	}
	close(starts)
	wg.Wait()
	return context.Cause(ctx)
}
