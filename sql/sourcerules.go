package sql

import (
	"bytes"
	"context"

	"isochron/sql/catalog"
	"isochron/txn"
)

// A table at sources that is imported again while a transaction is open may lie elsewhere then, or
// be another table. Who has read or changed rows by one rule must not go on, nor commit, by
// another: the two could overlook each other's rows. So a transaction remembers the tables as it
// has used them first. What is read of the catalogue is as new as its nearest replica.

// follow has the transaction use tables at sources as they are described, or says that it has used
// them as they were before.
func (t *transaction) follow(tables []*catalog.ForeignTable) error {
	for _, now := range tables {
		used := false
		for _, o := range t.rules {
			if !sameTable(o, now) {
				continue
			}
			if used = true; !sameRule(o, now) {
				return staleRule(now)
			}
		}
		if !used {
			t.rules = append(t.rules, now)
		}
	}
	return nil
}

// rulesHold is an error if a table at sources that the transaction has used is another by now.
func (t *transaction) rulesHold(ctx context.Context) error {
	if len(t.rules) == 0 {
		return nil
	}
	snap, err := t.s.gateway.store.Current(ctx)
	if err != nil {
		return err
	}
	for _, o := range t.rules {
		if now, ok := snap.ForeignTable(o.Database, o.Name); !ok || !sameRule(o, now) {
			return staleRule(o)
		}
	}
	return nil
}

func sameTable(a, b *catalog.ForeignTable) bool {
	return a == b || equalFold(a.Database, b.Database) && equalFold(a.Name, b.Name)
}

// sameRule reports whether two descriptions of a table are of one import.
func sameRule(a, b *catalog.ForeignTable) bool {
	return a == b || a.Generation == b.Generation && bytes.Equal(txn.Encode(a.Foreign), txn.Encode(b.Foreign))
}

func staleRule(t *catalog.ForeignTable) error {
	return txn.Errorf(txn.KindStale, "table %s.%s was imported again or dropped during the transaction", t.Database, t.Name)
}
