package catalog

import (
	"slices"
	"strings"

	"isochron/sql/legacy"
)

// Checks, defaults and generated columns name columns in texts. They follow a column that gets
// another name, and hold one that others need.

// The errors of a column that others need, with MySQL's numbers.
const (
	codeCheckNeeds     = 3959
	codeGeneratedNeeds = 3108
	codeKeyNeeds       = 1828
)

func names(columns []string, column string) bool {
	return slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, column) })
}

// texts are the expressions of a table that may name columns.
func (r *Record) texts() (out []*string) {
	for i := range r.Checks {
		out = append(out, &r.Checks[i].Text)
	}
	for i := range r.Columns {
		c := &r.Columns[i]
		for _, e := range []**Expr{&c.Default, &c.OnUpdate, &c.Generated} {
			if *e != nil {
				own := **e // others may hold the record's expression
				*e = &own
				out = append(out, &own.Text)
			}
		}
	}
	return out
}

// renamed has the expressions of a table follow a column.
func (r *Record) renamed(from, to string) (err error) {
	r.Checks = slices.Clone(r.Checks)
	for _, text := range r.texts() {
		if *text, err = legacy.RenameIn(*text, from, to); err != nil {
			return err
		}
	}
	return nil
}

// unnamed is nil if a column may be dropped: the checks that are on it alone go with it.
func (r *Record) unnamed(column string) error {
	var kept []Check
	for _, check := range r.Checks {
		columns, err := legacy.ColumnsIn(check.Text)
		if err != nil {
			return err
		}
		switch {
		case !names(columns, column):
			kept = append(kept, check)
		case slices.ContainsFunc(columns, func(c string) bool { return !strings.EqualFold(c, column) }):
			return legacy.NewError(codeCheckNeeds, "HY000", "Check constraint '%s' uses column '%s', hence column cannot be dropped or renamed.", check.Name, column)
		}
	}
	for _, c := range r.Columns {
		for _, e := range []*Expr{c.Default, c.OnUpdate, c.Generated} {
			if e == nil || strings.EqualFold(c.Name, column) {
				continue
			}
			columns, err := legacy.ColumnsIn(e.Text)
			if err != nil {
				return err
			}
			if names(columns, column) {
				return legacy.NewError(codeGeneratedNeeds, "HY000", "Column '%s' has a generated column dependency: %s is computed from it.", column, c.Name)
			}
		}
	}
	for _, f := range r.ForeignKey {
		if names(f.Columns, column) {
			return legacy.NewError(codeKeyNeeds, "HY000", "Cannot drop column '%s': needed in a foreign key constraint '%s'", column, f.Name)
		}
	}
	r.Checks = kept
	return nil
}
