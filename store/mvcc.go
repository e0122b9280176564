package store

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"isochron/txn"
)

// Multi-version rows. One version is one engine key:
//
//	prefix | escaped row key | 0x00 0x01 | ^timestamp (8 bytes)
//
// so that the versions of a row are adjacent, newest first. Zero bytes of the
// row key are escaped as 0x00 0xff, which keeps the order of row keys. The
// value is the writer's attempt (16 bytes), a kind byte, and the row.
const (
	versionHead  = 17
	kindLive     = 1
	kindDeletion = 2
)

// appendRowKey appends the prefix of all versions of a row.
func appendRowKey(dst []byte, key txn.Key) []byte {
	for i := 0; i < len(key); i++ {
		if key[i] == 0 {
			dst = append(dst, 0, 0xff)
			continue
		}
		dst = append(dst, key[i])
	}
	return append(dst, 0, 1)
}

func rowKey(prefix []byte, key txn.Key) []byte {
	dst := make([]byte, 0, len(prefix)+len(key)+12)
	return appendRowKey(append(dst, prefix...), key)
}

// splitVersionKey splits an engine key (without its prefix) into row key and timestamp.
func splitVersionKey(b []byte) (txn.Key, txn.Timestamp, bool) {
	if len(b) < versionTail {
		return "", 0, false
	}
	body := b[:len(b)-versionTail]
	return txn.Key(appendUnescaped(make([]byte, 0, len(body)), body)), versionAt(b), true
}

// versionTail is what an engine key has behind its row: a terminator and a timestamp.
const versionTail = 10

// appendUnescaped appends a row key without its escapes and terminator.
func appendUnescaped(dst, body []byte) []byte {
	from := 0
	for i := 0; i < len(body); i++ { // most keys are short
		if body[i] == 0 {
			dst = append(dst, body[from:i+1]...)
			i++ // the 0xff of an escaped zero
			from = i + 1
		}
	}
	return append(dst, body[min(from, len(body)):]...)
}

// PutVersion adds a version of a row to the batch; a nil value deletes the row.
func PutVersion(b *Batch, prefix []byte, w txn.Write, at txn.Timestamp, by txn.Version) {
	k := binary.BigEndian.AppendUint64(rowKey(prefix, w.Key), ^uint64(at))
	v := make([]byte, 0, versionHead+len(w.Value))
	v = binary.BigEndian.AppendUint32(v, uint32(by.Node))
	v = binary.BigEndian.AppendUint32(v, by.Epoch)
	v = binary.BigEndian.AppendUint64(v, by.Seq)
	kind := byte(kindLive)
	if w.Value == nil {
		kind = kindDeletion
	}
	b.Set(k, append(append(v, kind), w.Value...))
}

// decodeVersion decodes a version's value. A deleted row reads as one that was
// never written: version zero, so that collecting old deletions changes nothing.
func decodeVersion(key txn.Key, v []byte) txn.Row {
	return decodeInto(key, v, func(value []byte) []byte { return append(make([]byte, 0, len(value)), value...) })
}

// decodeInto decodes a version whose value is copied by keep, which returns no nil.
func decodeInto(key txn.Key, v []byte, keep func([]byte) []byte) txn.Row {
	if len(v) < versionHead {
		panic(&Failure{"reading the row " + string(key), errShortVersion})
	}
	if v[16] == kindDeletion {
		return txn.Row{Key: key}
	}
	return txn.Row{
		Key:   key,
		Value: keep(v[versionHead:]),
		Version: txn.Version{
			Node:  txn.NodeID(binary.BigEndian.Uint32(v)),
			Epoch: binary.BigEndian.Uint32(v[4:]),
			Seq:   binary.BigEndian.Uint64(v[8:]),
		},
	}
}

type mvccError string

func (e mvccError) Error() string { return string(e) }

const errShortVersion = mvccError("the stored version is cut short: the data is damaged")

// Latest returns the newest version of a row, and its timestamp: 0 if there is none.
func Latest(r Reader, prefix []byte, key txn.Key) (row txn.Row, at txn.Timestamp) {
	return asOf(r, prefix, key, Newest)
}

// Newest is after every timestamp: a read as of it reads the newest versions.
const Newest = ^txn.Timestamp(0)

// AsOf returns the newest version of a row that is not after at.
func AsOf(r Reader, prefix []byte, key txn.Key, at txn.Timestamp) txn.Row {
	row, _ := asOf(r, prefix, key, at)
	return row
}

