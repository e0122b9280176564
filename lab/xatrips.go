package lab

import (
	"slices"
	"strings"
	"time"

	"isochron/decide"
	"isochron/source"
	"isochron/txn"
)

// An agent of ours begins and ends a branch with messages that are sent anyway. ShardingSphere has
// no agents, and GeoTP's prototype, which is built on it, sends XA START of each source by itself,
// to one after another, before the first statement there; and where its gateway leads the prepare
// it sends XA END so too, before the first XA PREPARE and before XA COMMIT ONE PHASE alike
// (github.com/dbiir/GeoTP_middleware, 1d166e25: XAResourceTransaction.resume, and
// CustomTransactionImp.syncCommit, which runs for its algorithm "none", the paper's SSP). A
// PostgreSQL receives neither: a transaction begins there with its first statement, and PREPARE
// TRANSACTION ends it. Over versions nothing of XA is used.
//
// Neither locks or releases anything, and neither is refused here: so each costs the time of its
// round trip on the map.

// startsBranches takes the time of XA START at the MySQLs that have no statement yet.
func (k *tracked) startsBranches(statements []txn.SourceStatement) {
	for _, s := range statements {
		if slices.Contains(k.begun, s.Source) {
			continue
		}
		k.begun = append(k.begun, s.Source)
		if k.r.spec.StartTrips && !k.r.spec.spec.Yield.Versions {
			k.c.Sleep(k.tripTo(s.Source))
		}
	}
}

// endsBranches takes the time of XA END, of protocols whose gateways prepare one source after
// another.
func (k *tracked) endsBranches() {
	if !k.r.spec.EndTrips || k.r.spec.spec.Prepares != decide.Sequential {
		return
	}
	for _, s := range k.begun {
		k.c.Sleep(k.tripTo(s))
	}
}

// tripTo returns the round trip between the try's gateway and a MySQL, 0 to another database.
func (k *tracked) tripTo(s txn.ShardID) time.Duration {
	spec, i := k.r.spec, slices.Index(k.r.spec.sourceIDs(), s)
	if dialects[rune(strings.ReplaceAll(spec.Sources, "-", "")[i])] != source.MySQL {
		return 0
	}
	return apart(spec.wan, k.region, spec.sourceRegions()[i])
}
