package node

import (
	"encoding/binary"
	"fmt"

	"isochron/routing"
	"isochron/store"
	"isochron/txn"
)

// The keys of a node's own data in its engine.
var (
	identityKey  = []byte("n/identity")
	directoryKey = []byte("n/directory")
)

// The formats of a node's data. A cluster whose protocol was switched has entries in
// its logs and its directory that older programs would ignore.
const (
	formatVersion  = 1
	formatSwitched = 2
)

// identity is the persistent identity of a node: its id, its incarnation, and the last
// directory it has adopted.
type identity struct {
	engine store.Engine
	self   txn.NodeID
	epoch  uint32 // of this incarnation
}

// take checks that the data belongs to this node and begins a new incarnation.
func (i *identity) take(first uint32) (epoch uint32, err error) {
	raw, ok := i.engine.Get(identityKey)
	epoch = first
	format := uint32(formatVersion)
	if ok {
		if len(raw) != 12 {
			return 0, fmt.Errorf("the node's identity is damaged: %d bytes instead of 12", len(raw))
		}
		if format = binary.BigEndian.Uint32(raw); format != formatVersion && format != formatSwitched {
			return 0, fmt.Errorf("the data is of format %d; this program reads formats up to %d", format, formatSwitched)
		}
		if id := txn.NodeID(binary.BigEndian.Uint32(raw[4:])); id != i.self {
			return 0, fmt.Errorf("the data belongs to node %d; this is node %d", id, i.self)
		}
		epoch = binary.BigEndian.Uint32(raw[8:])
	}
	epoch++
	i.epoch = epoch
	var b store.Batch
	i.put(&b, format)
	i.engine.Apply(&b)
	return epoch, nil
}

func (i *identity) put(b *store.Batch, format uint32) {
	v := binary.BigEndian.AppendUint32(nil, format)
	v = binary.BigEndian.AppendUint32(v, uint32(i.self))
	b.Set(identityKey, binary.BigEndian.AppendUint32(v, i.epoch))
}

func (i *identity) directory(first *routing.Directory) (*routing.Directory, error) {
	raw, ok := i.engine.Get(directoryKey)
	if !ok {
		i.storeDirectory(first)
		return first, nil
	}
	return routing.Decode(raw)
}

func (i *identity) storeDirectory(d *routing.Directory) {
	var b store.Batch
	b.Set(directoryKey, d.Encode())
	if d.Protocol.Seq > 0 {
		i.put(&b, formatSwitched)
	}
	i.engine.Apply(&b)
}
