package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/sqlload"
)

// meter is the client whose statements are measured.
type meter struct {
	cluster    *cluster
	plain      *sql.DB // for EXPLAIN
	loadName   string  // whose statements these are
	statements []*statement
	of         map[string]*statement
	off        bool // statements are not measured
}

// statement is a statement's text and what it has cost.
type statement struct {
	Of      string `json:"of"`      // joins, tpcc or smallbank
	Text    string `json:"text"`    // in which lists are shortened
	Explain string `json:"explain"` // the rounds that EXPLAIN gives; more than one: it depends on the values
	Rounds  int    `json:"rounds"`  // the most that one execution has cost
	Least   int    `json:"least"`   // and the fewest
	Times   int    `json:"times"`
}

const database = "rounds"

func newMeter(c *cluster) (*meter, error) {
	m := &meter{cluster: c, of: map[string]*statement{}}
	first, err := c.open("")
	if err != nil {
		return nil, err
	}
	_, err = first.Exec("CREATE DATABASE " + database)
	if err = errors.Join(err, first.Close()); err != nil {
		return nil, err
	}
	m.plain, err = c.open(database)
	return m, err
}

func (m *meter) close() error { return m.plain.Close() }

// open opens a database whose statements are measured, on one connection.
func (m *meter) open() (*sql.DB, error) {
	connector, err := mysql.NewConnector(m.cluster.config(database))
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(counting{connector, m})
	db.SetMaxOpenConns(1)
	return db, nil
}

// load runs transactions of a load, one after the other.
func (m *meter) load(ctx context.Context, name string, transactions int) error {
	w, err := sqlload.New(name, sqlload.Options{Warehouses: 5, Scale: 0.01, Rows: 200})
	if err != nil {
		return err
	}
	db, err := m.open()
	if err != nil {
		return err
	}
	defer db.Close()
	e := &sqlload.Env{DBs: []*sql.DB{db}, Placement: "hash:5", Log: func(string, ...any) {}, Begun: time.Now(), Seed: 1}
	m.loadName, m.off = name, true
	if err := sqlload.Prepare(ctx, e, name, w, false); err != nil {
		return err
	}
	client, err := w.Client(e, 0, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		return err
	}
	m.off = false
	for range transactions {
		if err := m.transaction(ctx, db, client.Next()); err != nil {
			return err
		}
	}
	return nil
}

// transaction runs one; one that its client cancels is rolled back.
func (m *meter) transaction(ctx context.Context, db *sql.DB, t sqlload.Txn) error {
	if t.Own != nil {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		return errors.Join(t.Own(ctx, conn), conn.Close())
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := t.Body(ctx, tx); err != nil {
		if ctx.Err() != nil || t.Kind == "" {
			return errors.Join(err, tx.Rollback())
		}
		return tx.Rollback()
	}
	return tx.Commit()
}

// run measures one statement, which do executes.
func (m *meter) run(ctx context.Context, text string, args []driver.NamedValue, do func() error) error {
	if m.off {
		return do()
	}
	if ends(text) {
		return do()
	}
	short := shortened(text)
	s := m.of[m.loadName+short]
	if s == nil {
		s = &statement{Of: m.loadName, Text: short}
		m.of[m.loadName+short] = s
		m.statements = append(m.statements, s)
	}
	if err := m.explain(ctx, s, text, args); err != nil {
		return err
	}
	before, err := m.cluster.rounds(ctx)
	if err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	after, err := m.cluster.rounds(ctx)
	if err != nil {
		return err
	}
	n := after - before
	if s.Times == 0 {
		s.Least = n
	}
	s.Times, s.Rounds, s.Least = s.Times+1, max(s.Rounds, n), min(s.Least, n)
	return nil
}

// ends reports whether a statement begins or ends a transaction.
func ends(text string) bool {
	word, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(text)), " ")
	return word == "BEGIN" || word == "START" || word == "COMMIT" || word == "ROLLBACK" || word == "SET"
}

// shortened is a text in which lists of values and numbered columns have one form.
func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	text = numbered.ReplaceAllString(valueList.ReplaceAllString(text, "(?, ..)"), "s_dist_NN")
	return rowList.ReplaceAllString(text, "(?, ..), ..")
}

var (
	valueList = regexp.MustCompile(`\((\?|NULL)(, (\?|NULL))*\)`)
	rowList   = regexp.MustCompile(`\(\?, \.\.\)(, \(\?, \.\.\))+`)
	numbered  = regexp.MustCompile(`s_dist_\d+`)
)

// explain asks for the rounds of a statement with these values.
func (m *meter) explain(ctx context.Context, s *statement, text string, args []driver.NamedValue) error {
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a.Value
	}
	rows, err := m.plain.QueryContext(ctx, "EXPLAIN "+text, values...)
	if err != nil {
		return fmt.Errorf("EXPLAIN %s: %w", text, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	all := ""
	for rows.Next() {
		cells, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if cells[0].String == "all" {
			all = cells[3].String
		}
	}
	if all != "" && !strings.Contains(" "+s.Explain+" ", " "+all+" ") {
		s.Explain = strings.TrimSpace(s.Explain + " " + all)
	}
	return rows.Err()
}

// covered reports whether no execution has cost more than EXPLAIN says.
func (s *statement) covered() bool {
	most := -1
	for _, f := range strings.Fields(s.Explain) {
		if n, err := strconv.Atoi(f); err == nil {
			most = max(most, n)
		}
	}
	return s.Rounds <= most
}
