package server

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"isochron/coordinator"
	"isochron/node"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
	"isochron/workload"

	"isochron/geo"
)

// BenchmarkUpdate measures the time of a node's loop for an update of one row by its key, read and committed in
// one request, 256 in parallel: an UPDATE without its client, the SQL layer and the syncs of the disk.
func BenchmarkUpdate(b *testing.B) {
	for _, row := range []string{"txsql", "2pc+2pl-group", "d2pc+2pl-group"} {
		for _, rows := range []int{1, 100_000} {
			b.Run(fmt.Sprintf("%s/rows=%d", row, rows), func(b *testing.B) { benchmarkUpdate(b, row, rows) })
		}
	}
}

// alone is one node with all shards, on a real disk whose syncs are not awaited.
type alone struct {
	*node.Node
	now txn.Now
}

func newAlone(b *testing.B, name string) *alone {
	spec, err := protocol.ByName(name)
	if err != nil {
		b.Fatal(err)
	}
	e, err := OpenEngine(EngineConfig{Dir: b.TempDir(), Cache: NewCache(64 << 20)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = e.Close() })
	wan, err := geo.Parse("uniform:1ms:1")
	if err != nil {
		b.Fatal(err)
	}
	a := &alone{now: txn.Now{Mono: time.Second, WallNanos: int64(time.Hour)}}
	dir := workload.Cluster(wan.Regions)
	workload.Spread(dir, 1)
	if a.Node, err = node.New(node.Config{ID: 1, Region: wan.Regions[0], Engine: e, Spec: spec, Seed: 1, Directory: dir, WAN: wan}, a.now); err != nil {
		b.Fatal(err)
	}
	return a
}

// step carries out the node's outputs immediately.
func (a *alone) step() {
	for range 8 {
		out := a.Drain()
		if out.SyncToken == 0 {
			return
		}
		a.Synced(a.now, out.SyncToken)
	}
}

// pass advances the clocks.
func (a *alone) pass(d time.Duration) {
	a.now.Mono += d
	a.now.WallNanos += int64(d)
}

func benchmarkUpdate(b *testing.B, row string, rows int) {
	a := newAlone(b, row)
	for range 500 { // until a leader is elected
		a.pass(10 * time.Millisecond)
		a.Tick(a.now)
		a.step()
	}
	const together = 256
	done, failed := 0, 0
	update := func(i int) {
		a.Submit(a.now, &coordinator.Request{
			Op:   coordinator.OpUpdate,
			Read: txn.Read{Gets: []txn.Key{rowOf(i % rows)}, Lock: txn.LockExclusive, ForWrite: true},
			Then: func(rows []txn.Row) ([]txn.Write, bool) {
				next := make([]byte, 120)
				if len(rows[0].Value) >= 8 {
					binary.BigEndian.PutUint64(next, 1+binary.BigEndian.Uint64(rows[0].Value))
				}
				return []txn.Write{{Key: rows[0].Key, Value: next}}, true
			},
			Done: func(r coordinator.Response) {
				done++
				if r.Err != nil {
					failed++
					b.Log(r.Err)
				}
			},
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; {
		for j := 0; j < together && i < b.N; j++ {
			update(i * 7919)
			i++
		}
		a.step()
		a.pass(time.Millisecond)
		a.Tick(a.now)
	}
	a.step()
	b.StopTimer()
	if done != b.N || failed > 0 {
		b.Fatalf("%d of %d answered, %d failed", done, b.N, failed)
	}
}

func rowOf(i int) txn.Key {
	return txn.Key(routing.LocalKey(1, fmt.Sprintf("row%06d", i)))
}
