package sql

import (
	"sync"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// pathVariable chooses who executes the statements of a session.
const (
	pathVariable = "isochron_path"
	pathAuto     = "auto" // round plans where they fit
	pathEngine   = "gms"  // never a round plan
)

// registerVariables adds our variables to the engine's, once for the process.
var registerVariables = sync.OnceFunc(func() {
	gms.SystemVariables.AddSystemVariables([]gms.SystemVariable{
		&gms.MysqlSystemVariable{
			Name:    pathVariable,
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemEnumType(pathVariable, pathAuto, pathEngine),
			Default: pathAuto,
		},
		// The engine's own admits the value 1 only.
		&gms.MysqlSystemVariable{
			Name:    "innodb_lock_wait_timeout",
			Scope:   gms.GetMysqlScope(gms.SystemVariableScope_Both),
			Dynamic: true,
			Type:    types.NewSystemIntType("innodb_lock_wait_timeout", 1, 1<<30, false),
			Default: int64(50),
		},
	})
})

// path is what the session has chosen.
func path(ctx *gms.Context) string {
	v, err := ctx.GetSessionVariable(ctx, pathVariable)
	if s, ok := v.(string); err == nil && ok {
		return s
	}
	return pathAuto
}
