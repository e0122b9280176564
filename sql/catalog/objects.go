package catalog

import (
	"context"
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/routing"
	"isochron/txn"
)

func spanOf[K ~string | ~[]byte](prefix K) txn.Span {
	return txn.Span{Start: txn.Key(prefix), End: txn.Key(routing.PrefixEnd(string(prefix)))}
}

// purgeIndexes deletes the entries and ranges of indexes that a table no longer
// has.
func (s *Store) purgeIndexes(ctx context.Context, db, name string, ids []uint32) error {
	snap := s.Held()
	d, ok := snap.Table(db, name)
	if !ok {
		return nil
	}
	for _, id := range ids {
		prefix := string(PartitionPrefix(d.Record.ID, id, 0)[:9+4])
		if err := s.purgeSpan(ctx, spanOf(prefix)); err != nil {
			return err
		}
	}
	return nil
}

// CreateDatabase makes a database.
func (s *Store) CreateDatabase(ctx context.Context, name string, collation gms.CollationID) error {
	return s.change(ctx, func(c *change) error {
		values, err := c.get(databaseKey(name))
		if err != nil {
			return err
		}
		if values[0] != nil {
			return gms.ErrDatabaseExists.New(name)
		}
		c.tx.Put(databaseKey(name), txn.Encode(DatabaseRecord{Format: recordFormat, Name: name, Collation: uint16(collation)}))
		return nil
	})
}

// SetDatabaseCollation changes what new tables of a database get.
func (s *Store) SetDatabaseCollation(ctx context.Context, name string, collation gms.CollationID) error {
	return s.change(ctx, func(c *change) error {
		values, err := c.get(databaseKey(name))
		if err != nil {
			return err
		}
		rec := new(DatabaseRecord)
		if values[0] == nil {
			return gms.ErrDatabaseNotFound.New(name)
		}
		if err := txn.Decode(values[0], rec); err != nil {
			return err
		}
		rec.Collation = uint16(collation)
		c.tx.Put(databaseKey(name), txn.Encode(rec))
		return nil
	})
}

// DropDatabase removes a database with its tables, views and procedures.
func (s *Store) DropDatabase(ctx context.Context, name string) error {
	var tables []uint64
	err := s.change(ctx, func(c *change) error {
		tables = tables[:0]
		res, err := c.tx.Read(ctx, txn.Read{
			Gets: []txn.Key{databaseKey(name)},
			Scans: []txn.Scan{{Span: prefixSpan("table/" + fold(name) + "\x00")}, {Span: prefixSpan("view/" + fold(name) + "\x00")}, {Span: prefixSpan("foreign/" + fold(name) + "\x00")},
				{Span: prefixSpan("procedure/" + fold(name) + "\x00")}},
			ForWrite: true,
		})
		if err != nil {
			return err
		}
		if res.Values[0] == nil {
			return gms.ErrDatabaseNotFound.New(name)
		}
		c.tx.Delete(databaseKey(name))
		for _, p := range slices.Concat(res.Pairs...) {
			c.tx.Delete(p.Key)
		}
		for _, p := range res.Pairs[0] {
			rec := new(Record)
			if err := txn.Decode(p.Value, rec); err != nil {
				return err
			}
			tables = append(tables, rec.ID)
			c.tx.Delete(sequenceKey(rec.ID))
			if err := c.end(rec, "dropped"); err != nil {
				return err
			}
		}
		return nil
	})
	for _, id := range tables {
		if err == nil {
			err = s.purge(ctx, id)
		}
	}
	return err
}

// CreateView stores a view.
func (s *Store) CreateView(ctx context.Context, v View) error {
	return s.change(ctx, func(c *change) error {
		values, err := c.get(databaseKey(v.Database), tableKey(v.Database, v.Name), viewKey(v.Database, v.Name), foreignKey(v.Database, v.Name))
		switch {
		case err != nil:
			return err
		case values[0] == nil:
			return gms.ErrDatabaseNotFound.New(v.Database)
		case values[1] != nil, values[3] != nil:
			return gms.ErrTableAlreadyExists.New(v.Name)
		case values[2] != nil:
			return gms.ErrExistingView.New(v.Database, v.Name)
		}
		v.Format = recordFormat
		c.tx.Put(viewKey(v.Database, v.Name), txn.Encode(v))
		return nil
	})
}

// DropView removes a view.
func (s *Store) DropView(ctx context.Context, db, name string) error {
	return s.change(ctx, func(c *change) error {
		values, err := c.get(viewKey(db, name))
		if err != nil {
			return err
		}
		if values[0] == nil {
			return gms.ErrViewDoesNotExist.New(db, name)
		}
		c.tx.Delete(viewKey(db, name))
		return nil
	})
}
