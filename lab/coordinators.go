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

// By default the node that holds a region's shards is also its gateway and
// co-coordinator. An experiment may have nodes for these of their own, with a CPU
// of their own, or regions in which nobody co-coordinates.

// addCoordinators adds the nodes that hold nothing, region by region, round and round.
func (s resolved) addCoordinators(d *routing.Directory) {
	for range s.Coordinators {
		for _, r := range s.wan.Regions {
			d.Nodes = append(d.Nodes, routing.Node{ID: uint32(len(d.Nodes) + 1), Region: string(r)})
		}
	}
}

// clientRegions is how many regions have clients.
func (s resolved) clientRegions() int {
	return cmp.Or(len(s.clientsAt), s.ClientRegions, len(s.wan.Regions))
}

// clientRegion is the place on the map of the i-th of these.
func (s resolved) clientRegion(i int) int {
	if len(s.clientsAt) > 0 {
		return s.clientsAt[i]
	}
	return i
}

// gateways is how many nodes have clients.
func (s resolved) gateways() int { return s.clientRegions() * max(s.Coordinators, 1) }

// gateway is the node of the i-th client: its region is i, counted round and round.
func (s resolved) gateway(i int) txn.NodeID {
	regions := len(s.wan.Regions)
	i %= s.gateways()
	n := i/s.clientRegions()*regions + s.clientRegion(i%s.clientRegions())
	if s.Coordinators > 0 {
		n += regions
	}
	return txn.NodeID(n + 1)
}

// coordinators are the nodes that hold nothing.
func (s resolved) coordinators() (out []txn.NodeID) {
	regions := len(s.wan.Regions)
	for i := range regions * s.Coordinators {
		out = append(out, txn.NodeID(regions+i+1))
	}
	return out
}

// machines are the CPUs of the coordinators.
func (s resolved) machines() map[txn.NodeID]sim.Hardware {
	out := map[txn.NodeID]sim.Hardware{}
	for _, n := range s.coordinators() {
		out[n] = sim.Hardware{MessageCPU: s.CoordinatorCPU, RequestCPU: s.CoordinatorCPU, Cores: s.CoordinatorCores}
	}
	return out
}

// fit tells a node who co-coordinates, and whether its own region has nobody.
func (s resolved) fit(cfg *node.Config) {
	cfg.CoCoordinators = s.coordinators()
	cfg.DeadCoCoordinator = s.dead(cfg.Region)
}

// dead reports whether a region has no co-coordinator.
func (s resolved) dead(r geo.Region) bool {
	return slices.Index(s.wan.Regions, r) >= len(s.wan.Regions)-s.DeadCoCoordinators
}
