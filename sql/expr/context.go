package expr

import (
	"context"
	"time"

	"vitess.io/vitess/go/mysql/collations"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtenv"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Context is what the expressions of a running statement depend on besides their row.
type Context struct {
	// Done ends functions that wait, such as SLEEP; nil never does.
	Done context.Context
	// Now is the statement's time, the same for all its expressions.
	Now time.Time
	// Zone is the session's time zone; nil is UTC.
	Zone *time.Location
	// SQLMode is the session's sql_mode, in MySQL's upper case.
	SQLMode string
	// Collation is collation_connection: that of literals and of results.
	Collation collations.ID
	// Database is the current database, "" if none is chosen.
	Database string
	// MaxPacket is max_allowed_packet in bytes: a longer result of a function is NULL with warning 1301. 0: the default.
	MaxPacket int
	// Session answers what a function asks of the session; nil: there is none, as in a default value.
	Session Session
	// Parameters are the values of the statement's parameters, by name.
	Parameters map[string]*querypb.BindVariable
	// GroupConcatMax is group_concat_max_len in bytes; 0: the default.
	GroupConcatMax int
	// Strict: a value that must be changed to be stored is an error, not a warning.
	Strict bool

	warnings []Warning
	dropped  int
	bound    bool
}

// Session is the session, as functions see it.
type Session interface {
	// User is USER(), CurrentUser is CURRENT_USER(): name@host.
	User() string
	CurrentUser() string
	ConnectionID() uint32
	// LastInsertID is LAST_INSERT_ID(); SetLastInsertID is LAST_INSERT_ID(n).
	LastInsertID() uint64
	SetLastInsertID(n uint64)
	RowCount() int64
	FoundRows() int64
	// Variable is the value of a system variable by its name in lower case. global: @@global.name.
	Variable(name string, global bool) (Value, Type, bool)
	// UserVariable is the value of @name, by its name in lower case.
	UserVariable(name string) (Value, Type)
}

// Warning is a row of SHOW WARNINGS.
type Warning struct {
	Level   string // Note, Warning or Error
	Code    int    // MySQL's number
	Message string
}

// maxWarnings is MySQL's default of max_error_count.
const maxWarnings = 1024

// DefaultMaxPacket is MySQL's default of max_allowed_packet, in bytes.
const DefaultMaxPacket = 64 << 20

// Warn adds a warning. Those beyond maxWarnings are only counted.
func (c *Context) Warn(code int, message string) { c.add(Warning{"Warning", code, message}) }

// Note adds a note.
func (c *Context) Note(code int, message string) { c.add(Warning{"Note", code, message}) }

func (c *Context) add(w Warning) {
	if len(c.warnings) >= maxWarnings {
		c.dropped++
		return
	}
	c.warnings = append(c.warnings, w)
}

// Warnings are those of the statement, and how many more there were.
func (c *Context) Warnings() (list []Warning, more int) { return c.warnings, c.dropped }

// Forget drops the warnings, for the next statement.
func (c *Context) Forget() { c.warnings, c.dropped, c.bound = nil, 0, false }

// Bound reports whether what was compiled since Forget has types that are those of the present values of parameters: it
// is not to be used for other values.
func (c *Context) Bound() bool { return c.bound }

// GroupConcatBytes is the longest result of GROUP_CONCAT.
func (c *Context) GroupConcatBytes() int {
	if c.GroupConcatMax > 0 {
		return c.GroupConcatMax
	}
	return 1024
}

func (c *Context) maxPacket() int {
	if c.MaxPacket > 0 {
		return c.MaxPacket
	}
	return DefaultMaxPacket
}

// zone is the session's time zone.
func (c *Context) zone() *time.Location {
	if c.Zone != nil {
		return c.Zone
	}
	return time.UTC
}

// environment is that of the parser and of evalengine: MySQL 8.
var environment = func() *vtenv.Environment {
	e, err := vtenv.New(vtenv.Options{MySQLServerVersion: "8.0.31"})
	if err != nil {
		panic(err) // the version is a constant
	}
	return e
}()

// Environment is the environment that trees given to Compile are parsed in.
func Environment() *vtenv.Environment { return environment }

// cursor is the engine's view of a Context.
type cursor struct{ c *Context }

var _ evalengine.VCursor = cursor{}

func (v cursor) TimeZone() *time.Location        { return v.c.zone() }
func (v cursor) GetKeyspace() string             { return v.c.Database }
func (v cursor) SQLMode() string                 { return v.c.SQLMode }
func (v cursor) Environment() *vtenv.Environment { return environment }

func (v cursor) SetLastInsertID(id uint64) {
	if v.c.Session != nil {
		v.c.Session.SetLastInsertID(id)
	}
}
