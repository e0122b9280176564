package rounds

import (
	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/access"
	"isochron/sql/expr"
)

// Choose is the access that Execute would read; nil: it reads nothing.
func (p *Plan) Choose(gctx *gms.Context, c *expr.Context) (*access.Choice, error) {
	p.begin(c)
	offset, count, err := p.window()
	if err != nil || p.Query.Table == nil {
		return nil, err
	}
	return p.choose(gctx, offset, count)
}
