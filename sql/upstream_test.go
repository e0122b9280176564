package sql

import (
	"strings"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Each test here fails when the engine mends something that we correct from
// outside: the correction can then be removed.

func TestEngineSumsAsFloat(t *testing.T) {
	sum := aggregation.NewSum(expression.NewLiteral(int64(1), types.Int64))
	if !types.IsFloat(sum.Type(gms.NewEmptyContext())) {
		t.Error("SUM is exact: sum.go can go")
	}
}

func TestEngineRefusesForShare(t *testing.T) {
	if _, err := sqlparser.Parse("SELECT 1 FROM t FOR SHARE"); err == nil {
		t.Error("FOR SHARE is parsed: replaceForShare can go")
	}
}

func TestEngineHasNoCodeForSyntaxErrors(t *testing.T) {
	_, err := sqlparser.Parse("SELEC 1")
	if e := gms.CastSQLError(err); e.Num != codeUnspecified || !strings.HasPrefix(e.Message, "syntax error") && !strings.HasPrefix(e.Message, "unknown error: syntax") {
		t.Errorf("syntax errors have the code %d and begin %q: look at recognised", e.Num, e.Message)
	}
}
