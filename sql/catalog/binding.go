package catalog

import (
	"slices"

	"isochron/txn"
)

// A foreign table names its sources. Their numbers, to which statements are sent, are the ones in
// the gateway's directory at present: an agent that has moved, and a cluster that was restored,
// have others under the same names.

// bound returns foreign tables with the present numbers of their sources, 0 for sources that the
// cluster does not have; changed is false if these are the same tables.
func (s *Store) bound(tables map[txn.Key]*ForeignTable) (out map[txn.Key]*ForeignTable, changed bool) {
	known, ok := s.db.(txn.SourceCatalogue)
	if !ok || len(tables) == 0 {
		return tables, false
	}
	numbers := map[string]uint64{}
	for _, e := range known.Sources() {
		numbers[e.Name] = uint64(e.ID)
	}
	out = make(map[txn.Key]*ForeignTable, len(tables))
	for key, t := range tables { // order: into a map
		out[key] = t.bind(numbers)
		changed = changed || out[key] != t
	}
	return out, changed
}

// bind is the table with its sources' numbers; the same table if it has them.
func (t *ForeignTable) bind(numbers map[string]uint64) *ForeignTable {
	if !slices.ContainsFunc(t.Parts, func(p ForeignPart) bool { return p.Source != numbers[p.Name] }) {
		return t
	}
	f := *t.Foreign
	f.Parts = slices.Clone(f.Parts)
	for i := range f.Parts {
		f.Parts[i].Source = numbers[f.Parts[i].Name]
	}
	return &ForeignTable{Foreign: &f, Schema: t.Schema, raw: t.raw}
}

// rebind binds the foreign tables again after a change of the directory. A newer catalogue is kept.
func (s *Store) rebind(h *held) {
	directory, snapshot := s.db.Directory(), h.snapshot
	if tables, changed := s.bound(snapshot.Foreign); changed {
		next := *snapshot
		next.Foreign, snapshot = tables, &next
	}
	s.held.CompareAndSwap(h, &held{snapshot, h.glanced, directory})
}

// Missing is the name of a source of the table that the cluster does not have; empty: it has all.
func (t *ForeignTable) Missing() string {
	for _, p := range t.Parts {
		if p.Source == 0 {
			return p.Name
		}
	}
	return ""
}

// ForeignSpan holds where all foreign tables are.
func ForeignSpan() txn.Span { return prefixSpan("foreign/") }

// SourcesOf names the sources of the foreign tables among rows of the catalogue, sorted.
func SourcesOf(system []txn.Pair) ([]string, error) {
	names := []string{}
	for _, p := range system {
		if !ForeignSpan().Contains(p.Key) {
			continue
		}
		t, err := decodeForeign(p.Value)
		if err != nil {
			return nil, err
		}
		for _, part := range t.Parts {
			names = append(names, part.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// unbound is the placement of a foreign table for another cluster: its sources' names alone.
func unbound(raw []byte) ([]byte, error) {
	t, err := decodeForeign(raw)
	if err != nil {
		return nil, err
	}
	return txn.Encode(t.bind(nil).Foreign), nil
}
