package yield

import "isochron/txn"

// Policy is a row's choice of who yields.
type Policy struct {
	Name string
	// LockReads: a plain read that goes to the leader locks what it reads.
	LockReads bool
	// PrepareWaits: a prepare that meets a voted, younger holder waits for it.
	// Otherwise it gives way at once, as optimistic validation does.
	PrepareWaits bool
	// NeverLocks: a read that asks for a lock is checked at the commit like any
	// other, and holds nothing: there is nobody who could hold it for all replicas.
	NeverLocks bool
	// ByTimestamp: undecided writes may stand beside others in the order of their
	// timestamps.
	ByTimestamp bool
}

// The policies there are.
var (
	// WoundWait is two-phase locking: wound-wait until the vote, waiting for
	// voted holders (D2PC notes, settled rule e).
	WoundWait = Policy{Name: "2pl wound-wait", LockReads: true, PrepareWaits: true}
	// Validate is optimistic concurrency control: plain reads take no locks; the
	// prepare validates and meets a conflict by giving way.
	Validate = Policy{Name: "occ"}
	// EachValidates is optimistic validation by every replica for itself.
	EachValidates = Policy{Name: "occ at every replica", NeverLocks: true}
	// EachByTimestamp is the same, in the order of proposed timestamps.
	EachByTimestamp = Policy{Name: "occ at every replica, by timestamp", NeverLocks: true, ByTimestamp: true}
)

// Phase says at which point of its life a transaction asks.
type Phase uint8

// The phases.
const (
	// Instant asks whether something can be read now, holding nothing: only
	// voted writers are in the way, for their writes may already be committed.
	Instant Phase = iota
	Execute       // a lock in execution
	Prepare       // all locks of the vote
)

// Verdict is the answer to a request. With Victims, wound them and ask again;
// with Wait, wait for that holder; with Die, give way to it; else it is granted.
type Verdict struct {
	Victims []txn.ID
	Wait    *Holder
	Die     *Holder
}

// Granted reports whether nothing is in the way.
func (v Verdict) Granted() bool { return len(v.Victims) == 0 && v.Wait == nil && v.Die == nil }

// judge applies the rules above to the holders in the way, oldest first.
func (p Policy) judge(phase Phase, age txn.Age, conflicts []*Holder) Verdict {
	var v Verdict
	for _, h := range conflicts {
		switch {
		case phase == Instant || phase == Execute && h.Voted:
			v.Wait = h
		case !h.Voted && age.Older(h.Age):
			v.Victims = append(v.Victims, h.Txn)
		case phase == Execute:
			v.Wait = h
		case p.PrepareWaits && h.Voted && age.Older(h.Age):
			v.Wait = h
		default:
			return Verdict{Die: h}
		}
	}
	if v.Wait != nil {
		v.Victims = nil // wounding them now would not let us in
	}
	return v
}
