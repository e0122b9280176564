package sql

import (
	"context"

	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/define"
	"isochron/sql/expr"
	"isochron/sql/legacy"
)

// Temporary tables are the session's (package temporary): their definitions change no catalogue and commit nothing.

// createTemporary makes a temporary table.
func (d *definer) createTemporary(ctx context.Context, of *define.CreateTable, def catalog.Definition, query *corePlan) (*sqltypes.Result, error) {
	if len(def.ForeignKey) > 0 {
		return nil, expr.NewError(1215, "HY000", "Cannot add foreign key constraint")
	}
	s := d.s
	t, err := s.temporary.Create(def)
	if err != nil {
		return nil, err
	}
	s.overTemporary()
	if def.AutoIncrement > 1 {
		if err := s.gateway.store.Sequences.Set(ctx, t.ID(), def.AutoIncrement); err != nil {
			return nil, err
		}
	}
	if query == nil {
		return &sqltypes.Result{}, nil
	}
	r, err := d.fill(ctx, of, query)
	if err != nil {
		s.temporary.Drop(t)
	}
	return r, err
}

// overTemporary has the open transaction read and write temporary tables, of which there may have been none when it began.
func (s *Session) overTemporary() {
	if s.open.begun() {
		s.open.real = s.temporary.Over(s.open.real)
	}
}

// dropTemporary removes the temporary tables among some names, and returns the other names. None is removed if others are named
// that are not there.
func (d *definer) dropTemporary(of *define.DropTables) (left []define.Name, err error) {
	var drop []*catalog.Descriptor
	for _, name := range of.Tables {
		db, err := databaseOr(name.Database, d.s.GetCurrentDatabase())
		if err != nil {
			return nil, err
		}
		if t, ok := d.s.temporary.Find(db, name.Name); ok {
			drop = append(drop, t)
			continue
		}
		if of.Temporary && !of.IfExists {
			return nil, expr.NewError(1051, "42S02", "Unknown table '%s.%s'", db, name.Name)
		}
		if of.Temporary {
			d.note(1051, "Unknown table '"+db+"."+name.Name+"'")
			continue
		}
		left = append(left, name)
	}
	if len(left) > 0 && len(drop) > 0 {
		return nil, expr.NewError(1235, "42000", "This version of Isochron doesn't yet support 'DROP TABLE of temporary and other tables in one statement'")
	}
	for _, t := range drop {
		d.s.temporary.Drop(t)
	}
	return left, nil
}

// alterTemporary changes a temporary table.
func (d *definer) alterTemporary(ctx context.Context, t *catalog.Descriptor, of *define.AlterTable, env *define.Env) (*sqltypes.Result, error) {
	to, err := of.Alter(env, t, nil)
	if err != nil {
		return nil, err
	}
	if len(to.Definition.ForeignKey) > 0 {
		return nil, expr.NewError(1215, "HY000", "Cannot add foreign key constraint")
	}
	for _, v := range to.Verify {
		if err := d.verify(ctx, v); err != nil {
			return nil, err
		}
	}
	if to.Renamed.Name != "" {
		to.Definition.Name = to.Renamed.Name
	}
	next, err := d.s.temporary.Redefine(t, &to.Alteration)
	d.warned(env.Context)
	if err != nil {
		if legacy.ErrUniqueKeyViolation.Is(err) {
			return nil, d.s.statement.note(err)
		}
		return nil, err
	}
	if n := max(to.Number, nextOf(to)); n > 0 {
		err = d.s.gateway.store.Sequences.Set(ctx, next.ID(), n)
	}
	return &sqltypes.Result{}, err
}

// nextOf is the number that the column which counts by itself gives next; 0: as before.
func nextOf(to *define.Altered) uint64 {
	if to.Next == nil {
		return 0
	}
	return to.Next()
}
