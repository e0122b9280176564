package sql

import (
	"fmt"
	"hash/maphash"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/dialect"
	"isochron/sql/sysvars"
)

// Names and defaults of variables, as they are used here.
const (
	pathVariable     = sysvars.Path
	pathAuto         = sysvars.PathAuto
	pathEngine       = sysvars.PathEngine
	silenceVariable  = sysvars.SourceTimeout
	lockWaitVariable = sysvars.LockWait
	lockWaitAlias    = sysvars.DefinitionLockWait
	lockWaitDefault  = sysvars.LockWaitDefault
	commitVariable   = sysvars.CommitTimeout
	commitDefault    = sysvars.CommitTimeoutDefault
)

// sessionVariables are the variables of a session, as its statements ask for them. What is
// worked out of them is kept until one changes.
type sessionVariables struct {
	base     *gms.BaseSession // has the variables
	quiet    *gms.Context     // for questions about the session itself
	settings uint64           // rises with each change of a session variable
	choices  choices
	zoned    zoneKnown
	coreSet  coreSettings
}

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
func (s *sessionVariables) chosen() *choices {
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
		if v, err := s.base.GetSessionVariable(s.quiet, gms.AutoCommitSessionVar); err == nil {
			on, err := gms.ConvertToBool(s.quiet, v)
			c.autocommit = err == nil && on
		}
	}
	return &s.choices
}

// autocommit reports whether a statement outside a transaction is its own.
func (s *sessionVariables) autocommit() bool { return s.chosen().autocommit }

// number is a variable of the session that is a whole number.
func (s *sessionVariables) number(name string, otherwise int64) int64 {
	if v, err := s.base.GetSessionVariable(s.quiet, name); err == nil {
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

// dialectOptions is how texts are read as statements for sources.
func (s *sessionVariables) dialectOptions() dialect.Options {
	mode := gms.LoadSqlMode(s.quiet)
	o := mode.ParserOptions()
	return dialect.Options{Database: s.base.GetCurrentDatabase(), AnsiQuotes: o.AnsiQuotes, PipesAsConcat: o.PipesAsConcat, NoAutoValueOnZero: mode.ModeEnabled("NO_AUTO_VALUE_ON_ZERO")}
}

// summed sums up the session's variables: alike in sessions in which all have the
// same values, whoever has set them.
func (s *sessionVariables) summed() uint64 {
	if c := s.chosen(); c.sum == 0 {
		for name, value := range s.base.GetAllSessionVariables() { // order: a sum
			c.sum += maphash.Comparable(sumSeed, [2]string{name, fmt.Sprintf("%T %v", value, value)})
		}
	}
	return s.choices.sum
}

var sumSeed = maphash.MakeSeed()
