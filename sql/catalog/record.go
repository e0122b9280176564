package catalog

import (
	"isochron/routing"
	"isochron/txn"
	"strings"
)

// recordFormat is the version of the stored form of this file's types. A table with a padded key has paddedFormat: a
// release that does not know of padded keys refuses it, since it would write other keys.
const (
	recordFormat = 1
	paddedFormat = 2
)

// Record is a table as stored.
type Record struct {
	Format     uint64       `cbor:"1,keyasint"`
	ID         uint64       `cbor:"2,keyasint"`
	Database   string       `cbor:"3,keyasint"`
	Name       string       `cbor:"4,keyasint"`
	Generation uint64       `cbor:"5,keyasint"` // rises with each change: no two versions are equal bytes
	Columns    []Column     `cbor:"6,keyasint"`
	PrimaryKey []uint32     `cbor:"7,keyasint,omitempty"` // column ids; empty: rows have a hidden id
	Indexes    []Index      `cbor:"8,keyasint,omitempty"`
	NextColumn uint32       `cbor:"9,keyasint"`
	NextIndex  uint32       `cbor:"10,keyasint"`
	Collation  uint16       `cbor:"11,keyasint"`
	Comment    string       `cbor:"12,keyasint,omitempty"`
	Placement  Placement    `cbor:"13,keyasint"`
	Checks     []Check      `cbor:"14,keyasint,omitempty"`
	ForeignKey []ForeignKey `cbor:"15,keyasint,omitempty"`
	// Padded: the primary key is padded, see Index.
	Padded bool `cbor:"16,keyasint,omitempty"`
}

// Column is a column as stored. Type is in SQL.
type Column struct {
	ID        uint32 `cbor:"1,keyasint"`
	Name      string `cbor:"2,keyasint"`
	Type      string `cbor:"3,keyasint"`
	Collation uint16 `cbor:"4,keyasint,omitempty"`
	Nullable  bool   `cbor:"5,keyasint,omitempty"`
	AutoInc   bool   `cbor:"6,keyasint,omitempty"`
	Default   *Expr  `cbor:"7,keyasint,omitempty"`
	OnUpdate  *Expr  `cbor:"8,keyasint,omitempty"`
	Generated *Expr  `cbor:"9,keyasint,omitempty"`
	Virtual   bool   `cbor:"10,keyasint,omitempty"`
	Comment   string `cbor:"11,keyasint,omitempty"`
	Extra     string `cbor:"12,keyasint,omitempty"`
	// Fill is the value of rows older than the column: a stored row of this one
	// column; empty is NULL.
	Fill []byte `cbor:"13,keyasint,omitempty"`
	// Declared: Type has the digits of a TIME. Without it every TIME is time(6), of a release that knew no other.
	Declared bool `cbor:"14,keyasint,omitempty"`
}

// Expr is an expression in SQL.
type Expr struct {
	Text string `cbor:"1,keyasint"`
}

// Index is a secondary index as stored. Global: it is not divided as the rows are but stored whole in the table's leader
// region. Padded: its keys are those of rowcodec.AppendPaddedKey, so that texts which differ in spaces at the end are one to
// a collation that pads; it has a column of such a collation. Keys of earlier releases distinguish them.
type Index struct {
	ID      uint32   `cbor:"1,keyasint"`
	Name    string   `cbor:"2,keyasint"`
	Columns []uint32 `cbor:"3,keyasint"`
	Lengths []int    `cbor:"4,keyasint,omitempty"` // prefix lengths; 0 is the whole value
	Unique  bool     `cbor:"5,keyasint,omitempty"`
	Global  bool     `cbor:"6,keyasint,omitempty"`
	Comment string   `cbor:"7,keyasint,omitempty"`
	Padded  bool     `cbor:"8,keyasint,omitempty"`
}

// Check is a check constraint as stored.
type Check struct {
	Name     string `cbor:"1,keyasint"`
	Text     string `cbor:"2,keyasint"`
	Enforced bool   `cbor:"3,keyasint,omitempty"`
}

// ForeignKey is a foreign key as stored with the child table.
type ForeignKey struct {
	Name           string   `cbor:"1,keyasint"`
	ParentDatabase string   `cbor:"2,keyasint"`
	ParentTable    string   `cbor:"3,keyasint"`
	Columns        []string `cbor:"4,keyasint"`
	ParentColumns  []string `cbor:"5,keyasint"`
	OnUpdate       string   `cbor:"6,keyasint,omitempty"`
	OnDelete       string   `cbor:"7,keyasint,omitempty"`
	Resolved       bool     `cbor:"8,keyasint,omitempty"`
}

// DatabaseRecord is a database as stored.
type DatabaseRecord struct {
	Format    uint64 `cbor:"1,keyasint"`
	Name      string `cbor:"2,keyasint"`
	Collation uint16 `cbor:"3,keyasint,omitempty"`
}

// View is a view as stored.
type View struct {
	Format   uint64 `cbor:"1,keyasint"`
	Database string `cbor:"2,keyasint"`
	Name     string `cbor:"3,keyasint"`
	Text     string `cbor:"4,keyasint"`
	Create   string `cbor:"5,keyasint"`
	SQLMode  string `cbor:"6,keyasint,omitempty"`
}

// Names of things are found without regard to case, and keep the case they
// were given.
func fold(name string) string { return strings.ToLower(name) }

// A name may hold any byte but 0.
func databaseKey(db string) txn.Key { return txn.Key(routing.SystemKey("db/" + fold(db))) }
func tableKey(db, name string) txn.Key {
	return txn.Key(routing.SystemKey("table/" + fold(db) + "\x00" + fold(name)))
}
func viewKey(db, name string) txn.Key {
	return txn.Key(routing.SystemKey("view/" + fold(db) + "\x00" + fold(name)))
}

var (
	versionKey   = txn.Key(routing.SystemKey("catalog-version"))
	nextTableKey = txn.Key(routing.SystemKey("next-table"))
	directoryKey = txn.Key(routing.DirectoryKey)
)

func prefixSpan(prefix string) txn.Span {
	p := routing.SystemKey(prefix)
	return txn.Span{Start: txn.Key(p), End: txn.Key(routing.PrefixEnd(p))}
}
