package define

import (
	"slices"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/expr"
)

// place has a table placed as its PARTITION BY clause divides it: HASH and KEY by a hash over shards, RANGE by the first column
// of the primary key at points. A placement in the comment counts more.
func (p *Partition) place(def *catalog.Definition, key []string) error {
	within := func(c string) bool {
		return slices.ContainsFunc(key, func(k string) bool { return strings.EqualFold(k, c) })
	}
	for _, c := range p.Columns {
		if !p.Other && !within(c) {
			return expr.NewError(1503, "HY000", "A PRIMARY KEY must include all columns in the table's partitioning function (prefixed columns are not considered).")
		}
	}
	switch {
	case p.Other:
	case p.Kind == "HASH" && len(p.Columns) == 1, p.Kind == "KEY" && len(key) > 0:
		def.Request = &catalog.PlacementRequest{Spread: catalog.SpreadHash, Shards: max(p.Count, 1), Columns: p.Columns}
		return nil
	case p.Kind == "RANGE" && len(p.Columns) == 1 && len(key) > 0 && strings.EqualFold(p.Columns[0], key[0]):
		def.Request = &catalog.PlacementRequest{Spread: catalog.SpreadRange}
		for _, bound := range p.Bounds {
			point, ok := pointOf(bound)
			if !ok {
				return p.refused()
			}
			def.Request.Split = append(def.Request.Split, []any{point})
		}
		return nil
	}
	return p.refused()
}

// pointOf is the value of a bound that is a constant.
func pointOf(text string) (string, bool) {
	if len(text) >= 2 && text[0] == '\'' && text[len(text)-1] == '\'' && !strings.ContainsAny(text[1:len(text)-1], `'\`) {
		return text[1 : len(text)-1], true
	}
	return text, isNumber(strings.TrimPrefix(text, "-")) && text != ""
}

func (p *Partition) refused() error {
	return expr.NewError(1235, "42000", "This version of Isochron doesn't yet support 'PARTITION BY %s of this form': a table is divided by HASH (column) or KEY (columns) of its primary key, by RANGE (its first column), or by a placement in its comment", p.Kind)
}
