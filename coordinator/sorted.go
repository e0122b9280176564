package coordinator

import (
	"cmp"
	"slices"

	"isochron/txn"
)

// sortedKeys are a map's keys, rising: core code iterates over maps in this order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	out := make([]K, 0, len(m))
	for k := range m { // order: sorted below
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// sortedShards are the shards of a map, rising.
func sortedShards[V any](m map[txn.ShardID]V) []txn.ShardID { return sortedKeys(m) }
