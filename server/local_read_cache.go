package server

import (
	"sync"

	"isochron/txn"
)

// peeksMax bounds what is remembered of the catalogue's keys.
const peeksMax = 4096

// localReadCache remembers glances at the meta shard until something is applied there:
// every statement asks whether the catalogue is as it was, and that should not
// cost a turn of the node's loop.
type localReadCache struct {
	mu   sync.Mutex
	at   uint64 // what had been applied when these were read
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

// put remembers what was read when at had been applied.
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
