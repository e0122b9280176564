package exec

import (
	"bytes"

	"isochron/sql/expr"
)

// partition are the rows of a partition, numbered from 0, and which of them are equal in the window's order: those are
// peers.
type partition struct {
	rows    rowStore
	peers   []int // the first rows of the groups of peers; those of dropped rows are cut off but for the last
	cut     int   // groups cut off
	group   int   // the group of the row at hand, in peers
	order   *encoder
	key     []byte // of the last row
	scratch []byte
	current []expr.Value // the row at hand
	err     error        // of reading a row
}

// peerBytes is what a group of peers occupies.
const peerBytes = 8

// size is the number of rows so far.
func (p *partition) size() int { return p.rows.size() }

// at is row i. If it cannot be read, it is the row at hand, and err is why.
func (p *partition) at(i int) []expr.Value {
	row, err := p.rows.at(i)
	if err != nil {
		p.err = err
		return p.current
	}
	return row
}

// add adds a row.
func (p *partition) add(row []expr.Value) error {
	p.scratch = p.order.append(p.scratch[:0], row)
	if p.size() == 0 || !bytes.Equal(p.scratch, p.key) {
		p.peers = append(p.peers, p.size())
		p.key, p.scratch = p.scratch, p.key
		p.rows.account.due += peerBytes
	}
	return p.rows.add(row)
}

// moveTo makes row i the one at hand; it is the first one, or the one after that at hand.
func (p *partition) moveTo(i int) error {
	if i == 0 {
		p.group = 0
	} else if p.group+1 < len(p.peers) && p.peers[p.group+1] == i {
		p.group++
	}
	row, err := p.rows.at(i)
	p.current = row
	return err
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
	p.rows.drop(i)
	p.rows.account.due -= int64(peerBytes * p.group)
	p.peers, p.cut, p.group = p.peers[p.group:], p.cut+p.group, 0
}

// clear frees all rows.
func (p *partition) clear() {
	p.rows.clear()
	p.peers, p.cut, p.group, p.current = p.peers[:0], 0, 0, nil
}

func (p *partition) close() {
	p.peers, p.current = nil, nil
	p.rows.close()
}
