package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"isochron/routing"
	"isochron/sql/legacy"
	"isochron/sql/rowcodec"
	"isochron/txn"
)

// alter changes a table's record.
func (c *Change) alter(db, name string, do func(*Record) error) error {
	rec, err := c.table(db, name)
	if err != nil {
		return err
	}
	if err := do(rec); err != nil {
		return err
	}
	_, err = c.write(rec)
	return err
}

// AddColumn adds a column. fill is its value in the rows that exist.
func (c *Change) AddColumn(db, name string, col *legacy.Column, fill any, at *legacy.Position) error {
	return c.alter(db, name, func(rec *Record) error {
		if rec.columnNamed(col.Name) >= 0 {
			return legacy.ErrColumnExists.New(col.Name)
		}
		if col.AutoInc {
			return fmt.Errorf("column %s: AUTO_INCREMENT can be given only when the table is created", col.Name)
		}
		stored, err := storeColumn(rec.NextColumn, col)
		if err != nil {
			return err
		}
		if fill != nil {
			t, err := col.CoreType()
			if err != nil {
				return err
			}
			layout, err := rowcodec.NewColumn(stored.ID, t)
			if err != nil {
				return err
			}
			if fill, err = legacy.FromEngine(fill); err != nil {
				return err
			}
			if stored.Fill, err = rowcodec.EncodeRow([]rowcodec.Column{layout}, []any{fill}); err != nil {
				return err
			}
		}
		rec.NextColumn++
		return rec.insertColumn(stored, at)
	})
}

func (r *Record) insertColumn(c Column, place *legacy.Position) error {
	at := len(r.Columns)
	if place != nil && place.First {
		at = 0
	} else if place != nil && place.After != "" {
		after := r.columnNamed(place.After)
		if after < 0 {
			return legacy.ErrTableColumnNotFound.New(r.Name, place.After)
		}
		at = after + 1
	}
	r.Columns = slices.Insert(r.Columns, at, c)
	return nil
}

// DropColumn removes a column, and the indexes and checks that are on it alone.
func (c *Change) DropColumn(db, name, column string) error {
	return c.alter(db, name, func(rec *Record) error {
		at := rec.columnNamed(column)
		if at < 0 {
			return legacy.ErrTableColumnNotFound.New(rec.Name, column)
		}
		id := rec.Columns[at].ID
		if slices.Contains(rec.PrimaryKey, id) {
			return fmt.Errorf("column %s is part of the primary key of table %s and cannot be dropped", column, rec.Name)
		}
		if err := rec.unnamed(column); err != nil {
			return err
		}
		for _, x := range rec.Indexes {
			if !slices.Contains(x.Columns, id) {
				continue
			}
			if len(x.Columns) > 1 {
				return fmt.Errorf("column %s is part of index %s; drop the index first", column, x.Name)
			}
			c.leave(indexPrefix(rec.ID, x.ID))
		}
		rec.Indexes = slices.DeleteFunc(rec.Indexes, func(x Index) bool { return slices.Contains(x.Columns, id) })
		rec.Columns = slices.Delete(rec.Columns, at, at+1)
		return nil
	})
}

// ModifyColumn changes a column's name, type, place or properties. A change of
// type converts every row.
func (c *Change) ModifyColumn(ctx context.Context, db, name, column string, col *legacy.Column, place *legacy.Position) error {
	rec, err := c.table(db, name)
	if err != nil {
		return err
	}
	old, err := NewDescriptor(rec.clone())
	if err != nil {
		return err
	}
	at := rec.columnNamed(column)
	if at < 0 {
		return legacy.ErrTableColumnNotFound.New(rec.Name, column)
	}
	before := rec.Columns[at]
	after, err := storeColumn(before.ID, col)
	if err != nil {
		return err
	}
	after.keepType(before)
	if !strings.EqualFold(before.Name, after.Name) {
		if rec.columnNamed(after.Name) >= 0 {
			return legacy.ErrColumnExists.New(after.Name)
		}
		if err := rec.renamed(before.Name, after.Name); err != nil {
			return err
		}
	}
	after.Fill = before.Fill
	rewrite := after.Type != before.Type || after.Collation != before.Collation || (before.Nullable && !after.Nullable)
	if rewrite {
		after.Fill = nil
		if slices.Contains(rec.Placement.Columns, before.ID) || len(rec.Placement.Splits) > 0 && slices.Contains(rec.PrimaryKey, before.ID) {
			return fmt.Errorf("the placement of table %s depends on column %s; its type cannot be changed", rec.Name, column)
		}
	}
	rec.Columns = slices.Delete(rec.Columns, at, at+1)
	if place == nil {
		rec.Columns = slices.Insert(rec.Columns, at, after)
	} else if err := rec.insertColumn(after, place); err != nil {
		return err
	}
	if rewrite {
		rec.padAgain(after.ID)
	}
	next, err := c.write(rec)
	if err != nil || !rewrite {
		return err
	}
	return c.convert(ctx, old, next)
}

