package catalog

import (
	"fmt"
	"slices"
	"strings"

	"isochron/routing"
	"isochron/sql/rowcodec"
	"isochron/txn"
)

// Alteration is what becomes of a table.
type Alteration struct {
	Definition Definition // of the table afterwards, under the name that it has
	From       []int      // of each column: its position before; -1: it is new
	Fill       []any      // of each column: the value of all rows that exist, if it is new and Row is nil
	// Row makes a row of the new table of the n-th row of the old one, from 0; nil: rows stay as they are.
	Row func(n int, old []any) ([]any, error)
	// Next is the number that the column which counts by itself gives after that; 0: it is as it was.
	Next func() uint64
	// Columns are columns that foreign keys of other tables refer to, before and after.
	Columns [][2]string
}

// Redefine gives a table another definition, with what that does to its rows and indexes. planned is the table that the
// alteration was computed from: if it has changed, the statement must be planned again.
func (c *Change) Redefine(planned *Descriptor, a *Alteration) error {
	rec, err := c.table(planned.Record.Database, planned.Name())
	if err != nil {
		return err
	}
	if rec.ID != planned.ID() || rec.Generation != planned.Record.Generation {
		return txn.Errorf(txn.KindStale, "the definition of table %s changed while the statement was planned", planned.Name())
	}
	if err := c.unchanged(a.Definition.Parents); err != nil {
		return err
	}
	old, err := NewDescriptor(rec.clone())
	if err != nil {
		return err
	}
	next, err := rec.redefined(a)
	if err != nil {
		return err
	}
	added := next.reuse(rec, a.Row != nil)
	if err := c.placeIndexes(next, added); err != nil {
		return err
	}
	var rows []storedRow
	if a.Row != nil {
		if rows, err = c.allRows(old); err != nil {
			return err
		}
	}
	d, err := c.write(next)
	if err != nil {
		return err
	}
	if a.Row == nil && len(added) > 0 {
		if rows, err = c.allRows(d); err != nil {
			return err
		}
	}
	for _, x := range rec.Indexes {
		if !slices.ContainsFunc(next.Indexes, func(kept Index) bool { return kept.ID == x.ID }) {
			c.leave(indexPrefix(rec.ID, x.ID))
		}
	}
	if err := c.childrenRename(next, a.Columns); err != nil {
		return err
	}
	if a.Row != nil {
		return c.rewrite(old, d, rows, a)
	}
	return c.fillIndexes(d, rows, added)
}

// redefined is the record of a table after an alteration, without its indexes' identities.
func (r *Record) redefined(a *Alteration) (*Record, error) {
	def := a.Definition
	next := *r
	next.Columns, next.PrimaryKey, next.Indexes = nil, nil, nil
	next.Collation, next.Comment, next.Checks, next.ForeignKey = def.Collation, def.Comment, def.Checks, def.ForeignKey
	if err := samePlacement(r, def.Comment); err != nil {
		return nil, err
	}
	for i := range def.Columns {
		id := next.NextColumn
		if from := a.From[i]; from >= 0 {
			id = r.Columns[from].ID
		} else {
			next.NextColumn++
		}
		col, err := storeColumn(id, &def.Columns[i])
		if err != nil {
			return nil, err
		}
		switch {
		case a.Row != nil:
		case a.From[i] >= 0:
			col.Fill = r.Columns[a.From[i]].Fill
		default:
			if err := col.fill(&def.Columns[i], a.Fill[i]); err != nil {
				return nil, err
			}
		}
		next.Columns = append(next.Columns, col)
	}
	for _, at := range def.PrimaryKey {
		if err := indexable(&next.Columns[at]); err != nil {
			return nil, err
		}
		next.PrimaryKey = append(next.PrimaryKey, next.Columns[at].ID)
	}
	if err := next.placedAs(r, a); err != nil {
		return nil, err
	}
	if a.Row != nil {
		next.Padded = next.pads(next.PrimaryKey)
	}
	for _, x := range def.Indexes {
		if err := next.addIndex(x); err != nil {
			return nil, err
		}
	}
	return &next, nil
}

// fill notes the value of a new column in the rows that exist.
func (c *Column) fill(def *ColumnDefinition, v any) error {
	if v == nil {
		return nil
	}
	t, err := def.CoreType()
	if err != nil {
		return err
	}
	layout, err := rowcodec.NewColumn(c.ID, t)
	if err != nil {
		return err
	}
	c.Fill, err = rowcodec.EncodeRow([]rowcodec.Column{layout}, []any{v})
	return err
}

// placedAs refuses a change of what the places of rows depend on.
func (r *Record) placedAs(before *Record, a *Alteration) error {
	for _, id := range r.Placement.Columns {
		at, was := r.column(id), before.column(id)
		if at < 0 || !slices.Contains(r.PrimaryKey, id) {
			return fmt.Errorf("the placement of table %s depends on column %s, which must stay in its primary key", r.Name, before.Columns[was].Name)
		}
		if r.Columns[at].Type != before.Columns[was].Type || r.Columns[at].Collation != before.Columns[was].Collation {
			return fmt.Errorf("the placement of table %s depends on column %s; its type cannot be changed", r.Name, before.Columns[was].Name)
		}
	}
	if len(r.Placement.Splits) == 0 {
		return nil
	}
	same := slices.Equal(r.PrimaryKey, before.PrimaryKey)
	for _, id := range before.PrimaryKey {
		at, was := r.column(id), before.column(id)
		same = same && at >= 0 && r.Columns[at].Type == before.Columns[was].Type && r.Columns[at].Collation == before.Columns[was].Collation
	}
	if !same {
		return fmt.Errorf("the placement of table %s splits it by its primary key, which cannot be changed", r.Name)
	}
	return nil
}

