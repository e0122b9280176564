package server

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"isochron/server/disk"
	"isochron/server/peer"
	"isochron/txn"
)

// livesFile is beside a node's data. It has the number of the node's current start and the newest start
// admitted of every other node.
const livesFile = "lives.yaml"

// remembered is the file's content.
type remembered struct {
	Format int          `yaml:"format"`
	Own    peer.Boot    `yaml:"own"`
	Peers  []peer.Known `yaml:"peers,omitempty"`
}

// beginLife makes another start of the node in dir durable and returns the registry of all nodes' starts.
// A gateway's starts are counted from the given number.
func beginLife(d disk.Disk, dir string, self txn.NodeID, gateway bool, from uint32) (*peer.BootRegistry, error) {
	path := filepath.Join(dir, livesFile)
	var r remembered
	switch err := readYAML(path, &r); {
	case errors.Is(err, fs.ErrNotExist): // the first start, or an earlier version wrote none
	case err != nil:
		return nil, err
	default:
		if err := checkFormat(path, r.Format); err != nil {
			return nil, err
		}
	}
	var name [8]byte
	if _, err := rand.Read(name[:]); err != nil {
		return nil, fmt.Errorf("no randomness for the name of this start: %w", err)
	}
	r.Own.Start, r.Own.Empty = max(r.Own.Start, uint64(from)), gateway
	r.Format, r.Own = formatVersion, r.Own.Next(binary.BigEndian.Uint64(name[:]))
	if err := writeYAML(d, path, r); err != nil {
		return nil, err
	}
	var writing sync.Mutex
	return peer.NewBootRegistry(peer.BootRegistryConfig{Self: self, Own: r.Own, Known: r.Peers, Save: func(known []peer.Known) error {
		writing.Lock()
		defer writing.Unlock()
		return writeYAML(d, path, remembered{r.Format, r.Own, known})
	}}), nil
}

// turnedAway handles a peer's permanent refusal of this node.
func (p *Process) turnedAway(by txn.NodeID, code peer.Code, reason string) {
	if code == peer.CodeRemoved {
		p.wasRemoved(reason)
		return
	}
	p.away.Do(func() {
		p.cfg.Log.Error("the node is refused", "by", by, "why", reason)
		p.fail(fmt.Errorf("node %d refuses the connection of this node: %s", by, reason))
	})
}
