package table

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/txn"
)

// Held is a stored row that a statement changes.
type Held struct {
	Key    txn.Key
	Stored []byte
}

// FetchHeld reads the rows of the access, in the order of the index. It costs the same rounds as Fetch.
func (a *Access) FetchHeld(ctx context.Context, tx txn.Txn, m Mode) ([]Held, error) {
	hits, err := a.collect(ctx, tx, m, false)
	if err != nil {
		return nil, err
	}
	out := make([]Held, 0, len(hits))
	taken := map[txn.Key]bool{}
	for _, h := range hits {
		if a.mayRepeat() {
			if taken[h.key] {
				continue
			}
			taken[h.key] = true
		}
		one := Held{h.key, h.value}
		var row []any
		if !a.Index.Primary {
			row, one.Key, err = a.Desc.DecodeEntry(a.Index, h.value)
		} else if len(a.restOf(h)) > 0 {
			row, err = a.Desc.DecodeRow(h.value)
		}
		if err != nil {
			return nil, err
		}
		if ok, err := a.passes(row, a.restOf(h)); err != nil {
			return nil, err
		} else if ok {
			out = append(out, one)
		}
	}
	if !a.Index.Primary {
		if out, err = behindEntries(ctx, tx, m, out); err != nil {
			return nil, err
		}
	}
	if a.Limit > 0 && len(out) > a.Limit {
		out = out[:a.Limit]
	}
	return out, nil
}

// behindEntries reads the rows of index entries. A row that is gone by now is left out: if it matters, the transaction will
// not pass its validation.
func behindEntries(ctx context.Context, tx txn.Txn, m Mode, entries []Held) ([]Held, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	keys := make([]txn.Key, len(entries))
	for i, e := range entries {
		keys[i] = e.Key
	}
	values, err := m.values(ctx, tx, keys)
	if err != nil {
		return nil, err
	}
	out := entries[:0]
	for i, value := range values {
		if value != nil {
			out = append(out, Held{keys[i], value})
		}
	}
	return out, nil
}

// Writer writes rows of a table in a transaction.
type Writer struct {
	d     *catalog.Descriptor
	store *catalog.Store
	tx    txn.Txn
}

// NewWriter is a writer of a table's rows.
func NewWriter(store *catalog.Store, d *catalog.Descriptor, tx txn.Txn) *Writer {
	return &Writer{d, store, tx}
}

// Conflict is a row that has a unique key of another.
type Conflict struct {
	Index   *catalog.IndexInfo
	Row     Held
	Message string // MySQL's
}

// Claim reads the unique keys of rows that are to be inserted, in one round; owners: also the rows that have them.
func (w *Writer) Claim(ctx context.Context, rows [][]any, owners bool) error {
	if w.d.Keyless() && len(w.d.Indexes) == 0 {
		return nil
	}
	read := txn.Read{ForWrite: true}
	var claims []Image
	for _, row := range rows {
		images, err := w.images(row, "")
		if err != nil {
			continue // its insertion reports the error
		}
		for _, m := range images {
			if m.Unique {
				claims, read.Gets = append(claims, m), append(read.Gets, m.Key)
			}
		}
	}
	if len(read.Gets) == 0 {
		return nil
	}
	res, err := w.tx.Read(ctx, read)
	if err != nil || !owners {
		return err
	}
	read.Gets = nil
	for i, value := range res.Values {
		if value == nil || claims[i].Index.Primary {
			continue
		}
		_, key, err := w.d.DecodeEntry(claims[i].Index, value)
		if err != nil {
			return err
		}
		read.Gets = append(read.Gets, key)
	}
	if len(read.Gets) == 0 {
		return nil
	}
	_, err = w.tx.Read(ctx, read)
	return err
}

// ClaimMoved reads the unique keys that rows get which they have not had, in one round.
func (w *Writer) ClaimMoved(ctx context.Context, held []Held, old, rows [][]any) error {
	read := txn.Read{ForWrite: true}
	for i := range rows {
		before, err := w.images(old[i], held[i].Key)
		if err != nil {
			return err
		}
		after, err := w.moved(held[i].Key, rows[i])
		if err != nil {
			continue // its update reports the error
		}
		for j, m := range after {
			if m.Unique && before[j].Key != m.Key {
				read.Gets = append(read.Gets, m.Key)
			}
		}
	}
	if len(read.Gets) == 0 {
		return nil
	}
	_, err := w.tx.Read(ctx, read)
	return err
}

