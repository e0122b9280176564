package plan

import (
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"isochron/sql/catalog"
	"isochron/sql/rowcodec"
	"isochron/sql/table"
	"isochron/txn"
)

// Direct is an update of one row by its key whose values are written without a tree. Statements it cannot execute are
// executed by the plan it was made from. It never changes, so sessions may share it.
type Direct struct {
	Plan    *RoundPlan // what the statement does, without how
	table   *table.Table
	key     *catalog.IndexInfo
	prefix  []byte // of the key
	indexes []*catalog.IndexInfo
	alone   []int // see point
	sets    []set
	keys    []source // of each column of the primary key
	values  []source // of each of sets
}

// source is the origin of a value: a parameter, or the plan's own text.
type source struct {
	param    int // -1: none
	constant any
}

// Direct readies the plan for that, if its parameters v1, v2 and so on stand there
// and nowhere else; else it gives nil.
func (p *Prepared) Direct() *Direct {
	if p.point == nil || !p.held.numbers() || p.Plan.Read.Table.Descriptor().Partitions(p.Plan.Read.Access.Index) != 1 {
		return nil
	}
	owner := map[*expression.Literal]int{}
	for name, slots := range p.slots { // order: into a map
		n := slices.IndexFunc(paramNames[:], func(s string) bool { return s == name })
		if n < 0 || len(slots) != 1 {
			return nil
		}
		owner[slots[0]] = n
	}
	r := p.Plan.Read
	d := &Direct{Plan: &RoundPlan{Writes: p.Plan.Writes}, table: r.Table, key: r.Access.Index, prefix: r.Table.Descriptor().Prefix(r.Access.Index, 0), indexes: p.point.indexes, alone: p.point.alone, sets: p.point.sets}
	from := func(lit *expression.Literal) source {
		s := source{-1, lit.Val}
		if n, ok := owner[lit]; ok {
			s.param = n
			delete(owner, lit)
		}
		return s
	}
	for _, lit := range p.held.rows[0] {
		d.keys = append(d.keys, from(lit))
	}
	for _, s := range d.sets {
		d.values = append(d.values, from(s.value))
	}
	if len(owner) > 0 {
		return nil
	}
	return d
}

// directMax bounds the parameters of such an update.
const directMax = 16

// paramNames are what the wire library calls them.
var paramNames = func() (names [directMax]string) {
	for i := range names {
		names[i] = ParamName(i)
	}
	return names
}()

// wants reports whether so many values are enough.
func (d *Direct) wants(n int) bool {
	missing := func(s source) bool { return s.param >= n }
	return !slices.ContainsFunc(d.keys, missing) && !slices.ContainsFunc(d.values, missing)
}

// Update is one execution with these values of its parameters: int64 or string. It
// gives nil if they are for the plan.
func (d *Direct) Update(ctx *gms.Context, values []any) *PointUpdate {
	u := &PointUpdate{}
	if !d.Fill(ctx, values, u) {
		return nil
	}
	return u
}

// Fill makes an execution with these values of one that has ended, whose memory it
// uses again. It is false if they are for the plan.
func (d *Direct) Fill(ctx *gms.Context, values []any, u *PointUpdate) bool {
	if !d.wants(len(values)) {
		return false
	}
	desc, key := d.table.Descriptor(), d.key
	var room [keyRoom]byte
	b := append(room[:0], d.prefix...)
	for i, s := range d.keys {
		col := desc.Schema.Schema[key.Columns[i]]
		v := s.value(values)
		if !rowcodec.IsInteger(v) {
			return false
		}
		converted, inRange, err := col.Type.Convert(ctx, v)
		if err != nil || inRange != gms.InRange {
			return false
		}
		if b, err = desc.AppendColumn(b, key, i, converted); err != nil {
			return false
		}
	}
	if u.Table, u.indexes, u.alone, u.texts, u.changes = d.table, d.indexes, d.alone, nil, u.changes[:0]; string(u.Key) != string(b) { // on a hot row they are the same
		u.Key = txn.Key(b)
	}
	for i, s := range d.sets {
		c, ok := s.valued(ctx, desc.Schema.Schema[s.column], d.values[i].value(values))
		if !ok {
			return false
		}
		u.changes = append(u.changes, c)
	}
	return true
}

// keyRoom is enough for a key of a few numbers, in bytes; longer ones take memory.
const keyRoom = 64

func (s source) value(values []any) any {
	if s.param < 0 {
		return s.constant
	}
	return values[s.param]
}
