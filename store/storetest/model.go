package storetest

import (
	"maps"
	"slices"

	"isochron/store"
)

// Model is the obviously right engine.
type Model struct{ values map[string][]byte }

// NewModel returns an empty model.
func NewModel() *Model { return &Model{map[string][]byte{}} }

// Apply does what Engine.Apply must do.
func (m *Model) Apply(b *store.Batch) {
	for _, op := range b.Ops {
		switch op.Kind {
		case store.OpSet:
			m.values[string(op.Key)] = op.Value
		case store.OpDelete:
			delete(m.values, string(op.Key))
		case store.OpDeleteRange:
			for _, k := range m.keysIn(op.Key, op.Value) {
				delete(m.values, k)
			}
		}
	}
}

// Clone is a copy that later changes do not touch.
func (m *Model) Clone() *Model { return &Model{maps.Clone(m.values)} }

// keysIn lists the keys in [start, end), sorted; end nil means no bound.
func (m *Model) keysIn(start, end []byte) []string {
	var out []string
	for k := range m.values { // order: sorted below
		if k >= string(start) && (end == nil || k < string(end)) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}
