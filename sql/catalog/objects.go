package catalog

import (
	"slices"

	"isochron/routing"
	"isochron/sql/legacy"
	"isochron/txn"
)

func spanOf[K ~string | ~[]byte](prefix K) txn.Span {
	return txn.Span{Start: txn.Key(prefix), End: txn.Key(routing.PrefixEnd(string(prefix)))}
}

// CreateDatabase makes a database.
func (c *Change) CreateDatabase(name string, collation uint16) error {
	values, err := c.get(databaseKey(name))
	if err != nil {
		return err
	}
	if values[0] != nil {
		return legacy.ErrDatabaseExists.New(name)
	}
	c.put(databaseKey(name), txn.Encode(DatabaseRecord{Format: recordFormat, Name: name, Collation: collation}))
	return nil
}

// SetDatabaseCollation changes what new tables of a database get.
func (c *Change) SetDatabaseCollation(name string, collation uint16) error {
	values, err := c.get(databaseKey(name))
	if err != nil {
		return err
	}
	rec := new(DatabaseRecord)
	if values[0] == nil {
		return legacy.ErrDatabaseNotFound.New(name)
	}
	if err := txn.Decode(values[0], rec); err != nil {
		return err
	}
	rec.Collation = collation
	c.put(databaseKey(name), txn.Encode(rec))
	return nil
}

// DropDatabase removes a database with its tables, views and procedures.
func (c *Change) DropDatabase(name string) error {
	var users []*Descriptor
	for _, d := range c.base.Tables { // order: a set
		if fold(d.Record.Database) == fold(name) && !d.Temporary() {
			users = append(users, d)
		}
	}
	if err := c.Alone(users...); err != nil {
		return err
	}
	res, err := c.tx.Read(c.ctx, txn.Read{
		Gets: []txn.Key{databaseKey(name)},
		Scans: []txn.Scan{{Span: prefixSpan("table/" + fold(name) + "\x00")}, {Span: prefixSpan("view/" + fold(name) + "\x00")}, {Span: prefixSpan("foreign/" + fold(name) + "\x00")},
			{Span: prefixSpan("procedure/" + fold(name) + "\x00")}},
		ForWrite: true,
	})
	if err != nil {
		return err
	}
	if res.Values[0] == nil {
		return legacy.ErrDatabaseNotFound.New(name)
	}
	c.delete(databaseKey(name))
	for _, p := range slices.Concat(res.Pairs...) {
		c.delete(p.Key)
	}
	for _, p := range res.Pairs[0] {
		rec := new(Record)
		if err := txn.Decode(p.Value, rec); err != nil {
			return err
		}
		if err := c.end(rec, "dropped"); err != nil {
			return err
		}
	}
	return nil
}

// CreateView stores a view.
func (c *Change) CreateView(v View) error {
	values, err := c.get(databaseKey(v.Database), tableKey(v.Database, v.Name), viewKey(v.Database, v.Name), foreignKey(v.Database, v.Name))
	switch {
	case err != nil:
		return err
	case values[0] == nil:
		return legacy.ErrDatabaseNotFound.New(v.Database)
	case values[1] != nil, values[3] != nil:
		return legacy.ErrTableAlreadyExists.New(v.Name)
	case values[2] != nil:
		return legacy.ErrExistingView.New(v.Database, v.Name)
	}
	v.Format = recordFormat
	c.put(viewKey(v.Database, v.Name), txn.Encode(v))
	return nil
}

// DropView removes a view.
func (c *Change) DropView(db, name string) error {
	values, err := c.get(viewKey(db, name))
	if err != nil {
		return err
	}
	if values[0] == nil {
		return legacy.ErrViewDoesNotExist.New(db, name)
	}
	c.delete(viewKey(db, name))
	return nil
}
