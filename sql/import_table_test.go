package sql

import (
	"fmt"
	"testing"

	"isochron/internal/renamed"
)

// A procedure called by its old name does the same, and returns the warning 1287.
func TestOldProcedureNamesAreDeprecated(t *testing.T) {
	f := startSources(t)
	for _, call := range []string{"adopt('my')", "adopt_sharded('shop.accounts', 'id', 'hash', 'pg_a,pg_b')", "adopt_everywhere('shop.rates', 'pg_a,pg_b')", "forget('shop.rates')"} {
		f.c.exec("CALL isochron." + call)
		for old, now := range renamed.Of(renamed.Procedure, "") { // order: one of them is called
			if len(call) > len(old) && call[:len(old)+1] == old+"(" {
				f.c.expect("SHOW WARNINGS", fmt.Sprintf("Warning | 1287 | 'isochron.%s' is deprecated and will be removed in a future release. Please use isochron.%s instead", old, now))
			}
		}
	}
	f.c.fails("SELECT * FROM rates", "1146")
	f.c.exec("CALL isochron.import_broadcast_table('shop.rates', 'pg_a,pg_b')")
	f.c.expect("SHOW WARNINGS", "")
}
