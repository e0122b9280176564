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

// cycleWorld is a cluster of three nodes with a database beside each, of these dialects, with the
// numbers 11 to 13. Waits for locks end after an hour.
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
		t.Fatalf("the cluster does not start: %v", w.Summary())
	}
	return w
}

// locking is a statement with or without the name of the record that it locks.
func locking(s txn.ShardID, text, record string, names bool) []txn.SourceStatement {
	out := at(s, text)
	if names {
		out[0].Records, out[0].Writes = []txn.Key{txn.Key(record)}, true
	}
	return out
}

// crossing starts two transactions: each locks one record and then the other's. ends returns their
// errors and the time they took.
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

// oneVictim checks that one of two was rolled back for a deadlock, the other committed, and both
// soon.
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

// Two transactions wait for each other at two databases: one is rolled back in a fraction of the
// bound of a lock wait, the other commits. The cycle is found by the records that statements name,
// whatever the databases; without names, if the databases report their waits.
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
		{"two PostgreSQL, by their reports", "geotp", [2]source.Dialect{pg, pg}, false},
		{"under ssp", "ssp", [2]source.Dialect{my, pg}, true},
		{"under another protocol", "2pc+2pl", [2]source.Dialect{my, pg}, true},
	} {
		w := cycleWorld(t, c.spec, 100*time.Millisecond, c.at[0], c.at[1], my)
		take := func(tx txn.Txn, which int) error {
			_, err := tx.(txn.Sources).Execute(context.Background(), locking(txn.ShardID(11+which), "ADD a/1 1", "a/1", c.names), false)
			return err
		}
		oneVictim(t, c.name, crossing(w, take, take), 1213)
	}
}

// A transaction that is prepared at one database, with its last statement, can be part of a cycle.
func TestACycleOfPreparedBranchesEnds(t *testing.T) {
	for _, names := range []bool{true, false} {
		w := cycleWorld(t, "geotp", 100*time.Millisecond, source.Postgres, source.Postgres, source.MySQL)
		one := func(tx txn.Txn, mine int) error { // the other transaction does so at the same time, and waits
			near, far := txn.ShardID(11+mine), txn.ShardID(12-mine)
			_, err := tx.(txn.Sources).Execute(context.Background(), append(locking(near, "ADD a/1 1", "a/1", names), locking(far, "ADD a/1 1", "a/1", names)...), true)
			return err
		}
		oneVictim(t, "in one round", crossing(w, one, func(txn.Txn, int) error { return nil }), 1213)
	}
}

// A transaction waits at a shard for another that waits for it at a database.
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

// Without detection they wait until the lock wait times out.
func TestACycleWithoutADetectorStays(t *testing.T) {
	w := cycleWorld(t, "geotp", 0, source.MySQL, source.Postgres, source.MySQL)
	take := func(tx txn.Txn, which int) error {
		_, err := tx.(txn.Sources).Execute(context.Background(), locking(txn.ShardID(11+which), "ADD a/1 1", "a/1", true), false)
		return err
	}
	if failed, _, all := crossing(w, take, take)(); all {
		t.Error("the cycle was ended:", failed)
	}
}
