package sqlload

import (
	"errors"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// A reading whose outcome is unknown is done again, and not for ever; a wrong one is not.
func TestReadable(t *testing.T) {
	unconfirmed := &mysql.MySQLError{Number: errUnknown}
	if !readable(unconfirmed, 1) || readable(unconfirmed, triesMax) {
		t.Error("a reading of unknown outcome is not done again, or without a bound")
	}
	if readable(&mysql.MySQLError{Number: 1146}, 1) || readable(errors.New("strange"), 1) {
		t.Error("a reading that cannot succeed is done again")
	}
}
