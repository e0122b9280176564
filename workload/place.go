package workload

import (
	"fmt"

	"isochron/geo"
	"isochron/routing"
	"isochron/txn"
)

// The tables of the workloads.
const (
	tableAccounts uint64 = 1001
	tableLedger   uint64 = 1002
	tableLists    uint64 = 1003
	tableMix      uint64 = 1004 // the rows of all benchmarks
)

// Cluster returns a directory of one node a region, numbered from 1 in the order of regions, with
// the meta shard led from the first.
func Cluster(regions []geo.Region) *routing.Directory {
	d := &routing.Directory{Epoch: 1}
	var all []uint32
	for i, r := range regions {
		d.Nodes = append(d.Nodes, routing.Node{ID: uint32(i + 1), Region: string(r)})
		all = append(all, uint32(i+1))
	}
	d.Shards = []routing.Shard{{ID: uint64(txn.MetaShard), Replicas: all, Leader: string(regions[0])}}
	return d
}

// Spread extends the directory with the tables of the workloads: each is cut
// into as many parts as there are shards, slots shards led from each region,
// each with replicas everywhere.
func Spread(d *routing.Directory, slots int) { SpreadOver(d, slots*len(d.Regions())) }

// SpreadOver is Spread over a number of shards, led from the regions in turn.
func SpreadOver(d *routing.Directory, n int) {
	all, regions := d.Shards[0].Replicas, d.Regions()
	var shards []uint64
	for i := range n {
		shards = append(shards, d.EnsureShard(all, regions[i%len(regions)], i/len(regions)))
	}
	place(d, shards, tableAccounts, tableLedger, tableLists)
	Place(d, shards)
}

// Place extends the directory with the rows of the benchmarks: part i of them
// goes to shards[i].
func Place(d *routing.Directory, shards []uint64) { place(d, shards, tableMix) }

func place(d *routing.Directory, shards []uint64, tables ...uint64) {
	for _, table := range tables {
		for part, shard := range shards {
			start := partPrefix(table, part)
			if part == 0 {
				start = routing.TablePrefix(table)
			}
			d.AddRange(start, shard)
		}
	}
}

// partPrefix returns the prefix of one part of a table.
func partPrefix(table uint64, part int) string {
	return routing.TablePrefix(table) + string([]byte{byte(part)})
}

// rowKey returns the key of a row in one part of a table.
func rowKey(table uint64, part int, name string) txn.Key {
	return txn.Key(partPrefix(table, part) + name)
}

// rowName returns the name in a key of rowKey.
func rowName(k txn.Key) string { return string(k[len(partPrefix(0, 0)):]) }

func tableSpan(table uint64) txn.Span {
	p := routing.TablePrefix(table)
	return txn.Span{Start: txn.Key(p), End: txn.Key(routing.PrefixEnd(p))}
}

// MixSpan returns the span of all rows of a benchmark.
func MixSpan() txn.Span { return tableSpan(tableMix) }

func partSpan(table uint64, part int) txn.Span {
	p := partPrefix(table, part)
	return txn.Span{Start: txn.Key(p), End: txn.Key(routing.PrefixEnd(p))}
}

// idName returns an id as part of a key; ids sort as numbers.
func idName(id int64) string { return fmt.Sprintf("%012d", id) }
