package lab

import (
	"slices"
	"testing"

	"isochron/geo"
)

// Regions hold the shards that Holders names, the leader's first; a list that omits a region is
// refused.
func TestHolders(t *testing.T) {
	regions := []geo.Region{"a", "b", "c"}
	held, err := parseHolders("b,c/a,c/c,a", regions, 2)
	if err != nil || !slices.Equal(held[0], []int{0, 2}) || !slices.Equal(held[1], []int{1, 2}) || !slices.Equal(held[2], []int{2, 0}) {
		t.Errorf("got %v, %v", held, err)
	}
	for _, bad := range []string{"a,b/b,c", "a,b/b,c/c", "a,b/b,c/a,c", "a,b/b,c/c,d", "a,a/b,c/c,a"} {
		if _, err := parseHolders(bad, regions, 2); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	s := Defaults()
	s.WAN, s.Replicas, s.Holders = "azure5", 2, "va,sg/wa,va/pr,va/nsw,va/sg,va"
	r, err := s.resolve()
	if err != nil {
		t.Fatal(err)
	}
	// Each region follows the next one's shard, however near the others are.
	s.WAN, s.Shards, s.Holders = "uniform:100ms:3", 3, "r1,r3/r2,r1/r3,r2"
	ring, err := s.resolve()
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Concat(ring.holders(0), ring.holders(1), ring.holders(2)); !slices.Equal(got, []uint32{1, 3, 2, 1, 3, 2}) {
		t.Errorf("the ring is held by %v", got)
	}
	if got, far := r.holders(0), uint32(slices.Index(r.wan.Regions, "sg")+1); !slices.Equal(got, []uint32{1, far}) {
		t.Errorf("the first region's are held by %v, not by 1 and %d", got, far)
	}
}
