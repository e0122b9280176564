package source

import (
	"fmt"
	"strconv"
	"strings"

	"isochron/txn"
)

// Name names a branch at a source: of which cluster it is, of which attempt, and for which
// participant. It is what a source lists after a crash, so that whoever looks can tell whose
// a prepared branch is and where its decision stands. An attempt names its gateway, that
// gateway's incarnation and a number within it.
type Name struct {
	Cluster uint64      `cbor:"1,keyasint,omitempty"`
	Attempt txn.Attempt `cbor:"2,keyasint,omitempty"`
	Source  txn.ShardID `cbor:"3,keyasint,omitempty"`
	// RecordShard is the shard in whose log the decision stands.
	RecordShard txn.ShardID `cbor:"4,keyasint,omitempty"`
}

// namePrefix begins each name of ours, with the version of its form.
const namePrefix = "isochron1"

// String is the name as sources have it: at most 64 bytes of letters, digits and dots for
// the part that all participants share, which is what XA calls gtrid, and at most 64 for
// the rest, which is its bqual; a slash between.
func (n Name) String() string { return n.Global() + "/" + n.Qualifier() }

// Global is the part that all participants of an attempt share.
func (n Name) Global() string {
	a := n.Attempt
	return fmt.Sprintf("%s.%x.%x.%x.%x", namePrefix, n.Cluster, uint32(a.Node), a.Epoch, a.Seq)
}

// Qualifier is the participant's part.
func (n Name) Qualifier() string {
	return fmt.Sprintf("%x.%x", uint64(n.Source), uint64(n.RecordShard))
}

// ParseName reads a name. ok is false if it is somebody else's: such a one is never touched.
func ParseName(s string) (n Name, ok bool) {
	global, rest, found := strings.Cut(s, "/")
	parts, more := strings.Split(global, "."), strings.Split(rest, ".")
	if !found || len(parts) != 5 || len(more) != 2 || parts[0] != namePrefix {
		return Name{}, false
	}
	var v [6]uint64
	for i, p := range append(parts[1:], more...) {
		bits := 64
		if i == 1 || i == 2 {
			bits = 32
		}
		x, err := strconv.ParseUint(p, 16, bits)
		if err != nil {
			return Name{}, false
		}
		v[i] = x
	}
	n = Name{
		Cluster: v[0], Attempt: txn.Attempt{Node: txn.NodeID(v[1]), Epoch: uint32(v[2]), Seq: v[3]},
		Source: txn.ShardID(v[4]), RecordShard: txn.ShardID(v[5]),
	}
	return n, n.String() == s // one form only
}