func asOf(r Reader, prefix []byte, key txn.Key, at txn.Timestamp) (row txn.Row, stands txn.Timestamp) {
	row.Key = key
	firstVersion(r, rowKey(prefix, key), at, func(at txn.Timestamp, v []byte) { row, stands = decodeVersion(key, v), at })
	return row, stands
}

// versionAt returns the timestamp at the end of an engine key.
func versionAt[K string | []byte](k K) txn.Timestamp {
	return txn.Timestamp(^binary.BigEndian.Uint64([]byte(k[len(k)-8:])))
}

// seeker is a Reader that finds the first key at or after key, a key of a row, without an iterator,
// or returns false if it knows that the row has none. The value is valid
// until the next change.
type seeker interface {
	seek(row, key []byte) (k string, value []byte, ok bool)
}

// firstVersion passes to found the newest version not after at of the row whose versions
// begin with rk; found is not called if there is none, and must keep nothing.
func firstVersion(r Reader, rk []byte, at txn.Timestamp, found func(at txn.Timestamp, v []byte)) {
	start := binary.BigEndian.AppendUint64(rk, ^uint64(at))
	if s, ok := r.(seeker); ok {
		if k, v, ok := s.seek(rk, start); ok && len(k) > len(rk) && k[:len(rk)] == string(rk) {
			found(versionAt(k), v)
		}
		return
	}
	it := r.Iter(start, append(rk[:len(rk):len(rk)], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))
	defer it.Close()
	if it.First() {
		found(versionAt(it.Key()), it.Value())
	}
}

// NewestAt returns the timestamp of the newest version of a row, including deletions, 0 if
// there is none.
func NewestAt(r Reader, prefix []byte, key txn.Key) (at txn.Timestamp) {
	firstVersion(r, rowKey(prefix, key), Newest, func(newest txn.Timestamp, _ []byte) { at = newest })
	return at
}

// WrittenSince reports whether a row of the span has a version after at, including
// deletions, as far as they were not collected.
func WrittenSince(r Reader, prefix []byte, span txn.Span, at txn.Timestamp) bool {
	start := append(append([]byte{}, prefix...), escape(span.Start)...)
	end := append(append([]byte{}, prefix...), escape(span.End)...)
	it := r.Iter(start, end)
	defer it.Close()
	for ok := it.First(); ok; {
		k := it.Key() // of the newest version of a row
		if versionAt(k) > at {
			return true
		}
		ok = it.SeekGE(prefixEnd(k[:len(k)-8]))
	}
	return false
}

// Rows walks the rows of a span that are live at a timestamp, in key order or its
// reverse.
type Rows struct {
	it      Iterator
	prefix  []byte
	at      txn.Timestamp
	reverse bool
	valid   bool
	bare    bool   // values are left out
	current []byte // the row that the walk is at, as its engine keys begin
	copies  arena
}

// ScanLatest starts a walk over the newest versions; the caller closes it.
func ScanLatest(r Reader, prefix []byte, span txn.Span, reverse bool) *Rows {
	return ScanAsOf(r, prefix, span, reverse, Newest)
}

// ScanVersions is ScanAsOf in key order without the values, which are empty.
func ScanVersions(r Reader, prefix []byte, span txn.Span, at txn.Timestamp) *Rows {
	rs := ScanAsOf(r, prefix, span, false, at)
	rs.bare = true
	return rs
}

// ScanAsOf starts a walk over the versions at a timestamp; the caller closes it.
func ScanAsOf(r Reader, prefix []byte, span txn.Span, reverse bool, at txn.Timestamp) *Rows {
	start := append(append([]byte{}, prefix...), escape(span.Start)...)
	end := append(append([]byte{}, prefix...), escape(span.End)...)
	rs := &Rows{it: r.Iter(start, end), prefix: prefix, at: at, reverse: reverse}
	if reverse {
		rs.valid = rs.it.Last()
	} else {
		rs.valid = rs.it.First()
	}
	return rs
}

// escape returns the row key without its terminator: the border of a span.
func escape(k txn.Key) []byte {
	b := appendRowKey(nil, k)
	return b[:len(b)-2]
}

// Next returns the next live row; ok is false at the end.
func (rs *Rows) Next() (row txn.Row, ok bool) {
	for rs.valid {
		k := rs.it.Key()
		if len(k) < len(rs.prefix)+versionTail {
			panic(&Failure{"walking over rows", errShortVersion})
		}
		rs.current = append(rs.current[:0], k[:len(k)-8]...)
		if row := rs.version(); row.Value != nil {
			row.Key = rs.key()
			return row, true
		}
	}
	return txn.Row{}, false
}

