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

// tells waits until the server says that a branch waits, for all of these and nobody else.
func (k *kit) tells(n source.Name, of ...source.Name) {
	k.t.Helper()
	for {
		list, known, err := k.driver.(source.Waiting).Waits(k.ctx, []source.Name{n})
		k.must(err)
		if !known {
			k.t.Fatal("it tells nothing")
		}
		if len(list) == 0 {
			continue // it has not come to its wait; the context ends that
		}
		var got []source.Name
		for _, x := range list {
			if x.Name != n {
				k.t.Fatalf("it tells of %v, and was asked of %v", x.Name, n)
			}
			got = append(got, x.For)
		}
		slices.SortFunc(got, func(a, b source.Name) int { return int(a.Attempt.Seq) - int(b.Attempt.Seq) })
		if got = slices.Compact(got); !slices.Equal(got, of) {
			k.t.Errorf("it tells that %v waits for %v, not for %v", n, got, of)
		}
		return
	}
}

// letGo rolls back those who waited, each when its statement has ended. Servers do not promise who of
// those is first who wait for one that has ended: the later may have the row, and the other waits for it.
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

// A PostgreSQL tells its agent's account who waits for whom: for one that works, for one that stands
// before it in the queue of a row, and for one that is prepared, at a row and at a table.
func TestAPostgresTellsWhoWaits(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if k.name_() != "postgres" {
			t.Skip("a MariaDB tells accounts with PROCESS alone")
		}
		k.must(k.server.Exec("INSERT INTO " + k.table + " VALUES (1, 0)"))
		row := source.Statement{Text: "UPDATE " + k.table + " SET v = v + 1 WHERE id = 1", Locks: true}
		first, one := k.begin(source.BranchOptions{})
		_, err := first.Execute(k.ctx, row)
		k.must(err)
		second := k.waits(row)
		k.tells(second.name, one)
		third := k.waits(row)
		k.tells(third.name, second.name)
		k.must(first.Prepare(k.ctx))
		k.tells(second.name, one)
		k.driver = k.open(Options{}) // its queries are its own
		table := k.waits(source.Statement{Text: "SELECT 1", Locks: true, Guard: []string{"LOCK TABLE " + k.table + " IN SHARE MODE"}})
		k.tells(table.name, one)
		k.finish(k.driver, one, true, true)
		k.letGo(second, third, table)
	})
}

// A MariaDB tells it to an account that has PROCESS: of rows, of the gaps between them, and of what is
// prepared. Any other account is told nothing, which is no error.
func TestAMariaDBTellsWhoWaits(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if k.name_() == "postgres" {
			t.Skip("a PostgreSQL tells it to all")
		}
		k.must(k.server.Exec("INSERT INTO " + k.table + " VALUES (1, 0), (9, 0)"))
		_, nobody := k.begin(source.BranchOptions{})
		if list, known, err := k.driver.(source.Waiting).Waits(k.ctx, []source.Name{nobody}); known || err != nil || len(list) > 0 {
			t.Errorf("an account without PROCESS is told %v, %v, %v", list, known, err)
		}
		k.must(k.server.Exec("GRANT PROCESS ON *.* TO " + sourcetest.User))
		defer func() { k.must(k.server.Exec("REVOKE PROCESS ON *.* FROM " + sourcetest.User)) }()
		k.driver = k.open(Options{})
		if f, err := k.driver.Facts(k.ctx); err != nil || len(f.Hints) > 0 {
			t.Errorf("hints of an account that may see who waits: %q, %v", f.Hints, err)
		}
		first, one := k.begin(source.BranchOptions{})
		_, err := first.Execute(k.ctx, source.Statement{Text: "UPDATE " + k.table + " SET v = v + 1 WHERE id > 3"})
		k.must(err)
		second := k.waits(source.Statement{Text: "INSERT INTO " + k.table + " VALUES (5, 0)"})
		k.tells(second.name, one)
		third := k.waits(source.Statement{Text: "SELECT v FROM " + k.table + " WHERE id BETWEEN 8 AND 9"})
		k.tells(third.name, one)
		k.must(first.Prepare(k.ctx))
		k.tells(second.name, one)
		k.finish(k.driver, one, true, true)
		k.letGo(second, third)
	})
}
