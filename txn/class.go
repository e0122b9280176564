package txn

import "math"

// Class is what a protocol's choices may depend on: what its gateway, or one of its
// participants, knows of a transaction when it asks. What is not known is zero.
type Class struct {
	Participants int            // how many shards it votes at
	Try          int            // how often it was tried before
	ReadOnly     bool           // it said that it writes nothing
	Hot          bool           // it has written a hot row at the participant that asks
	Warm         bool           // what it reads now is updated too often for a replica that may be behind
	Region       RegionPriority // where the row tells classes apart
	Record       bool           // it writes the record of another's attempt (Prepare.Record)
}

// MultiRegion reports whether it is known to touch the leaders of several regions (MR); else it
// is of a single region (SR), or its row makes no difference.
func (c Class) MultiRegion() bool { return c.Region.MultiRegion() }

// RegionPriority is a transaction's where those of several regions go before those of a single
// one (Bonspiel section 3.1.5): 0 for a single region, from 1 on for several.
type RegionPriority uint8

// rankTries is how many lost tries raise a priority by one (a in the paper, which has 2).
const rankTries = 2

// RankOf is that of a transaction of several regions that has lost so many tries. It ends
// at the largest there is.
func RankOf(lost int) RegionPriority {
	return RegionPriority(min(1+max(lost, 0)/rankTries, math.MaxUint8))
}

// MultiRegion reports whether it is one of a transaction of several regions.
func (r RegionPriority) MultiRegion() bool { return r > 0 }
