package change

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/coltype"
	"isochron/sql/expr"
	"isochron/sql/store"
	"isochron/sql/table"
)

// Foreign keys around the table of a change, ready to be checked (enforce.go).

// action is what a change of a parent does to its children.
type action uint8

const (
	restricts action = iota
	cascades
	setsNull
	setsDefault
)

func actionOf(text string) action {
	switch strings.ToUpper(text) {
	case "CASCADE":
		return cascades
	case "SET NULL":
		return setsNull
	case "SET DEFAULT":
		return setsDefault
	}
	return restricts
}

// related is a table with its foreign keys.
type related struct {
	table    *catalog.Descriptor
	parents  []*relation // its own foreign keys
	children []*relation // those that refer to it, in the order in which they are checked
	plan     *Plan       // of its rows that an action changes; nil: none does
	grown    bool        // children and plan are known
}

// relation is a foreign key.
type relation struct {
	key                *catalog.ForeignKey
	child, parent      *related // parent nil: the table does not exist, or has no index: no row has a parent
	columns, refers    []int    // of the child and of the parent, in the order of the key
	ofChild, ofParent  side
	onUpdate, onDelete action
}

// side is one end of a relation: an index whose first columns are those of the key.
type side struct {
	index *catalog.IndexInfo
	order []int // of each of these columns, its position in the key
	stage int   // when it is checked, see stageOf
	from  []transfer
}

// transfer is how values of the other end become values of a column at this one.
type transfer struct {
	alike    bool // as they are
	from, to *store.Column
	back     func(v any) (expr.Value, error) // the text of a value at this end
	out      func(v any) (expr.Value, error) // of one at the other end
}

// stageOf is when an index is written: the primary key first, then unique ones. What a change of a row violates is reported in
// this order; a foreign key is checked right before its index is written.
func stageOf(d *catalog.Descriptor, x *catalog.IndexInfo) int {
	if x.Primary {
		return 0
	}
	at := 1 + slices.Index(d.Indexes, x)
	if !x.Unique {
		at += len(d.Indexes)
	}
	return at
}

// relations makes the relations of tables, each once.
type relations struct {
	context  *expr.Context
	snapshot *catalog.Snapshot
	tables   map[uint64]*related
	made     map[*catalog.ForeignKey]*relation
}

// relate finds the foreign keys that a change has to heed.
func (p *Plan) relate(c *expr.Context) error {
	g := &relations{c, p.snapshot, map[uint64]*related{}, map[*catalog.ForeignKey]*relation{}}
	t := g.of(p.Table)
	if p.Kind != bind.Deletes {
		if err := g.parents(t); err != nil {
			return err
		}
	}
	if p.Kind != bind.Inserts || len(p.duplicate) > 0 {
		if err := g.children(t); err != nil {
			return err
		}
	}
	p.referred = len(t.children) > 0
	heeded := &related{table: p.Table, parents: slices.Clone(t.parents), children: slices.Clone(t.children)}
	if p.Kind == bind.Updates {
		heeded.parents = slices.DeleteFunc(heeded.parents, func(r *relation) bool { return !slices.ContainsFunc(r.columns, p.assigned) })
	}
	if p.Kind == bind.Updates || p.Kind == bind.Inserts {
		heeded.children = slices.DeleteFunc(heeded.children, func(r *relation) bool { return !slices.ContainsFunc(r.refers, p.reassigned) })
	}
	if len(heeded.parents)+len(heeded.children) == 0 {
		return nil
	}
	p.related = heeded
	if p.Kind == bind.Deletes && p.Ignore && p.rows != nil {
		p.rows.Uncounted() // LIMIT is of those that are deleted
	}
	for _, r := range heeded.children {
		if err := g.grow(r); err != nil {
			return err
		}
	}
	return nil
}

// reassigned reports whether an UPDATE, or ON DUPLICATE KEY UPDATE, may change a column.
func (p *Plan) reassigned(pos int) bool {
	return p.assigned(pos) || assigns(p.duplicate, pos) || len(p.duplicate) > 0 && p.computed[pos]
}

// Relates reports whether the change has foreign keys to heed.
func (p *Plan) Relates() bool {
	return p.related != nil || slices.ContainsFunc(p.parts, func(part *Plan) bool { return part.related != nil })
}

func (g *relations) of(d *catalog.Descriptor) *related {
	t := g.tables[d.ID()]
	if t == nil {
		t = &related{table: d}
		g.tables[d.ID()] = t
	}
	return t
}

// parents finds the foreign keys of a table.
func (g *relations) parents(t *related) error {
	if t.parents != nil {
		return nil
	}
	keys := t.table.Record.ForeignKey
	for i := range keys {
		r, err := g.relation(t.table, &keys[i])
		if err != nil {
			return err
		}
		t.parents = append(t.parents, r)
	}
	return nil
}

