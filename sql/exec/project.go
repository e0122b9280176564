package exec

import (
	"context"

	"isochron/sql/expr"
)

// Project computes the expressions of list for each row: they are its output's columns. It holds one batch.
func Project(from Source, list *expr.Program) Source {
	return &project{in: input{from: from}, list: list}
}

type project struct {
	in   input
	list *expr.Program
	out  [][]expr.Value
	slab slab
	wide int // columns of the output, known after the first row
}

func (p *project) Next(ctx context.Context) ([][]expr.Value, error) {
	rows, err := p.in.next(ctx)
	if rows == nil {
		return nil, err
	}
	p.out = p.out[:0]
	for i, row := range rows {
		out, err := p.list.Run(row, p.slab.row(p.wide, len(rows)-i))
		if err != nil {
			return nil, p.in.fail(err)
		}
		p.wide = len(out)
		p.out = append(p.out, out)
	}
	return p.out, nil
}

func (p *project) Close() { p.in.close() }
