package txn

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Digest hashes keys and versions of the live rows of a span, in key order.
func Digest(rows []Row) uint64 {
	var d Digester
	for i := range rows {
		d.Add(&rows[i])
	}
	return d.Sum()
}

// DigestNext counts the rows that next returns, in key order, and returns their Digest. It stops behind more than
// most rows.
func DigestNext(next func() (Row, bool), most int) (count int, digest uint64) {
	var d Digester
	for count <= most {
		row, ok := next()
		if !ok {
			break
		}
		d.Add(&row)
		count++
	}
	return count, d.Sum()
}

// Digester computes the Digest of rows that are added one after the other, in key order.
type Digester struct {
	hash xxhash.Digest
	head [20]byte
	some bool
}

// Add adds a row; its value does not count.
func (d *Digester) Add(r *Row) {
	d.begin()
	b := d.head[:]
	binary.BigEndian.PutUint32(b, uint32(len(r.Key)))
	binary.BigEndian.PutUint32(b[4:], uint32(r.Version.Node))
	binary.BigEndian.PutUint32(b[8:], r.Version.Epoch)
	binary.BigEndian.PutUint64(b[12:], r.Version.Seq)
	_, _ = d.hash.Write(b)
	_, _ = d.hash.WriteString(string(r.Key))
}

// Sum is the digest of the rows so far.
func (d *Digester) Sum() uint64 {
	d.begin()
	return d.hash.Sum64()
}

func (d *Digester) begin() {
	if !d.some {
		d.some = true
		d.hash.Reset()
	}
}

// Covered returns the part of a scan's span that its answer covers: all of it, or
// the part up to the last row if the answer stopped there.
func Covered(s Scan, rows ScanRows) Span {
	if !rows.More || len(rows.Rows) == 0 {
		return s.Span
	}
	last := rows.Rows[len(rows.Rows)-1].Key
	if s.Reverse {
		return Span{Start: last, End: s.Span.End}
	}
	return Span{Start: s.Span.Start, End: last + "\x00"}
}
