package legacy

import (
	"slices"
	"sync"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"isochron/sql/sysvars"
)

// VariableType returns the engine's type of the variable called name, nil if the engine defines it.
func VariableType(name string) gms.SystemVariableType {
	i := slices.IndexFunc(sysvars.All, func(v sysvars.Variable) bool { return v.Name == name })
	if i < 0 || sysvars.All[i].OfEngine {
		return nil
	}
	switch v := sysvars.All[i]; {
	case v.Name == sysvars.MaxAllowedPacket: // as MySQL has it
		return types.NewSystemUintType(v.Name, uint64(v.Min), uint64(v.Max))
	case v.Max > 0:
		return types.NewSystemIntType(v.Name, v.Min, v.Max, false)
	case len(v.Values) > 0:
		return types.NewSystemEnumType(v.Name, v.Values...)
	}
	return types.NewSystemStringType(name)
}

// RegisterVariables adds the variables that the engine does not define, or defines otherwise, to the engine's,
// once for the process.
var RegisterVariables = sync.OnceFunc(func() {
	var defined []gms.SystemVariable
	for _, v := range sysvars.All {
		if v.OfEngine {
			continue
		}
		scope := gms.SystemVariableScope_Both
		if v.Global {
			scope = gms.SystemVariableScope_Global
		}
		defined = append(defined, &gms.MysqlSystemVariable{
			Name: v.Name, Scope: gms.GetMysqlScope(scope), Dynamic: !v.Fixed, Type: VariableType(v.Name), Default: v.Default,
		})
	}
	gms.SystemVariables.AddSystemVariables(defined)
})
