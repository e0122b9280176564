package routing

import (
	"slices"
	"testing"
)

// No replica is placed on a gateway, by placement or by an operator, and a region of gateways alone
// stores nothing.
func TestAGatewayHoldsNothing(t *testing.T) {
	d := directory()
	for _, n := range []Node{{Region: "va", Gateway: true}, {Region: "nsw", Gateway: true}} {
		n.ID = d.NextNode()
		if err := d.AddNode(n); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.StorageRegions(); !slices.Equal(got, []string{"va", "wa", "pr"}) {
		t.Errorf("storage in %v", got)
	}
	if a, b := d.HomeOf("wa"), d.HomeOf("nsw"); a != "wa" || b != "va" {
		t.Errorf("homes %s and %s", a, b)
	}
	for slot := range 5 {
		s, _ := d.Shard(d.EnsureShardIn([]string{"va", "nsw"}, "va", slot))
		if !slices.Equal(s.Replicas, []uint32{1}) {
			t.Errorf("slot %d is on nodes %v", slot, s.Replicas)
		}
	}
	if _, err := d.Replace(0, 1, 4); err == nil {
		t.Error("a gateway took the place of a node that holds data")
	}
	if err := d.RemoveNode(5); err != nil {
		t.Error(err)
	}
}

func TestAGatewayStartsAgainWithoutState(t *testing.T) {
	d := directory()
	if err := d.AddNode(Node{ID: 4, Region: "va", Gateway: true}); err != nil {
		t.Fatal(err)
	}
	c := d.Clone()
	for want := range uint32(2) {
		if got, err := c.BeginGateway(4); err != nil || got != want+1 {
			t.Errorf("%d, %v", got, err)
		}
	}
	if n, _ := d.Node(4); n.Begun != 0 {
		t.Error("changing a clone changed the original")
	}
	if err := c.RemoveNode(4); err != nil {
		t.Fatal(err)
	}
	for _, id := range []uint32{1, 4, 9} { // it holds data, was removed, was never there
		if n, err := c.BeginGateway(id); err == nil {
			t.Errorf("node %d begins: %d", id, n)
		}
	}
}
