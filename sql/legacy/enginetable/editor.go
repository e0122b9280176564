package enginetable

import (
	"fmt"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/catalog"
	"isochron/sql/table"
	"isochron/txn"
)

var (
	_ gms.InsertableTable  = (*Table)(nil)
	_ gms.UpdatableTable   = (*Table)(nil)
	_ gms.DeletableTable   = (*Table)(nil)
	_ gms.ReplaceableTable = (*Table)(nil)
)

// Inserter implements gms.InsertableTable.
func (t *Table) Inserter(*gms.Context) gms.RowInserter { return t.editor() }

// Updater implements gms.UpdatableTable.
func (t *Table) Updater(*gms.Context) gms.RowUpdater { return t.editor() }

// Deleter implements gms.DeletableTable.
func (t *Table) Deleter(*gms.Context) gms.RowDeleter { return t.editor() }

// Replacer implements gms.ReplaceableTable.
func (t *Table) Replacer(*gms.Context) gms.RowReplacer { return t.editor() }

func (t *Table) editor() *editor {
	whole := *t
	whole.columns, whole.names = nil, nil
	return &editor{t: &whole, d: t.desc}
}

// editor writes rows of one table. A statement's mark is a savepoint of the
// transaction's write buffer.
type editor struct {
	t      *Table
	d      *catalog.Descriptor
	mark   int
	marked bool
	hidden map[string][]txn.Key // of a keyless table: the keys of each row
}

var _ gms.TableEditor = (*editor)(nil)

// StatementBegin implements gms.EditOpenerCloser.
func (e *editor) StatementBegin(ctx *gms.Context) {
	if tx, err := e.use(ctx); err == nil {
		e.mark, e.marked = tx.Savepoint(), true
	}
}

// DiscardChanges implements gms.EditOpenerCloser.
func (e *editor) DiscardChanges(ctx *gms.Context, _ error) error {
	e.hidden = nil
	if tx, err := e.use(ctx); err == nil && e.marked {
		tx.RollbackTo(e.mark)
	}
	return nil
}

// StatementComplete implements gms.EditOpenerCloser.
func (e *editor) StatementComplete(*gms.Context) error { return nil }

// Close implements gms.Closer.
func (e *editor) Close(*gms.Context) error { return nil }

func (e *editor) use(ctx *gms.Context) (txn.Txn, error) { return sessionOf(ctx).Use(ctx, e.d) }

// Insert implements gms.RowInserter.
func (e *editor) Insert(ctx *gms.Context, row gms.Row) error {
	tx, err := e.use(ctx)
	if err != nil {
		return err
	}
	images, err := e.images(row, nil)
	if err != nil {
		return err
	}
	if err := e.mustBeFree(ctx, tx, row, images, nil); err != nil {
		return err
	}
	for _, m := range images {
		tx.Put(m.Key, m.Value)
	}
	if e.hidden != nil {
		e.remember(images[0])
	}
	return e.bump(ctx, row)
}

// Update implements gms.RowUpdater.
func (e *editor) Update(ctx *gms.Context, old, row gms.Row) error {
	tx, err := e.use(ctx)
	if err != nil {
		return err
	}
	rowID, err := e.takeHidden(ctx, tx, old)
	if err != nil {
		return err
	}
	before, err := e.images(old, rowID)
	if err != nil {
		return err
	}
	after, err := e.images(row, rowID)
	if err != nil {
		return err
	}
	if err := e.mustBeFree(ctx, tx, row, after, before); err != nil {
		return err
	}
	table.Replace(before, after, func(k txn.Key, value []byte) {
		if value == nil {
			tx.Delete(k)
		} else {
			tx.Put(k, value)
		}
	})
	if e.hidden != nil {
		e.remember(after[0])
	}
	return e.bump(ctx, row)
}

// Delete implements gms.RowDeleter.
func (e *editor) Delete(ctx *gms.Context, row gms.Row) error {
	if !slices.ContainsFunc(row, func(v any) bool { return v != nil }) && !e.d.Keyless() {
		return nil // no row of this table: of a join, one of another is to be deleted
	}
	tx, err := e.use(ctx)
	if err != nil {
		return err
	}
	rowID, err := e.takeHidden(ctx, tx, row)
	if err != nil {
		return err
	}
	images, err := e.images(row, rowID)
	if err != nil {
		return err
	}
	for _, m := range images {
		tx.Delete(m.Key)
	}
	return nil
}

// images are the row itself and its index entries, in the order of the indexes.
func (e *editor) images(row gms.Row, rowID []byte) ([]table.Image, error) {
	if e.d.Keyless() && rowID == nil {
		rowID = e.t.store.NewRowID()
	}
	key, err := e.d.RowKey(row, rowID)
	if err != nil {
		return nil, err
	}
	return table.ImagesOf(e.d, e.d.Indexes, row, key)
}

