package catalog

import (
	"fmt"
	"slices"
	"strings"

	"isochron/routing"
	"isochron/sql/legacy"
	"isochron/txn"
)

// Foreign is a table at sources (external databases), as stored. The sources have its rows and its definition; this
// has its name here and its places.
type Foreign struct {
	Format     uint64          `cbor:"1,keyasint"`
	Database   string          `cbor:"2,keyasint"`
	Name       string          `cbor:"3,keyasint"`
	Generation uint64          `cbor:"4,keyasint"` // rises with each adoption
	Columns    []ForeignColumn `cbor:"5,keyasint"`
	Key        []string        `cbor:"6,keyasint,omitempty"` // the primary key's columns
	Unique     [][]string      `cbor:"7,keyasint,omitempty"`
	How        Spreading       `cbor:"8,keyasint"`
	By         string          `cbor:"9,keyasint,omitempty"` // the column that places a row, of SpreadHashed and SpreadRanges
	// Bounds are the least keys of all parts but the first, rising, of SpreadRanges.
	Bounds []int64       `cbor:"10,keyasint,omitempty"`
	Parts  []ForeignPart `cbor:"11,keyasint"`
}

// Spreading is the division of a foreign table's rows over its sources.
type Spreading string

// The ways.
const (
	SpreadWhole      Spreading = "whole"      // at one source
	SpreadEverywhere Spreading = "everywhere" // all of them at each source
	SpreadHashed     Spreading = "hash"       // by an integer's remainder, or a text's checksum
	SpreadRanges     Spreading = "range"      // by ranges of an integer
)

// ForeignColumn is a column of a foreign table. Type is in SQL.
type ForeignColumn struct {
	Name      string `cbor:"1,keyasint"`
	Type      string `cbor:"2,keyasint"`
	Collation uint16 `cbor:"3,keyasint,omitempty"`
	Nullable  bool   `cbor:"4,keyasint,omitempty"`
	Numbered  bool   `cbor:"5,keyasint,omitempty"` // its source gives it a number by itself
}

// ForeignPart is the table at one source.
type ForeignPart struct {
	Source   uint64   `cbor:"1,keyasint"`
	Name     string   `cbor:"2,keyasint"` // of the source
	Dialect  string   `cbor:"3,keyasint"`
	Identity string   `cbor:"4,keyasint,omitempty"` // of the database that was adopted
	Schema   string   `cbor:"5,keyasint,omitempty"`
	Table    string   `cbor:"6,keyasint"`
	Columns  []string `cbor:"7,keyasint"`           // as the source spells them, in the order of the table's
	Types    []string `cbor:"8,keyasint"`           // the source's own words
	Plain    bool     `cbor:"9,keyasint,omitempty"` // it has no partitions
	// Version is the server's own account of its version at the adoption; empty: it was adopted by a
	// build that kept none.
	Version string `cbor:"10,keyasint,omitempty"`
}

// Bounds of the catalogue's foreign tables.
const (
	ForeignMax      = 10000 // tables
	ForeignPartsMax = 64    // sources of one
)

// ForeignTable is one made ready for use.
type ForeignTable struct {
	*Foreign
	Schema legacy.Schema
	raw    []byte
}

func foreignKey(db, name string) txn.Key {
	return txn.Key(routing.SystemKey("foreign/" + fold(db) + "\x00" + fold(name)))
}

// NewForeignTable makes a record ready for use.
func NewForeignTable(f *Foreign) (*ForeignTable, error) {
	t := &ForeignTable{Foreign: f, raw: txn.Encode(f)}
	columns, keys := make([]legacy.Column, len(f.Columns)), []int{}
	for i, c := range f.Columns {
		columns[i] = legacy.Column{Name: c.Name, Type: c.Type, Collation: c.Collation, Nullable: c.Nullable,
			AutoInc: c.Numbered, PrimaryKey: slices.Contains(f.Key, c.Name)}
	}
	for _, k := range f.Key {
		if i := slices.IndexFunc(f.Columns, func(c ForeignColumn) bool { return c.Name == k }); i >= 0 {
			keys = append(keys, i)
		}
	}
	var err error
	t.Schema, _, err = legacy.NewSchema(f.Database, f.Name, columns, keys)
	return t, err
}

// Column is the position of a column, -1 if there is none.
func (t *ForeignTable) Column(name string) int {
	return slices.IndexFunc(t.Columns, func(c ForeignColumn) bool { return strings.EqualFold(c.Name, name) })
}

func decodeForeign(b []byte) (*ForeignTable, error) {
	f := new(Foreign)
	if err := txn.Decode(b, f); err != nil {
		return nil, fmt.Errorf("the catalogue: %w", err)
	}
	if f.Format != recordFormat {
		return nil, fmt.Errorf("table %s.%s was stored by a newer release (format %d, this one reads %d)", f.Database, f.Name, f.Format, recordFormat)
	}
	t, err := NewForeignTable(f)
	if err == nil {
		t.raw = b
	}
	return t, err
}

// ForeignTable finds a foreign table by names of any case.
func (s *Snapshot) ForeignTable(db, name string) (*ForeignTable, bool) {
	if len(s.Foreign) == 0 {
		return nil, false
	}
	t, ok := s.Foreign[foreignKey(db, name)]
	return t, ok
}

// Adopt stores foreign tables, in the place of those of their names, all or none.
func (c *Change) Adopt(tables []*Foreign) error {
	for _, f := range tables {
		values, err := c.get(databaseKey(f.Database), tableKey(f.Database, f.Name), viewKey(f.Database, f.Name), foreignKey(f.Database, f.Name))
		switch {
		case err != nil:
			return err
		case values[0] == nil:
			return legacy.ErrDatabaseNotFound.New(f.Database)
		case values[1] != nil, values[2] != nil:
			return legacy.ErrTableAlreadyExists.New(f.Name)
		}
		f.Format, f.Generation = recordFormat, 1
		if values[3] != nil {
			old, err := decodeForeign(values[3])
			if err != nil {
				return err
			}
			f.Generation = old.Generation + 1
		}
		c.put(foreignKey(f.Database, f.Name), txn.Encode(f))
	}
	return nil
}

// Release removes a foreign table; its rows stay where they are.
func (c *Change) Release(db, name string) error {
	values, err := c.get(foreignKey(db, name))
	if err != nil {
		return err
	}
	if values[0] == nil {
		return legacy.NewError(1146, "42S02", "Table '%s.%s' is at no source", db, name)
	}
	c.delete(foreignKey(db, name))
	return nil
}

// ForeignIn are the foreign tables of a database, by name.
func (s *Snapshot) ForeignIn(db string) []*ForeignTable {
	var out []*ForeignTable
	for _, t := range s.Foreign { // order: sorted below
		if strings.EqualFold(t.Database, db) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *ForeignTable) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// CheckType is nil if a type of a foreign table's column can be read.
func CheckType(sql string) error {
	c := legacy.Column{Name: "c", Type: sql}
	_, err := c.CoreType()
	return err
}
