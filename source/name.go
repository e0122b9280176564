package source

import (
	"fmt"
	"strconv"
	"strings"

	"isochron/txn"
)

// Name is a branch's name at a source: its cluster, attempt and participant. A source lists the names
// after a crash, so an agent recognizes its cluster's branches and finds the shard that has the
// decision. An attempt contains its gateway, the gateway's incarnation and a number within it.
type Name struct {
	Cluster uint64      `cbor:"1,keyasint,omitempty"`
	Attempt txn.Attempt `cbor:"2,keyasint,omitempty"`
	Source  txn.ShardID `cbor:"3,keyasint,omitempty"`
	// RecordShard is the shard whose log has the decision.
	RecordShard txn.ShardID `cbor:"4,keyasint,omitempty"`
}

// namePrefix begins each name, with the version of the format.
const namePrefix = "isochron1"

// String returns the name as sources store it: at most 64 bytes of letters, digits and dots for the
// part that all participants share (XA's gtrid), a slash, and at most 64 bytes for the rest (XA's
// bqual).
func (n Name) String() string { return n.Global() + "/" + n.Qualifier() }

// Global returns the part that all participants of an attempt share.
func (n Name) Global() string {
	a := n.Attempt
	return fmt.Sprintf("%s.%x.%x.%x.%x", namePrefix, n.Cluster, uint32(a.Node), a.Epoch, a.Seq)
}

// Qualifier returns the participant's part.
func (n Name) Qualifier() string {
	return fmt.Sprintf("%x.%x", uint64(n.Source), uint64(n.RecordShard))
}

// ParseName parses a name. ok is false for a foreign name; foreign branches are never touched.
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