// CreateIndex adds a secondary index and fills it.
func (c *Change) CreateIndex(db, name string, def legacy.Index) error {
	planned, err := c.table(db, name)
	if err != nil {
		return err
	}
	d, err := NewDescriptor(planned.clone())
	if err != nil {
		return err
	}
	if err := planned.addIndex(def); err != nil {
		return err
	}
	added := planned.Indexes[len(planned.Indexes)-1]
	err = c.store.direct(c.ctx, func(_ txn.Txn, dir *routing.Directory) error {
		placeIndex(dir, planned, added.ID, added.Global)
		return nil
	})
	if err != nil {
		return err
	}
	rows, err := c.allRows(d)
	if err != nil {
		return err
	}
	next, err := c.write(planned)
	if err != nil {
		return err
	}
	seen := map[txn.Key]bool{}
	x := next.Indexes[len(next.Indexes)-1]
	for _, r := range rows {
		key, value, err := next.Entry(x, r.row, r.key)
		if err != nil {
			return err
		}
		if err := putOnce(c.tx, seen, image{next, x, r.row, key, value}); err != nil {
			return err
		}
	}
	return nil
}

// DropIndex removes a secondary index.
func (c *Change) DropIndex(db, name, index string) error {
	return c.alter(db, name, func(rec *Record) error {
		at := rec.indexNamed(index)
		if at < 0 {
			return fmt.Errorf("table %s has no index %s", name, index)
		}
		c.leave(indexPrefix(rec.ID, rec.Indexes[at].ID))
		rec.Indexes = slices.Delete(rec.Indexes, at, at+1)
		return nil
	})
}

// RenameIndex gives an index another name.
func (c *Change) RenameIndex(db, name, from, to string) error {
	return c.alter(db, name, func(rec *Record) error {
		at := rec.indexNamed(from)
		if at < 0 {
			return fmt.Errorf("table %s has no index %s", name, from)
		}
		if rec.indexNamed(to) >= 0 && !strings.EqualFold(from, to) {
			return legacy.ErrDuplicateKey.New(to)
		}
		rec.Indexes[at].Name = to
		return nil
	})
}

// SetComment changes the comment. A comment never moves a table, so one that
// asks for another placement is refused.
func (c *Change) SetComment(db, name, comment string) error {
	return c.alter(db, name, func(rec *Record) error {
		now, err := ParsePlacementRequest(rec.Comment)
		if err != nil {
			return err
		}
		next, err := ParsePlacementRequest(comment)
		if err != nil {
			return err
		}
		if fmt.Sprint(now) != fmt.Sprint(next) {
			return fmt.Errorf("the placement of table %s cannot be changed in place; make a new table with it and copy the rows", name)
		}
		rec.Comment = comment
		return nil
	})
}

// AddCheck adds a check constraint, which the engine has tried on the rows.
func (c *Change) AddCheck(db, name string, check Check) error {
	return c.alter(db, name, func(rec *Record) error {
		if slices.ContainsFunc(rec.Checks, func(have Check) bool { return strings.EqualFold(have.Name, check.Name) }) {
			return fmt.Errorf("table %s has a check %s already", name, check.Name)
		}
		rec.Checks = append(rec.Checks, check)
		return nil
	})
}

// DropCheck removes a check constraint.
func (c *Change) DropCheck(db, name, check string) error {
	return c.alter(db, name, func(rec *Record) error {
		n := len(rec.Checks)
		rec.Checks = slices.DeleteFunc(rec.Checks, func(have Check) bool { return strings.EqualFold(have.Name, check) })
		if len(rec.Checks) == n {
			return fmt.Errorf("table %s has no check %s", name, check)
		}
		return nil
	})
}

// SetForeignKey adds a foreign key or, if old names one, replaces it; with no
// new key it removes it.
func (c *Change) SetForeignKey(db, name, old string, fk *ForeignKey) error {
	return c.alter(db, name, func(rec *Record) error {
		n := len(rec.ForeignKey)
		rec.ForeignKey = slices.DeleteFunc(rec.ForeignKey, func(f ForeignKey) bool { return strings.EqualFold(f.Name, old) })
		if old != "" && len(rec.ForeignKey) == n {
			return legacy.ErrForeignKeyNotFound.New(old, name)
		}
		if fk != nil {
			rec.ForeignKey = append(rec.ForeignKey, *fk)
		}
		return nil
	})
}
