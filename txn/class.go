package txn

import "math"

// Class is the information about a transaction that a protocol's policies may depend on, as its gateway or
// one of its participants knows it when it decides. Unknown fields are zero.
type Class struct {
	Participants int            // number of shards it prepares at
	Try          int            // number of earlier tries
	ReadOnly     bool           // declared to write nothing
	Hot          bool           // has written a hot row at the deciding participant
	Warm         bool           // the rows it reads now are updated too often for a replica that may lag
	Region       RegionPriority // where the protocol distinguishes region classes
	Record       bool           // writes the record of another transaction's attempt (Prepare.Record)
}

// MultiRegion reports whether the transaction is known to touch leaders of several regions (MR). If not, it is
// single-region (SR), or its protocol makes no difference.
func (c Class) MultiRegion() bool { return c.Region.MultiRegion() }

// RegionPriority is a transaction's priority where multi-region transactions precede single-region
// ones (Bonspiel section 3.1.5): 0 for a single region, 1 and above for several.
type RegionPriority uint8

// rankTries is the number of lost tries that raise a priority by one (a in the paper: 2).
const rankTries = 2

// RankOf returns the priority of a multi-region transaction that has lost so many tries, capped
// at the largest value.
func RankOf(lost int) RegionPriority {
	return RegionPriority(min(1+max(lost, 0)/rankTries, math.MaxUint8))
}

// MultiRegion reports whether r belongs to a multi-region transaction.
func (r RegionPriority) MultiRegion() bool { return r > 0 }
