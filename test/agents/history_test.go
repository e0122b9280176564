package agents

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"isochron/history"
	"isochron/protocol"
	"isochron/source"
	"isochron/sqlload"
)

// The tables of lists, at one database, at both, and in a shard beside them.
var listTables = []sqlload.ListTable{{Name: "texts"}, {Name: "rows_pg", Rows: true}, {Name: "rows_my", Rows: true}, {Name: "rows_both", Rows: true}, {Name: "near"}}

const (
	textColumns = "id bigint PRIMARY KEY, elements text NOT NULL"
	rowColumns  = "id bigint PRIMARY KEY, list bigint NOT NULL, n bigint NOT NULL"
)

// historyFor is for how long the clients of a history work; the environment may say longer.
func historyFor(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("ISOCHRON_HISTORY_FOR")
	if text == "" {
		return 12 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Clients at two gateways read and append to lists of text, and to lists of rows that are read by
// a condition, at both databases and in a shard, in transactions over all of them: what they saw
// is serializable, in the order of time.
func TestHistoriesOverSources(t *testing.T) {
	for _, row := range []string{"geotp", protocol.Default} {
		t.Run(row, func(t *testing.T) {
			c := start(t, row)
			run, found, err := c.lists(t, historyFor(t), 5)
			judged(t, run, found, err)
		})
	}
}

// The same while agents and databases are killed and restarted.
func TestHistoriesWhileAgentsAndDatabasesDie(t *testing.T) {
	c := start(t, "geotp")
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		c.die(t, stop)
	}()
	run, found, err := c.lists(t, 2*historyFor(t), 5)
	close(stop)
	<-done
	judged(t, run, found, err)
	c.awaitQuiet(t)
}

// A source that reads without locks, and each statement for itself, is found.
func TestAWeakSourceIsFound(t *testing.T) {
	c := start(t, "geotp", bugOfNode+"=weak-postgres")
	for range 3 {
		run, found, err := c.lists(t, historyFor(t), 5)
		if err != nil && strings.Contains(err.Error(), "rows changed where one should") {
			found = append(found, err.Error())
		} else if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			t.Logf("of %d commits %d violations were found, such as %s", run.Total.Commits, len(found), found[0])
			return
		}
	}
	t.Error("a PostgreSQL at READ COMMITTED that locks nothing is not noticed")
}

// die kills an agent or a database repeatedly, until it is stopped.
func (c *cluster) die(t *testing.T, stop <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(2 * time.Second):
		}
		kind := kinds[n/2%2]
		if n%2 == 1 {
			servers[kind].Kill()
			if err := servers[kind].Start(); err != nil {
				t.Error(err)
				return
			}
			continue
		}
		i := map[string]int{"pg": agentPG, "my": agentMY}[kind]
		c.all[i].kill()
		c.run(i)
	}
}

// leastCommits is the number of commits a history needs to be meaningful.
const leastCommits = 20

// lists makes clients work on lists for a while, and checks the history. If too little was
// committed they start again and work for longer: transactions that wait for each other at several
// databases may spend most of a short run in lock waits, by chance.
func (c *cluster) lists(t *testing.T, d time.Duration, clients int) (run *sqlload.Report, found []string, err error) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 7*d+endless)
	defer stop()
	e := c.doors(t, ctx)
	defer e.Close()
	for range 3 {
		run, found, err = c.listsOnce(t, ctx, e, sqlload.Plan{Name: "lists", Clients: clients, For: d})
		if err != nil || len(found) > 0 || run.Total.Commits >= leastCommits {
			break
		}
		t.Logf("%d commits in %v: too few to tell anything, it works on", run.Total.Commits, d)
		d *= 2
	}
	return run, found, err
}

// listsOnce has clients work on lists that are empty.
func (c *cluster) listsOnce(t *testing.T, ctx context.Context, e *sqlload.Env, p sqlload.Plan) (*sqlload.Report, []string, error) {
	t.Helper()
	c.laid(t, ctx, e)
	w := sqlload.ListsOver(12, listTables...)
	run, err := sqlload.Run(ctx, e, w, p)
	if err != nil {
		return run, nil, err
	}
	h := w.(sqlload.Recorded).History()
	keep(t, h)
	found, err := w.Check(ctx, e, run)
	return run, found, err
}