// key is the key of the row that the walk was at.
func (rs *Rows) key() txn.Key {
	body := rs.current[len(rs.prefix) : len(rs.current)-2]
	out := appendUnescaped(rs.copies.room(len(body)), body)
	rs.copies.took(len(out))
	return txn.Key(unsafe.String(unsafe.SliceData(out), len(out)))
}

// stepsMax is the number of old versions that a walk steps over before it seeks past the
// rest: most rows have few, and a hot row has thousands. A seek costs about as much as so many steps.
const stepsMax = 16

// version returns the newest version of the current row that is not after the walk's
// timestamp, without its key; its Value is nil if there is none. It leaves the walk at the next row.
func (rs *Rows) version() (row txn.Row) {
	rk := rs.current
	if rs.reverse { // this is the oldest version
		rs.valid = rs.it.SeekGE(binary.BigEndian.AppendUint64(rk[:len(rk):len(rk)], ^uint64(rs.at)))
		if rs.valid && bytes.HasPrefix(rs.it.Key(), rk) {
			row = rs.decode()
		}
		rs.valid = rs.it.SeekLT(rk)
		return row
	}
	found := false
	for steps := 0; rs.valid && bytes.HasPrefix(rs.it.Key(), rk); steps++ {
		if !found && versionAt(rs.it.Key()) <= rs.at {
			row, found = rs.decode(), true
		}
		switch {
		case steps < stepsMax:
			rs.valid = rs.it.Next()
		case found:
			rs.valid = rs.it.SeekGE(prefixEnd(rk))
		default:
			rs.valid = rs.it.SeekGE(binary.BigEndian.AppendUint64(rk[:len(rk):len(rk)], ^uint64(rs.at)))
		}
	}
	return row
}

// decode copies the version at which the iterator stands.
func (rs *Rows) decode() txn.Row {
	v := rs.it.Value()
	if len(v) < versionHead {
		panic(&Failure{"reading the row " + string(rs.key()), errShortVersion})
	}
	if rs.bare {
		v = v[:versionHead]
	}
	return decodeInto("", v, rs.copies.keep)
}

// Close ends the walk.
func (rs *Rows) Close() { rs.it.Close() }

// Collect removes versions that no reader at or after keep can need: those
// below a newer version that is itself at or below keep, and deletions at or
// below keep. It visits at most limit versions from the engine key
// cursor on (nil: from the start) and returns the key to continue from, nil at the end.
func Collect(r Reader, b *Batch, prefix []byte, keep txn.Timestamp, cursor []byte, limit int) []byte {
	end := prefixEnd(prefix)
	if cursor == nil {
		cursor = prefix
	}
	it := r.Iter(cursor, end)
	defer it.Close()
	versions := Versions{Keep: keep}
	for ok := it.First(); ok; ok = it.Next() {
		key := it.Key()[len(prefix):]
		if len(key) < 10 || len(it.Value()) < versionHead {
			panic(&Failure{"collecting old versions", errShortVersion})
		}
		if limit <= 0 && !bytes.Equal(key[:len(key)-8], versions.current) {
			return append([]byte(nil), it.Key()...)
		}
		limit--
		if !versions.Needed(key, it.Value()) {
			b.Delete(append([]byte(nil), it.Key()...))
		}
	}
	return nil
}

// Versions checks versions of rows, in key order, for whether they are needed.
type Versions struct {
	Keep    txn.Timestamp // versions needed only below it are not needed
	current []byte        // the present row, as its versions begin
	covered bool          // a newer version at or below Keep was seen
}

// Needed reports whether Collect would keep the next version. The key is
// without the prefix of all rows.
func (v *Versions) Needed(key, value []byte) bool {
	if len(key) < 10 || len(value) < versionHead {
		return true
	}
	if row := key[:len(key)-8]; v.current == nil || !bytes.Equal(row, v.current) {
		v.current, v.covered = append(v.current[:0], row...), false
	}
	at := versionAt(key)
	needed := !v.covered && (at > v.Keep || value[16] != kindDeletion)
	v.covered = v.covered || at <= v.Keep
	return needed
}

// KeyOf returns the row of a version's key, without the prefix of all rows; any other key is
// returned unchanged.
func KeyOf(key []byte) txn.Key {
	if row, _, ok := splitVersionKey(key); ok {
		return row
	}
	return txn.Key(key)
}

func prefixEnd(p []byte) []byte {
	e := append([]byte(nil), p...)
	for i := len(e) - 1; i >= 0; i-- {
		if e[i] != 0xff {
			e[i]++
			return e[:i+1]
		}
	}
	return nil
}
