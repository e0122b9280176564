package change

import (
	"slices"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/store"
	"isochron/sql/table"
	"isochron/txn"
)

// Foreign keys are enforced row by row, in MySQL's order, on a transaction that has read beforehand what the rows of a batch will
// be checked against (foresee.go): a row costs no round.
//
// A row's parents are locked with a shared lock, where the isolation level does not check reads at the commit: children of one
// parent do not wait for each other, and who deletes the parent waits for them. Who changes or deletes a row has it for himself:
// no other can give it a child meanwhile.

// cascadesMax bounds how many levels of rows a change reaches, with its own.
const cascadesMax = 15

// enforcer enforces the foreign keys around the rows of a statement.
type enforcer struct {
	run   *run
	tx    *table.Cached
	sides map[uint64]*member
}

// member is a table whose rows the statement changes.
type member struct {
	*related
	run    *run // computes its rows
	writer *table.Writer
}

// chain are the changes that an action follows from, the latest first.
type chain struct {
	table   uint64
	deletes bool
	above   *chain
}

func (c *chain) depth() (n int) {
	for ; c != nil; c = c.above {
		n++
	}
	return n
}

// updates reports whether rows of a table are being updated: MySQL lets no action update the same table again.
func (c *chain) updates(t uint64) bool {
	for ; c != nil; c = c.above {
		if c.table == t && !c.deletes {
			return true
		}
	}
	return false
}

// enforce readies the enforcement of foreign keys, for which the statement's reads are kept. A statement of several targets does so
// for all, and for each.
func (r *run) enforce() {
	if !r.Relates() || r.Unchecked {
		return
	}
	tx, kept := r.Tx.(*table.Cached)
	if !kept {
		tx = table.NewCached(r.Tx)
		r.Tx = tx
	}
	r.keys = nil
	if r.related != nil {
		r.keys = &enforcer{run: r, tx: tx, sides: map[uint64]*member{}}
	}
}

// root is the table of the statement.
func (e *enforcer) root() *member { return &member{e.run.related, e.run, e.run.writer} }

// member is a table whose rows an action changes.
func (e *enforcer) member(t *related) *member {
	m := e.sides[t.table.ID()]
	if m == nil {
		m = &member{related: t}
		r := e.run
		m.run = &run{Plan: t.plan, Env: r.Env, ctx: r.ctx, target: store.Target{Context: r.Context, Strict: r.target.Strict, Row: 1}}
		m.run.cached, m.run.known = make([]any, len(t.plan.columns)), make([]bool, len(t.plan.columns))
		m.run.Plan.begin(r.Context)
		m.run.seen = r.seen
		m.writer = table.NewWriter(r.Store, t.table, e.tx)
		e.sides[t.table.ID()] = m
	}
	return m
}

// use checks the definition of a table that the statement reads.
func (e *enforcer) use(d *catalog.Descriptor) error {
	if e.run.Use == nil {
		return nil
	}
	return e.run.Use(e.run.ctx, d)
}

// checks is how rows are read whose existence is checked.
func (e *enforcer) checks() table.Mode {
	if e.run.Weak {
		return table.Mode{Lock: txn.LockShared}
	}
	return table.Mode{}
}

// hasParent reports whether the row that a row refers to exists. A row may refer to itself, but not to what it was before: old.
func (e *enforcer) hasParent(r *relation, old, row []any) (bool, error) {
	values, ok := valuesOf(row, r.columns)
	switch {
	case !ok:
		return true, nil
	case r.parent == nil:
		return false, nil
	}
	if r.parent == r.child {
		if same, err := r.isOwn(values, row); same || err != nil {
			return same, err
		}
		if former, err := r.isOwn(values, old); former || err != nil {
			return false, err
		}
	}
	a, err := r.ofParent.access(r.parent.table, values)
	if err != nil || a == nil {
		return false, err
	}
	if err := e.use(r.parent.table); err != nil {
		return false, err
	}
	return a.Exists(e.run.ctx, e.tx, e.checks(), false)
}

// isOwn reports whether values are those that children of a row have; of no row, nil, they are not.
func (r *relation) isOwn(values, row []any) (bool, error) {
	if row == nil {
		return false, nil
	}
	own, ok := valuesOf(row, r.refers)
	if !ok {
		return false, nil
	}
	return r.sameKey(values, own)
}

