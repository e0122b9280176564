package define

import (
	"fmt"
	"slices"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/coltype"
	"isochron/sql/expr"
)

// keys takes in the primary key and the indexes.
func (b *builder) keys() error {
	list := slices.Clone(b.s.Keys)
	if err := b.primary(list); err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(k Key) bool { return k.Kind == Primary })
	if len(list) > keysMax {
		return expr.NewError(1069, "42000", "Too many keys specified; max %d keys allowed", keysMax)
	}
	taken := map[string]bool{}
	for i := range list {
		x, err := keyOf(&list[i], b.def.Columns, taken)
		if err != nil {
			return err
		}
		b.def.Indexes = append(b.def.Indexes, x)
	}
	slices.SortStableFunc(b.def.Indexes, func(x, y catalog.IndexDefinition) int { return b.rank(x) - b.rank(y) })
	return b.counter()
}

// rank orders indexes as MySQL does: unique ones without NULL first, then the other unique ones.
func (b *builder) rank(x catalog.IndexDefinition) int {
	switch {
	case !x.Unique:
		return 2
	case slices.ContainsFunc(x.Columns, func(c catalog.IndexColumn) bool { return b.def.Columns[b.at(c.Name)].Nullable }):
		return 1
	}
	return 0
}

// primary takes in the primary key.
func (b *builder) primary(list []Key) error {
	found := false
	for i := range list {
		if list[i].Kind != Primary {
			continue
		}
		if found {
			return expr.NewError(1068, "42000", "Multiple primary key defined")
		}
		found = true
		at, err := primaryOf(&list[i], b.def.Columns)
		if err != nil {
			return err
		}
		for _, pos := range at {
			if pos < len(b.s.Columns) && b.s.Columns[pos].Null == NullTaken {
				return expr.NewError(1171, "42000", "All parts of a PRIMARY KEY must be NOT NULL; if you need NULL in a key, use UNIQUE instead")
			}
			c := &b.def.Columns[pos]
			c.Nullable, c.PrimaryKey = false, true
			if pos < len(b.s.Columns) {
				b.s.Columns[pos].Primary = true
			}
		}
		b.def.PrimaryKey = at
	}
	return nil
}

// primaryOf are the positions of a primary key's columns. It is over whole values: rows that share a prefix are no duplicates.
func primaryOf(k *Key, columns []catalog.ColumnDefinition) (out []int, err error) {
	if err := partsOf(k, columns); err != nil {
		return nil, err
	}
	for _, p := range k.Parts {
		at := positionOf(columns, p.Column)
		if columns[at].Generated != nil && columns[at].Virtual {
			return nil, expr.NewError(3106, "HY000", "'Defining a virtual generated column as primary key' is not supported for generated columns.")
		}
		out = append(out, at)
	}
	return out, nil
}

// keyOf is an index as it is stored, with a name that is not taken, which it takes.
func keyOf(k *Key, columns []catalog.ColumnDefinition, taken map[string]bool) (x catalog.IndexDefinition, err error) {
	if k.Kind == FullText || k.Kind == Spatial {
		return x, expr.NewError(1235, "42000", "This version of Isochron doesn't yet support 'full-text, spatial and vector indexes'")
	}
	if err := partsOf(k, columns); err != nil {
		return x, err
	}
	x = catalog.IndexDefinition{Name: k.Name, Comment: k.Comment, Unique: k.Kind == Unique}
	if len([]rune(k.Comment)) > keyCommentMax {
		return x, expr.NewError(1688, "HY000", "Comment for index '%s' is too long (max = %d)", k.Name, keyCommentMax)
	}
	for _, p := range k.Parts {
		x.Columns = append(x.Columns, catalog.IndexColumn{Name: columns[positionOf(columns, p.Column)].Name, Length: p.Length})
	}
	base := x.Columns[0].Name
	if strings.EqualFold(base, "primary") {
		base = "_" + base
	}
	for n := 1; x.Name == ""; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		if !taken[strings.ToLower(name)] {
			x.Name = name
		}
	}
	if taken[strings.ToLower(x.Name)] {
		return x, expr.NewError(1061, "42000", "Duplicate key name '%s'", x.Name)
	}
	taken[strings.ToLower(x.Name)] = true
	return x, nil
}

