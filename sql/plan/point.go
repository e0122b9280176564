package plan

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"isochron/sql/catalog"
	"isochron/sql/coltype"
	"isochron/sql/rowcodec"
	"isochron/sql/table"
	"isochron/txn"
)

// point has the assignments of an update of a row by its primary key.
type point struct {
	sets    []set
	indexes []*catalog.IndexInfo // secondary ones that hold an assigned column
	// alone are the assigned columns in their order, which is then the order of sets, if each
	// follows from nothing but itself and no index holds it; else nil.
	alone []int
}

// set assigns a value to a column, or the value of a column with a number added to it or taken from it.
type set struct {
	column int
	from   int // of a sum: the column that is added to, else -1
	minus  bool
}

func isKind(d *catalog.Descriptor, pos int, kinds ...coltype.Kind) bool {
	return slices.Contains(kinds, d.Type(pos).Kind)
}

func isNumber(d *catalog.Descriptor, pos int) bool {
	return isKind(d, pos, coltype.KindInt, coltype.KindUint)
}

// reach finds the indexes to update. Columns that determine the row's place, unique columns and AUTO_INCREMENT are for the
// change's other plan.
func (p *point) reach(d *catalog.Descriptor) *point {
	for _, s := range p.sets {
		if slices.Contains(d.Primary.Columns, s.column) || slices.Contains(d.Divides(), s.column) || d.AutoIncrement() == s.column {
			return nil
		}
	}
	for _, x := range d.Indexes {
		if !slices.ContainsFunc(p.sets, func(s set) bool { return slices.Contains(x.Held, s.column) }) {
			continue
		}
		if x.Unique {
			return nil
		}
		p.indexes = append(p.indexes, x)
	}
	if len(p.indexes) == 0 {
		p.alone = columnsAlone(p.sets)
	}
	return p
}

// columnsAlone brings the assignments into the order of their columns, if that
// makes no difference; else it gives nil.
func columnsAlone(sets []set) (alone []int) {
	for _, s := range sets {
		if s.from >= 0 && s.from != s.column || slices.Contains(alone, s.column) {
			return nil
		}
		alone = append(alone, s.column)
	}
	slices.Sort(alone)
	slices.SortFunc(sets, func(a, b set) int { return a.column - b.column })
	return alone
}

// PointUpdate is one execution of such an update. It holds all its data: it may be executed after its statement was
// abandoned, and is not refilled then.
type PointUpdate struct {
	Key     txn.Key
	Table   *catalog.Descriptor
	changes []change
	indexes []*catalog.IndexInfo
	alone   []int // see point
}

// change is a set with its value.
type change struct {
	set
	constant any   // in the type of the column
	add      int64 // of a sum
}

// FixedSet reports whether all writes of the update are known before its row is read, which are its row alone. Then it is
// executed as a 2FI transaction if the protocol has them. If an index has an assigned column, the entries' keys depend on
// the row's old value.
func (u *PointUpdate) FixedSet() bool { return len(u.indexes) == 0 }

// valued takes in a value of the literal.
func (s set) valued(t *coltype.Type, v any) (change, bool) {
	c := change{set: s}
	if s.from >= 0 {
		n, ok := rowcodec.Integer(v)
		if c.add = n; s.minus {
			c.add = -n
		}
		return c, ok && n != math.MinInt64
	}
	var ok bool
	c.constant, ok = storedAsIs(t, v)
	return c, ok
}

// Apply makes the writes that change a stored row (nil: there is none). ok is false
// if the change's other plan has to.
func (u *PointUpdate) Apply(stored []byte) (writes []txn.Write, matched, changed, ok bool) {
	if stored == nil {
		return nil, false, false, true
	}
	if value, changed, ok := u.replace(stored); ok {
		if !changed {
			return nil, true, false, true
		}
		return []txn.Write{{Key: u.Key, Value: value}}, true, true, true
	}
	d := u.Table
	old, err := d.DecodeRow(stored)
	if err != nil {
		return nil, false, false, false
	}
	row := slices.Clone(old)
	for _, c := range u.changes {
		var from any
		if c.from >= 0 {
			from = row[c.from]
		}
		v, ok := c.value(from, d.Type(c.column))
		if !ok {
			return nil, false, false, false
		}
		row[c.column] = v
	}
	for _, c := range u.changes {
		differs, ok := differ(d.Type(c.column), old[c.column], row[c.column])
		if !ok {
			return nil, false, false, false
		}
		changed = changed || differs
	}
	if !changed {
		return nil, true, false, true
	}
	writes, err = table.Rewrite(d, u.indexes, u.Key, old, row)
	return writes, true, true, err == nil
}

// replace makes the changed row of the stored one's bytes; ok is false if it has to
// be taken apart.
func (u *PointUpdate) replace(stored []byte) (row []byte, changed, ok bool) {
	if u.alone == nil {
		return nil, false, false
	}
	d, next := u.Table, 0
	row, ok = d.ReplaceInRow(stored, u.alone, func(i int, old any) (any, bool) {
		c, t := &u.changes[next], d.Type(i)
		next++
		v, ok := c.value(old, t)
		if !ok || v == nil {
			return nil, false
		}
		differs, ok := differ(d.Type(i), old, v)
		changed = changed || differs
		return v, ok
	})
	return row, changed, ok
}

// value returns the column's new value; from is the value that a sum adds to. It is false if the column does not
// hold the sum.
func (c *change) value(from any, t *coltype.Type) (any, bool) {
	if c.from < 0 {
		return c.constant, true
	}
	if from == nil {
		return nil, false
	}
	n, ok := rowcodec.Integer(from)
	sum := n + c.add
	if !ok || (sum > n) != (c.add > 0) && c.add != 0 {
		return nil, false
	}
	return storedAsIs(t, sum)
}

// storedAsIs is a number or a text as a column stores it; false: it has to be converted, or it does not fit.
func storedAsIs(t *coltype.Type, v any) (any, bool) {
	switch t.Kind {
	case coltype.KindInt, coltype.KindUint:
		n, ok := rowcodec.Integer(v)
		least, most := t.Limits()
		switch {
		case !ok || n < least || n > 0 && uint64(n) > most:
			return nil, false
		case t.Kind == coltype.KindInt:
			return t.Int(n), true
		}
		return t.Uint(uint64(n)), true
	case coltype.KindText:
		s, ok := v.(string)
		return s, ok && int64(len(s)) <= min(t.Characters, t.Bytes) && utf8.ValidString(s) && !strings.HasSuffix(s, " ") && hasAll(t.Collation, s)
	}
	return nil, false
}

// differ reports whether two values of a column differ. Texts that differ and are
// alike to their collation are for the change's other plan: ok is false.
func differ(t *coltype.Type, a, b any) (differs, ok bool) {
	if a == b {
		return false, true
	}
	x, isText := a.(string)
	y, both := b.(string)
	return true, !isText || !both || !rowcodec.Alike(t.Collation, x, y)
}

// hasAll reports whether a column's character set surely has all characters of a text.
func hasAll(c *coltype.Collation, s string) bool {
	if c.Charset == nil && c.CharacterBytes == utf8.UTFMax {
		return true
	}
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// ParamName is the wire library's name of a parameter, the first being number 0.
func ParamName(i int) string { return "v" + strconv.Itoa(i+1) }
