package txn

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Digest hashes keys and versions of the live rows of a span, in key order.
func Digest(rows []Row) uint64 {
	d := xxhash.New()
	var b [20]byte
	for _, r := range rows {
		binary.BigEndian.PutUint32(b[:], uint32(len(r.Key)))
		binary.BigEndian.PutUint32(b[4:], uint32(r.Version.Node))
		binary.BigEndian.PutUint32(b[8:], r.Version.Epoch)
		binary.BigEndian.PutUint64(b[12:], r.Version.Seq)
		_, _ = d.Write(b[:])
		_, _ = d.WriteString(string(r.Key))
	}
	return d.Sum64()
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
