package exec

import (
	"bytes"
	"context"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"

	"isochron/sql/expr"
)

// noRow is the position behind the last row.
const noRow = -1

// joinTable finds rows of the right side of a join by the keys of a left row. Without keys it finds all of them.
type joinTable struct {
	account     account
	left, right joinEncoder
	rows        [][]expr.Value // nil if the table is over a store
	store       *rowStore      // without keys: rows that may be in a file
	links       []int32        // by row: the next one with the same key
	groups      []joinGroup
	buckets     []int32 // by the lowest bits of the hash: the first group; their number is a power of two
	keys        []byte  // of the groups
	seed        maphash.Seed
	buffer      []byte
	size        int64 // charged for the rows at hand
}

// joinGroup are the rows with one key.
type joinGroup struct {
	hash        uint64
	key         int    // where it begins in the table's keys
	length      uint16 // of the key, which is at most digestFrom
	first, last int32  // rows
	next        int32  // the next group of the bucket
}

// What a table occupies, in bytes.
const (
	linkBytes      = 12 // of a row: a link, and up to two buckets
	joinGroupBytes = 40
)

var errJoinRows = expr.NewError(1038, "HY001", "Out of memory: one side of a join has more than 2147483647 rows")

func newJoinTable(keys []JoinKey, m Memory) *joinTable {
	left, right := joinEncoders(keys)
	return &joinTable{account: account{memory: m}, left: left, right: right, seed: maphash.MakeSeed()}
}

// rowCount is the number of rows.
func (t *joinTable) rowCount() int {
	if t.store != nil {
		return t.store.size()
	}
	return len(t.rows)
}

// row is a row.
func (t *joinTable) row(at int32) ([]expr.Value, error) {
	if t.store != nil {
		return t.store.at(int(at))
	}
	return t.rows[at], nil
}

// hashed reports whether the table has keys.
func (t *joinTable) hashed() bool { return len(t.right.columns) > 0 }

// build replaces the rows of the table.
func (t *joinTable) build(ctx context.Context, rows [][]expr.Value) error {
	if len(rows) > math.MaxInt32 {
		return errJoinRows
	}
	t.account.due -= t.size
	t.rows, t.size = rows, 0
	if !t.hashed() {
		return t.account.settle()
	}
	if err := t.clear(len(rows)); err != nil {
		return err
	}
	for i, row := range rows {
		if i%BatchMax == 0 {
			if err := cancelled(ctx); err != nil {
				return err
			}
		}
		if err := t.add(int32(i), row); err != nil {
			return err
		}
	}
	return t.account.settle()
}

// clear makes room for so many rows.
func (t *joinTable) clear(rows int) error {
	if err := t.charge(int64(linkBytes * rows)); err != nil {
		return err
	}
	t.groups, t.keys = t.groups[:0], t.keys[:0]
	t.links = slices.Grow(t.links[:0], rows)[:rows]
	n := 1 << bits.Len(uint(rows))
	t.buckets = slices.Grow(t.buckets[:0], n)[:n]
	for i := range t.buckets {
		t.buckets[i] = noRow
	}
	return nil
}

func (t *joinTable) charge(n int64) error {
	t.size += n
	return t.account.add(n)
}

// add adds a row to its group, or to none if a key is NULL.
func (t *joinTable) add(at int32, row []expr.Value) error {
	t.links[at] = noRow
	key, ok := t.right.append(t.buffer[:0], row)
	if t.buffer = key; !ok {
		return nil
	}
	key = digest(key)
	hash := maphash.Bytes(t.seed, key)
	if g := t.find(key, hash); g != nil {
		t.links[g.last], g.last = at, at
		return nil
	}
	bucket := &t.buckets[hash&uint64(len(t.buckets)-1)]
	t.groups = append(t.groups, joinGroup{hash: hash, key: len(t.keys), length: uint16(len(key)), first: at, last: at, next: *bucket})
	t.keys = append(t.keys, key...)
	*bucket = int32(len(t.groups) - 1)
	return t.charge(joinGroupBytes + int64(len(key)))
}

// find is the group of a key, nil if there is none.
func (t *joinTable) find(key []byte, hash uint64) *joinGroup {
	for i := t.buckets[hash&uint64(len(t.buckets)-1)]; i != noRow; {
		g := &t.groups[i]
		if g.hash == hash && bytes.Equal(t.keys[g.key:g.key+int(g.length)], key) {
			return g
		}
		i = g.next
	}
	return nil
}

// first is the first row that has the keys of a left row.
func (t *joinTable) first(left []expr.Value) int32 {
	if t.rowCount() == 0 {
		return noRow
	}
	if !t.hashed() {
		return 0
	}
	key, ok := t.left.append(t.buffer[:0], left)
	if t.buffer = key; !ok {
		return noRow
	}
	key = digest(key)
	if g := t.find(key, maphash.Bytes(t.seed, key)); g != nil {
		return g.first
	}
	return noRow
}

// next is the row behind one, with the same keys.
func (t *joinTable) next(at int32) int32 {
	if t.hashed() {
		return t.links[at]
	}
	if int(at)+1 < t.rowCount() {
		return at + 1
	}
	return noRow
}

func (t *joinTable) close() {
	t.rows, t.links, t.groups, t.buckets, t.keys = nil, nil, nil, nil, nil
	t.account.close()
}