// keep writes a history to the directory given in the environment.
func keep(t *testing.T, h *history.History) {
	t.Helper()
	dir := os.Getenv("ISOCHRON_HISTORY_DIR")
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_")+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := h.Write(f); err != nil {
		t.Fatal(err)
	}
}

// doors are connections for SQL clients at two gateways.
func (c *cluster) doors(t *testing.T, ctx context.Context) *sqlload.Env {
	t.Helper()
	target := sqlload.Target{User: "root", Database: "lists", Connections: 32, LockWait: 1}
	for _, i := range []int{gateway, 1} {
		c.all[i].send("door")
		target.Addresses = append(target.Addresses, strings.TrimPrefix(c.all[i].await("door "), "door "))
	}
	e, err := target.Open(ctx, true)
	if err != nil {
		t.Fatal(err)
	}
	e.Seed = uint64(time.Now().UnixNano())
	t.Logf("seed %d", e.Seed)
	return e
}

// laid makes the tables, empty, and imports them.
func (c *cluster) laid(t *testing.T, ctx context.Context, e *sqlload.Env) {
	t.Helper()
	for _, kind := range kinds {
		for _, table := range listTables[:4] {
			columns := textColumns
			if table.Rows {
				columns = rowColumns
			}
			text := fmt.Sprintf("DROP TABLE IF EXISTS %s; CREATE TABLE %[1]s (%s)", table.Name, columns)
			if table.Rows {
				text += fmt.Sprintf("; CREATE INDEX %s_list ON %[1]s (list)", table.Name)
			}
			if kind == "pg" {
				text += "; GRANT ALL ON " + table.Name + " TO agent"
			} else {
				text += "; GRANT PROCESS ON *.* TO agent" // for reports of waits
			}
			if err := servers[kind].Exec(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, text := range []string{
		"DROP TABLE IF EXISTS near",
		"CREATE TABLE near (" + textColumns + ")",
		"CALL isochron.import_sharded_table('lists.texts', 'id', 'hash', 'pg,my')",
		"CALL isochron.import_sharded_table('lists.rows_both', 'id', 'hash', 'my,pg')",
		"CALL isochron.import_table('pg', 'lists', 'rows_pg')",
		"CALL isochron.import_table('my', 'lists', 'rows_my')",
	} {
		if _, err := e.DB().ExecContext(ctx, text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	for deadline := time.Now().Add(endless); ; time.Sleep(20 * time.Millisecond) { // until the other door knows
		var err error
		for _, table := range listTables {
			if _, e := e.DBs[1].ExecContext(ctx, "SELECT COUNT(*) FROM "+table.Name); e != nil {
				err = e
			}
		}
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// judged holds that a history was as it should be, and that there was one.
func judged(t *testing.T, run *sqlload.Report, found []string, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range found {
		if i < 5 {
			t.Error(v)
		}
	}
	t.Logf("%d commits, %d aborts, %d unknown, %d violations", run.Total.Commits, run.Total.Aborts, run.Total.Unknown, len(found))
	if run.Total.Commits < leastCommits {
		t.Error("too little was committed to tell anything")
	}
}

// weakened is a driver with the bug that the environment plants.
func weakened(name string, d source.Driver) source.Driver {
	if name == "pg" && os.Getenv(bugOfNode) == "weak-postgres" {
		return weak{d}
	}
	return d
}

// weak is a driver of a PostgreSQL that reads without locks, each statement for itself.
type weak struct{ source.Driver }

func (d weak) Begin(ctx context.Context, n source.Name, o source.BranchOptions) (source.Branch, error) {
	o.Isolation = source.ReadCommitted
	b, err := d.Driver.Begin(ctx, n, o)
	if err != nil {
		return nil, err
	}
	return weakBranch{b}, nil
}

type weakBranch struct{ source.Branch }

func (b weakBranch) Execute(ctx context.Context, s source.Statement) (source.Result, error) {
	s.Text, s.Locks, s.Guard = strings.ReplaceAll(s.Text, " FOR SHARE", ""), false, nil
	return b.Branch.Execute(ctx, s)
}

// Waits implements source.Waiting.
func (d weak) Waits(ctx context.Context, of []source.Name) ([]source.Wait, bool, error) {
	return d.Driver.(source.Waiting).Waits(ctx, of)
}
