package change

import (
	"slices"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/table"
	"isochron/txn"
)

// What the rows of a batch will be checked against is read before the first of them is written: the children of all changed rows
// in a round, their rows in one more, level by level; then all parents in one. What is not foreseen is read when it is needed.

// foreseenMax bounds the rows, and the keys, that are read in one round.
const foreseenMax = 1024

// effect is a change of a row that is foreseen; old nil: an insertion, row nil: a deletion.
type effect struct {
	table    *related
	key      txn.Key
	old, row []any
	via      *relation
	above    *chain
}

// foresee reads what the checks of changes will read.
func (e *enforcer) foresee(list []effect) error {
	p := parents{reading: table.Reading{Read: txn.Read{Lock: e.checks().Lock}}}
	for depth := 0; len(list) > 0 && depth < cascadesMax; depth++ {
		var next []effect
		for part := range slices.Chunk(list, foreseenMax) {
			if err := e.addParents(&p, part); err != nil {
				return err
			}
			reached, err := e.level(part)
			if err != nil {
				return err
			}
			next = append(next, reached...)
		}
		list = next
	}
	return e.loadParents(&p)
}

// parents are the parents that are to be read.
type parents struct {
	reading table.Reading
	entries []behind
}

// loadParents reads parents: their entries, and under a lock the rows behind them.
func (e *enforcer) loadParents(p *parents) error {
	lock := p.reading.Lock
	if err := e.load(&p.reading); err != nil {
		return err
	}
	if lock != txn.LockNone {
		if err := e.loadBehind(p.entries, table.Reading{Read: txn.Read{Lock: lock}}); err != nil {
			return err
		}
	}
	*p = parents{reading: table.Reading{Read: txn.Read{Lock: lock}}}
	return nil
}

// behind is an access by a secondary index whose rows are read after its entries.
type behind struct {
	table  *catalog.Descriptor
	access *table.Access
	first  bool // only the first row
}

// addParents adds the parents of changed rows to those that are to be read; where they are many, it reads them.
func (e *enforcer) addParents(p *parents, list []effect) error {
	for _, f := range list {
		if len(p.reading.Gets)+len(p.reading.Scans) >= foreseenMax {
			if err := e.loadParents(p); err != nil {
				return err
			}
		}
		if f.row == nil {
			continue
		}
		for _, r := range f.table.parents {
			if r == f.via || r.parent == nil {
				continue
			}
			if f.old != nil {
				if moved, err := differ(f.table.table, r.columns, f.old, f.row); err != nil || !moved {
					if err != nil {
						return err
					}
					continue
				}
			}
			values, ok := valuesOf(f.row, r.columns)
			if !ok {
				continue
			}
			a, err := r.ofParent.access(r.parent.table, values)
			if err != nil {
				return err
			}
			if a == nil {
				continue
			}
			if err := e.use(r.parent.table); err != nil {
				return err
			}
			p.reading.Add(a, 1)
			if !r.ofParent.index.Primary {
				p.entries = append(p.entries, behind{r.parent.table, a, true})
			}
		}
	}
	return nil
}

// reach is what the changes of a level do to children by one relation.
type reach struct {
	of     effect
	r      *relation
	does   action
	access *table.Access
}

// level reads the children of changed rows, and foresees what becomes of them.
func (e *enforcer) level(list []effect) (next []effect, err error) {
	var children table.Reading
	var reached []reach
	var entries []behind
	for i := range list {
		f := &list[i]
		if f.old == nil {
			continue
		}
		for _, r := range f.table.children {
			one, err := e.reach(f, r)
			if err != nil {
				return nil, err
			}
			if one == nil {
				continue
			}
			if one.does == restricts {
				most := 1
				if r.parent == r.child {
					most = 0 // the statement may delete the first ones
				}
				children.Add(one.access, most)
				continue
			}
			reached, children.ForWrite = append(reached, *one), true
			children.Add(one.access, 0)
			if !r.ofChild.index.Primary {
				entries = append(entries, behind{r.child.table, one.access, false})
			}
		}
	}
	if !children.ForWrite {
		children.Lock = e.checks().Lock
	}
	if err := e.load(&children); err != nil {
		return nil, err
	}
	if err := e.loadBehind(entries, table.Reading{Read: txn.Read{ForWrite: true}}); err != nil {
		return nil, err
	}
	claims := table.Reading{Read: txn.Read{ForWrite: true}}
	for _, one := range reached {
		if next, err = e.effects(next, one, &claims); err != nil {
			return nil, err
		}
	}
	return next, e.load(&claims)
}

