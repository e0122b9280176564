package routing

import (
	"slices"
	"strings"
	"testing"
)

func twoNodes() *Directory {
	return &Directory{Epoch: 1, Nodes: []Node{{ID: 1, Region: "eu"}, {ID: 2, Region: "us"}},
		Shards: []Shard{{ID: 1, Replicas: []uint32{1, 2}, Leader: "eu"}}}
}

func TestSourcesOfADirectory(t *testing.T) {
	d := twoNodes()
	id, err := d.AddSource(2, Source{Name: "orders", Dialect: "mysql", Identity: "a"})
	again, err2 := d.AddSource(2, Source{Name: "orders", Dialect: "mysql", Identity: "b"})
	if err != nil || err2 != nil || id != 2 || again != 2 || len(d.Shards) != 2 {
		t.Fatalf("added as %d and %d: %v, %v", id, again, err, err2)
	}
	if back, err := Decode(d.Encode()); err != nil || *back.Shards[1].Source != (Source{"orders", "mysql", "a"}) || back.Shards[1].Leader != "us" {
		t.Errorf("it reads %+v, %v", back, err)
	}
	for says, s := range map[string]struct {
		node uint32
		Source
	}{
		"whose agent is node":  {1, Source{Name: "orders", Dialect: "mysql"}},
		"speaks the dialect":   {2, Source{Name: "orders", Dialect: "postgres"}},
		"is the source orders": {1, Source{Name: "twin", Dialect: "mysql", Identity: "a"}},
		"no node 9":            {9, Source{Name: "far", Dialect: "mysql"}},
		"cannot name":          {1, Source{Name: "9 lives", Dialect: "mysql"}},
	} {
		if _, err := d.AddSource(s.node, s.Source); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if err := d.AcceptSource("orders", "b"); err != nil || d.Shards[1].Source.Identity != "b" {
		t.Error(err)
	}
	if err := d.RemoveNode(2); err == nil {
		t.Error("the agent's node can be removed")
	}
	if err := d.RemoveSource("stock"); err == nil || !strings.Contains(err.Error(), "it has orders") {
		t.Error(err)
	}
	if err := d.RemoveSource("orders"); err != nil || len(d.Shards) != 1 {
		t.Error(err)
	}
	if id, err := d.AddSource(2, Source{Name: "orders", Dialect: "mysql"}); err != nil || id != 3 {
		t.Errorf("its number is used again: %d, %v", id, err)
	}
}

// A source is no place for tables, and no replica of a shard that could go elsewhere.
func TestSourcesHoldNoTables(t *testing.T) {
	d := twoNodes()
	source, _ := d.AddSource(2, Source{Name: "orders", Dialect: "mysql"})
	if s := d.EnsureShard([]uint32{2}, "us", 0); s == source {
		t.Error("a table is placed at the source")
	}
	d.Nodes = append(d.Nodes, Node{ID: 3, Region: "us"})
	if s := d.EnsureShardIn([]string{"us"}, "us", 0); s == source {
		t.Error("a table is placed at the source by its region")
	}
	changed, err := d.Replace(0, 2, 3)
	if s, _ := d.Shard(source); err != nil || slices.Contains(changed, source) || !s.Holds(2) {
		t.Errorf("the source moves with replicas: %v, %v", changed, err)
	}
	if err := d.Prefer(source, 3); err == nil {
		t.Error("another node leads the source")
	}
}
