package sim

import (
	"context"
	"errors"
	"testing"
	"time"

	"isochron/geo"
	"isochron/protocol"
	"isochron/routing"
	"isochron/source"
	"isochron/txn"
	"isochron/workload"
)

// cycleWorld is a cluster of three nodes with a database beside each, of these dialects, that have
// the numbers 11 to 13. Waits for locks end after an hour.
func cycleWorld(t *testing.T, row string, looks time.Duration, dialects ...source.Dialect) *Cluster {
	t.Helper()
	wan, err := geo.Parse("uniform:20ms:3")
	if err != nil {
		t.Fatal(err)
	}
	r, err := protocol.ByName(row)
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions)
	workload.SpreadOver(dir, 3)
	for i, region := range wan.Regions {
		dir.Shards = append(dir.Shards, routing.Shard{ID: uint64(11 + i), Replicas: []uint32{uint32(i + 1)}, Leader: string(region), Kind: source.Kind})
	}
	w, err := New(Config{Seed: 1, WAN: wan, Spec: r, Directory: dir, Databases: &Databases{Dialects: dialects, ReportWaits: true}, Hardware: Hardware{Fsync: time.Millisecond}, Codec: true,
		Params: txn.Params{SourceWaits: looks, LockWait: time.Hour, CommitWait: 2 * time.Hour, AdmissionOff: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	if !w.RunUntil(quietWait, w.Ready) {
		t.Fatalf("the cluster does not come up: %v", w.Summary())
	}
	return w
}

// locking is a statement that says which record it locks, or does not.
func locking(s txn.ShardID, text, record string, names bool) []txn.SourceStatement {
	out := at(s, text)
	if names {
		out[0].Records, out[0].Writes = []txn.Key{txn.Key(record)}, true
	}
	return out
}

// crossing are two transactions: each takes a record and then that of the other. They tell how they
// end, and when.
func crossing(w *Cluster, first, second func(t txn.Txn, mine int) error) (ends func() (failed []error, took time.Duration, all bool)) {
	began := w.Elapsed()
	var failed [2]error
	var ended int
	var last time.Duration
	for i := range 2 {
		w.Go(txn.NodeID(i+1), func(c *Client) {
			tx := c.DB().Begin(txn.Options{})
			err := first(tx, i)
			if err == nil {
				c.Sleep(200 * time.Millisecond)
				err = second(tx, 1-i)
			}
			if err == nil {
				err = tx.Commit(context.Background())
			} else {
				tx.Rollback()
			}
			failed[i], last = err, w.Elapsed()
			ended++
		})
	}
	w.RunUntil(time.Minute, func() bool { return ended == 2 })
	return func() ([]error, time.Duration, bool) { return failed[:], last - began, ended == 2 }
}

// oneVictim says that one of two was rolled back for a deadlock, the other committed, and both soon.
func oneVictim(t *testing.T, name string, ends func() ([]error, time.Duration, bool), code uint16) {
	t.Helper()
	failed, took, all := ends()
	lost := 0
	for _, err := range failed {
		var e *txn.Error
		if errors.As(err, &e) && e.Kind == txn.KindAborted && e.Fault != nil && e.Fault.Code == code {
			lost++
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !all || lost != 1 || took > time.Second {
		t.Errorf("%s: both have ended: %v, after %v; %d of them for a deadlock: %v", name, all, took, lost, failed)
	}
}

// Two transactions that wait for each other at two databases: one is rolled back in a fraction of the
// bound of a wait for a lock, the other commits. It is found by the records that statements name,
// whatever the databases; and where they name none, if the databases tell.
func TestACycleOverTwoSourcesEnds(t *testing.T) {
	const my, pg = source.MySQL, source.Postgres
	for _, c := range []struct {
		name  string
		spec  string
		at    [2]source.Dialect
		names bool
	}{
		{"MariaDB and PostgreSQL", "geotp", [2]source.Dialect{my, pg}, true},
		{"two MariaDB", "geotp", [2]source.Dialect{my, my}, true},
		{"two PostgreSQL", "geotp", [2]source.Dialect{pg, pg}, true},
		{"two PostgreSQL, by what they tell", "geotp", [2]source.Dialect{pg, pg}, false},
		{"under ssp", "ssp", [2]source.Dialect{my, pg}, true},
		{"under another row", "2pc+2pl", [2]source.Dialect{my, pg}, true},
	} {
		w := cycleWorld(t, c.spec, 100*time.Millisecond, c.at[0], c.at[1], my)
		take := func(tx txn.Txn, which int) error {
			_, err := tx.(txn.Sources).Execute(context.Background(), locking(txn.ShardID(11+which), "ADD a/1 1", "a/1", c.names), false)
			return err
		}
		oneVictim(t, c.name, crossing(w, take, take), 1213)
	}
}

// A transaction that is prepared at one of them, as it is with its last statement, is part of a cycle as well.
func TestACycleOfPreparedBranchesEnds(t *testing.T) {
	for _, names := range []bool{true, false} {
		w := cycleWorld(t, "geotp", 100*time.Millisecond, source.Postgres, source.Postgres, source.MySQL)
		one := func(tx txn.Txn, mine int) error { // of the other, who does so at the same time, it comes second
			near, far := txn.ShardID(11+mine), txn.ShardID(12-mine)
			_, err := tx.(txn.Sources).Execute(context.Background(), append(locking(near, "ADD a/1 1", "a/1", names), locking(far, "ADD a/1 1", "a/1", names)...), true)
			return err
		}
		oneVictim(t, "in one round", crossing(w, one, func(txn.Txn, int) error { return nil }), 1213)
	}
}

// One waits at a shard for another that waits for it at a database.
func TestACycleOverASourceAndAShardEnds(t *testing.T) {
	for _, first := range []int{0, 1} {
		w := cycleWorld(t, "geotp", 100*time.Millisecond, source.MySQL, source.Postgres, source.MySQL)
		key := txn.Key(routing.TablePrefix(1001) + "k")
		take := func(tx txn.Txn, which int) error {
			if which == first {
				_, err := tx.(txn.Sources).Execute(context.Background(), locking(11, "ADD a/1 1", "a/1", true), false)
				return err
			}
			_, err := tx.Read(context.Background(), txn.Read{Gets: []txn.Key{key}, Lock: txn.LockExclusive})
			return err
		}
		failed, took, all := crossing(w, take, take)()
		lost := 0
		for _, err := range failed {
			if err != nil {
				lost++
			}
		}
		if !all || lost != 1 || took > time.Second {
			t.Errorf("both have ended: %v, after %v: %v", all, took, failed)
		}
	}
}

// Without it they wait for as long as anybody waits for a lock.
func TestACycleThatNobodyLooksFor(t *testing.T) {
	w := cycleWorld(t, "geotp", 0, source.MySQL, source.Postgres, source.MySQL)
	take := func(tx txn.Txn, which int) error {
		_, err := tx.(txn.Sources).Execute(context.Background(), locking(txn.ShardID(11+which), "ADD a/1 1", "a/1", true), false)
		return err
	}
	if failed, _, all := crossing(w, take, take)(); all {
		t.Error("somebody has ended it:", failed)
	}
}
