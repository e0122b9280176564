package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"isochron/geo"
	"isochron/protocol"
	"isochron/routing"
	"isochron/source"
	"isochron/txn"
	"isochron/workload"
)

// sourceRows are the protocols for external databases.
func sourceRows() (out []protocol.Spec) {
	for _, r := range protocol.Table() {
		if r.OverSources() {
			out = append(out, r)
		}
	}
	return out
}

// Runs of each protocol over sources find nothing, with faults and without, and do something.
func TestFaultRunsOverSources(t *testing.T) {
	for _, spec := range sourceRows() {
		if spec.Isolation == protocol.NoAtomicity {
			continue
		}
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			for faults, least := range map[Faults]int{{}: 60, AllFaults(): 5} {
				r := RunSeed(11, spec, FaultRunConfig{Faults: faults})
				if len(r.Violations) > 0 {
					t.Errorf("%v", r.Violations)
				}
				ended := r.Counts["prepared branches committed"] + r.Counts["branches over versions that were prepared and ended"]
				if ended < least || r.Counts["at sources: ok"] < least {
					t.Errorf("too few events for a test: %v", r.Counts)
				}
			}
		})
	}
}

// A protocol without atomicity is one whose runs show violations of it.
func TestLocalCommitsAreNotAtomic(t *testing.T) {
	for _, spec := range sourceRows() {
		if spec.Isolation != protocol.NoAtomicity {
			continue
		}
		for seed := uint64(1); seed <= 10; seed++ {
			if r := RunSeed(seed, spec, FaultRunConfig{Faults: AllFaults()}); !r.Serializable() {
				return
			}
		}
		t.Errorf("%s commits everywhere or nowhere", spec.Name)
	}
}

// besideSources is a cluster of three nodes with a shard led from each and a database beside each,
// whose sources have the numbers 11 to 13.
func besideSources(t *testing.T, row string) (*Cluster, *Databases) {
	t.Helper()
	return besideSourcesWith(t, row, txn.InjectedBugs{})
}

