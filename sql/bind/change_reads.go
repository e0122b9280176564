package bind

import "isochron/sql/catalog"

// Reads reports whether the statement reads a table in a query within it, joins it, or returns rows of it. The rows that it
// changes it may read as far as it may change them.
func (c *Change) Reads(d *catalog.Descriptor) bool {
	if c.Returned != nil && c.Table.ID() == d.ID() || c.Query != nil && len(c.Targets) == 0 && c.Query.reads(d) {
		return true
	}
	for _, q := range []*Query{c.Rows, c.Query, c.Row, c.Returned} {
		if q == nil {
			continue
		}
		within := *q
		within.Sources = nil
		for _, s := range q.Sources {
			if s.Table == nil || !s.Changed && q == c.Query {
				within.Sources = append(within.Sources, s)
			}
		}
		if within.reads(d) {
			return true
		}
	}
	return false
}

// reads reports whether a query reads a table.
func (q *Query) reads(d *catalog.Descriptor) bool {
	for _, s := range q.Sources {
		if s.Table != nil && s.Table.ID() == d.ID() {
			return true
		}
		for _, inner := range s.queries() {
			if inner.reads(d) {
				return true
			}
		}
		if s.CTE != nil && s.CTE.Query.reads(d) {
			return true
		}
	}
	for _, s := range q.Subqueries {
		if s.Query.reads(d) {
			return true
		}
	}
	return false
}