// reach is what a change does to children by a relation; nil: nothing.
func (e *enforcer) reach(f *effect, r *relation) (*reach, error) {
	does := r.onDelete
	if f.row != nil {
		does = r.onUpdate
		if moved, err := differ(f.table.table, r.refers, f.old, f.row); err != nil || !moved {
			return nil, err
		}
	}
	a, err := r.toChildren(f.old)
	if err != nil || a == nil {
		return nil, err
	}
	if err := e.use(r.child.table); err != nil {
		return nil, err
	}
	here := &chain{f.table.table.ID(), f.row == nil, f.above}
	if updates := does != cascades || f.row != nil; updates && here.updates(r.child.table.ID()) {
		does = restricts
	}
	return &reach{effect{above: here, old: f.old, row: f.row}, r, does, a}, nil
}

// effects adds what becomes of the children, and the unique keys that they get.
func (e *enforcer) effects(next []effect, one reach, claims *table.Reading) ([]effect, error) {
	held, err := one.access.FetchHeld(e.run.ctx, e.tx, table.Mode{ForWrite: true}) // all is read
	if err != nil {
		return nil, err
	}
	m := e.member(one.r.child)
	for _, h := range held {
		child, err := m.table.DecodeRow(h.Stored)
		if err != nil {
			return nil, err
		}
		f := effect{table: m.related, key: h.Key, old: child, via: one.r, above: one.of.above}
		if one.does != cascades || one.of.row != nil {
			row, ok, err := m.following(one.r, one.does, child, one.of.old, one.of.row)
			if err != nil || !ok {
				continue // the change itself reports it
			}
			if f.row = row; one.does == setsDefault {
				f.via = nil
			}
			if err := m.writer.Claims(claims, h.Key, child, row); err != nil {
				return nil, err
			}
		}
		next = append(next, f)
	}
	return next, nil
}

// load reads in one round, and charges what it gets.
func (e *enforcer) load(reading *table.Reading) error {
	if reading.Empty() {
		return nil
	}
	res, err := e.tx.Read(e.run.ctx, reading.Read)
	if err != nil {
		return err
	}
	bytes := int64(0)
	for _, v := range res.Values {
		bytes += int64(len(v)) + rowOverhead
	}
	for _, pairs := range res.Pairs {
		for _, p := range pairs {
			bytes += int64(len(p.Key)+len(p.Value)) + rowOverhead
		}
	}
	return e.run.Memory.Charge(bytes)
}

// loadBehind reads the rows behind entries that were read.
func (e *enforcer) loadBehind(list []behind, rows table.Reading) error {
	for _, b := range list {
		entries, err := b.access.Entries(e.run.ctx, e.tx, rows.Read)
		if err != nil {
			return err
		}
		if b.first && len(entries) > 1 {
			entries = entries[:1]
		}
		if err := table.RowsBehind(&rows, b.table, b.access.Index, entries); err != nil {
			return err
		}
	}
	return e.load(&rows)
}

// foreseeInsert foresees the checks of rows that are inserted, and of those that REPLACE deletes.
func (r *run) foreseeInsert(list []fresh) error {
	if r.keys == nil {
		return nil
	}
	updates, claims := r.guesses(), table.Reading{Read: txn.Read{ForWrite: true}}
	var effects []effect
	for i := range list {
		f := &list[i]
		effects = append(effects, effect{table: r.related, row: f.row})
		if r.Kind != bind.Replaces && !updates {
			continue
		}
		c, err := r.writer.Find(r.ctx, "", nil, f.row) // its keys are claimed
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		old, err := r.Table.DecodeRow(c.Row.Stored)
		if err != nil {
			return err
		}
		one := effect{table: r.related, key: c.Row.Key, old: old}
		if updates {
			if one.row = r.guessed(f, old); one.row == nil {
				continue
			}
			if err := r.writer.Claims(&claims, one.key, old, one.row); err != nil {
				return err
			}
		}
		effects = append(effects, one)
	}
	if err := r.keys.load(&claims); err != nil {
		return err
	}
	return r.keys.foresee(effects)
}

