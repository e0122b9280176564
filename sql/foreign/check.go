package foreign

import (
	"slices"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/legacy"
	"isochron/txn"
)

// check holds a record against what can be carried out.
func check(f *catalog.Foreign) error {
	t, err := catalog.NewForeignTable(f)
	if err != nil {
		return refused("table %s cannot be imported: %v", f.Name, err)
	}
	if len(f.Parts) > catalog.ForeignPartsMax {
		return refused("a table lies at %d sources at most", catalog.ForeignPartsMax)
	}
	for i, p := range f.Parts {
		if slices.ContainsFunc(f.Parts[:i], func(o catalog.ForeignPart) bool { return o.Source == p.Source }) {
			return refused("source %s is named twice", p.Name)
		}
		if i > 0 && slices.ContainsFunc(f.Parts[:i], func(o catalog.ForeignPart) bool { return o.Identity != "" && o.Identity == p.Identity }) {
			return refused("source %s is the same database as one named before it", p.Name)
		}
	}
	if f.By == "" {
		return nil
	}
	if !slices.ContainsFunc(f.Key, func(k string) bool { return strings.EqualFold(k, f.By) }) {
		return refused("the rows of %s cannot be placed by %s, which is not in its primary key: two rows of one key could lie at two sources", f.Name, f.By)
	}
	switch c := class(t.Columns[t.Column(f.By)].Type); {
	case c == "integer":
	case c == "text" && f.How == catalog.SpreadHashed:
	default:
		return refused("the rows of %s cannot be placed by %s, which is %s: by an integer, or by hash of a text", f.Name, f.By, c)
	}
	if f.How == catalog.SpreadRanges && (len(f.Bounds) != len(f.Parts)-1 || !slices.IsSorted(f.Bounds) || len(slices.Compact(slices.Clone(f.Bounds))) != len(f.Bounds)) {
		return refused("ranges over %d sources have %d bounds, rising: the least key of each source but the first", len(f.Parts), len(f.Parts)-1)
	}
	return nil
}

// there is nil if the cluster has all sources of a table: MySQL's
// ER_CONNECT_TO_FOREIGN_DATA_SOURCE where it does not.
func there(t *catalog.ForeignTable) error {
	name := t.Missing()
	if name == "" {
		return nil
	}
	return legacy.NewError(1429, "HY000", "Unable to connect to foreign data source: table %s.%s lies at the source %s, which this cluster does not have; have an agent join under that name (isochron agent --join ... --name %[3]s)", t.Database, t.Name, name)
}

// Changed describes how a source differs from the imported definition; empty: it does not.
func Changed(t *catalog.ForeignTable, p *catalog.ForeignPart, now *txn.SourceSchema) string {
	if p.Identity != "" && now.Identity != p.Identity {
		return "source " + p.Name + " is another database than at the import"
	}
	i := slices.IndexFunc(now.Tables, func(x txn.SourceTable) bool { return x.Schema == p.Schema && x.Name == p.Table })
	if i < 0 {
		return "source " + p.Name + " has no table " + p.Table + " any more"
	}
	if why := now.Tables[i].Unfit; why != "" {
		return "table " + p.Table + " at source " + p.Name + " can be in no transaction any more: " + why
	}
	columns := now.Tables[i].Columns
	if len(columns) != len(p.Columns) {
		return "table " + p.Table + " at source " + p.Name + " has other columns than at the import"
	}
	for j, name := range p.Columns {
		at := slices.IndexFunc(columns, func(c txn.Column) bool { return c.Name == name })
		switch {
		case at < 0:
			return "table " + p.Table + " at source " + p.Name + " has no column " + name + " any more"
		case columns[at].Type != p.Types[j]:
			return "column " + name + " of table " + p.Table + " at source " + p.Name + " is " + columns[at].Type + ", and was " + p.Types[j]
		}
	}
	return ""
}
