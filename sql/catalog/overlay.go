package catalog

import (
	"maps"
	"slices"

	"isochron/txn"
)

// Snapshot is the catalogue as it will be once the change is committed.
func (c *Change) Snapshot() (*Snapshot, error) {
	next := *c.base
	next.Databases, next.Tables, next.Views = maps.Clone(next.Databases), maps.Clone(next.Tables), maps.Clone(next.Views)
	next.Foreign, next.Procedures = maps.Clone(next.Foreign), maps.Clone(next.Procedures)
	for _, key := range slices.Sorted(maps.Keys(c.edits)) {
		if err := next.edit(key, c.edits[key]); err != nil {
			return nil, err
		}
	}
	next.Foreign, _ = c.store.bound(next.Foreign)
	return &next, nil
}

// edit puts an object into the snapshot, or takes it out.
func (s *Snapshot) edit(key txn.Key, value []byte) (err error) {
	switch {
	case prefixSpan("db/").Contains(key):
		rec := new(DatabaseRecord)
		if value != nil {
			err = txn.Decode(value, rec)
		}
		return edited(&s.Databases, string(key[len(prefixSpan("db/").Start):]), rec, value, err)
	case TableSpan().Contains(key):
		d := new(Descriptor)
		if value != nil {
			d, err = decodeTable(value)
		}
		return edited(&s.Tables, key, d, value, err)
	case ViewSpan().Contains(key):
		v := new(View)
		if value != nil {
			err = txn.Decode(value, v)
		}
		return edited(&s.Views, key, v, value, err)
	case ForeignSpan().Contains(key):
		t := new(ForeignTable)
		if value != nil {
			t, err = decodeForeign(value)
		}
		return edited(&s.Foreign, key, t, value, err)
	case ProcedureSpan().Contains(key):
		p := new(StoredProcedure)
		if value != nil {
			p, err = decodeProcedure(value)
		}
		return edited(&s.Procedures, key, p, value, err)
	}
	return nil
}

func edited[K comparable, V any](in *map[K]V, key K, object V, value []byte, err error) error {
	switch {
	case err != nil:
		return err
	case value == nil:
		delete(*in, key)
	default:
		if *in == nil {
			*in = map[K]V{}
		}
		(*in)[key] = object
	}
	return nil
}

// Has reports whether a table is as the change has made it.
func (c *Change) Has(d *Descriptor) bool {
	value, ok := c.edits[tableKey(d.Record.Database, d.Record.Name)]
	return ok && slices.Equal(value, d.raw)
}
