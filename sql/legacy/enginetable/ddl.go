package enginetable

import gms "github.com/dolthub/go-mysql-server/sql"

var (
	_ gms.CheckTable          = (*Table)(nil)
	_ gms.AutoIncrementTable  = (*Table)(nil)
	_ gms.AutoIncrementSetter = autoIncrementSetter{}
)

// GetChecks implements gms.CheckTable.
func (t *Table) GetChecks(*gms.Context) ([]gms.CheckDefinition, error) {
	var out []gms.CheckDefinition
	for _, c := range t.desc.Record.Checks {
		out = append(out, gms.CheckDefinition{Name: c.Name, CheckExpression: c.Text, Enforced: c.Enforced})
	}
	return out, nil
}

// PeekNextAutoIncrementValue implements gms.AutoIncrementGetter.
func (t *Table) PeekNextAutoIncrementValue(ctx *gms.Context) (uint64, error) {
	return t.store.Sequences.Peek(ctx, t.desc.ID())
}

// GetNextAutoIncrementValue implements gms.AutoIncrementTable. The engine inserts no rows.
func (t *Table) GetNextAutoIncrementValue(ctx *gms.Context, _ any) (uint64, error) {
	return t.store.Sequences.Next(ctx, t.desc.ID())
}

// AutoIncrementSetter implements gms.AutoIncrementTable.
func (t *Table) AutoIncrementSetter(*gms.Context) gms.AutoIncrementSetter {
	return autoIncrementSetter{t}
}

type autoIncrementSetter struct{ t *Table }

// SetAutoIncrementValue implements gms.AutoIncrementSetter.
func (s autoIncrementSetter) SetAutoIncrementValue(ctx *gms.Context, value uint64) error {
	return s.t.store.Sequences.Set(ctx, s.t.desc.ID(), value)
}

// AcquireAutoIncrementLock implements gms.AutoIncrementSetter. Values come from
// blocks of the gateway, so nothing is locked.
func (s autoIncrementSetter) AcquireAutoIncrementLock(*gms.Context) (func(), error) {
	return func() {}, nil
}

// Close implements gms.Closer.
func (s autoIncrementSetter) Close(*gms.Context) error { return nil }
