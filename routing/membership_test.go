package routing

import (
	"slices"
	"testing"
)

func TestReplaceANode(t *testing.T) {
	d := directory()
	added := Node{ID: d.NextNode(), Region: "pr", Address: "h:1"}
	for range 2 { // the second time changes nothing
		if err := d.AddNode(added); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.RemoveNode(3); err == nil {
		t.Error("a node with replicas was removed")
	}
	changed, err := d.Replace(0, 3, 4)
	if err != nil || len(changed) != len(d.Shards) {
		t.Fatalf("%v, %v", changed, err)
	}
	if again, err := d.Replace(0, 3, 4); err != nil || len(again) != 0 {
		t.Errorf("again: %v, %v", again, err)
	}
	for _, s := range d.Shards {
		if slices.Contains(s.Replicas, 3) || !slices.Contains(s.Replicas, 4) || !slices.Contains(s.FoundedBy(), 3) || slices.Contains(s.FoundedBy(), 4) {
			t.Errorf("%+v", s)
		}
	}
	if meta := d.Shards[0]; !meta.Holds(3) {
		t.Error("a node that is still known does not follow the directory")
	}
	for range 2 {
		if err := d.RemoveNode(3); err != nil {
			t.Fatal(err)
		}
	}
	if meta := d.Shards[0]; meta.Holds(3) {
		t.Error("a removed node follows the directory")
	}
	if err := d.AddNode(Node{ID: 3, Region: "pr"}); err == nil || d.NextNode() != 5 {
		t.Errorf("an id was used again: %v, the next is %d", err, d.NextNode())
	}
	if _, err := d.Replace(0, 1, 4); err == nil {
		t.Error("a node took two places in one shard")
	}
}

func TestPreferredLeaderIsFirst(t *testing.T) {
	d := directory()
	if err := d.Prefer(2, 3); err != nil {
		t.Fatal(err)
	}
	s, _ := d.Shard(2)
	if got := d.Preferred(s); !slices.Equal(got, []uint32{3, 1}) {
		t.Errorf("%v", got)
	}
	if err := d.Prefer(2, 9); err == nil {
		t.Error("a node without a replica was preferred")
	}
}

func TestNodesOfARegionShareItsShards(t *testing.T) {
	d := &Directory{Epoch: 1, Shards: []Shard{{ID: 1}}}
	for i, r := range []string{"va", "wa", "va", "wa"} {
		d.Nodes = append(d.Nodes, Node{ID: uint32(i + 1), Region: r})
	}
	first, second := d.EnsureShardIn([]string{"va", "wa"}, "va", 0), d.EnsureShardIn([]string{"va", "wa"}, "va", 1)
	a, _ := d.Shard(first)
	b, _ := d.Shard(second)
	if !slices.Equal(a.Replicas, []uint32{1, 2}) || !slices.Equal(b.Replicas, []uint32{3, 4}) {
		t.Errorf("%v and %v", a.Replicas, b.Replicas)
	}
	if again := d.EnsureShardIn([]string{"wa", "va"}, "va", 0); again != first {
		t.Errorf("equal placements have shards %d and %d", first, again)
	}
}
