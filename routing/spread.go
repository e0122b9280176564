package routing

import "slices"

// EnsureShardIn returns the shard with one replica in each of these regions, this
// leader region and slot, adding it if there is none: tables of equal placement share it, whichever
// nodes have its replicas. A new shard is placed on the nodes with the
// fewest replicas, so that the nodes of a region share its tables.
func (d *Directory) EnsureShardIn(regions []string, leader string, slot int) uint64 {
	want := slices.Sorted(slices.Values(regions))
	for _, s := range d.Shards {
		if s.ID != 1 && s.Kind.Native() && s.Leader == leader && s.Slot == slot && slices.Equal(d.regionsOf(s), want) {
			return s.ID
		}
	}
	var nodes []uint32
	for _, region := range regions {
		if n, ok := d.leastLoaded(region); ok {
			nodes = append(nodes, n)
		}
	}
	return d.EnsureShard(nodes, leader, slot)
}

// regionsOf returns the regions of a shard's replicas, sorted.
func (d *Directory) regionsOf(s Shard) []string {
	var out []string
	for _, n := range s.Replicas {
		out = append(out, d.RegionOf(n))
	}
	slices.Sort(out)
	return out
}

// leastLoaded returns the node of a region with the fewest replicas of tables,
// the first of them; ok is false if the region has only gateways.
func (d *Directory) leastLoaded(region string) (node uint32, ok bool) {
	fewest := 0
	for _, n := range d.Nodes {
		if n.Region != region || n.Gateway {
			continue
		}
		load := 0
		for _, s := range d.Shards {
			if s.ID != 1 && s.Kind.Native() && slices.Contains(s.Replicas, n.ID) {
				load++
			}
		}
		if !ok || load < fewest {
			node, fewest, ok = n.ID, load, true
		}
	}
	return node, ok
}
