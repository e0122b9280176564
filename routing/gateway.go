package routing

import (
	"fmt"
	"slices"
)

// A gateway is a node that answers clients and holds nothing that could be lost: it
// follows the meta shard without a vote, and no replica of a table is ever placed on
// it. It may come back with an empty directory. Then its transactions need names that
// none of its earlier ones had, so the directory counts how often it has begun.

// StorageRegions are the regions that have nodes which hold replicas, in the order of
// their first node.
func (d *Directory) StorageRegions() []string {
	var out []string
	for _, n := range d.Nodes {
		if !n.Gateway && !slices.Contains(out, n.Region) {
			out = append(out, n.Region)
		}
	}
	return out
}

// HomeOf is the region from which a table is led that is made in this one: the same,
// or that of the meta shard if nothing can be held here.
func (d *Directory) HomeOf(region string) string {
	if slices.Contains(d.StorageRegions(), region) {
		return region
	}
	meta, _ := d.Shard(1)
	return meta.Leader
}

// beginsMax bounds how often a gateway begins with nothing: each time leaves as many
// restarts.
const beginsMax = 1<<16 - 1

// BeginGateway counts that a gateway begins with nothing, and returns the count.
func (d *Directory) BeginGateway(id uint32) (uint32, error) {
	i := slices.IndexFunc(d.Nodes, func(n Node) bool { return n.ID == id })
	switch {
	case i < 0 && id < d.NextNode():
		return 0, fmt.Errorf("node %d was removed from the cluster for good", id)
	case i < 0:
		return 0, fmt.Errorf("the cluster has no node %d: add it first", id)
	case !d.Nodes[i].Gateway:
		return 0, fmt.Errorf("node %d is no gateway: it has promised to keep what it held, and does not begin with nothing; replace it", id)
	case d.Nodes[i].Begun >= beginsMax:
		return 0, fmt.Errorf("gateway %d has begun with nothing %d times, the most that it can: remove it and add another", id, beginsMax)
	}
	d.Nodes[i].Begun++
	return d.Nodes[i].Begun, nil
}
