package sqlload

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"

	"isochron/history"
)

// lists reads and appends to lists kept as text in rows, and records all of it. After a number of
// appends a list is retired and a new one takes its place, so that rows stay short and new rows are
// created.
type lists struct {
	active  int // lists in use at a time
	mu      sync.Mutex
	history history.History
	first   int64 // the oldest list in use
	started int64 // the first list of this run
	appends int64 // tried on the lists in use now
	life    int64 // how many appends the lists in use live through, more or less
	value   int64
}

// listLife is the number of appends after which a list is replaced.
const listLife = 100

func newLists(o Options) Workload { return &lists{active: or(o.Rows, 10), life: listLife} }

func (l *lists) Sizes() map[string]float64 { return map[string]float64{"lists": float64(l.active)} }

func (l *lists) Adopt(sizes map[string]float64) { l.active = int(sizes["lists"]) }

func (l *lists) Tables() []Table {
	return []Table{{"append_lists", "id BIGINT NOT NULL PRIMARY KEY, elements LONGTEXT NOT NULL", "id"}}
}

// Load has nothing to do: the first append to a list makes its row.
func (l *lists) Load(context.Context, *Env) error { return nil }

// Start begins after the lists of earlier runs, whose contents are in no record of this one.
func (l *lists) Start(ctx context.Context, e *Env) error {
	err := query(ctx, e.DB(), "SELECT COALESCE(MAX(id) + 1, 0) FROM append_lists", nil,
		func(rows *sql.Rows) error { return rows.Scan(&l.first) })
	l.started = l.first
	return err
}

func (l *lists) Client(_ *Env, id int, r *rand.Rand) (Client, error) {
	if l.active < 1 {
		return nil, errors.New("there are no lists")
	}
	return &lister{l, r, id}, nil
}

// History returns the operations of all clients.
func (l *lists) History() *history.History { return &l.history }

// pick draws a list in use.
func (l *lists) pick(r *rand.Rand) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first + r.Int64N(int64(l.active))
}

// newValue returns one that was never appended.
func (l *lists) newValue() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.value++
	if l.appends++; l.appends >= l.life {
		l.first, l.appends = l.first+1, 0
	}
	return l.value
}

func (l *lists) record(r *history.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.history.Add(r)
}

type lister struct {
	*lists
	rand    *rand.Rand
	process int
}

type listStep struct {
	list   int64
	append bool
}

// Next is one to five reads and appends. One transaction in four locks its reads, so that both ways
// to read are tested against each other.
func (c *lister) Next() Txn {
	steps := make([]listStep, 1+c.rand.IntN(5))
	readOnly := c.rand.IntN(5) == 0
	for i := range steps {
		steps[i] = listStep{c.pick(c.rand), !readOnly && c.rand.IntN(2) == 0}
	}
	lock := ""
	if !readOnly && c.rand.IntN(4) == 0 {
		lock = " FOR UPDATE"
	}
	var ops []history.Op
	t := Txn{
		Kind: "append",
		Body: func(ctx context.Context, tx *sql.Tx) error {
			ops = nil
			for _, s := range steps {
				did, err := c.do(ctx, tx, s, lock)
				ops = append(ops, did...)
				if err != nil {
					return err
				}
			}
			return nil
		},
		After: func(t Try) { c.record(listRecord(c.process, ops, t)) },
	}
	if readOnly {
		t.Kind = "read"
	}
	return t
}

func listRecord(process int, ops []history.Op, t Try) *history.Record {
	r := &history.Record{Process: process, Ops: ops, Outcome: t.Outcome, InvokeNanos: int64(t.Begun), CompleteNanos: int64(t.Ended)}
	if t.Err != nil {
		r.Reason = t.Err.Error()
	}
	return r
}

// do takes one step: it reads the list and, to append, writes it back longer. The append is
// recorded before it is sent, and its outcome later.
func (c *lister) do(ctx context.Context, tx *sql.Tx, s listStep, lock string) ([]history.Op, error) {
	key := listKey(s.list)
	var text string
	err := tx.QueryRowContext(ctx, "SELECT elements FROM append_lists WHERE id = ?"+lock, s.list).Scan(&text)
	missing := errors.Is(err, sql.ErrNoRows)
	if err != nil && !missing {
		return nil, err
	}
	elements, err := parseList(text)
	if err != nil {
		return nil, fmt.Errorf("list %d: %w", s.list, err)
	}
	ops := []history.Op{{Kind: history.ReadList, Key: key, List: elements}}
	if !s.append {
		return ops, nil
	}
	value := c.newValue()
	ops = append(ops, history.Op{Kind: history.Append, Key: key, Value: value})
	longer := formatList(append(elements, value))
	if missing {
		_, err = tx.ExecContext(ctx, "INSERT INTO append_lists (id, elements) VALUES (?, ?)", s.list, longer)
		if number(err) == errDuplicate {
			return ops, errBeaten
		}
		return ops, err
	}
	return ops, ChangeOne(ctx, tx, "UPDATE append_lists SET elements = ? WHERE id = ?", longer, s.list)
}

func listKey(id int64) string { return "l" + strconv.FormatInt(id, 10) }

func formatList(elements []int64) string {
	parts := make([]string, len(elements))
	for i, v := range elements {
		parts[i] = strconv.FormatInt(v, 10)
	}
	return strings.Join(parts, ",")
}

func parseList(text string) ([]int64, error) {
	if text == "" {
		return nil, nil
	}
	var out []int64
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no list of numbers", text)
		}
		out = append(out, v)
	}
	return out, nil
}

// finalLists is the number of lists in one record of the last read.
const finalLists = 100

// Finish reads every list of the run once more, without writers.
func (l *lists) Finish(ctx context.Context, e *Env) error {
	for start := l.started; start < l.first+int64(l.active); start += finalLists {
		end := min(start+finalLists, l.first+int64(l.active))
		begun := e.since()
		found := map[int64][]int64{}
		text := "SELECT id, elements FROM append_lists WHERE id >= ? AND id < ?"
		err := query(ctx, e.DB(), text, []any{start, end}, func(rows *sql.Rows) error {
			var id int64
			var elements string
			err := rows.Scan(&id, &elements)
			if err == nil {
				found[id], err = parseList(elements)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("the last reading of the lists: %w", err)
		}
		r := listRecord(-1, nil, Try{Outcome: history.OK, Begun: begun, Ended: e.since()})
		r.Final = true
		for id := start; id < end; id++ {
			r.Ops = append(r.Ops, history.Op{Kind: history.ReadList, Key: listKey(id), List: found[id]})
		}
		l.record(r)
	}
	return nil
}

// Check checks the history of the run; without one it only checks that every list is valid.
func (l *lists) Check(ctx context.Context, e *Env, run *Report) ([]string, error) {
	if run == nil {
		err := query(ctx, e.DB(), "SELECT elements FROM append_lists", nil, func(rows *sql.Rows) error {
			var text string
			if err := rows.Scan(&text); err != nil {
				return err
			}
			_, err := parseList(text)
			return err
		})
		return nil, err
	}
	var found []string
	for _, v := range history.CheckLists(&l.history).Violations {
		if !v.StrictOnly {
			found = append(found, v.String())
		}
	}
	return found, nil
}