// partsOf checks the columns of a key. The length of a prefix that is all of the column is left out.
func partsOf(k *Key, columns []catalog.ColumnDefinition) error {
	if len(k.Parts) > partsMax {
		return expr.NewError(1070, "42000", "Too many key parts specified; max %d parts allowed", partsMax)
	}
	total := int64(0)
	seen := map[string]bool{}
	for i := range k.Parts {
		p := &k.Parts[i]
		if p.Computed {
			return expr.NewError(1235, "42000", "This version of Isochron doesn't yet support 'an index on an expression': add a generated column and index it")
		}
		at := positionOf(columns, p.Column)
		if at < 0 {
			return expr.NewError(1072, "42000", "Key column '%s' doesn't exist in table", p.Column)
		}
		if lower := strings.ToLower(p.Column); seen[lower] {
			return expr.NewError(1060, "42S21", "Duplicate column name '%s'", p.Column)
		} else {
			seen[lower] = true
		}
		n, err := partOf(p, &columns[at])
		if err != nil {
			return err
		}
		total += n
	}
	if total > keyBytesMax {
		return expr.NewError(1071, "42000", "Specified key was too long; max key length is %d bytes", keyBytesMax)
	}
	return nil
}

// partOf checks a column of a key, and returns the most bytes that it takes.
func partOf(p *KeyPart, c *catalog.ColumnDefinition) (int64, error) {
	t, err := c.CoreType()
	if err != nil {
		return 0, err
	}
	width := int64(1)
	switch t.Kind {
	case coltype.KindJSON:
		return 0, expr.NewError(3152, "42000", "JSON column '%s' supports indexing only via generated columns on a specified JSON path.", c.Name)
	case coltype.KindText:
		width = int64(max(t.Collation.CharacterBytes, 1))
	case coltype.KindBytes:
	case 0:
		return 0, expr.NewError(1235, "42000", "This version of Isochron doesn't yet support 'an index on column %s'", c.Name)
	default:
		if p.Length > 0 {
			return 0, wrongPrefix()
		}
		return 8, nil
	}
	large := strings.HasPrefix(t.Name, "text") || strings.HasPrefix(t.Name, "blob") || strings.Contains(t.Name, "ytext") || strings.Contains(t.Name, "yblob") ||
		strings.Contains(t.Name, "mtext") || strings.Contains(t.Name, "mblob") || strings.Contains(t.Name, "gtext") || strings.Contains(t.Name, "gblob")
	if large && p.Length == 0 {
		return 0, expr.NewError(1170, "42000", "BLOB/TEXT column '%s' used in key specification without a key length", c.Name)
	}
	most := t.Characters
	if t.Kind == coltype.KindBytes {
		most = t.Bytes
	}
	if !large && int64(p.Length) > most {
		return 0, wrongPrefix()
	}
	if int64(p.Length) == most {
		p.Length = 0
	}
	if p.Length > 0 {
		return int64(p.Length) * width, nil
	}
	return most * width, nil
}

func wrongPrefix() error {
	return expr.NewError(1089, "HY000", "Incorrect prefix key; the used key part isn't a string, the used length is longer than the key part, or the storage engine doesn't support unique prefix keys")
}

// counter checks that the only column that counts by itself begins a key.
func (b *builder) counter() error {
	return counterIsKey(b.def.Columns, b.def.PrimaryKey, b.def.Indexes)
}

func counterIsKey(columns []catalog.ColumnDefinition, primary []int, indexes []catalog.IndexDefinition) error {
	counters := 0
	for at, c := range columns {
		if !c.AutoInc {
			continue
		}
		counters++
		begins := len(primary) > 0 && primary[0] == at
		for _, x := range indexes {
			begins = begins || strings.EqualFold(x.Columns[0].Name, c.Name)
		}
		if counters > 1 || !begins {
			return expr.NewError(1075, "42000", "Incorrect table definition; there can be only one auto column and it must be defined as a key")
		}
	}
	return nil
}
