package sql

import (
	"slices"
	"sync"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"isochron/sql/catalog"
	"isochron/txn"
)

// pathVariable chooses who executes the statements of a session.
const (
	pathVariable = "isochron_path"
	pathAuto     = "auto" // round plans where they fit
	pathEngine   = "gms"  // never a round plan
)

// silenceVariable is for how many seconds a source may answer nothing.
const silenceVariable = "isochron_source_timeout"

// How many seconds a wait for a lock may take: of a row, and of a table's definition, which have
// one bound here. The second name is MySQL's for definitions.
const (
	lockWaitVariable = "innodb_lock_wait_timeout"
	lockWaitAlias    = "lock_wait_timeout"
)

// lockWaitDefault stands for the cluster's own bound (txn.Params.LockWait).
const lockWaitDefault = 5

// commitVariable is for how many seconds a commit is waited for.
const commitVariable = "isochron_commit_timeout"

// commitDefault stands for the cluster's own bound (txn.Params.CommitWait), which is longer where
// round trips are longer than a third of a second.
const commitDefault = 20

// noDirectory is where LOAD DATA INFILE may read, and no such directory can be.
const noDirectory = "/dev/null/none"

// registerVariables adds our variables to the engine's, once for the process.
var registerVariables = sync.OnceFunc(func() {
	gms.SystemVariables.AddSystemVariables(slices.Concat(sizeVariables(), memoryVariables(), idleVariables()))
	gms.SystemVariables.AddSystemVariables([]gms.SystemVariable{
		&gms.MysqlSystemVariable{ // the engine's says whose engine it is
			Name:    "version_comment",
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Global),
			Type:    types.NewSystemStringType("version_comment"),
			Default: "Isochron",
		},
		&gms.MysqlSystemVariable{
			Name:    pathVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemEnumType(pathVariable, pathAuto, pathEngine),
			Default: pathAuto,
		},
		// How often what has lost is done again inside, and for how long.
		&gms.MysqlSystemVariable{
			Name:    retriesVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemIntType(retriesVariable, 0, 10_000, false),
			Default: int64(retriesDefault),
		},
		&gms.MysqlSystemVariable{
			Name:    patienceVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemIntType(patienceVariable, 0, 3600, false),
			Default: int64(patienceDefault),
		},
		// How many seconds a source may answer nothing.
		&gms.MysqlSystemVariable{
			Name:    silenceVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemIntType(silenceVariable, 1, 3600, false),
			Default: int64(txn.SourceSilence / time.Second),
		},
		// How many seconds a commit is waited for until its outcome is reported as unknown.
		&gms.MysqlSystemVariable{
			Name:    commitVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemIntType(commitVariable, 1, 3600, false),
			Default: int64(commitDefault),
		},
		// How long a statement may take, in milliseconds; 0: as long as it takes.
		&gms.MysqlSystemVariable{
			Name:    timeoutVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemIntType(timeoutVariable, 0, 1<<31-1, false),
			Default: int64(0),
		},
		// What one statement may have side by side.
		&gms.MysqlSystemVariable{
			Name:    setOperationsVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemIntType(setOperationsVariable, 1, 5000, false),
			Default: int64(setOperationsDefault),
		},
		&gms.MysqlSystemVariable{
			Name:    listVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemIntType(listVariable, 1, 10_000_000, false),
			Default: int64(listDefault),
		},
		&gms.MysqlSystemVariable{
			Name:    joinTablesVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemIntType(joinTablesVariable, 2, joinTablesMost, false),
			Default: int64(joinTablesDefault),
		},
		&gms.MysqlSystemVariable{
			Name:    joinOrdersVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemIntType(joinOrdersVariable, 1, 100_000_000, false),
			Default: int64(joinOrdersDefault),
		},
		&gms.MysqlSystemVariable{
			Name:    isolationVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    isolationType,
			Default: serializable,
		},
		&gms.MysqlSystemVariable{
			Name:    isolationAlias,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    isolationType,
			Default: serializable,
		},
		&gms.MysqlSystemVariable{
			Name:    priorityVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    priorityType,
			Default: txn.PriorityLow.String(),
		},
		// The engine's own admits the value 1 only.
		&gms.MysqlSystemVariable{
			Name:    lockWaitVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemIntType(lockWaitVariable, 1, 1<<30, false),
			Default: int64(lockWaitDefault),
		},
		// How many procedures a database may have.
		&gms.MysqlSystemVariable{
			Name:    proceduresVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Global),
			Dynamic: true,
			Type:    types.NewSystemIntType(proceduresVariable, 0, 65_536, false),
			Default: int64(catalog.ProceduresMax),
		},
		// Clients ask for it to know how long a statement may be.
		&gms.MysqlSystemVariable{
			Name:    "max_allowed_packet",
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Global),
			Type:    types.NewSystemUintType("max_allowed_packet", 1024, statementMaxBytes),
			Default: int64(statementMaxBytes),
		},
		// No client reads or writes files of the node, whatever it was granted.
		&gms.MysqlSystemVariable{
			Name:    "secure_file_priv",
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Global),
			Type:    types.NewSystemStringType("secure_file_priv"),
			Default: noDirectory,
		},
	})
})

// choices are settings of a session that each of its statements asks for.
type choices struct {
	known      bool
	settings   uint64 // they are as of these settings
	autocommit bool
	path       string
	retries    int           // of what has lost, inside
	patience   time.Duration // until none begins any more
	silence    time.Duration // of a source
	commit     time.Duration // until a commit's outcome is unknown; 0: the cluster's
	timeout    time.Duration // of each statement; 0: none
	execution  time.Duration // of each SELECT; 0: none
	memory     int64         // of each statement, in bytes; 0: the default
	sum        uint64        // of all settings, 0: not summed up yet
}

// chosen are the session's choices now.
func (s *Session) chosen() *choices {
	if c := &s.choices; !c.known || c.settings != s.settings {
		*c = choices{known: true, settings: s.settings, path: readPath(s.quiet), autocommit: true}
		c.retries = int(s.number(retriesVariable, retriesDefault))
		c.patience = time.Duration(s.number(patienceVariable, patienceDefault)) * time.Second
		c.silence = time.Duration(s.number(silenceVariable, 0)) * time.Second
		if n := s.number(commitVariable, commitDefault); n != commitDefault {
			c.commit = time.Duration(n) * time.Second
		}
		c.timeout = millis(s.number(timeoutVariable, 0))
		c.execution = millis(s.number(executionVariable, 0))
		c.memory = s.number(statementMemory, 0)
		if v, err := s.GetSessionVariable(s.quiet, gms.AutoCommitSessionVar); err == nil {
			on, err := gms.ConvertToBool(s.quiet, v)
			c.autocommit = err == nil && on
		}
	}
	return &s.choices
}

// number is a variable of the session that is a whole number.
func (s *Session) number(name string, otherwise int64) int64 {
	if v, err := s.GetSessionVariable(s.quiet, name); err == nil {
		if n, ok := v.(int64); ok {
			return n
		}
	}
	return otherwise
}

// path is what the session has chosen.
func path(ctx *gms.Context) string {
	if s, ok := ctx.Session.(*Session); ok {
		return s.chosen().path
	}
	return readPath(ctx)
}

func readPath(ctx *gms.Context) string {
	v, err := ctx.GetSessionVariable(ctx, pathVariable)
	if s, ok := v.(string); err == nil && ok {
		return s
	}
	return pathAuto
}
