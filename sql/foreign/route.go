package foreign

import (
	"hash/crc32"
	"math/big"
	"slices"
	"strings"

	"isochron/sql/catalog"
	"isochron/sql/dialect"
)

// sources are those of a table, rising.
func sources(t *catalog.ForeignTable) []uint64 {
	var out []uint64
	for _, p := range t.Parts {
		out = append(out, p.Source)
	}
	slices.Sort(out)
	return out
}

// integers reports whether the column that places a table's rows is of integers.
func integers(t *catalog.ForeignTable) bool {
	c := t.Column(t.By)
	if c < 0 {
		return false
	}
	switch read(t.Columns[c].Type).base {
	case "tinyint", "smallint", "mediumint", "int", "bigint":
		return true
	}
	return false
}

// place is the part in which a row with a key lies. sure is false if the key is none of those by
// which rows are placed, for example a fraction: no row has it, or any part may.
func place(t *catalog.ForeignTable, key string) (part int, sure bool) {
	if !integers(t) {
		folded := strings.ToLower(strings.TrimRight(key, " "))
		plain := !strings.ContainsFunc(key, func(r rune) bool { return r >= 0x80 })
		return int(crc32.ChecksumIEEE([]byte(folded)) % uint32(len(t.Parts))), plain
	}
	n, ok := new(big.Int).SetString(strings.TrimSpace(key), 10)
	if !ok {
		return 0, false
	}
	return placeNumber(t, n), true
}

// nowhere reports whether no row can have a key: it is a fraction, and the column's are integers. One
// of many digits may be an integer once it is a floating-point number.
func nowhere(t *catalog.ForeignTable, key string) bool {
	whole, fraction, point := strings.Cut(strings.TrimSpace(key), ".")
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	return point && len(key) < 16 && digits(strings.TrimPrefix(whole, "-")) && digits(fraction) && strings.Trim(fraction, "0") != "" && integers(t)
}

func placeNumber(t *catalog.ForeignTable, n *big.Int) int {
	if t.How == catalog.SpreadHashed {
		return int(new(big.Int).Mod(n, big.NewInt(int64(len(t.Parts)))).Int64()) // never below 0
	}
	at := 0
	for i, b := range t.Bounds {
		if n.Cmp(big.NewInt(b)) >= 0 {
			at = i + 1
		}
	}
	return at
}

// textOf is a value of the statement's as text.
func textOf(v dialect.Value, args []Arg) (text string, null bool) {
	if v.Arg < 0 {
		return v.Text, v.Null
	}
	if v.Arg >= len(args) || args[v.Arg].Null {
		return "", true
	}
	return string(args[v.Arg].Text), false
}

// reach is in which parts of a table rows with keys can lie, rising.
func reach(t *catalog.ForeignTable, keys dialect.Keys, args []Arg) []int {
	all := make([]int, len(t.Parts))
	for i := range all {
		all[i] = i
	}
	if keys.All || t.How == catalog.SpreadHashed && len(keys.Ranges) > 0 {
		return all
	}
	var out []int
	for _, v := range keys.Values {
		text, null := textOf(v, args)
		if null {
			continue // no row is placed by NULL
		}
		if nowhere(t, text) {
			continue
		}
		part, sure := place(t, text)
		if !sure {
			return all
		}
		out = append(out, part)
	}
	for _, r := range keys.Ranges {
		low, high := 0, len(t.Parts)-1
		if n, ok := whole(r.Low, args); ok {
			low = placeNumber(t, n)
		}
		if n, ok := whole(r.High, args); ok {
			high = placeNumber(t, n)
		}
		for i := low; i <= high; i++ {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// whole is a bound of a range if it is an integer.
func whole(b *dialect.Bound, args []Arg) (*big.Int, bool) {
	if b == nil {
		return nil, false
	}
	text, null := textOf(b.Value, args)
	if null {
		return nil, false
	}
	return new(big.Int).SetString(strings.TrimSpace(text), 10)
}

// reached are the sources at which a statement can touch rows of a table; one at least, for there
// is always an answer.
func (s *Statement) reached(t named, args []Arg) []uint64 {
	switch t.How {
	case catalog.SpreadWhole, catalog.SpreadEverywhere:
		return sources(t.ForeignTable)
	}
	var out []uint64
	for _, i := range reach(t.ForeignTable, s.Keys(t.name, t.By, s.at(t.Parts[0].Source)), args) {
		out = append(out, t.Parts[i].Source)
	}
	if len(out) == 0 {
		out = append(out, t.Parts[0].Source)
	}
	slices.Sort(out)
	return out
}
