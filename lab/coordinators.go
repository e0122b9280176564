package lab

import (
	"cmp"
	"slices"

	"isochron/geo"
	"isochron/node"
	"isochron/routing"
	"isochron/sim"
	"isochron/txn"
)

// By default the node that holds a region's shards is also its gateway and co-coordinator. An
// experiment may have separate nodes for these, with a CPU of their own, or regions without a
// co-coordinator.

// addCoordinators adds the nodes that hold no shard, region by region in turn.
func (s resolved) addCoordinators(d *routing.Directory) {
	for range s.Coordinators {
		for _, r := range s.wan.Regions {
			d.Nodes = append(d.Nodes, routing.Node{ID: uint32(len(d.Nodes) + 1), Region: string(r)})
		}
	}
}

// clientRegions returns the number of regions with clients.
func (s resolved) clientRegions() int {
	return cmp.Or(len(s.clientsAt), s.ClientRegions, len(s.wan.Regions))
}

// clientRegion returns the map index of the i-th of these.
func (s resolved) clientRegion(i int) int {
	if len(s.clientsAt) > 0 {
		return s.clientsAt[i]
	}
	return i
}

// gateways returns the number of nodes with clients.
func (s resolved) gateways() int { return s.clientRegions() * max(s.Coordinators, 1) }

// gateway returns the node of the i-th client: its region is i modulo their number.
func (s resolved) gateway(i int) txn.NodeID {
	regions := len(s.wan.Regions)
	i %= s.gateways()
	n := i/s.clientRegions()*regions + s.clientRegion(i%s.clientRegions())
	if s.Coordinators > 0 {
		n += regions
	}
	return txn.NodeID(n + 1)
}

// coordinators returns the nodes that hold no shard.
func (s resolved) coordinators() (out []txn.NodeID) {
	regions := len(s.wan.Regions)
	for i := range regions * s.Coordinators {
		out = append(out, txn.NodeID(regions+i+1))
	}
	return out
}

// machines returns the CPUs of the coordinators.
func (s resolved) machines() map[txn.NodeID]sim.Hardware {
	out := map[txn.NodeID]sim.Hardware{}
	for _, n := range s.coordinators() {
		out[n] = sim.Hardware{MessageCPU: s.CoordinatorCPU, RequestCPU: s.CoordinatorCPU, Cores: s.CoordinatorCores}
	}
	return out
}

// fit configures a node's co-coordinators, and whether its own region has none.
func (s resolved) fit(cfg *node.Config) {
	cfg.CoCoordinators = s.coordinators()
	cfg.DeadCoCoordinator = s.dead(cfg.Region)
}

// dead reports whether a region has no co-coordinator.
func (s resolved) dead(r geo.Region) bool {
	return slices.Index(s.wan.Regions, r) >= len(s.wan.Regions)-s.DeadCoCoordinators
}