// guesses reports whether ON DUPLICATE KEY UPDATE may change columns of foreign keys, and can be computed twice.
func (r *run) guesses() bool {
	byQuery := slices.ContainsFunc(r.duplicate, func(a assignment) bool { return a.from.is == queried })
	if len(r.duplicate) == 0 || byQuery || !IsPure(setExprs(r.Duplicate)...) {
		return false
	}
	ofParents := func(of *relation) bool { return slices.ContainsFunc(of.columns, r.reassigned) }
	return len(r.related.children) > 0 || slices.ContainsFunc(r.related.parents, ofParents)
}

// guessed is what ON DUPLICATE KEY UPDATE makes of the row that exists now, without warnings; nil: it fails.
func (r *run) guessed(f *fresh, old []any) []any {
	real := r.Context
	quiet := *real
	quiet.Forget()
	quiet.Strict = false
	sub := *r
	sub.Context, sub.seen, sub.updates = &quiet, 0, true
	sub.target.Context, sub.target.Strict = &quiet, false
	r.beginDuplicate(&quiet)
	defer r.beginDuplicate(real)
	values, err := sub.besideFresh(f, old)
	if err != nil {
		return nil
	}
	row := slices.Clone(old)
	if err := sub.assign(r.duplicate, row, values); err != nil {
		return nil
	}
	return row
}

// beginDuplicate readies the programs of ON DUPLICATE KEY UPDATE.
func (p *Plan) beginDuplicate(c *expr.Context) {
	for i := range p.duplicate {
		if program := p.duplicate[i].from.program; program != nil {
			program.Begin(c)
		}
	}
	p.beginDefinition(c)
}

func (r *run) foreseeUpdate(list []changed) error {
	if r.keys == nil {
		return nil
	}
	effects := make([]effect, len(list))
	for i, c := range list {
		effects[i] = effect{table: r.related, key: c.held.Key, old: c.old, row: c.row}
	}
	return r.keys.foresee(effects)
}

func (r *run) foreseeDelete(held []table.Held, rows [][]any) error {
	if r.keys == nil {
		return nil
	}
	effects := make([]effect, len(held))
	for i, h := range held {
		effects[i] = effect{table: r.related, key: h.Key, old: rows[i]}
	}
	return r.keys.foresee(effects)
}

// refresh has rows that a query has read be those of now: an action of the statement may have changed them.
func (r *run) refresh(f *found) error {
	tx, kept := r.Tx.(*table.Cached)
	if !kept || len(f.held) == 0 {
		return nil
	}
	var reading table.Reading
	reading.ForWrite = true
	for _, h := range f.held {
		reading.Get(h.Key)
	}
	res, err := tx.Read(r.ctx, reading.Read)
	if err != nil {
		return err
	}
	at := 0
	for i, value := range res.Values {
		if value == nil {
			continue
		}
		f.held[at], f.values[at] = table.Held{Key: f.held[i].Key, Stored: value}, f.values[i]
		at++
	}
	f.held, f.values = f.held[:at], f.values[:at]
	return nil
}

// present is a row as it is now, after the actions of others; nil: it is gone.
func (r *run) present(key txn.Key, row []any) ([]any, error) {
	if r.keys == nil {
		return row, nil
	}
	res, err := r.Tx.Read(r.ctx, txn.Read{Gets: []txn.Key{key}, ForWrite: true})
	if err != nil || res.Values[0] == nil {
		return nil, err
	}
	return r.Table.DecodeRow(res.Values[0])
}
