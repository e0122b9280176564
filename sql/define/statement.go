package define

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
)

// Name is the name of a table or view. Database "" is the current one.
type Name struct{ Database, Name string }

// Statement is a statement that defines something.
type Statement interface {
	// Counter is the status variable that counts such statements.
	Counter() string
}

// CreateTable is CREATE TABLE.
type CreateTable struct {
	Table       Name
	Temporary   bool
	IfNotExists bool
	Like        *Name // nil: there is none
	Columns     []Column
	Keys        []Key
	Checks      []Check
	ForeignKeys []ForeignKey
	Options     Options
	Partition   *Partition // nil: there is none
	Query       string     // the text of the query that fills the table; "": there is none
	OnDuplicate string     // of the query: IGNORE, REPLACE or ""
}

// Column is a column as a definition describes it.
type Column struct {
	Name          string
	Type          Type
	Null          Null
	Default       *Default // nil: there is none
	OnUpdate      *Default // of kind Now; nil: there is none
	Generated     *Expression
	Virtual       bool
	AutoIncrement bool
	Comment       string
	Primary       bool
	Unique        bool
	Checks        []Check
	made          *catalog.ColumnDefinition // of a query, or of another table: it is as this
}

// Null is what a column's definition says of NULL.
type Null uint8

// The cases.
const (
	NullUnsaid Null = iota
	NullTaken
	NotNull
)

// Expression is an expression of a definition.
type Expression struct {
	Tree sqlparser.Expr
	Text string // as the client wrote it
}

// Default is the default of a column.
type Default struct {
	Kind   DefaultKind
	Value  Expression // of Literal and Computed
	Digits int        // of Now: of a second's fraction
}

// DefaultKind is the kind of a default.
type DefaultKind uint8

// The kinds.
const (
	Literal  DefaultKind = iota // a constant, which becomes a value of the column's type
	Now                         // CURRENT_TIMESTAMP
	Computed                    // an expression in brackets
)

// Type is a type as a definition describes it.
type Type struct {
	Base               string // as SHOW CREATE TABLE writes it: "int", "varchar"
	Length, Scale      int    // -1: not given
	Unsigned, Zerofill bool
	Boolean            bool // BOOL, which is TINYINT(1)
	Binary             bool // the character set's binary collation
	National           bool
	Charset, Collation string // "": not given
	Members            []string
}

// Key is a primary key or an index.
type Key struct {
	Name    string
	Kind    KeyKind
	Parts   []KeyPart
	Comment string
}

// KeyKind is the kind of a key.
type KeyKind uint8

// The kinds.
const (
	Plain KeyKind = iota
	Unique
	Primary
	FullText
	Spatial
)

// KeyPart is a column of a key. Length is that of its prefix in characters; 0 is all.
type KeyPart struct {
	Column   string
	Length   int
	Computed bool // an expression, which no key can have
}

// Check is a CHECK constraint.
type Check struct {
	Name     string
	Value    Expression
	Enforced bool
	Column   string // the column that it is written behind; "": none
}

// ForeignKey is a foreign key. An action is in MySQL's words; "": none is given.
type ForeignKey struct {
	Name               string
	Index              string
	Columns            []string
	Parent             Name
	ParentColumns      []string
	OnUpdate, OnDelete string
}

// Options are the options of a table or database.
type Options struct {
	Engine             string
	Charset, Collation string // "": not given
	Comment            *string
	AutoIncrement      *uint64
}

// Partition is a PARTITION BY clause, as far as a placement can follow it.
type Partition struct {
	Kind    string // HASH, KEY, RANGE or another
	Columns []string
	Count   int
	Bounds  []string // of RANGE: literals, without MAXVALUE
	Other   bool     // it has parts that no placement follows
}

// Counter implements Statement.
func (s *CreateTable) Counter() string { return "Com_create_table" }
