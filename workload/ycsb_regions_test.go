package workload

import (
	"math"
	"testing"

	"isochron/geo"
)

// A transaction has ten rows, all at home or all elsewhere, with the configured odds; half of them
// are written, and the first rows of a part are the most frequent.
func TestYCSBByRegions(t *testing.T) {
	d := Cluster([]geo.Region{"va", "wa", "pr"})
	Spread(d, 1)
	m, c := newTestMix(t, "ycsb-regions", MixConfig{Parts: 3, Keys: 300, ZipfMilli: 800, DistributedMilli: 250}), seeded(9)
	near := m.(*ycsbRegions).near.of(c.DB)
	home, _ := d.ShardOf(partPrefix(tableMix, near[0]))
	if len(near) != 1 {
		t.Fatalf("the parts %v are near", near)
	}
	const all = 4000
	elsewhere, puts, hottest, others := 0, 0, 0, map[uint64]int{}
	for range all {
		j := m.Next(c)
		p := asked(t, j)
		checkDistinct(t, p)
		if len(p.gets) != ycsbRegionsLength || p.rounds != 1 || p.write {
			t.Fatalf("%d rows in %d rounds, for writing: %v", len(p.gets), p.rounds, p.write)
		}
		for _, k := range p.gets {
			shard, _ := d.ShardOf(string(k))
			others[shard]++
			if (shard == home) != (j.Class == "at home") {
				t.Fatalf("%s: %q is at shard %d, home is %d", j.Class, k, shard, home)
			}
			if rowName(k) == "0" {
				hottest++
			}
		}
		puts += len(p.puts)
		if j.Class == "elsewhere" {
			elsewhere++
		}
	}
	if share := float64(elsewhere) / all; math.Abs(share-0.25) > 0.03 {
		t.Errorf("%.2f are elsewhere, not a quarter", share)
	}
	if share := float64(puts) / (all * ycsbRegionsLength); math.Abs(share-0.5) > 0.02 {
		t.Errorf("%.2f of the rows are written, not half", share)
	}
	if len(others) != 3 || hottest < all/2 {
		t.Errorf("the shards %v were touched, and the hottest rows %d times", others, hottest)
	}
}
