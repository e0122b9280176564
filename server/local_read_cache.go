package server

import (
	"sync"

	"isochron/txn"
)

// peeksMax bounds the cached keys of the catalogue.
const peeksMax = 4096

// localReadCache caches local reads of the meta shard until something is applied there. Every statement checks
// the catalogue's version, which should not cost a round of the node's loop.
type localReadCache struct {
	mu   sync.Mutex
	at   uint64 // the MetaChanges at which rows were read
	rows map[txn.Key]peeked
}

type peeked struct {
	value   []byte
	version txn.Version
	ok      bool
}

func (p *localReadCache) get(key txn.Key, now uint64) (peeked, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at != now {
		return peeked{}, false
	}
	row, ok := p.rows[key]
	return row, ok
}

// put caches a row read at the MetaChanges at.
func (p *localReadCache) put(key txn.Key, row peeked, at uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at < p.at {
		return
	}
	if at > p.at || p.rows == nil || len(p.rows) >= peeksMax {
		p.at, p.rows = at, map[txn.Key]peeked{}
	}
	p.rows[key] = row
}