// samePlacement refuses a comment that asks for another placement: a comment never moves a table.
func samePlacement(r *Record, comment string) error {
	if comment == r.Comment {
		return nil
	}
	now, err := ParsePlacementRequest(r.Comment)
	if err != nil {
		return err
	}
	next, err := ParsePlacementRequest(comment)
	if err != nil {
		return err
	}
	if fmt.Sprint(now) != fmt.Sprint(next) {
		return fmt.Errorf("the placement of table %s cannot be changed in place; make a new table with it and copy the rows", r.Name)
	}
	return nil
}

// reuse gives the indexes that a table has had their identities, and the form of their keys unless all are written again. It returns
// the ids of those that are new.
func (r *Record) reuse(before *Record, rewritten bool) (added []uint32) {
	taken := map[uint32]bool{}
	for i := range r.Indexes {
		x := &r.Indexes[i]
		at := slices.IndexFunc(before.Indexes, func(o Index) bool {
			return !taken[o.ID] && strings.EqualFold(o.Name, x.Name) && sameEntries(o, *x)
		})
		if at < 0 {
			at = slices.IndexFunc(before.Indexes, func(o Index) bool { return !taken[o.ID] && sameEntries(o, *x) })
		}
		if at < 0 {
			added = append(added, x.ID)
			continue
		}
		was := before.Indexes[at]
		taken[was.ID] = true
		if x.ID, x.Global = was.ID, was.Global; !rewritten {
			x.Padded = was.Padded
		}
	}
	return added
}

// sameEntries reports whether two indexes hold the same.
func sameEntries(a, b Index) bool {
	return slices.Equal(a.Columns, b.Columns) && slices.Equal(a.Lengths, b.Lengths) && a.Unique == b.Unique
}

// placeIndexes gives the ranges of new indexes to shards.
func (c *Change) placeIndexes(r *Record, added []uint32) error {
	if len(added) == 0 {
		return nil
	}
	return c.store.direct(c.ctx, func(_ txn.Txn, dir *routing.Directory) error {
		for _, x := range r.Indexes {
			if slices.Contains(added, x.ID) {
				placeIndex(dir, r, x.ID, x.Global)
			}
		}
		return nil
	})
}

// childrenRename has the foreign keys of other tables follow columns that have other names.
func (c *Change) childrenRename(r *Record, columns [][2]string) error {
	if len(columns) == 0 {
		return nil
	}
	snap, err := c.Snapshot()
	if err != nil {
		return err
	}
	for _, d := range snap.Sorted() {
		if d.ID() == r.ID || !d.Record.clone().referred(r, columns) {
			continue
		}
		err := c.alter(d.Record.Database, d.Name(), func(child *Record) error {
			child.referred(r, columns)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// referred has the foreign keys of a table name renamed columns of another. It reports whether one does.
func (r *Record) referred(parent *Record, columns [][2]string) (any bool) {
	r.ForeignKey = slices.Clone(r.ForeignKey)
	for i := range r.ForeignKey {
		k := &r.ForeignKey[i]
		if fold(k.ParentDatabase) != fold(parent.Database) || fold(k.ParentTable) != fold(parent.Name) {
			continue
		}
		k.ParentColumns = slices.Clone(k.ParentColumns)
		for j, name := range k.ParentColumns {
			for _, to := range columns {
				if fold(to[0]) == fold(name) {
					k.ParentColumns[j], any = to[1], true
				}
			}
		}
	}
	return any
}

// rewrite writes every row of a table again, under its new definition.
func (c *Change) rewrite(old, next *Descriptor, rows []storedRow, a *Alteration) error {
	for _, r := range rows {
		if err := c.deleteRow(old, r); err != nil {
			return err
		}
	}
	seen := map[txn.Key]bool{}
	for n, r := range rows {
		row, err := a.Row(n, r.row)
		if err != nil {
			return err
		}
		if err := c.putRow(next, row, old, r.key, seen); err != nil {
			return err
		}
	}
	if a.Next == nil {
		return nil
	}
	return c.store.Sequences.Set(c.ctx, next.ID(), a.Next())
}

// fillIndexes writes the entries of new indexes.
func (c *Change) fillIndexes(d *Descriptor, rows []storedRow, added []uint32) error {
	seen := map[txn.Key]bool{}
	for _, x := range d.Indexes {
		if !slices.Contains(added, x.ID) {
			continue
		}
		for _, r := range rows {
			key, value, err := d.Entry(x, r.row, r.key)
			if err != nil {
				return err
			}
			if err := putOnce(c.tx, seen, image{d, x, r.row, key, value}); err != nil {
				return err
			}
		}
	}
	return nil
}
