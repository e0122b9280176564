package expr

import (
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Of two columns that are compared, one of a binary collation decides (coercibility in MySQL: a _bin collation comes before
// others of its character set). evalengine refuses such a comparison. So its columns get the binary collation by COLLATE.

// byBinary is a comparison by the binary collation among those of its columns; nil: there is none, or several, or the
// operands are more than columns and constants.
func (b *compiler) byBinary(e sqlparser.Expr) sqlparser.Expr {
	switch e.(type) {
	case *sqlparser.ComparisonExpr, *sqlparser.BetweenExpr:
	default:
		return nil
	}
	binary, plain := "", true
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.ColName:
			if name := b.collationName(n); strings.HasSuffix(name, "_bin") {
				plain = plain && (binary == "" || binary == name)
				binary = name
			}
			return false, nil
		case *sqlparser.Literal, *sqlparser.NullVal, *sqlparser.Argument, sqlparser.ValTuple:
		default:
			plain = plain && n == sqlparser.SQLNode(e)
		}
		return plain, nil
	}, e)
	if binary == "" || !plain {
		return nil
	}
	out := sqlparser.CopyOnRewrite(e, nil, func(c *sqlparser.CopyOnWriteCursor) {
		if n, ok := c.Node().(*sqlparser.ColName); ok && b.collationName(n) != "" {
			c.Replace(&sqlparser.CollateExpr{Expr: n, Collation: binary})
		}
	}, nil)
	return out.(sqlparser.Expr)
}

// collationName is the collation of a column of texts, "" of another.
func (b *compiler) collationName(n *sqlparser.ColName) string {
	at, err := b.find(n)
	if err != nil {
		return ""
	}
	t := b.typeAt(at)
	if !sqltypes.IsText(t.Type()) || b.coercible(at) {
		return ""
	}
	return environment.CollationEnv().LookupName(t.Collation())
}

// isBinaryCollation reports whether a collation compares characters by their numbers.
func isBinaryCollation(id collations.ID) bool {
	return strings.HasSuffix(environment.CollationEnv().LookupName(id), "_bin")
}
