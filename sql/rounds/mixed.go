package rounds

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// Texts of several collations in one column of a set operation (the manual's 12.8.4): the highest rank decides, and in it a _bin
// collation.

// collationRank is the part of a text's collation among several.
type collationRank uint8

const (
	ofLiteral collationRank = iota // it yields to the others
	ofColumn
	explicit // by COLLATE
)

// ranksOf are the ranks of the columns of a query.
func (k *compiler) ranksOf(b *block) []collationRank {
	types := b.types()
	out := make([]collationRank, len(types))
	for i, t := range types {
		_, of := b.list.program.Implicit(b.base() + i)
		_, by := b.query.Items[i].Expr.(*sqlparser.CollateExpr)
		switch {
		case !isTextual(t): // as a text it yields
		case by || !of && t.Collation() != k.c.Collation:
			out[i] = explicit
		case of:
			out[i] = ofColumn
		}
	}
	return out
}

// highest are the ranks of the columns of a set operation.
func highest(ranks [][]collationRank) []collationRank {
	out := slices.Clone(ranks[0])
	for _, list := range ranks[1:] {
		for c, r := range list {
			out[c] = max(out[c], r)
		}
	}
	return out
}

// mixed is MySQL's error for texts of several collations of which none decides. types are those of the queries' columns.
func mixed(types [][]expr.Type, ranks [][]collationRank) error {
	for c := range types[0] {
		first, several, decided := collations.Unknown, false, false
		for i := range types {
			t := types[i][c]
			decided = decided || sqltypes.IsBinary(t.Type())
			if !isTextual(t) || ranks[i][c] == ofLiteral {
				continue
			}
			decided = decided || ranks[i][c] == explicit || isBin(t)
			several = several || first != collations.Unknown && first != t.Collation() && charset(first) == charset(t.Collation())
			first = t.Collation()
		}
		if several && !decided {
			return expr.NewError(1271, "HY000", "Illegal mix of collations for operation 'UNION'")
		}
	}
	return nil
}

// decidingCollation is the one that the texts of a column have together. "": they have one, or none decides.
func decidingCollation(types []expr.Type, column int, ranks [][]collationRank) string {
	best, rank, several := collations.Unknown, ofLiteral, false
	for i, t := range types {
		if !isTextual(t) {
			continue
		}
		r := ofLiteral
		if ranks != nil {
			r = ranks[i][column]
		}
		several = several || best != collations.Unknown && best != t.Collation()
		if best == collations.Unknown || r > rank || r == rank && isBin(t) {
			best, rank = t.Collation(), r
		}
	}
	if !several {
		return ""
	}
	return collationName(best)
}

func collationName(id collations.ID) string { return expr.Environment().CollationEnv().LookupName(id) }

func charset(id collations.ID) string { return expr.Environment().CollationEnv().LookupCharsetName(id) }

// isBin reports whether texts of a type are compared by the numbers of their characters.
func isBin(t expr.Type) bool { return strings.HasSuffix(collationName(t.Collation()), "_bin") }
