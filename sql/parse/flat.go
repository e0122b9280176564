package parse

// Bounds of a text that may be long: the parser, and all that walks its trees, recurse by nesting and by chains of operators,
// and not by the length of a list.
const (
	flatBytes  = 1 << 20
	flatWords  = 16 << 10 // bytes of words and operators
	flatNested = 100      // parentheses within each other
)

// Flat reports whether a long text is so for its lists of values alone, as `id IN (1, 2, 3, ...)` is.
func Flat(text string) bool {
	if len(text) > flatBytes {
		return false
	}
	words, depth := 0, 0
	value := true // a value may begin: a sign is no operator
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			i = afterQuoted(text, i) - 1
			value = false
		case c == '(':
			if depth++; depth > flatNested {
				return false
			}
			value = true
		case c == ')':
			depth--
			value = false
		case c == ',':
			value = true
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
		case c >= '0' && c <= '9' || c == '.':
			value = false
		case value && (c == '-' || c == '+'):
		default:
			if words++; words > flatWords {
				return false
			}
		}
	}
	return true
}
