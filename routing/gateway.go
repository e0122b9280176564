package routing

import (
	"fmt"
	"slices"
)

// A gateway is a node that serves clients and has no data that could be lost: it
// follows the meta shard without a vote, and no replica of a table is placed on
// it. It may return with an empty data directory. Then its transactions need ids that
// none of its earlier ones had, so the directory counts its starts.

// StorageRegions returns the regions with nodes that store replicas, in the order of
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

// HomeOf returns the leader region of a table created in this region: the same, or the meta shard's
// if the region stores nothing.
func (d *Directory) HomeOf(region string) string {
	if slices.Contains(d.StorageRegions(), region) {
		return region
	}
	meta, _ := d.Shard(1)
	return meta.Leader
}

// beginsMax bounds how often a gateway starts without data: each time leaves as many
// restarts.
const beginsMax = 1<<16 - 1

// BeginGateway counts a gateway's start without data, and returns the count.
func (d *Directory) BeginGateway(id uint32) (uint32, error) {
	i := slices.IndexFunc(d.Nodes, func(n Node) bool { return n.ID == id })
	switch {
	case i < 0 && id < d.NextNode():
		return 0, fmt.Errorf("node %d was removed from the cluster for good", id)
	case i < 0:
		return 0, fmt.Errorf("the cluster has no node %d: add it first", id)
	case !d.Nodes[i].Gateway:
		return 0, fmt.Errorf("node %d is not a gateway: it has acknowledged data and must not start without it; replace the node", id)
	case d.Nodes[i].Begun >= beginsMax:
		return 0, fmt.Errorf("gateway %d has started without data %d times, the maximum: remove it and add another", id, beginsMax)
	}
	d.Nodes[i].Begun++
	return d.Nodes[i].Begun, nil
}
