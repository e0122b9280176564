package sqlload

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"isochron/history"
)

// ListTable is a table, which is there already, that keeps lists.
type ListTable struct {
	Name string
	// Rows: each element is a row of its own (id BIGINT PRIMARY KEY, list BIGINT, n BIGINT), so
	// that a list is read by a condition over rows that others may insert. Otherwise each list is
	// one (id BIGINT PRIMARY KEY, elements TEXT).
	Rows bool
}

// listsOver are lists in several tables, which may be at several databases. Lists are short, so
// that new ones are often read before they exist.
type listsOver struct {
	lists
	tables []ListTable
}

// listLifeOver is the number of appends after which the lists in use are replaced.
const listLifeOver = 25

// ListsOver is a workload of clients that read and append to lists in tables, active of them at a
// time, and record the results. It creates no tables.
func ListsOver(active int, tables ...ListTable) Workload {
	return &listsOver{lists{active: active, life: listLifeOver}, tables}
}

// Tables implements Workload: they are the caller's.
func (*listsOver) Tables() []Table { return nil }

// Start implements Starter: the tables are empty.
func (*listsOver) Start(context.Context, *Env) error { return nil }

func (l *listsOver) Client(_ *Env, id int, r *rand.Rand) (Client, error) {
	if l.active < 1 || len(l.tables) == 0 {
		return nil, errors.New("there are no lists")
	}
	return &listerOver{l, r, id}, nil
}

// table returns the table of a list. Two neighbours share one, because a table may be divided by
// the remainder.
func (l *listsOver) table(list int64) ListTable {
	return l.tables[int(list/2)%len(l.tables)]
}

type listerOver struct {
	*listsOver
	rand    *rand.Rand
	process int
}

// stepOver is a step of a transaction over several tables.
type stepOver struct {
	listStep
	lock string
}

// Next is one to four reads and appends, mostly in one order, so that few wait for each other in
// a cycle; or one read that is a transaction by itself.
func (c *listerOver) Next() Txn {
	var ops []history.Op
	t := Txn{Kind: "append", After: func(t Try) { c.record(listRecord(c.process, ops, t)) }}
	if c.rand.IntN(5) == 0 {
		list := c.pick(c.rand)
		t.Kind = "own"
		t.Own = func(ctx context.Context, conn *sql.Conn) error {
			elements, err := c.read(ctx, conn, list, "")
			ops = []history.Op{{Kind: history.ReadList, Key: listKey(list), List: elements}}
			return err
		}
		return t
	}
	steps := make([]stepOver, 1+c.rand.IntN(4))
	reads := c.rand.IntN(5) == 0
	if reads {
		t.Kind = "read"
	}
	for i := range steps {
		s := stepOver{listStep: listStep{c.pick(c.rand), !reads && c.rand.IntN(2) == 0}}
		if s.append && c.rand.IntN(2) == 0 {
			s.lock = " FOR UPDATE"
		}
		steps[i] = s
	}
	if c.rand.IntN(8) > 0 {
		slices.SortFunc(steps, func(a, b stepOver) int {
			return cmp.Or(strings.Compare(c.table(a.list).Name, c.table(b.list).Name), cmp.Compare(a.list, b.list))
		})
	}
	t.Body = func(ctx context.Context, tx *sql.Tx) error {
		ops = nil
		for _, s := range steps {
			did, err := c.step(ctx, tx, s)
			ops = append(ops, did...)
			if err != nil {
				return err
			}
		}
		return nil
	}
	return t
}

// querier is a transaction, or a connection without one.
type querier interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

// read reads a list.
func (l *listsOver) read(ctx context.Context, q querier, list int64, lock string) (elements []int64, err error) {
	t := l.table(list)
	text := fmt.Sprintf("SELECT elements FROM %s WHERE id = %d%s", t.Name, list, lock)
	if t.Rows {
		text = fmt.Sprintf("SELECT id FROM %s WHERE list = %d ORDER BY n, id%s", t.Name, list, lock)
	}
	rows, err := q.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	err = scan(rows, func(rows *sql.Rows) error {
		var cell string
		if err := rows.Scan(&cell); err != nil {
			return err
		}
		found, err := parseList(cell)
		elements = append(elements, found...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list %d: %w", list, err)
	}
	return elements, nil
}

// step reads a list and, to append, makes it one longer. The append is recorded before it is sent,
// and its outcome later.
func (c *listerOver) step(ctx context.Context, tx *sql.Tx, s stepOver) ([]history.Op, error) {
	key, t := listKey(s.list), c.table(s.list)
	elements, err := c.read(ctx, tx, s.list, s.lock)
	if err != nil {
		return nil, err
	}
	ops := []history.Op{{Kind: history.ReadList, Key: key, List: elements}}
	if !s.append {
		return ops, nil
	}
	value := c.newValue()
	ops = append(ops, history.Op{Kind: history.Append, Key: key, Value: value})
	switch longer := formatList(append(slices.Clone(elements), value)); {
	case t.Rows:
		_, err = tx.ExecContext(ctx, fmt.Sprintf("INSERT INTO %s (id, list, n) VALUES (%d, %d, %d)", t.Name, value, s.list, len(elements)+1))
	case len(elements) == 0:
		_, err = tx.ExecContext(ctx, fmt.Sprintf("INSERT INTO %s (id, elements) VALUES (%d, '%s')", t.Name, s.list, longer))
		if number(err) == errDuplicate {
			err = errBeaten
		}
	default:
		err = ChangeOne(ctx, tx, fmt.Sprintf("UPDATE %s SET elements = '%s' WHERE id = %d", t.Name, longer, s.list))
	}
	return ops, err
}

// Finish implements Finisher: it reads every list once more, each in a transaction of its own.
func (l *listsOver) Finish(ctx context.Context, e *Env) error {
	for list := range l.first + int64(l.active) {
		var elements []int64
		begun := e.since()
		for n := 1; ; n++ {
			conn, err := e.DB().Conn(ctx)
			if err == nil {
				elements, err = l.read(ctx, conn, list, "")
				err = errors.Join(err, conn.Close())
			}
			if err == nil {
				break
			}
			if !readable(err, n) {
				return fmt.Errorf("the last reading of the lists: %w", err)
			}
			if err := pause(ctx, n); err != nil {
				return err
			}
		}
		r := listRecord(-1, []history.Op{{Kind: history.ReadList, Key: listKey(list), List: elements}}, Try{Outcome: history.OK, Begun: begun, Ended: e.since()})
		r.Final = true
		l.record(r)
	}
	return nil
}

// Check implements Workload: it checks the history of the run, with real time.
func (l *listsOver) Check(_ context.Context, _ *Env, run *Report) (found []string, err error) {
	if run == nil {
		return nil, errors.New("lists over several tables are checked by the history of their clients: there was no run")
	}
	for _, v := range history.CheckLists(&l.history).Violations {
		found = append(found, v.String())
	}
	return found, nil
}
