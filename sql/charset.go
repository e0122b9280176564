package sql

import (
	"strings"

	vtsqltypes "vitess.io/vitess/go/sqltypes"

	"vitess.io/vitess/go/mysql/collations/charset"
	"vitess.io/vitess/go/mysql/collations/colldata"

	"isochron/sql/expr"
)

// resultCharset is the character set in which a session's texts are sent.
type resultCharset struct {
	of        charset.Charset // nil: as they are stored, in UTF-8
	collation uint32          // the set's default, which describes columns
	unknown   string          // the name of a set that is not known
}

// resultCharsetOf is the set of a value of character_set_results.
func resultCharsetOf(name string) (c resultCharset) {
	switch name = strings.ToLower(name); name {
	case "", "binary", "utf8", "utf8mb3", "utf8mb4":
		return c
	}
	id := expr.Environment().CollationEnv().DefaultCollationForCharset(name)
	if of := colldata.Lookup(id); of != nil {
		return resultCharset{of: of.Charset(), collation: uint32(id)}
	}
	c.unknown = name
	return c
}

// isCharacters reports whether values of a type are sent in the session's character set.
func isCharacters(t vtsqltypes.Type) bool {
	return vtsqltypes.IsText(t) || t == vtsqltypes.Enum || t == vtsqltypes.Set || t == vtsqltypes.TypeJSON
}

// shown is how values of the core are sent: as texts, or exactly, for binary answers.
func (s *Session) shown(binary bool) func(v expr.Value, t expr.Type) []byte {
	form := expr.Display
	if binary {
		form = expr.Exact
	}
	set := s.coreSettings().results.of
	if set == nil {
		return func(v expr.Value, t expr.Type) []byte { return form(v, t).Raw() }
	}
	return func(v expr.Value, t expr.Type) []byte {
		out := form(v, t).Raw()
		if isCharacters(t.Type()) && !v.IsNull() {
			out, _ = charset.ConvertFromUTF8(nil, set, out) // ? stands for what the set has not
		}
		return out
	}
}
