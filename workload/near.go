package workload

import "isochron/txn"

// nearParts returns the parts of the rows that are led from a gateway's region.
type nearParts struct {
	parts int
	known map[string][]int // by region
}

func newNearParts(parts int) nearParts { return nearParts{parts, map[string][]int{}} }

// of are the parts that are led from a gateway's region, or all.
func (n nearParts) of(db txn.DB) []int {
	region := string(db.Region())
	if n.known[region] == nil {
		var near, all []int
		d := db.Directory()
		for part := range n.parts {
			all = append(all, part)
			id, _ := d.ShardOf(partPrefix(tableMix, part))
			if shard, ok := d.Shard(id); ok && shard.Leader == region {
				near = append(near, part)
			}
		}
		if len(near) == 0 {
			near = all
		}
		n.known[region] = near
	}
	return n.known[region]
}
