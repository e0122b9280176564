package sql

import (
	"context"

	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/define"
	"isochron/sql/exec"
	"isochron/sql/parse"
	"isochron/sql/rounds"
)

// alterTable changes a table by all actions of the statement, in one change of the catalogue.
func (d *definer) alterTable(ctx context.Context, of *define.AlterTable) (*sqltypes.Result, error) {
	db, err := databaseOr(of.Table.Database, d.s.GetCurrentDatabase())
	if err != nil {
		return nil, err
	}
	own, temporary := d.s.temporary.Find(db, of.Table.Name)
	if !temporary {
		if err := d.mayAlter(of, db); err != nil {
			return nil, err
		}
	}
	t, snap, err := d.table(ctx, db, of.Table.Name)
	if err != nil {
		return nil, err
	}
	if temporary {
		return d.alterTemporary(ctx, own, of, d.env(ctx, snap))
	}
	if t == nil {
		return nil, d.notAltered(snap, db, of.Table.Name)
	}
	env := d.env(ctx, snap)
	to, err := of.Alter(env, t, referring(snap, t))
	if err != nil {
		return nil, err
	}
	err = d.s.Alter(d.gctx, func(c *catalog.Change) error { return c.Redefine(t, &to.Alteration) })
	d.warned(env.Context)
	if err != nil {
		return nil, err
	}
	for _, v := range to.Verify {
		if err := d.verify(ctx, v); err != nil {
			return nil, err
		}
	}
	if to.Number > 0 {
		if err := d.s.gateway.store.Sequences.Set(ctx, t.ID(), to.Number); err != nil {
			return nil, err
		}
	}
	return &sqltypes.Result{}, d.rename(db, of, to)
}

// mayAlter is the error of a privilege that the user lacks.
func (d *definer) mayAlter(of *define.AlterTable, db string) error {
	need := "ALTER"
	if of.Index {
		need = "INDEX"
	}
	if !d.h.HasOnTable(need, db, of.Table.Name) {
		return d.h.DeniedTable(need, of.Table.Name)
	}
	for _, a := range of.Actions {
		switch a.Kind {
		case define.AddForeignKey:
			if parent := a.ForeignKey.Parent; !d.h.HasOnTable("REFERENCES", parent.In(db), parent.Name) {
				return d.h.DeniedTable("REFERENCES", parent.Name)
			}
		case define.RenameTable:
			if !d.h.HasOnTable("DROP", db, of.Table.Name) {
				return d.h.DeniedTable("DROP", of.Table.Name)
			}
			for _, need := range []string{"CREATE", "INSERT"} {
				if !d.h.HasOnTable(need, a.Table.In(db), a.Table.Name) {
					return d.h.DeniedTable(need, a.Table.Name)
				}
			}
		}
	}
	return nil
}

// notAltered is the error of a name that is no table which can be altered.
func (d *definer) notAltered(snap *catalog.Snapshot, db, name string) error {
	if _, foreign := snap.ForeignTable(db, name); foreign {
		return placedAtSource(db, name)
	}
	if _, view := snap.View(db, name); view {
		return notATable(db, name)
	}
	return noTable(db, name)
}

// referring are the tables with foreign keys to a table.
func referring(snap *catalog.Snapshot, t *catalog.Descriptor) (out []*catalog.Descriptor) {
	for _, d := range snap.Sorted() {
		for _, k := range d.Record.ForeignKey {
			if equalFold(k.ParentDatabase, t.Record.Database) && equalFold(k.ParentTable, t.Name()) {
				out = append(out, d)
				break
			}
		}
	}
	return out
}

// verify is the error of a row that the new definition does not allow, if there is one.
func (d *definer) verify(ctx context.Context, v define.Verification) error {
	p, err := compileUnchecked(ctx, d.s, v.Query)
	if err != nil {
		return err
	}
	c := coreContext(ctx, d.s)
	from, err := p.plan.Execute(exec.WithTurns(ctx, &d.s.place), d.s.quiet, c, newCoreReader(d.s, false, nil), d.s.spillMemory())
	if err != nil {
		return err
	}
	defer from.Close()
	rows, err := from.Next(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil && len(rows) > 0 {
		err = v.Error
	}
	return err
}

// compileUnchecked compiles a query over tables that are named with their databases, whoever may read them.
func compileUnchecked(ctx context.Context, s *Session, text string) (*corePlan, error) {
	tree, err := parse.Read(text, parse.Mode{})
	if err != nil {
		return nil, err
	}
	snap, err := s.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	q, err := bind.Bind(tree, bind.Scope{Table: snap.Table, Alone: true})
	if err != nil {
		return nil, err
	}
	plan, err := rounds.Compile(coreContext(ctx, s), q)
	return &corePlan{plan: plan}, err
}

// rename gives the table its new name, if it gets one.
func (d *definer) rename(db string, of *define.AlterTable, to *define.Altered) error {
	if to.Renamed.Name == "" {
		return nil
	}
	target := define.Name{Database: to.Renamed.In(db), Name: to.Renamed.Name}
	if _, err := d.database(target); err != nil {
		return err
	}
	err := d.s.Alter(d.gctx, func(c *catalog.Change) error {
		return c.RenameTable(db, of.Table.Name, target.Database, target.Name)
	})
	return renameError(err, define.Name{Database: db, Name: of.Table.Name}, target)
}
