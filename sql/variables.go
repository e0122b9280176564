package sql

import (
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"

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
