//go:build unix

package dialect

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// What goes to a source as built in is so there: a function stored under the same
// name is not what runs.
func TestWhatIsBuiltIn(t *testing.T) {
	db := startMariaDB(t)
	var names []string
	for name := range builtins { // order: sorted next
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range append(names, "fdef", "nvl_not") {
		var v any
		err := db.QueryRow(fmt.Sprintf("SELECT %s(1, 2, 3, 4, 5, 6, 7, 8, 9)", name)).Scan(&v)
		var e *mysql.MySQLError
		unknown := errors.As(err, &e) && (e.Number == 1305 || e.Number == 1630)
		if unknown == builtins[name] {
			t.Errorf("%s: %v", name, err)
		}
	}
}