func besideSourcesWith(t *testing.T, row string, bugs txn.InjectedBugs) (*Cluster, *Databases) {
	t.Helper()
	wan, err := geo.Parse("uniform:20ms:3")
	if err != nil {
		t.Fatal(err)
	}
	r, err := protocol.ByName(row)
	if err != nil {
		t.Fatal(err)
	}
	dir, dbs := workload.Cluster(wan.Regions), new(Databases)
	workload.SpreadOver(dir, 3)
	for i, region := range wan.Regions {
		dir.Shards = append(dir.Shards, routing.Shard{ID: uint64(11 + i), Replicas: []uint32{uint32(i + 1)}, Leader: string(region), Kind: source.Kind})
	}
	w, err := New(Config{Seed: 1, WAN: wan, Spec: r, Directory: dir, Databases: dbs, Hardware: Hardware{Fsync: time.Millisecond}, Codec: true, Params: txn.Params{InjectedBugs: bugs}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	if !w.RunUntil(quietWait, w.Ready) {
		t.Fatalf("the cluster does not start: %v", w.Summary())
	}
	return w, dbs
}

func at(s txn.ShardID, texts ...string) (out []txn.SourceStatement) {
	for _, text := range texts {
		out = append(out, txn.SourceStatement{Source: s, Statement: txn.Statement{Text: text}})
	}
	return out
}

// The statements of a session at sources and their results: under a protocol for sources, and under
// another, whose transactions are also decided by a logged decision.
func TestASessionAtSources(t *testing.T) {
	for _, row := range []string{"geotp-o1", "ssp", "d2pc+2pl-group", "2pc+2pl"} {
		t.Run(row, func(t *testing.T) { sessionAtSources(t, row) })
	}
}

func sessionAtSources(t *testing.T, row string) {
	w, dbs := besideSources(t, row)
	ctx, key := context.Background(), txn.Key(routing.TablePrefix(1001)+"k")
	var failed []string
	expect := func(what string, err error, want txn.Kind) {
		if txn.KindOf(err) != want || (err == nil) != (want == 0) {
			failed = append(failed, fmt.Sprintf("%s: %v, of kind %d and not %d", what, err, txn.KindOf(err), want))
		}
	}
	c := w.Go(1, func(c *Client) {
		begin := func(o txn.Options) (txn.Txn, func(last bool, s []txn.SourceStatement) error) {
			tx := c.DB().Begin(o)
			return tx, func(last bool, s []txn.SourceStatement) error {
				_, err := tx.(txn.Sources).Execute(ctx, s, last)
				return err
			}
		}
		tx, do := begin(txn.Options{})
		expect("a shard", do(false, at(2, "GET a/1")), txn.KindInvalidRequest)
		expect("nothing", do(false, nil), txn.KindInvalidRequest)
		expect("an error", do(false, at(11, "PUT a/1 5", "FAIL", "PUT a/2 6")), txn.KindStatement)
		expect("another statement", do(false, at(11, "PUT a/3 7")), 0)
		expect("one participant", tx.Commit(ctx), 0)
		if dbs.of[11].rows["a/1"] != "5" || dbs.of[11].rows["a/2"] != "" || dbs.of[11].rows["a/3"] != "7" || dbs.of[11].finished != 0 {
			failed = append(failed, fmt.Sprintf("in one phase: %v, %d prepared", dbs.of[11].rows, dbs.of[11].finished))
		}
		tx, _ = begin(txn.Options{})
		res, err := tx.(txn.Finishing).ExecuteAndCommit(ctx, at(11, "ADD a/3 1", "GET a/3"))
		if expect("in one round", err, 0); len(res) != 2 || string(valueIn(res[1])) != "8" || dbs.of[11].rows["a/3"] != "8" || dbs.of[11].finished != 0 || tx.Stats().CommitRounds != 0 {
			failed = append(failed, fmt.Sprintf("in one round: %v, %v, %+v", res, dbs.of[11].rows, tx.Stats()))
		}
		expect("after its commit", tx.Commit(ctx), txn.KindInvalidRequest)
		tx, _ = begin(txn.Options{})
		_, err = tx.(txn.Finishing).ExecuteAndCommit(ctx, at(11, "ADD a/3 1", "FAIL"))
		expect("in one round, and fails", err, txn.KindAborted)
		tx.Rollback()
		tx, _ = begin(txn.Options{})
		_, err = tx.(txn.Finishing).ExecuteAndCommit(ctx, at(11, "PUT a/3 7"))
		expect("back", err, 0)
		tx, do = begin(txn.Options{})
		tx.Put(key, []byte("x"))
		expect("both", do(false, append(at(11, "ADD a/1 1"), at(12, "PUT b/1 1")...)), 0)
		expect("the last", do(true, at(12, "ADD b/1 1")), 0)
		expect("after the last", do(false, at(12, "ADD b/1 1")), txn.KindInvalidRequest)
		expect("shards and sources", tx.Commit(ctx), 0)
		if v, _, _ := w.host(1).node.ReadLocal(key); string(v) != "x" || dbs.of[11].rows["a/1"] != "6" || dbs.of[12].rows["b/1"] != "2" || dbs.of[12].finished != 1 {
			failed = append(failed, fmt.Sprintf("over both: %q, %v, %v", v, dbs.of[11].rows, dbs.of[12].rows))
		}
		tx, do = begin(txn.Options{})
		expect("the last fails", do(true, append(at(11, "ADD a/1 1"), at(13, "FAIL")...)), txn.KindAborted)
		expect("a commit after that", tx.Commit(ctx), txn.KindAborted)
		tx.Rollback()
		tx, do = begin(txn.Options{AsOf: 1, ReadOnly: true})
		expect("the past", do(false, at(11, "GET a/1")), txn.KindInvalidRequest)
		tx.Rollback()
		tx, do = begin(txn.Options{})
		expect("to be given up", do(true, append(at(11, "ADD a/1 1"), at(13, "PUT c/1 1")...)), 0)
		tx.Rollback()
	})
	quiet := func() bool {
		ours, _ := dbs.left()
		return c.Done() && len(ours) == 0 && len(w.Residue()) == 0
	}
	if !w.RunUntil(quietWait, quiet) {
		t.Errorf("the cluster is not quiet: %v, %v", w.Residue(), w.Summary())
	}
	if len(failed) > 0 || dbs.of[11].rows["a/1"] != "6" || dbs.of[13].rows["c/1"] != "" {
		t.Errorf("%v; at the end %v and %v", failed, dbs.of[11].rows, dbs.of[13].rows)
	}
}

// valueIn returns the value of a GET.
func valueIn(r txn.SourceResult) []byte {
	if len(r.Rows) != 1 {
		return nil
	}
	return r.Rows[0][1]
}

// A database that drops at its restart the read locks of prepared transactions takes no new
// transactions before those have ended: so a writer of a row that one of them has read follows it.
func TestAFenceReplacesReadsLostInARestart(t *testing.T) {
	for _, bugs := range []txn.InjectedBugs{{}, {UnfencedReads: true}} {
		w, dbs := besideSourcesWith(t, "geotp-o1", bugs)
		ctx := context.Background()
		if d := dbs.of[11]; d.dialect != source.MySQL {
			t.Fatalf("the dialect is %v", d.dialect)
		}
		var committed, wrote time.Duration
		w.Go(1, func(c *Client) {
			tx := c.DB().Begin(txn.Options{})
			if _, err := tx.(txn.Sources).Execute(ctx, append(at(11, "GET a/1"), at(12, "ADD b/1 1")...), true); err != nil {
				t.Errorf("the first: %v", err)
			}
			c.Sleep(time.Second) // its branches are prepared
			dbs.of[11].crash(10 * time.Millisecond)
			c.Sleep(2 * time.Second)
			committed = c.Elapsed()
			if err := tx.Commit(ctx); err != nil {
				t.Errorf("the first: %v", err)
			}
		})
		second := w.Go(1, func(c *Client) {
			c.Sleep(2 * time.Second)
			for range 50 {
				tx := c.DB().Begin(txn.Options{})
				if _, err := tx.(txn.Finishing).ExecuteAndCommit(ctx, at(11, "PUT a/1 5")); err == nil {
					break
				}
				tx.Rollback()
				c.Sleep(100 * time.Millisecond)
			}
			wrote = c.Elapsed()
		})
		if !w.RunUntil(quietWait, second.Done) || dbs.of[11].rows["a/1"] != "5" {
			t.Fatalf("the second does not end: %v", w.Summary())
		}
		w.Run(5 * time.Second)
		if early := committed == 0 || wrote < committed; early != bugs.UnfencedReads {
			t.Errorf("with %+v the row was written after %v, and its reader began to commit after %v", bugs, wrote, committed)
		}
	}
}
