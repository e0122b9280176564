package routing

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/fxamacker/cbor/v2"
)

// The parts of the key space, by first byte.
const (
	prefixLocal  = 0x01
	prefixSystem = 0x02
	prefixTable  = 0x10
)

// DirectoryKey is the system key that holds the encoded directory.
const DirectoryKey = string(rune(prefixSystem)) + "directory"

// LocalKey returns the key of a shard's own item called name, stored in that shard.
func LocalKey(shard uint64, name string) string {
	b := make([]byte, 0, 9+len(name))
	b = append(b, prefixLocal)
	b = binary.BigEndian.AppendUint64(b, shard)
	return string(append(b, name...))
}

// SplitLocalKey returns the shard and the name of a LocalKey; ok is false for other keys.
func SplitLocalKey(key string) (shard uint64, name string, ok bool) {
	if len(key) < 9 || key[0] != prefixLocal {
		return 0, "", false
	}
	return binary.BigEndian.Uint64([]byte(key[1:9])), key[9:], true
}

// SystemKey returns the key of a cluster-wide item, stored in the meta shard.
func SystemKey(name string) string { return string(rune(prefixSystem)) + name }

// TablePrefixBytes is the length of the prefix of a table's keys.
const TablePrefixBytes = 9

// TablePrefix returns the prefix of every key of a table.
func TablePrefix(table uint64) string {
	return string(binary.BigEndian.AppendUint64([]byte{prefixTable}, table))
}

// PrefixEnd returns the smallest key above every key with the prefix.
func PrefixEnd(prefix string) string {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != 0xff {
			b[i]++
			return string(b[:i+1])
		}
	}
	return "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
}

// Shard is one participant; a native one stores a part of the rows. It has its replicas (their order
// matters for display only) and the region whose replica should lead.
type Shard struct {
	ID       uint64   `cbor:"1,keyasint"`
	Replicas []uint32 `cbor:"2,keyasint"` // node ids
	Leader   string   `cbor:"3,keyasint"` // region preferred for the leader
	Slot     int      `cbor:"4,keyasint,omitempty"`
	// Learners have no vote. Founders are the replicas that the shard
	// began with, if Replicas have changed. LeaderNode, if set, is preferred as leader
	// to the rest of the leader's region.
	Learners   []uint32 `cbor:"5,keyasint,omitempty"`
	Founders   []uint32 `cbor:"6,keyasint,omitempty"`
	LeaderNode uint32   `cbor:"7,keyasint,omitempty"`
	// Kind is the kind of participant.
	Kind Kind `cbor:"8,keyasint,omitempty"`
	// Source identifies the database, if it is an external one.
	Source *Source `cbor:"9,keyasint,omitempty" json:",omitempty"`
}

// Range is a range of table keys, from Start to the next range's Start.
type Range struct {
	Start []byte `cbor:"1,keyasint"`
	Shard uint64 `cbor:"2,keyasint"`
}

// Node is a member of the cluster.
type Node struct {
	ID     uint32 `cbor:"1,keyasint"`
	Region string `cbor:"2,keyasint"`
	// Address is the address of a node that was added later; the first nodes
	// are found by the configuration.
	Address string `cbor:"3,keyasint,omitempty"`
	// Gateway: it has no replica of a table, and no data that could be lost.
	Gateway bool   `cbor:"4,keyasint,omitempty" json:",omitempty"`
	Begun   uint32 `cbor:"5,keyasint,omitempty" json:",omitempty"` // how often a gateway has started without data
}

// Directory is the cluster's map. Ranges are sorted by Start.
type Directory struct {
	Epoch  uint64  `cbor:"1,keyasint"`
	Nodes  []Node  `cbor:"2,keyasint"`
	Shards []Shard `cbor:"3,keyasint"`
	Ranges []Range `cbor:"4,keyasint"`
	// Highest is the highest id that a node has ever had, 0 before any was added.
	Highest uint32 `cbor:"5,keyasint,omitempty"`
	// Hot is the operator's setting for hot rows.
	Hot HotRows `cbor:"6,keyasint,omitzero"`
	// Protocol is the protocol in force, if it was switched since the start, and a switch in progress.
	Protocol Protocol `cbor:"7,keyasint,omitzero"`
	// Admission is the operator's setting for admission.
	Admission Admission `cbor:"8,keyasint,omitzero"`
	// HighestShard is not below the highest id of a removed participant, 0: none was removed.
	HighestShard uint64 `cbor:"9,keyasint,omitempty" json:",omitempty"`
}

// Admission bounds the contending tries at a gateway, for each class separately. Zero
// fields leave the bound to the nodes.
type Admission struct {
	Off   bool `cbor:"1,keyasint,omitempty" json:"off"`   // no try waits for admission
	Least int  `cbor:"2,keyasint,omitempty" json:"least"` // always admitted
	Most  int  `cbor:"3,keyasint,omitempty" json:"most"`  // the bound once most tries have failed
}

// AdmissionMost bounds both numbers.
const AdmissionMost = 10_000

// Check returns an error if the numbers are invalid.
func (a Admission) Check() error {
	if a.Least < 0 || a.Least > AdmissionMost || a.Most < 0 || a.Most > AdmissionMost || a.Most > 0 && a.Least > a.Most {
		return fmt.Errorf("the minimum and maximum window must be between 1 and %d, or 0 for the default, and the minimum must not exceed the maximum", AdmissionMost)
	}
	return nil
}