// children finds the foreign keys that refer to a table.
func (g *relations) children(t *related) error {
	if t.children != nil {
		return nil
	}
	name := t.table.Record
	for _, d := range g.snapshot.Tables { // order: sorted below
		keys := d.Record.ForeignKey
		for i := range keys {
			if k := &keys[i]; !strings.EqualFold(k.ParentDatabase, name.Database) || !strings.EqualFold(k.ParentTable, name.Name) {
				continue
			}
			r, err := g.relation(d, &keys[i])
			if err != nil {
				return err
			}
			if r.parent != nil {
				t.children = append(t.children, r)
			}
		}
	}
	slices.SortFunc(t.children, func(a, b *relation) int {
		return cmp.Or(a.ofParent.stage-b.ofParent.stage, strings.Compare(a.id(), b.id()))
	})
	return nil
}

func (r *relation) id() string { return r.child.table.Record.Database + "/" + r.key.Name }

// grow makes ready what an action of a relation does to the children.
func (g *relations) grow(r *relation) error {
	t := r.child
	if t.grown || r.onDelete == restricts && r.onUpdate == restricts {
		return nil
	}
	t.grown = true
	if err := g.parents(t); err != nil {
		return err
	}
	if err := g.children(t); err != nil {
		return err
	}
	t.plan = &Plan{Change: &bind.Change{Kind: bind.Updates, Table: t.table}, snapshot: g.snapshot, counter: t.table.AutoIncrement()}
	err := t.plan.tableColumns()
	if err == nil {
		err = t.plan.compileDefinition(g.context)
	}
	if err == nil {
		err = t.plan.compileDefaults(g.context)
	}
	for _, next := range t.children {
		if err == nil {
			err = g.grow(next)
		}
	}
	return err
}

// relation makes the relation of a foreign key.
func (g *relations) relation(d *catalog.Descriptor, k *catalog.ForeignKey) (*relation, error) {
	if r := g.made[k]; r != nil {
		return r, nil
	}
	r := &relation{key: k, child: g.of(d), onUpdate: actionOf(k.OnUpdate), onDelete: actionOf(k.OnDelete)}
	g.made[k] = r
	r.columns = positions(d, k.Columns)
	r.ofChild = sideOf(d, r.columns)
	if r.ofChild.index == nil {
		return nil, unsupported("foreign key " + k.Name + " without an index")
	}
	parent, ok := g.snapshot.Table(k.ParentDatabase, k.ParentTable)
	if !ok {
		return r, nil
	}
	if r.refers = positions(parent, k.ParentColumns); slices.Contains(r.refers, -1) {
		return r, nil
	}
	if r.ofParent = sideOf(parent, r.refers); r.ofParent.index == nil {
		return r, nil
	}
	r.parent = g.of(parent)
	for i := range r.columns {
		up, ok := transferOf(d, r.columns[i], parent, r.refers[i])
		down, also := transferOf(parent, r.refers[i], d, r.columns[i])
		if !ok || !also {
			return nil, unsupported("a foreign key of these types")
		}
		r.ofParent.from, r.ofChild.from = append(r.ofParent.from, up), append(r.ofChild.from, down)
	}
	return r, nil
}

func positions(d *catalog.Descriptor, names []string) []int {
	out := make([]int, len(names))
	for i, name := range names {
		out[i] = slices.IndexFunc(d.Record.Columns, func(c catalog.Column) bool { return strings.EqualFold(c.Name, name) })
	}
	return out
}

// sideOf chooses the index of one end: one with just these columns if there is one.
func sideOf(d *catalog.Descriptor, columns []int) (best side) {
	list := d.Indexes
	if !d.Keyless() {
		list = append([]*catalog.IndexInfo{d.Primary}, list...)
	}
	for _, x := range list {
		order, ok := beginning(x, columns)
		if !ok || best.index != nil && (len(x.Columns) > len(columns) || len(best.index.Columns) == len(columns)) {
			continue
		}
		best = side{index: x, order: order, stage: stageOf(d, x)}
	}
	return best
}

// beginning reports whether the first columns of an index are these, in any order.
func beginning(x *catalog.IndexInfo, columns []int) (order []int, ok bool) {
	if len(x.Columns) < len(columns) {
		return nil, false
	}
	for i, pos := range x.Columns[:len(columns)] {
		at := slices.Index(columns, pos)
		if at < 0 || x.PrefixLength(i) > 0 {
			return nil, false
		}
		order = append(order, at)
	}
	return order, true
}

// transferOf is how the values of one column become those of another.
func transferOf(from *catalog.Descriptor, a int, to *catalog.Descriptor, b int) (t transfer, ok bool) {
	if t.alike = alike(from.Type(a), to.Type(b)); t.alike {
		return t, true
	}
	if t.from, ok = store.NewColumn(from, a); !ok {
		return t, false
	}
	t.out = func(v any) (expr.Value, error) { return from.TextOf(a, v) }
	t.back = func(v any) (expr.Value, error) { return to.TextOf(b, v) }
	t.to, ok = store.NewColumn(to, b)
	return t, ok
}

