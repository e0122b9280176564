package enginetable

import "github.com/dolthub/go-mysql-server/sql/types"

var (
	int64Type  = types.Int64
	uint64Type = types.Uint64
)
