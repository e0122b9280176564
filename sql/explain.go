package sql

import (
	"context"

	"github.com/dolthub/vitess/go/mysql"
)

func (h *handler) explain(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) (bool, error) {
	return false, nil
}
