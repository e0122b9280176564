package routing

import (
	"bytes"
	"fmt"
	"testing"
)

func directory() *Directory {
	d := &Directory{Epoch: 1, Nodes: []Node{{ID: 1, Region: "va"}, {ID: 2, Region: "wa"}, {ID: 3, Region: "pr"}}, Shards: []Shard{{ID: 1, Replicas: []uint32{1, 2, 3}, Leader: "va"}}}
	d.AddRange(TablePrefix(7), d.EnsureShard([]uint32{1, 2, 3}, "va", 0))
	d.AddRange(TablePrefix(7)+"m", d.EnsureShard([]uint32{3, 2, 1}, "wa", 0))
	d.AddRange(TablePrefix(8), d.EnsureShard([]uint32{1, 2, 3}, "va", 0))
	return d
}

func TestAKeyHasOneShard(t *testing.T) {
	d := directory()
	for key, want := range map[string]uint64{
		LocalKey(9, "x"): 9, SystemKey("x"): 1,
		TablePrefix(7): 2, TablePrefix(7) + "lzz": 2, TablePrefix(7) + "m": 3, TablePrefix(8) + "a": 2,
	} {
		if got, ok := d.ShardOf(key); !ok || got != want {
			t.Errorf("%q is in shard %d (%v), not %d", key, got, ok, want)
		}
	}
	if _, ok := d.ShardOf(TablePrefix(6)); ok {
		t.Error("a key below every range has no shard")
	}
}

func TestTablesOfOnePlacementShareShards(t *testing.T) {
	if d := directory(); len(d.Shards) != 3 {
		t.Errorf("%d shards, not 3", len(d.Shards))
	}
}

func TestRangesAreSplitByTable(t *testing.T) {
	d := directory()
	got, err := d.Pieces(TablePrefix(7)+"a", TablePrefix(8)+"z")
	if err != nil || fmt.Sprint(len(got), got[0].Shard, got[1].Shard, got[2].Shard) != "3 2 3 2" {
		t.Fatalf("%v %v", got, err)
	}
	for i := range got[1:] {
		if got[i].End != got[i+1].Start {
			t.Errorf("a gap after piece %d: %v", i, got)
		}
	}
	if _, err := d.Pieces(TablePrefix(1), TablePrefix(2)); err == nil {
		t.Error("a span that no shard has must be an error")
	}
}

func TestACloneIsItsOwn(t *testing.T) {
	d := directory()
	before := d.Encode()
	c := d.Clone()
	c.AddRange(TablePrefix(7)+"m", 99)
	c.AddRange(TablePrefix(9), c.EnsureShard([]uint32{1}, "va", 3))
	if !bytes.Equal(before, d.Encode()) {
		t.Error("changing a clone changed the original")
	}
	back, err := Decode(c.Encode())
	if err != nil || !bytes.Equal(back.Encode(), c.Encode()) {
		t.Errorf("a directory does not survive its encoding: %v", err)
	}
}

func FuzzDecodeDirectory(f *testing.F) {
	f.Add(directory().Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if d, err := Decode(b); err == nil {
			_, _ = d.ShardOf(TablePrefix(7))
			_, _ = d.Pieces(TablePrefix(7), TablePrefix(8))
		}
	})
}