// images are a row and its index entries; key "": a row that is new.
func (w *Writer) images(row []any, key txn.Key) ([]Image, error) {
	if key == "" {
		var rowID []byte
		if w.d.Keyless() {
			rowID = w.store.NewRowID()
		}
		var err error
		if key, err = w.d.RowKey(row, rowID); err != nil {
			return nil, err
		}
	}
	return ImagesOf(w.d, w.d.Indexes, row, key)
}

// moved are the images of a row in the place of one with a key.
func (w *Writer) moved(key txn.Key, row []any) ([]Image, error) {
	var rowID []byte
	if w.d.Keyless() {
		rowID = w.d.RowID(key)
	}
	now, err := w.d.RowKey(row, rowID)
	if err != nil {
		return nil, err
	}
	return ImagesOf(w.d, w.d.Indexes, row, now)
}

// Insert writes a new row, unless another has one of its unique keys.
func (w *Writer) Insert(ctx context.Context, row []any) (*Conflict, error) {
	images, err := w.images(row, "")
	if err != nil {
		return nil, err
	}
	if c, err := w.conflict(ctx, row, images, nil); c != nil || err != nil {
		return c, err
	}
	for _, m := range images {
		w.tx.Put(m.Key, m.Value)
	}
	return nil, nil
}

// Update writes a row in the place of another, unless a third has one of its unique keys.
func (w *Writer) Update(ctx context.Context, key txn.Key, old, row []any) (*Conflict, error) {
	before, err := w.images(old, key)
	if err != nil {
		return nil, err
	}
	after, err := w.moved(key, row)
	if err != nil {
		return nil, err
	}
	if c, err := w.conflict(ctx, row, after, before); c != nil || err != nil {
		return c, err
	}
	Replace(before, after, func(k txn.Key, value []byte) {
		if value == nil {
			w.tx.Delete(k)
		} else {
			w.tx.Put(k, value)
		}
	})
	return nil, nil
}

// Delete deletes a row with its index entries.
func (w *Writer) Delete(key txn.Key, row []any) error {
	images, err := w.images(row, key)
	if err != nil {
		return err
	}
	for _, m := range images {
		w.tx.Delete(m.Key)
	}
	return nil
}

// Last reports whether no unique key of the table is checked after that of an index.
func (w *Writer) Last(x *catalog.IndexInfo) bool {
	at := slices.Index(w.d.Indexes, x) // -1: the primary key
	return !slices.ContainsFunc(w.d.Indexes[at+1:], func(x *catalog.IndexInfo) bool { return x.Unique })
}

// conflict finds a row that has one of a row's unique keys; before are the row's images so far.
func (w *Writer) conflict(ctx context.Context, row []any, images, before []Image) (*Conflict, error) {
	read := txn.Read{ForWrite: true}
	var claims []Image
	for i, m := range images {
		if m.Unique && (before == nil || before[i].Key != m.Key) {
			claims, read.Gets = append(claims, m), append(read.Gets, m.Key)
		}
	}
	if len(claims) == 0 {
		return nil, nil
	}
	res, err := w.tx.Read(ctx, read)
	if err != nil {
		return nil, err
	}
	for i, value := range res.Values {
		if value != nil {
			return w.conflictOf(ctx, row, claims[i], value)
		}
	}
	return nil, nil
}

func (w *Writer) conflictOf(ctx context.Context, row []any, m Image, value []byte) (*Conflict, error) {
	c := &Conflict{Index: m.Index, Row: Held{m.Key, value}}
	parts := make([]string, len(m.Index.Columns))
	for i, pos := range m.Index.Columns {
		if parts[i] = "NULL"; row[pos] == nil {
			continue
		}
		text, err := w.d.TextOf(pos, row[pos])
		if err != nil {
			return nil, err
		}
		parts[i] = expr.Text(text).ToString()
	}
	c.Message = fmt.Sprintf("Duplicate entry '%s' for key '%s.%s'", strings.Join(parts, "-"), w.d.Name(), m.Index.Name)
	if m.Index.Primary {
		return c, nil
	}
	_, key, err := w.d.DecodeEntry(m.Index, value)
	if err != nil {
		return nil, err
	}
	res, err := w.tx.Read(ctx, txn.Read{Gets: []txn.Key{key}, ForWrite: true})
	if err != nil {
		return nil, err
	}
	if res.Values[0] == nil { // the entry was read at one time and the row at another
		return nil, txn.Errorf(txn.KindAborted, "a row of table %s changed while it was read", w.d.Name())
	}
	c.Row = Held{key, res.Values[0]}
	return c, nil
}