// sameKey reports whether values of a table are one to the parent's index.
func (r *relation) sameKey(a, b []any) (bool, error) {
	form := func(values []any) (out []byte, err error) {
		for i, of := range r.ofParent.order {
			if out, err = r.parent.table.AppendColumn(out, r.ofParent.index, i, values[of]); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	x, err := form(a)
	if err != nil {
		return false, err
	}
	y, err := form(b)
	return string(x) == string(y), err
}

// toChildren is the access to the children of a row; nil: it has none.
func (r *relation) toChildren(row []any) (*table.Access, error) {
	values, ok := valuesOf(row, r.refers)
	if !ok {
		return nil, nil
	}
	return r.ofChild.access(r.child.table, values)
}

// orphan is the first of a row's foreign keys without a parent, in the order in which they are checked; nil: there is none. Those
// that a row before it had alike are not checked.
func (e *enforcer) orphan(m *member, old, row []any, via *relation) (first *relation, err error) {
	for _, r := range m.parents {
		if r == via || first != nil && r.ofChild.stage >= first.ofChild.stage {
			continue
		}
		if old != nil {
			if moved, err := differ(m.table, r.columns, old, row); err != nil || !moved {
				if err != nil {
					return nil, err
				}
				continue
			}
		}
		ok, err := e.hasParent(r, old, row)
		if err != nil {
			return nil, err
		}
		if !ok {
			first = r
		}
	}
	return first, nil
}

// before reports whether a violation is reported before a conflict.
func before(d *catalog.Descriptor, stage int, c *table.Conflict) bool {
	return c == nil || stage <= stageOf(d, c.Index)
}

// insert inserts a row, unless another has one of its unique keys.
func (r *run) insertRow(row []any) (*table.Conflict, error) {
	if r.keys == nil {
		return r.writer.Insert(r.ctx, row)
	}
	c, err := r.writer.Find(r.ctx, "", nil, row)
	if err != nil {
		return nil, err
	}
	orphan, err := r.keys.orphan(r.keys.root(), nil, row, nil)
	if err != nil {
		return nil, err
	}
	if orphan != nil && before(r.Table, orphan.ofChild.stage, c) {
		return nil, r.keys.unparented(orphan)
	}
	if c != nil {
		return c, nil
	}
	return r.writer.Insert(r.ctx, row)
}

// updateRow writes a row in the place of another, unless a third has one of its unique keys.
func (r *run) updateRow(key txn.Key, old, row []any) (*table.Conflict, error) {
	if r.keys == nil {
		return r.writer.Update(r.ctx, key, old, row)
	}
	return r.keys.update(r.keys.root(), key, old, row, nil, nil)
}

// deleteRow deletes a row.
func (r *run) deleteRow(key txn.Key, row []any) error {
	if r.keys == nil {
		return r.writer.Delete(key, row)
	}
	return r.keys.delete(r.keys.root(), key, row, nil)
}

// ignored reports whether IGNORE makes a warning of an error, and warns.
func (r *run) ignored(err error) bool {
	e, ok := err.(*expr.Error)
	if !ok || !r.Ignore {
		return false
	}
	switch e.Code {
	case 1216, 1217, 1451, 1452:
	default:
		return false
	}
	r.Context.Warn(e.Code, e.Message)
	return true
}

// whole runs what changes a row and its children. If it fails, nothing of it stays.
func (r *run) whole(change func() (*table.Conflict, error)) (c *table.Conflict, skipped bool, err error) {
	if r.keys == nil {
		c, err = change()
		return c, false, err
	}
	mark := r.keys.tx.Mark()
	if c, err = change(); err != nil || c != nil {
		r.keys.tx.Undo(mark)
	}
	if err != nil && r.ignored(err) {
		return nil, true, nil
	}
	return c, false, err
}

// update writes a row of a table in the place of another. via is the relation that it follows from, which holds.
func (e *enforcer) update(m *member, key txn.Key, old, row []any, via *relation, above *chain) (*table.Conflict, error) {
	c, err := m.writer.Find(e.run.ctx, key, old, row)
	if err != nil {
		return nil, err
	}
	orphan, err := e.orphan(m, old, row, via)
	if err != nil {
		return nil, err
	}
	here := &chain{m.table.ID(), false, above}
	var later []*relation
	for _, r := range m.children {
		moved, err := differ(m.table, r.refers, old, row)
		if err != nil {
			return nil, err
		}
		if !moved || !before(m.table, r.ofParent.stage, c) || orphan != nil && orphan.ofChild.stage < r.ofParent.stage {
			continue
		}
		if r.onUpdate == setsDefault {
			later = append(later, r)
			continue
		}
		if err := e.follow(r, r.onUpdate, old, row, here); err != nil {
			return nil, err
		}
	}
	if orphan != nil && before(m.table, orphan.ofChild.stage, c) {
		return nil, e.unparented(orphan)
	}
	if c != nil {
		return c, nil
	}
	if c, err = m.writer.Update(e.run.ctx, key, old, row); err != nil || c != nil {
		return c, err
	}
	for _, r := range later {
		if err := e.follow(r, r.onUpdate, old, row, here); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// delete deletes a row of a table. Until its children are done with, it is gone but its index entries are there: a row that refers
// to itself is a child of its own, as in MySQL.
func (e *enforcer) delete(m *member, key txn.Key, row []any, above *chain) error {
	here := &chain{m.table.ID(), true, above}
	e.tx.Delete(key)
	var later []*relation
	for _, r := range m.children {
		if r.onDelete == setsDefault {
			later = append(later, r)
			continue
		}
		if err := e.follow(r, r.onDelete, row, nil, here); err != nil {
			return err
		}
	}
	if err := m.writer.Delete(key, row); err != nil {
		return err
	}
	for _, r := range later {
		if err := e.follow(r, r.onDelete, row, nil, here); err != nil {
			return err
		}
	}
	return nil
}

// follow does to the children of a row what a relation does when the row is changed, or deleted: row nil.
func (e *enforcer) follow(r *relation, does action, old, row []any, above *chain) error {
	a, err := r.toChildren(old)
	if err != nil || a == nil {
		return err
	}
	if err := e.use(r.child.table); err != nil {
		return err
	}
	updates := does != cascades || row != nil
	if does == restricts || updates && above.updates(r.child.table.ID()) {
		found, err := a.Exists(e.run.ctx, e.tx, e.checks(), true)
		if found && err == nil {
			err = e.referenced(r)
		}
		return err
	}
	held, err := a.FetchHeld(e.run.ctx, e.tx, table.Mode{ForWrite: true})
	if err != nil {
		return err
	}
	if len(held) > 0 && above.depth() >= cascadesMax {
		return tooDeep()
	}
	for i, h := range held {
		if i%1024 == 0 && e.run.ctx.Err() != nil {
			return e.run.ctx.Err()
		}
		if err := e.followOne(r, does, h.Key, old, row, above); err != nil {
			return err
		}
	}
	return nil
}

func tooDeep() error {
	return expr.NewError(3008, "HY000", "Foreign key cascade delete/update exceeds max depth of %d.", cascadesMax)
}

// followOne does so to one child, which an action before may have changed.
func (e *enforcer) followOne(r *relation, does action, key txn.Key, old, row []any, above *chain) error {
	m := e.member(r.child)
	res, err := e.tx.Read(e.run.ctx, txn.Read{Gets: []txn.Key{key}, ForWrite: true})
	if err != nil || res.Values[0] == nil {
		return err
	}
	child, err := m.table.DecodeRow(res.Values[0])
	if err != nil {
		return err
	}
	if still, err := r.refersTo(child, old); err != nil || !still {
		return err
	}
	if does == cascades && row == nil {
		return e.delete(m, key, child, above)
	}
	changed, ok, err := m.following(r, does, child, old, row)
	if err != nil {
		return err
	}
	if !ok {
		return e.referenced(r)
	}
	via := r
	if does == setsDefault {
		via = nil
	}
	c, err := e.update(m, key, child, changed, via, above)
	if err == nil && c != nil {
		err = r.doubled(c)
	}
	return err
}

// refersTo reports whether a child refers to a row.
func (r *relation) refersTo(child, row []any) (bool, error) {
	values, ok := valuesOf(child, r.columns)
	if !ok {
		return false, nil
	}
	own, ok := valuesOf(row, r.refers)
	if !ok {
		return false, nil
	}
	for i := range values {
		v, ok, err := r.ofParent.from[i].value(values[i])
		if err != nil || !ok {
			return false, err
		}
		values[i] = v
	}
	return r.sameKey(values, own)
}

// doubled is the error of an action that gives a child a unique key of another.
func (r *relation) doubled(c *table.Conflict) error {
	of := r.child.table
	return expr.NewError(1761, "23000", "Foreign key constraint for table '%s', record '%s' would lead to a duplicate entry in table '%s', key '%s'", r.parent.table.Name(), c.Message, of.Name(), c.Index.Name)
}

// following is a child after an action, which follows from a change of its parent; false: a column takes no NULL. Columns of the key
// that the parent keeps are kept.
func (m *member) following(r *relation, does action, child, old, parent []any) (row []any, ok bool, err error) {
	row = slices.Clone(child)
	for i, pos := range r.columns {
		switch does {
		case cascades:
			if moved, err := differ(r.parent.table, r.refers[i:i+1], old, parent); err != nil || !moved {
				if err != nil {
					return nil, false, err
				}
				continue
			}
			if row[pos] = parent[r.refers[i]]; row[pos] != nil {
				if row[pos], ok, err = r.ofChild.from[i].value(row[pos]); err != nil || !ok {
					return nil, false, err
				}
			}
		case setsDefault:
			if row[pos], err = m.run.defaultOf(pos, false, child); err != nil {
				return nil, false, err
			}
		default:
			row[pos] = nil
		}
		if row[pos] == nil && !m.run.columns[pos].Nullable {
			return nil, false, nil
		}
	}
	return row, true, m.run.complete(row)
}
