package rounds

import (
	"context"

	"isochron/sql/exec"
	"isochron/sql/expr"
)

// counted is a limit that reads all rows, for their number.
type counted struct {
	from          exec.Source
	offset, count uint64
	seen          uint64
	of            *block // whose found it sets
	out           [][]expr.Value
}

func (c *counted) Next(ctx context.Context) ([][]expr.Value, error) {
	for {
		rows, err := c.from.Next(ctx)
		if err != nil {
			return nil, err
		}
		if rows == nil {
			c.of.found = int64(c.seen)
			return nil, nil
		}
		c.out = c.out[:0]
		for _, row := range rows {
			if c.seen >= c.offset && c.seen-c.offset < c.count {
				c.out = append(c.out, row)
			}
			c.seen++
		}
		if len(c.out) > 0 {
			return c.out, nil
		}
	}
}

func (c *counted) Close() { c.from.Close() }
