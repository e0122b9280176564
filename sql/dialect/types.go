package dialect

import "isochron/sql/parse"

// Dialect is the SQL that a source speaks.
type Dialect string

// The dialects.
const (
	MySQL    Dialect = "mysql" // MariaDB too
	Postgres Dialect = "postgres"
)

// Kind is the sort of a statement.
type Kind string

// The kinds.
const (
	Read    Kind = "read"    // SELECT, with a locking clause or without
	Insert  Kind = "insert"  // REPLACE too
	Update  Kind = "update"  //
	Delete  Kind = "delete"  //
	Define  Kind = "define"  // it changes tables: CREATE, ALTER, DROP, TRUNCATE
	Control Kind = "control" // it is for the gateway: BEGIN, COMMIT, SET, SAVEPOINT, USE ...
	Other   Kind = "other"   // SHOW, EXPLAIN, CALL and what else no source is sent
)

// Schema describes a source's tables.
type Schema interface {
	// Table finds a table by its logical name. The database is empty where the statement names
	// none. The result must not be changed.
	Table(database, name string) (*Table, bool)
}

// Table is a table of a source, under the name that the source has for it.
type Table struct {
	Schema, Name string // Schema may be empty: the session's own
	Columns      []Column
	Key          []string   // the primary key's columns, in order
	Unique       [][]string // other unique keys
	Plain        bool       // its rows are in no partitions
}

// Column is a column of a table. Type is the source's own word, such as "bigint" or
// "character varying(20)".
type Column struct {
	Name string
	Type string
	Null bool // it may be NULL
	Auto bool // the source gives it a number by itself
}

// Options are the choices of a translation.
type Options struct {
	// Database is the client's current database; a table qualified by it is one without.
	Database string
	// Server is the source's; the zero value: its version is not known. It decides which functions are
	// built in there, and no others are sent.
	Server Server
	// Share has plain reads lock the rows that they read (FOR SHARE), as serializability asks
	// of PostgreSQL, and has the translation say what guards the rest (Translation.Guard).
	Share bool
	// LikeFoldsCase writes LIKE as ILIKE: MySQL's answer under its default collation, without
	// the source's indexes.
	LikeFoldsCase bool
	// ReturnInsertID has an INSERT return the number that the source gave its first row; see
	// Translation.InsertID.
	ReturnInsertID bool
	// Count has changes be counted as MySQL's; FoundRows: as for a client that requests the number
	// of found rows.
	Count, FoundRows bool
	// Classes are the classes of the values of the client's placeholders, a ValueClass each, by
	// their places; those of later ones are unknown.
	Classes string
	// LastInsertID is the value of LAST_INSERT_ID(); nil: it is refused.
	LastInsertID *uint64
	// Mode is the part of the client's sql_mode that changes what a text means.
	parse.Mode
	// NoAutoValueOnZero is MySQL's mode of this name. Without it a literal 0 for a numbered
	// column asks for the next number, as NULL does.
	NoAutoValueOnZero bool
}

// Translation is a statement in the source's own words.
type Translation struct {
	Kind Kind
	Text string
	// Args has the client's value of each placeholder: Args[0] is the place, from 0, of the value
	// for the first. A value may be needed twice or not at all.
	Args []int
	// Places are the positions of each placeholder's sign, one byte, in Text, if Text was written
	// for MySQL: a value that is a number may be written there instead, since a calculation with a
	// text is one with a floating-point number. nil: it is not known.
	Places []int
	// Reads and Writes are the tables, each once, in the order of the text.
	Reads, Writes []Name
	// InsertID is the column whose value in the first returned row is LAST_INSERT_ID; empty: the
	// statement returns none.
	InsertID string
	// Unguarded are the reads for which serializability needs more than the locks that the text
	// takes. Guard, if Options.Share asks for locks, takes the missing locks, to be run before the
	// text; or, if Least is not 0, after it if it has given or changed fewer rows than Least, or
	// was refused for a key that is there already: then it is rolled back, and run again.
	Unguarded []Unguarded
	Guard     []string
	Least     int
	// Locked, if not empty, is the text behind Guard: it also locks rows that it does not change.
	Locked string
	// Returns: the client asks for the changed rows. Columns after its own are not for it:
	// InsertID, and CountColumn if Counts is set. Then the rows' counts make the statement's, and
	// each of Given rows that is not among them counts once.
	Returns, Counts bool
	Given           int
	// Remarks say where the source's answer may differ from MySQL's, each a sentence.
	Remarks []string
}

// Name is the name of a table as the client wrote it. Database is empty if it wrote none, or
// the current one.
type Name struct{ Database, Table string }

func (n Name) String() string {
	if n.Database == "" {
		return n.Table
	}
	return n.Database + "." + n.Table
}

// Unguarded is a read whose answer others may change before the transaction commits although
// the rows that it found are locked.
type Unguarded struct {
	Table  Name
	Reason Gap
}

// Gap is why a read is not guarded by the locks of its rows.
type Gap string

// The gaps, from the least.
const (
	// Absence: one row was requested by a whole unique key. Its lock guards it if it is there; if
	// it is not, another may insert it.
	Absence Gap = "absence"
	// Phantoms: a predicate was evaluated. The rows that satisfy it are locked, but another may
	// come.
	Phantoms Gap = "phantoms"
	// Unlocked: the source does not lock rows here (below an aggregate over a join, DISTINCT,
	// UNION, at the optional side of an outer join, in a recursive query), or was not asked to.
	Unlocked Gap = "unlocked"
)
