package sourcedb

import (
	"slices"
	"testing"

	"isochron/server/sourcedb/sourcetest"
	"isochron/source"
)

// waitingBranch is a branch whose statement is under way.
type waitingBranch struct {
	source.Branch
	name source.Name
	done chan error
}

func (k *kit) waits(s source.Statement) *waitingBranch {
	k.t.Helper()
	w := &waitingBranch{done: make(chan error, 1)}
	w.Branch, w.name = k.begin(source.BranchOptions{})
	go func() {
		_, err := w.Execute(k.ctx, s)
		w.done <- err
	}()
	return w
}

// reports waits until the server reports that a branch waits for exactly these.
func (k *kit) reports(n source.Name, of ...source.Name) {
	k.t.Helper()
	for {
		list, known, err := k.driver.(source.Waiting).Waits(k.ctx, []source.Name{n})
		k.must(err)
		if !known {
			k.t.Fatal("no waits are reported")
		}
		if len(list) == 0 {
			continue // it does not wait yet; the context ends the loop
		}
		var got []source.Name
		for _, x := range list {
			if x.Name != n {
				k.t.Fatalf("reports waits of %v, queried were %v", x.Name, n)
			}
			got = append(got, x.For)
		}
		slices.SortFunc(got, func(a, b source.Name) int { return int(a.Attempt.Seq) - int(b.Attempt.Seq) })
		if got = slices.Compact(got); !slices.Equal(got, of) {
			k.t.Errorf("reported: %v waits for %v, want %v", n, got, of)
		}
		return
	}
}

// letGo rolls back the waiters, each when its statement has ended. The order in which a server grants a released lock is not
// defined: the later waiter may get the row, and the other then waits for it.
func (k *kit) letGo(waiting ...*waitingBranch) {
	k.t.Helper()
	ended := make(chan func(), len(waiting))
	for _, w := range waiting {
		go func() {
			err := <-w.done
			ended <- func() {
				k.must(err)
				k.must(w.Rollback(k.ctx))
			}
		}()
	}
	for range waiting {
		(<-ended)()
	}
}

// A PostgreSQL reports waits to its agent's account: for a running transaction, for one ahead in a row's queue, and for a
// prepared one, at a row and at a table.
func TestPostgreSQLReportsWaits(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if k.name_() != "postgres" {
			t.Skip("a MariaDB reports waits only to accounts with PROCESS")
		}
		k.must(k.server.Exec("INSERT INTO " + k.table + " VALUES (1, 0)"))
		row := source.Statement{Text: "UPDATE " + k.table + " SET v = v + 1 WHERE id = 1", Locks: true}
		first, one := k.begin(source.BranchOptions{})
		_, err := first.Execute(k.ctx, row)
		k.must(err)
		second := k.waits(row)
		k.reports(second.name, one)
		third := k.waits(row)
		k.reports(third.name, second.name)
		k.must(first.Prepare(k.ctx))
		k.reports(second.name, one)
		k.driver = k.open(Options{}) // with its own connection for queries
		table := k.waits(source.Statement{Text: "SELECT 1", Locks: true, Guard: []string{"LOCK TABLE " + k.table + " IN SHARE MODE"}})
		k.reports(table.name, one)
		k.finish(k.driver, one, true, true)
		k.letGo(second, third, table)
	})
}

// A MariaDB reports waits to an account with PROCESS: for rows, for gaps between them, and for prepared transactions. Other
// accounts receive none, which is not an error.
func TestMariaDBReportsWaits(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if k.name_() == "postgres" {
			t.Skip("a PostgreSQL reports waits to all accounts")
		}
		k.must(k.server.Exec("INSERT INTO " + k.table + " VALUES (1, 0), (9, 0)"))
		_, unknown := k.begin(source.BranchOptions{})
		if list, known, err := k.driver.(source.Waiting).Waits(k.ctx, []source.Name{unknown}); known || err != nil || len(list) > 0 {
			t.Errorf("an account without PROCESS receives %v, %v, %v", list, known, err)
		}
		k.must(k.server.Exec("GRANT PROCESS ON *.* TO " + sourcetest.User))
		defer func() { k.must(k.server.Exec("REVOKE PROCESS ON *.* FROM " + sourcetest.User)) }()
		k.driver = k.open(Options{})
		if f, err := k.driver.Facts(k.ctx); err != nil || len(f.Hints) > 0 {
			t.Errorf("hints of an account that may see waits: %q, %v", f.Hints, err)
		}
		first, one := k.begin(source.BranchOptions{})
		_, err := first.Execute(k.ctx, source.Statement{Text: "UPDATE " + k.table + " SET v = v + 1 WHERE id > 3"})
		k.must(err)
		second := k.waits(source.Statement{Text: "INSERT INTO " + k.table + " VALUES (5, 0)"})
		k.reports(second.name, one)
		third := k.waits(source.Statement{Text: "SELECT v FROM " + k.table + " WHERE id BETWEEN 8 AND 9"})
		k.reports(third.name, one)
		k.must(first.Prepare(k.ctx))
		k.reports(second.name, one)
		k.finish(k.driver, one, true, true)
		k.letGo(second, third)
	})
}