// mustBeFree checks that no other row has the row's unique keys. before are the row's images so far.
func (e *editor) mustBeFree(ctx *gms.Context, tx txn.Txn, row gms.Row, images, before []table.Image) error {
	read := txn.Read{ForWrite: true}
	var claims []table.Image
	for i, m := range images {
		if !m.Unique || before != nil && before[i].Key == m.Key {
			continue
		}
		claims = append(claims, m)
		read.Gets = append(read.Gets, m.Key)
	}
	if len(claims) == 0 {
		return nil
	}
	res, err := tx.Read(ctx, read)
	if err != nil {
		return err
	}
	for i, value := range res.Values {
		if value != nil {
			return e.duplicate(ctx, tx, row, claims[i], value)
		}
	}
	return nil
}

// duplicate is the error that names the key and carries the row that has it.
func (e *editor) duplicate(ctx *gms.Context, tx txn.Txn, row gms.Row, m table.Image, value []byte) error {
	existing, err := e.existing(ctx, tx, m, value)
	if err != nil {
		return err
	}
	parts := make([]string, len(m.Index.Columns))
	for i, pos := range m.Index.Columns {
		parts[i] = keyText(ctx, e.d.Schema.Schema[pos], row[pos])
	}
	message := fmt.Sprintf("Duplicate entry '%s' for key '%s.%s'", strings.Join(parts, "-"), e.d.Name(), m.Index.Name)
	sessionOf(ctx).Duplicate(message)
	return gms.NewUniqueKeyErr(message, m.Index.Primary, existing)
}

func keyText(ctx *gms.Context, col *gms.Column, v any) string {
	if v == nil {
		return "NULL"
	}
	if s, err := col.Type.SQL(ctx, nil, v); err == nil {
		return s.ToString()
	}
	return fmt.Sprint(v)
}

func (e *editor) existing(ctx *gms.Context, tx txn.Txn, m table.Image, value []byte) (gms.Row, error) {
	if m.Index.Primary {
		row, err := e.d.DecodeRow(value)
		return e.d.ToEngine(row), err
	}
	_, key, err := e.d.DecodeEntry(m.Index, value)
	if err != nil {
		return nil, err
	}
	res, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{key}, ForWrite: true})
	if err != nil {
		return nil, err
	}
	if res.Values[0] == nil {
		// The entry was read at one time and the row at another.
		return nil, txn.Errorf(txn.KindAborted, "a row of table %s changed while it was read", e.d.Name())
	}
	row, err := e.d.DecodeRow(res.Values[0])
	return e.d.ToEngine(row), err
}

// bump keeps AUTO_INCREMENT above values that a client chose.
func (e *editor) bump(ctx *gms.Context, row gms.Row) error {
	pos := e.d.AutoIncrement()
	if pos < 0 || row[pos] == nil {
		return nil
	}
	if n, ok := positive(ctx, row[pos]); ok {
		return e.t.store.Sequences.Bump(ctx, e.d.ID(), n)
	}
	return nil
}

// takeHidden finds the hidden id of a row of a keyless table. Equal rows are indistinguishable, so any of them is used, but
// each only once.
func (e *editor) takeHidden(ctx *gms.Context, tx txn.Txn, row gms.Row) ([]byte, error) {
	if !e.d.Keyless() {
		return nil, nil
	}
	if e.hidden == nil {
		if err := e.loadHidden(ctx, tx); err != nil {
			return nil, err
		}
	}
	value, err := e.d.EncodeRow(row)
	if err != nil {
		return nil, err
	}
	keys := e.hidden[string(value)]
	if len(keys) == 0 {
		return nil, gms.ErrDeleteRowNotFound.New()
	}
	e.hidden[string(value)] = keys[1:]
	return e.d.RowID(keys[0]), nil
}

func (e *editor) loadHidden(ctx *gms.Context, tx txn.Txn) error {
	e.hidden = map[string][]txn.Key{}
	hits, err := table.All(e.d).FetchHeld(ctx, tx, table.Mode{ForWrite: true})
	for _, h := range hits {
		// Stored bytes are not compared: a row may lack columns added later.
		row, err := e.d.DecodeRow(h.Stored)
		if err != nil {
			return err
		}
		value, err := e.d.EncodeRow(e.d.ToEngine(row)) // as the engine writes it, whose rows are looked up
		if err != nil {
			return err
		}
		e.remember(table.Image{Key: h.Key, Value: value})
	}
	return err
}

func (e *editor) remember(m table.Image) {
	e.hidden[string(m.Value)] = append(e.hidden[string(m.Value)], m.Key)
}
