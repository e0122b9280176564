package expr

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Texts of two collations that are compared without a COLLATE (the manual's 12.8.4): a binary collation comes before the
// others of its character set, and of these none before another. A text that is made of a column has its collation.

// mixingFunctions are functions that compare their arguments, from the first and up to a number of them; 0: all.
var mixingFunctions = map[string]int{
	like.Name: 2, notLike.Name: 2, "STRCMP": 2, "LOCATE": 2, "INSTR": 2, "FIND_IN_SET": 2, "REPLACE": 3, "FIELD": 0, "SUBSTRING_INDEX": 2, "TRIM": 2,
}

// mixing is the error of a function that compares texts of two collations.
func (b *compiler) mixing(s *step) error {
	most, compares := mixingFunctions[s.call.Function.Name]
	if !compares {
		return nil
	}
	args := s.args
	if most > 0 {
		args = args[:min(most, len(args))]
	}
	var of []collations.ID
	for i := range args {
		if id, ok := b.collationOf(&args[i]); ok {
			of = append(of, id)
		}
	}
	return illegalMix(strings.ToLower(strings.Trim(s.call.Function.Name, "\x00")), len(args), of)
}

// mixedPattern is the error of a text and the regular expression that it is matched with, of bytes too.
func (b *compiler) mixedPattern(e sqlparser.Expr) error {
	operation, text, pattern := "", sqlparser.Expr(nil), sqlparser.Expr(nil)
	switch e := e.(type) {
	case *sqlparser.ComparisonExpr:
		if isRegexp(e) {
			operation, text, pattern = "regexp", e.Left, e.Right
		}
	case *sqlparser.RegexpInstrExpr:
		operation, text, pattern = "regexp_instr", e.Expr, e.Pattern
	case *sqlparser.RegexpLikeExpr:
		operation, text, pattern = "regexp_like", e.Expr, e.Pattern
	case *sqlparser.RegexpSubstrExpr:
		operation, text, pattern = "regexp_substr", e.Expr, e.Pattern
	case *sqlparser.RegexpReplaceExpr:
		operation, text, pattern = "regexp_replace", e.Expr, e.Pattern
	}
	if operation == "" {
		return nil
	}
	if b.isBytes(text) && b.isBytes(pattern) {
		return newError(3995, "HY000", "Character set 'binary' cannot be used in conjunction with 'binary' in call to %s.", operation)
	}
	if operation == "regexp_replace" {
		return nil
	}
	return b.mixed(operation, text, pattern)
}

// isBytes reports whether an expression is a binary string.
func (b *compiler) isBytes(e sqlparser.Expr) bool { return isBits(e) || sqltypes.IsBinary(b.kind(e)) }

// compared is a function that compares its arguments, for the engine: texts of several collations get the binary one among them,
// and numbers that are matched with a regular expression are the texts of their columns, since ZEROFILL and YEAR have
// zeros, and FLOAT six digits. nil: it stays as it is.
func (b *compiler) compared(e sqlparser.Expr) (sqlparser.Expr, error) {
	switch e := e.(type) {
	case *sqlparser.FuncExpr:
		if extremes[e.Name.Lowered()] == nil {
			return nil, nil
		}
		if err := b.mixed(e.Name.Lowered(), e.Exprs...); err != nil {
			return nil, err
		}
		out := *e
		out.Exprs = slices.Clone(e.Exprs)
		var list []*sqlparser.Expr
		for i := range out.Exprs {
			list = append(list, &out.Exprs[i])
		}
		several, err := b.inOneCollation(list)
		return orNil(&out, several), err
	case *sqlparser.ComparisonExpr:
		if !isRegexp(e) {
			return nil, nil
		}
		out := *e
		changed, err := b.matched(&out.Left, &out.Right)
		return orNil(&out, changed), err
	case *sqlparser.RegexpInstrExpr:
		out := *e
		changed, err := b.matched(&out.Expr, &out.Pattern)
		return orNil(&out, changed), err
	case *sqlparser.RegexpLikeExpr:
		out := *e
		changed, err := b.matched(&out.Expr, &out.Pattern)
		return orNil(&out, changed), err
	}
	return nil, nil
}

// matched readies a text and the regular expression that it is matched with.
func (b *compiler) matched(list ...*sqlparser.Expr) (changed bool, err error) {
	for _, v := range list {
		if k := b.kind(*v); ofRow(*v) && (sqltypes.IsIntegral(k) || sqltypes.IsFloat(k) || k == sqltypes.Year) {
			at, _, err := b.step(*v, node{function: castChar(-1, false, false), args: []sqlparser.Expr{*v}})
			if err != nil {
				return false, err
			}
			*v, changed = slot(at), true
		}
	}
	several, err := b.inOneCollation(list)
	return changed || several, err
}

// mixed is the error of expressions that an operation compares.
func (b *compiler) mixed(operation string, list ...sqlparser.Expr) error {
	for _, e := range list {
		if _, explicit := e.(*sqlparser.CollateExpr); explicit {
			return nil
		}
	}
	var of []collations.ID
	for _, e := range list {
		at, ok := b.direct(e)
		if !ok {
			continue
		}
		if id, ok := b.collationOf(&value{at: at, typ: b.typeAt(at)}); ok {
			of = append(of, id)
		}
	}
	return illegalMix(operation, len(list), of)
}

// collationOf is the collation of a value that is the text of a column, or made of one; false: it has none of its own.
func (b *compiler) collationOf(v *value) (collations.ID, bool) {
	k := v.typ.Type()
	if v.at < 0 || !sqltypes.IsText(k) && k != sqltypes.Enum && k != sqltypes.Set {
		return 0, false
	}
	if at := v.at - len(b.columns.Types); at >= 0 && !b.p.steps[at].column || at < 0 && b.coercible(v.at) {
		return 0, false
	}
	return v.typ.Collation(), true
}

// collated reports whether the text of a step is in the collation of a column that it is made of. list are its arguments.
func (b *compiler) collated(s *step, list []sqlparser.Expr) bool {
	if !sqltypes.IsText(s.call.Out.Type()) {
		return false
	}
	for i := range s.args {
		if id, ok := b.collationOf(&s.args[i]); ok && id == s.call.Out.Collation() || b.chosenIn(list[i], s.call.Out.Collation()) {
			return true
		}
	}
	return false
}

// chosenIn reports whether an expression of the engine chooses among texts of which one is of a column of a collation.
func (b *compiler) chosenIn(e sqlparser.Expr, of collations.ID) bool {
	return slices.ContainsFunc(chosen(e), func(v *sqlparser.Expr) bool {
		if at, ok := b.direct(*v); ok {
			id, ok := b.collationOf(&value{at: at, typ: b.typeAt(at)})
			return ok && id == of
		}
		return b.chosenIn(*v, of)
	})
}

// illegalMix is MySQL's error for several collations of operands of which none comes before the others.
func illegalMix(operation string, operands int, list []collations.ID) error {
	var first string
	for _, id := range list {
		name := environment.CollationEnv().LookupName(id)
		switch {
		case id == collations.CollationBinaryID:
			return nil
		case strings.HasSuffix(name, "_bin"), name == first:
		case first == "":
			first = name
		case operands == 2:
			return newError(1267, "HY000", "Illegal mix of collations (%s,IMPLICIT) and (%s,IMPLICIT) for operation '%s'", first, name, operation)
		case operands == 3:
			return newError(1270, "HY000", "Illegal mix of collations (%s,IMPLICIT), (%s,IMPLICIT) and others for operation '%s'", first, name, operation)
		default:
			return newError(1271, "HY000", "Illegal mix of collations for operation '%s'", operation)
		}
	}
	return nil
}
