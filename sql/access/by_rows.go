package access

import (
	"slices"

	"isochron/sql/comparing"
	"isochron/sql/table"
)

// byRows uses the rows of values that a condition lists, if they are of more columns of the index than are bound to values
// otherwise, or are fewer than the combinations of these.
func (p *plan) byRows(clock comparing.Clock) {
	combinations := 1
	for _, b := range p.columns {
		combinations *= len(b.ranges)
	}
	for _, c := range p.w.Conditions {
		if c.Op != Rows || len(c.Alternatives) > maxRanges {
			continue
		}
		rows, columns := p.rowsBy(clock, c)
		if columns == 0 || columns < p.equal || columns == p.equal && len(rows) >= combinations {
			continue
		}
		p.rows, p.equal, p.bounded, p.single, p.used = rows, columns, columns, 0, 0
		combinations = len(rows)
	}
}

// rowsBy are the ranges of the rows of a condition, in the first columns of the index, and how many columns these are.
func (p *plan) rowsBy(clock comparing.Clock, c Condition) (rows [][]table.Interval, columns int) {
	for ; columns < len(p.x.Columns); columns++ {
		pos := p.x.Columns[columns]
		if len(c.Alternatives) == 0 || !slices.ContainsFunc(c.Alternatives[0], func(one Condition) bool { return one.Column == pos }) {
			break
		}
	}
	for _, list := range c.Alternatives {
		row := [][]table.Interval{nil}
		for _, pos := range p.x.Columns[:columns] {
			at := slices.IndexFunc(list, func(one Condition) bool { return one.Column == pos })
			if at < 0 {
				return nil, 0
			}
			t := p.d.Type(pos)
			points, _, usable := pointsOf(clock, t, list[at], p.spaces(t, pos))
			if !usable {
				return nil, 0
			}
			row = product(row, points) // of none, if no value of the column equals it
		}
		if rows = append(rows, row...); len(rows) > 2*maxRanges {
			return nil, 0
		}
	}
	if len(rows) == 0 {
		return nil, 0
	}
	return rows, columns
}
