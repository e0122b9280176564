package exec

import (
	"bytes"

	"isochron/sql/expr"
)

// partition are the rows of a partition, and which of them are equal in the window's order: those are peers. Rows are
// numbered from 0. Rows before dropped are no longer held.
type partition struct {
	account account
	rows    [][]expr.Value
	dropped int
	peers   []int // the first rows of the groups of peers; those of dropped rows are cut off but for the last
	cut     int   // groups cut off
	group   int   // the group of the row at hand, in peers
	order   *encoder
	key     []byte // of the last row
	scratch []byte
	bytes   int64 // charged for the rows
}

// peerBytes is what a group of peers occupies.
const peerBytes = 8

// size is the number of rows so far.
func (p *partition) size() int { return p.dropped + len(p.rows) }

// at is row i.
func (p *partition) at(i int) []expr.Value { return p.rows[i-p.dropped] }

// add adds a row.
func (p *partition) add(row []expr.Value) error {
	size := sizeOf(row)
	p.scratch = p.order.append(p.scratch[:0], row)
	if p.size() == 0 || !bytes.Equal(p.scratch, p.key) {
		p.peers = append(p.peers, p.size())
		p.key, p.scratch = p.scratch, p.key
		size += peerBytes
	}
	p.rows = append(p.rows, row)
	p.bytes += size
	return p.account.add(size)
}

// moveTo makes row i the one at hand; it is the first one, or the one after that at hand.
func (p *partition) moveTo(i int) {
	if i == 0 {
		p.group = 0
	} else if p.group+1 < len(p.peers) && p.peers[p.group+1] == i {
		p.group++
	}
}

// peersFrom is the first peer of the row at hand.
func (p *partition) peersFrom() int { return p.peers[p.group] }

// peersTo is the row behind its last peer.
func (p *partition) peersTo() int {
	if p.group+1 < len(p.peers) {
		return p.peers[p.group+1]
	}
	return p.size()
}

// dropTo frees the rows before row i.
func (p *partition) dropTo(i int) {
	freed := int64(peerBytes * p.group)
	for _, row := range p.rows[:i-p.dropped] {
		freed += sizeOf(row)
	}
	p.bytes -= freed
	p.account.due -= freed
	clear(p.rows[:i-p.dropped])
	p.rows, p.dropped = p.rows[i-p.dropped:], i
	p.peers, p.cut, p.group = p.peers[p.group:], p.cut+p.group, 0
}

// clear frees all rows.
func (p *partition) clear() {
	p.account.due -= p.bytes
	p.bytes = 0
	clear(p.rows)
	p.rows, p.dropped = p.rows[:0], 0
	p.peers, p.cut, p.group = p.peers[:0], 0, 0
}

func (p *partition) close() {
	p.rows, p.peers = nil, nil
	p.account.close()
}