// alike reports whether a column holds all values of another as they are.
func alike(from, to *coltype.Type) bool {
	if from.Kind != to.Kind {
		return false
	}
	switch from.Kind {
	case coltype.KindDecimal:
		return from.Scale == to.Scale && from.Precision <= to.Precision
	case coltype.KindTime:
		return from.SQL == to.SQL && from.Fraction == to.Fraction
	case coltype.KindTimespan:
		return from.Shown == to.Shown
	case coltype.KindText:
		return from.Characters <= to.Characters
	case coltype.KindBytes:
		return from.SQL == to.SQL && from.Characters <= to.Characters && (from.SQL != sqltypes.Binary || from.Bytes == to.Bytes)
	case coltype.KindEnum, coltype.KindSet:
		return true // by their numbers
	}
	return from.SQL == to.SQL
}

// value is a value of the other end at this one; false: none is equal.
func (t *transfer) value(v any) (any, bool, error) {
	if t.alike {
		return v, true, nil
	}
	text, err := t.out(v)
	if err != nil {
		return nil, false, err
	}
	quiet := store.Target{Context: &expr.Context{}, Strict: true}
	there, err := quiet.Store(t.to, text)
	if err != nil {
		return nil, false, nil // out of its range
	}
	if text, err = t.back(there); err != nil {
		return nil, false, err
	}
	again, err := quiet.Store(t.from, text)
	if err != nil {
		return nil, false, nil
	}
	one, err := t.out(again)
	if err != nil {
		return nil, false, err
	}
	first, err := t.out(v)
	return there, string(one.Raw()) == string(first.Raw()), err
}

// access is the access at this end to the rows that have values of the other end; nil: there are none.
func (s *side) access(d *catalog.Descriptor, values []any) (*table.Access, error) {
	at := make([]any, len(values))
	for i, of := range s.order {
		v, ok, err := s.from[of].value(values[of])
		if err != nil || !ok {
			return nil, err
		}
		at[i] = v
	}
	return table.Starting(d, s.index, at)
}

// valuesOf are the values of columns; false: one is NULL, and the row refers to nothing and is referred to by none.
func valuesOf(row []any, columns []int) ([]any, bool) {
	out := make([]any, len(columns))
	for i, pos := range columns {
		if out[i] = row[pos]; out[i] == nil {
			return nil, false
		}
	}
	return out, true
}

// differ reports whether two rows of a table have other values in columns.
func differ(d *catalog.Descriptor, columns []int, a, b []any) (bool, error) {
	for _, pos := range columns {
		if (a[pos] == nil) != (b[pos] == nil) {
			return true, nil
		}
		x, err := d.TextOf(pos, a[pos])
		if err != nil {
			return false, err
		}
		y, err := d.TextOf(pos, b[pos])
		if err != nil {
			return false, err
		}
		if string(x.Raw()) != string(y.Raw()) {
			return true, nil
		}
	}
	return false, nil
}

// unparented is the error of a row without a parent. Who may do nothing with the parents' table is not told of it.
func (e *enforcer) unparented(r *relation) error {
	const text = "Cannot add or update a child row: a foreign key constraint fails"
	if r.parent != nil && e.hides(r.parent.table) {
		return expr.NewError(1216, "23000", text)
	}
	return expr.NewError(1452, "23000", text+" (%s)", r)
}

// referenced is the error of a row with children, likewise.
func (e *enforcer) referenced(r *relation) error {
	const text = "Cannot delete or update a parent row: a foreign key constraint fails"
	if e.hides(r.child.table) {
		return expr.NewError(1217, "23000", text)
	}
	return expr.NewError(1451, "23000", text+" (%s)", r)
}

func (e *enforcer) hides(d *catalog.Descriptor) bool { return e.run.Hides != nil && e.run.Hides(d) }

// String is the definition in MySQL's messages.
func (r *relation) String() string {
	of, k := r.child.table.Record, r.key
	parent := quoted(k.ParentTable)
	if !strings.EqualFold(k.ParentDatabase, of.Database) {
		parent = quoted(k.ParentDatabase) + "." + parent
	}
	text := fmt.Sprintf("%s.%s, CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %s (%s)", quoted(of.Database), quoted(of.Name), quoted(k.Name), quoted(k.Columns...), parent, quoted(k.ParentColumns...))
	for _, a := range [2][2]string{{" ON DELETE ", k.OnDelete}, {" ON UPDATE ", k.OnUpdate}} {
		if actionOf(a[1]) != restricts {
			text += a[0] + strings.ToUpper(a[1])
		}
	}
	return text
}

func quoted(names ...string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "`" + strings.ReplaceAll(n, "`", "``") + "`"
	}
	return strings.Join(out, ", ")
}
