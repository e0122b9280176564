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

// LocalKey is the key of a shard's own fact called name: it lives in that shard.
func LocalKey(shard uint64, name string) string {
	b := make([]byte, 0, 9+len(name))
	b = append(b, prefixLocal)
	b = binary.BigEndian.AppendUint64(b, shard)
	return string(append(b, name...))
}

// SplitLocalKey is the shard and the name of a LocalKey; ok is false of other keys.
func SplitLocalKey(key string) (shard uint64, name string, ok bool) {
	if len(key) < 9 || key[0] != prefixLocal {
		return 0, "", false
	}
	return binary.BigEndian.Uint64([]byte(key[1:9])), key[9:], true
}

// SystemKey is the key of a cluster-wide fact: it lives in the meta shard.
func SystemKey(name string) string { return string(rune(prefixSystem)) + name }

// TablePrefixBytes is how long the prefix of a table's keys is.
const TablePrefixBytes = 9

// TablePrefix is the prefix of every key of a table.
func TablePrefix(table uint64) string {
	return string(binary.BigEndian.AppendUint64([]byte{prefixTable}, table))
}

// PrefixEnd is the smallest key above every key with the prefix.
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

// Shard is one participant, of native kinds a part of the rows: its replicas in order of
// preference for nothing but display, and the region whose replica should lead.
type Shard struct {
	ID       uint64   `cbor:"1,keyasint"`
	Replicas []uint32 `cbor:"2,keyasint"` // node ids
	Leader   string   `cbor:"3,keyasint"` // region preferred for the leader
	Slot     int      `cbor:"4,keyasint,omitempty"`
	// Learners follow without a vote. Founders are the replicas that the shard
	// began with, once Replicas are others. LeaderNode, if set, should lead
	// before the rest of the leader's region.
	Learners   []uint32 `cbor:"5,keyasint,omitempty"`
	Founders   []uint32 `cbor:"6,keyasint,omitempty"`
	LeaderNode uint32   `cbor:"7,keyasint,omitempty"`
	// Kind is what votes there.
	Kind Kind `cbor:"8,keyasint,omitempty"`
	// Source is which database it is, if it is one that is not ours.
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
	// Address is where a node that was added later is reached; the first nodes
	// are found by the configuration.
	Address string `cbor:"3,keyasint,omitempty"`
	// Gateway: it holds no replica of a table, and nothing that could be lost.
	Gateway bool   `cbor:"4,keyasint,omitempty" json:",omitempty"`
	Begun   uint32 `cbor:"5,keyasint,omitempty" json:",omitempty"` // how often a gateway has begun with nothing
}

// Directory is the cluster's map. Ranges are sorted by Start.
type Directory struct {
	Epoch  uint64  `cbor:"1,keyasint"`
	Nodes  []Node  `cbor:"2,keyasint"`
	Shards []Shard `cbor:"3,keyasint"`
	Ranges []Range `cbor:"4,keyasint"`
	// Highest is the highest id that a node ever had, 0 before any was added.
	Highest uint32 `cbor:"5,keyasint,omitempty"`
	// Hot is what an operator wants to be done about rows for which many wait.
	Hot HotRows `cbor:"6,keyasint,omitzero"`
	// Protocol is how transactions commit, if that has changed since the beginning.
	Protocol Protocol `cbor:"7,keyasint,omitzero"`
	// Admission is what an operator wants of it.
	Admission Admission `cbor:"8,keyasint,omitzero"`
	// HighestShard is at least the highest id of a participant that was removed, 0: none was.
	HighestShard uint64 `cbor:"9,keyasint,omitempty" json:",omitempty"`
}

// Admission bounds the tries that contend at a gateway, of each kind by itself. Zero
// fields leave it to the nodes.
type Admission struct {
	Off   bool `cbor:"1,keyasint,omitempty" json:"off"`   // nobody waits to be let in
	Least int  `cbor:"2,keyasint,omitempty" json:"least"` // so many may always contend
	Most  int  `cbor:"3,keyasint,omitempty" json:"most"`  // and no more, once most have failed
}

// AdmissionMost bounds both numbers.
const AdmissionMost = 10_000

// Check tells what is wrong with the numbers.
func (a Admission) Check() error {
	if a.Least < 0 || a.Least > AdmissionMost || a.Most < 0 || a.Most > AdmissionMost || a.Most > 0 && a.Least > a.Most {
		return fmt.Errorf("the least and the most tries that may contend lie between 1 and %d, or are 0 for the default; the least is not above the most", AdmissionMost)
	}
	return nil
}

// HotRows says how hot rows are treated. Zero fields leave it to the nodes.
type HotRows struct {
	Off       bool `cbor:"1,keyasint,omitempty" json:"off"`        // as other rows
	Waiters   int  `cbor:"2,keyasint,omitempty" json:"waiters"`    // more of them make a row hot
	GroupSize int  `cbor:"3,keyasint,omitempty" json:"group_size"` // who may go on from each other before the first has committed
}

// HotRowsMost bounds both numbers.
const HotRowsMost = 10_000

// Check tells what is wrong with the numbers.
func (h HotRows) Check() error {
	if h.Waiters < 0 || h.Waiters > HotRowsMost || h.GroupSize < 0 || h.GroupSize > HotRowsMost {
		return fmt.Errorf("the numbers of waiters and of a group lie between 1 and %d, or 0 for the default", HotRowsMost)
	}
	return nil
}

// ShardOf is the shard that holds the key; ok is false if no range does.
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

// Piece is the part of a span that one shard holds.
type Piece struct {
	Shard      uint64
	Start, End string
}

// Pieces cuts the span [start, end) at range borders, in key order. Neighbouring
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

// Shard finds a shard by id; ok is false if the directory does not have it.
func (d *Directory) Shard(id uint64) (Shard, bool) {
	for _, s := range d.Shards {
		if s.ID == id {
			return s, true
		}
	}
	return Shard{}, false
}

// RegionOf is the region of a node, "" if unknown.
func (d *Directory) RegionOf(node uint32) string {
	for _, n := range d.Nodes {
		if n.ID == node {
			return n.Region
		}
	}
	return ""
}

// Regions are the regions of the cluster, in the order of their first node.
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
// shards, so that rows that belong together commit together.
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

// AddRange gives the keys from start on (to the next start) to a shard.
func (d *Directory) AddRange(start string, shard uint64) {
	i := sort.Search(len(d.Ranges), func(i int) bool { return string(d.Ranges[i].Start) >= start })
	if i < len(d.Ranges) && string(d.Ranges[i].Start) == start {
		d.Ranges[i].Shard = shard
		return
	}
	d.Ranges = slices.Insert(d.Ranges, i, Range{[]byte(start), shard})
}

// Clone is a deep copy, to be extended and written back with a higher Epoch.
func (d *Directory) Clone() *Directory {
	c := &Directory{Epoch: d.Epoch, Nodes: slices.Clone(d.Nodes), Shards: slices.Clone(d.Shards), Ranges: slices.Clone(d.Ranges), Highest: d.Highest, Hot: d.Hot, Admission: d.Admission, Protocol: d.Protocol, HighestShard: d.HighestShard}
	return c
}

// Encode is the directory as stored under DirectoryKey.
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
