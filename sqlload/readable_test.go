package sqlload

import (
	"errors"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// A read with an unknown outcome is repeated within a bound; an invalid one is not.
func TestReadable(t *testing.T) {
	unconfirmed := &mysql.MySQLError{Number: errUnknown}
	if !readable(unconfirmed, 1) || readable(unconfirmed, triesMax) {
		t.Error("a read with an unknown outcome is not repeated, or without a bound")
	}
	if readable(&mysql.MySQLError{Number: 1146}, 1) || readable(errors.New("strange"), 1) {
		t.Error("a read that cannot succeed is repeated")
	}
}
