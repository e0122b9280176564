package sourcedb

import (
	"fmt"
	"testing"

	"isochron/source"
)

// The locks that a prepared branch keeps on rows it has only read. These are the server's rules, on which the rules for
// reads at a source depend: the docs of this package and of agents state what these tests show.

// blocked reports whether a change of a row must wait for another transaction.
func (k *kit) blocked(id int) bool {
	k.t.Helper()
	b, _ := k.begin(source.BranchOptions{Isolation: source.ReadCommitted})
	defer func() { k.must(b.Rollback(k.ctx)) }()
	_, err := k.try(b, fmt.Sprintf("SELECT v FROM %%s WHERE id = %d FOR UPDATE NOWAIT", id))
	if err != nil {
		k.fails(err, 1205)
	}
	return err != nil
}

// readers prepares a branch for each way to read row i+1, which changes row i+11.
func (k *kit) readers() (names []source.Name, ways []string) {
	k.t.Helper()
	b, _ := k.begin(source.BranchOptions{})
	for i := range 10 {
		k.do(b, fmt.Sprintf("INSERT INTO %%s VALUES (%d, 0), (%d, 0)", i+1, i+11))
	}
	k.must(b.Commit(k.ctx))
	for i, way := range []struct {
		level source.Isolation
		how   string
	}{
		{source.Serializable, ""}, {source.Serializable, k.share}, {source.RepeatableRead, k.share}, {source.ReadCommitted, k.share},
		{source.Serializable, " FOR UPDATE"}, {source.RepeatableRead, " FOR UPDATE"}, {source.ReadCommitted, " FOR UPDATE"},
	} {
		b, n := k.begin(source.BranchOptions{Isolation: way.level})
		k.do(b, fmt.Sprintf("SELECT v FROM %%s WHERE id = %d%s", i+1, way.how))
		k.do(b, fmt.Sprintf("UPDATE %%s SET v = 1 WHERE id = %d", i+11))
		if !k.blocked(i+1) && (way.how != "" || k.name_() == "mariadb") {
			k.t.Errorf("%s%s: what a branch reads is not locked before its PREPARE", way.level, way.how)
		}
		k.must(b.Prepare(k.ctx))
		names, ways = append(names, n), append(ways, string(way.level)+way.how)
	}
	return names, ways
}

// keeps returns which of the rows read are locked, and checks that all changed ones are.
func (k *kit) keeps(ways []string) (out map[string]bool) {
	k.t.Helper()
	out = map[string]bool{}
	for i, way := range ways {
		out[way] = k.blocked(i + 1)
		if !k.blocked(i + 11) {
			k.t.Errorf("%s: a row that was changed is free after PREPARE", way)
		}
	}
	return out
}

func TestLocksOfPreparedBranches(t *testing.T) {
	const ser, rr, rc = "serializable", "repeatable read", "read committed"
	apart(t, nil, func(t *testing.T, k *kit) {
		first := k.driver
		names, ways := k.readers()
		k.driver = k.open(Options{})
		prepared := k.keeps(ways)
		k.must(first.Close())
		closed := k.keeps(ways)
		before, err := k.driver.Facts(k.ctx)
		k.must(err)
		k.server.Kill()
		k.must(k.server.Start())
		after, err := k.driver.Facts(k.ctx)
		if k.must(err); after.ForgetsReads && after.Incarnation == before.Incarnation {
			t.Errorf("it was started at %s before its restart and after it", after.Incarnation)
		}
		restarted := k.keeps(ways)
		want := map[string][3]bool{ // after PREPARE, then without its connection, then after a restart
			ser: {false, false, false}, ser + k.share: {true, true, true}, rr + k.share: {true, true, true}, rc + k.share: {true, true, true},
			ser + " FOR UPDATE": {true, true, true}, rr + " FOR UPDATE": {true, true, true}, rc + " FOR UPDATE": {true, true, true},
		}
		if k.name_() == "mariadb" {
			want = map[string][3]bool{
				ser: {true, true, false}, ser + k.share: {true, true, false}, rr + k.share: {}, rc + k.share: {},
				ser + " FOR UPDATE": {true, true, false}, rr + " FOR UPDATE": {true, true, false}, rc + " FOR UPDATE": {true, true, false},
			}
		}
		for _, way := range ways {
			if got := [3]bool{prepared[way], closed[way], restarted[way]}; got != want[way] {
				t.Errorf("%s: read rows are held after PREPARE, without the connection, after a restart: %v; the docs say %v", way, got, want[way])
			}
		}
		for _, n := range names {
			k.finish(k.driver, n, true, true)
		}
	})
}

// A prepared branch without changes keeps its read locks while its connection lives; MariaDB rolls it back when that ends.
func TestLocksOfPreparedReaders(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		b, _ := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 0)")
		k.must(b.Commit(k.ctx))
		first := k.open(Options{})
		n := k.name()
		b = k.beginAt(first, n, source.BranchOptions{})
		k.do(b, "SELECT v FROM %s WHERE id = 1"+k.share)
		k.must(b.Prepare(k.ctx))
		if !k.blocked(1) {
			t.Error("read rows are unlocked after PREPARE")
		}
		k.must(first.Close())
		if k.name_() == "postgres" {
			if !k.blocked(1) {
				t.Error("read rows are unlocked without the connection")
			}
		} else {
			for k.blocked(1) { // until the server has noticed the end of the connection
				k.must(k.ctx.Err())
			}
		}
		k.prepared(k.driver, n)
		k.finish(k.driver, n, true, true)
	})
}
