package sql

import (
	"context"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/dialect"
	"isochron/sql/parse"
	"isochron/sql/session"
	"isochron/sql/sysvars"
)

// Names and defaults of variables, as they are used here.
const (
	waitVariable        = sysvars.WaitTimeout
	interactiveVariable = sysvars.InteractiveTimeout
	writeVariable       = sysvars.NetWriteTimeout
	idleVariable        = sysvars.IdleTransactionTimeout
	waitDefault         = sysvars.WaitTimeoutDefault
	readUncommitted     = sysvars.ReadUncommitted
	readCommitted       = sysvars.ReadCommitted
	serializable        = sysvars.Serializable
	silenceVariable     = sysvars.SourceTimeout
	commitVariable      = sysvars.CommitTimeout
	lockWaitVariable    = sysvars.LockWait
	lockWaitAlias       = sysvars.DefinitionLockWait
	lockWaitDefault     = sysvars.LockWaitDefault
)

// sessionVariables are the variables of a session, and what the engine must be asked for.
type sessionVariables struct {
	session.Variables
	base    *gms.BaseSession // has the variables
	quiet   *gms.Context     // for questions about the session itself
	coreSet coreSettings
}

func newSessionVariables(s *Session) sessionVariables {
	v := sessionVariables{base: s.BaseSession, quiet: gms.NewContext(context.Background(), gms.WithSession(s))}
	v.Variables = session.New(variableSource{v.base, v.quiet})
	return v
}

// variableSource has the engine's values of variables.
type variableSource struct {
	base  *gms.BaseSession
	quiet *gms.Context
}

func (v variableSource) Variable(name string) (any, error) {
	return v.base.GetSessionVariable(v.quiet, name)
}

func (v variableSource) Bool(name string) (bool, error) {
	value, err := v.base.GetSessionVariable(v.quiet, name)
	if err != nil {
		return false, err
	}
	on, err := gms.ConvertToBool(v.quiet, value)
	return on && err == nil, nil
}

func (v variableSource) All() map[string]any { return v.base.GetAllSessionVariables() }

// dialectOptions is how texts are read as statements for sources.
func (s *sessionVariables) dialectOptions() dialect.Options {
	mode := gms.LoadSqlMode(s.quiet)
	return dialect.Options{Database: s.base.GetCurrentDatabase(), Mode: parse.ModeOf(mode.String()), NoAutoValueOnZero: mode.ModeEnabled("NO_AUTO_VALUE_ON_ZERO")}
}