// HotRows has the settings for hot rows. Zero fields leave them to the nodes.
type HotRows struct {
	Off       bool `cbor:"1,keyasint,omitempty" json:"off"`        // hot rows are treated as other rows
	Waiters   int  `cbor:"2,keyasint,omitempty" json:"waiters"`    // more waiters make a row hot
	GroupSize int  `cbor:"3,keyasint,omitempty" json:"group_size"` // transactions that may read each other's uncommitted values before the first has committed
}

// HotRowsMost bounds both numbers.
const HotRowsMost = 10_000

// Check returns an error if the numbers are invalid.
func (h HotRows) Check() error {
	if h.Waiters < 0 || h.Waiters > HotRowsMost || h.GroupSize < 0 || h.GroupSize > HotRowsMost {
		return fmt.Errorf("the number of waiters and the group size must be between 1 and %d, or 0 for the default", HotRowsMost)
	}
	return nil
}

// ShardOf returns the shard that stores the key; ok is false if no range contains it.
func (d *Directory) ShardOf(key string) (shard uint64, ok bool) {
	if key == "" {
		return 0, false
	}
	switch key[0] {
	case prefixLocal:
		if len(key) < 9 {
			return 0, false
		}
		return binary.BigEndian.Uint64([]byte(key[1:9])), true
	case prefixSystem:
		return 1, true
	}
	i := sort.Search(len(d.Ranges), func(i int) bool { return string(d.Ranges[i].Start) > key })
	if i == 0 {
		return 0, false
	}
	return d.Ranges[i-1].Shard, true
}

// Piece is the part of a span that one shard stores.
type Piece struct {
	Shard      uint64
	Start, End string
}

// Pieces splits the span [start, end) at range borders, in key order. Neighbouring
// pieces of one shard are joined.
func (d *Directory) Pieces(start, end string) ([]Piece, error) {
	var out []Piece
	for cur := start; cur < end; {
		shard, ok := d.ShardOf(cur)
		if !ok {
			return nil, fmt.Errorf("no shard holds key %q", cur)
		}
		stop := end
		if cur[0] != prefixLocal && cur[0] != prefixSystem {
			i := sort.Search(len(d.Ranges), func(i int) bool { return string(d.Ranges[i].Start) > cur })
			if i < len(d.Ranges) && string(d.Ranges[i].Start) < end {
				stop = string(d.Ranges[i].Start)
			}
		}
		if n := len(out); n > 0 && out[n-1].Shard == shard && out[n-1].End == cur {
			out[n-1].End = stop
		} else {
			out = append(out, Piece{shard, cur, stop})
		}
		cur = stop
	}
	return out, nil
}

// Shard returns a shard by id; ok is false if the directory does not have it.
func (d *Directory) Shard(id uint64) (Shard, bool) {
	for _, s := range d.Shards {
		if s.ID == id {
			return s, true
		}
	}
	return Shard{}, false
}

// RegionOf returns the region of a node, "" if unknown.
func (d *Directory) RegionOf(node uint32) string {
	for _, n := range d.Nodes {
		if n.ID == node {
			return n.Region
		}
	}
	return ""
}

// Regions returns the regions of the cluster, in the order of their first node.
func (d *Directory) Regions() []string {
	var out []string
	for _, n := range d.Nodes {
		if !slices.Contains(out, n.Region) {
			out = append(out, n.Region)
		}
	}
	return out
}

// EnsureShard returns the shard with these replicas, leader region and slot,
// adding it to the directory if there is none: tables of equal placement share
// shards, so that related rows commit together.
func (d *Directory) EnsureShard(replicas []uint32, leader string, slot int) uint64 {
	replicas = slices.Clone(replicas)
	slices.Sort(replicas)
	next := max(2, d.HighestShard+1)
	for _, s := range d.Shards {
		have := slices.Clone(s.Replicas)
		slices.Sort(have)
		if s.ID != 1 && s.Kind.Native() && s.Leader == leader && s.Slot == slot && slices.Equal(have, replicas) {
			return s.ID
		}
		next = max(next, s.ID+1)
	}
	d.Shards = append(d.Shards, Shard{ID: next, Replicas: replicas, Leader: leader, Slot: slot})
	return next
}

// AddRange assigns the keys from start (to the next start) to a shard.
func (d *Directory) AddRange(start string, shard uint64) {
	i := sort.Search(len(d.Ranges), func(i int) bool { return string(d.Ranges[i].Start) >= start })
	if i < len(d.Ranges) && string(d.Ranges[i].Start) == start {
		d.Ranges[i].Shard = shard
		return
	}
	d.Ranges = slices.Insert(d.Ranges, i, Range{[]byte(start), shard})
}

// Clone returns a deep copy, to be extended and written back with a higher Epoch.
func (d *Directory) Clone() *Directory {
	c := &Directory{Epoch: d.Epoch, Nodes: slices.Clone(d.Nodes), Shards: slices.Clone(d.Shards), Ranges: slices.Clone(d.Ranges), Highest: d.Highest, Hot: d.Hot, Admission: d.Admission, Protocol: d.Protocol, HighestShard: d.HighestShard}
	return c
}

// Encode returns the form stored under DirectoryKey.
func (d *Directory) Encode() []byte {
	b, err := cbor.Marshal(d)
	if err != nil {
		panic(err) // a value of plain fields always encodes
	}
	return b
}

// Decode reads what Encode wrote.
func Decode(b []byte) (*Directory, error) {
	d := new(Directory)
	if err := cbor.Unmarshal(b, d); err != nil {
		return nil, fmt.Errorf("the directory of shards cannot be read: %w", err)
	}
	return d, nil
}
