package sim

import (
	"context"
	"testing"
	"time"

	"isochron/geo"
	"isochron/protocol"
	"isochron/txn"
	"isochron/workload"
)

// Where transactions of several regions have precedence, those of a single region keep the order of
// their ages, however far away their clients are. A remote read is old at its validation, if
// clients beside the leader write the row all the time.
func TestFarClientsOfOneRegionAreNotOvertakenForever(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"r4+gdcc", "bonspiel", "bonspiel+wait-die"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if most, commits := farTries(t, name, 60*time.Second); most > 20 || commits < 12 {
				t.Errorf("of %d remote transactions one took %d tries", commits, most)
			}
		})
	}
}

// farTries runs four clients beside a leader that write one row, and one far away: most is the
// largest number of tries of a transaction of the remote client, and commits the number of its
// transactions.
func farTries(t *testing.T, name string, lasts time.Duration) (most, commits int) {
	t.Helper()
	spec, err := protocol.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	wan, err := geo.Parse("azure5")
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions)
	dir.AddRange(scriptPrefix(0), dir.EnsureShard(dir.Shards[0].Replicas, string(wan.Regions[0]), 0))
	w, err := New(Config{Seed: 3, WAN: wan, Spec: spec, Directory: dir, Hardware: Hardware{Fsync: time.Millisecond}, Links: Links{MinDelay: 100 * time.Microsecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	s, _ := dir.ShardOf(scriptPrefix(0))
	if !w.RunUntil(30*time.Second, func() bool { return w.Ready() && w.Leader(txn.ShardID(s)) == 1 }) {
		t.Fatal("the row's leader is not in the first region")
	}
	until := w.Elapsed() + lasts
	for n := range 5 {
		at, far := txn.NodeID(1), n == 0
		if far {
			at = txn.NodeID(len(wan.Regions))
		}
		w.Go(at, func(c *Client) {
			for c.Elapsed() < until {
				tries := rewrite(c, rowAt(0, 0), until)
				if far {
					most, commits = max(most, tries), commits+1
				}
			}
		})
	}
	w.Run(lasts + 10*time.Second)
	return most, commits
}

// rewrite reads and writes a row until that commits, or until a time; it returns the number of
// tries.
func rewrite(c *Client, k txn.Key, until time.Duration) (tries int) {
	var before txn.Txn
	for tries = 1; ; tries++ {
		tx := c.DB().Begin(txn.Options{RetryOf: before})
		before = tx
		_, err := tx.Read(context.Background(), txn.Read{Gets: []txn.Key{k}})
		if err == nil {
			tx.Put(k, []byte("x"))
			err = tx.Commit(context.Background())
		}
		if err == nil || c.Elapsed() >= until {
			return tries
		}
		c.Sleep(time.Duration(1+c.Rand().IntN(5)) * time.Millisecond)
	}
}
