package rowcodec

import (
	"unicode/utf8"

	"isochron/sql/coltype"
)

// Keys of texts whose collation pads (PAD SPACE in MySQL). To such a collation spaces at the end of a text do not count: it
// compares two texts as if both went on with spaces. "a" equals "a ", and "a\t" is before "a", since a tab is before a space.
//
// Form of a padded text: the weights of its characters without the spaces at the end, then one space and markEnd. Behind each
// space within it is a mark that compares what follows the run of spaces with a space.

// Marks behind a space, in the order of the texts.
const (
	markLess    = 0x01 // what follows the run of spaces is before a space
	markEnd     = 0x02 // only spaces follow
	markGreater = 0x03
)

// Pads reports whether values of a type are texts whose collation pads.
func Pads(t *coltype.Type) bool {
	return t.Kind == coltype.KindText && t.Collation.Pads
}

// AppendPaddedKey is AppendKey for a key in which texts are padded as their collation says: texts that it takes for equal
// have one form. AppendKey distinguishes spaces at the end of a text.
func AppendPaddedKey(dst []byte, t *coltype.Type, v any, prefixLength int) ([]byte, error) {
	if v == nil || !Pads(t) {
		return AppendKey(dst, t, v, prefixLength)
	}
	s, ok := toText(v)
	if !ok {
		return nil, mismatch(ok, t, v)
	}
	return appendPaddedText(append(dst, markValue), s, t.Collation.Weight, prefixLength), nil
}

func appendPaddedText(dst []byte, s string, weight func(rune) int32, prefixLength int) []byte {
	dst = appendPaddedWeights(dst, s, weight, prefixLength)
	return append(appendWeight(dst, uint32(weight(' '))+1), markEnd)
}

// AppendBeginning appends the bytes with which the forms of all texts start that start with s, and those of some others.
// padded: the key is one of AppendPaddedKey.
func AppendBeginning(dst []byte, t *coltype.Type, s string, prefixLength int, padded bool) []byte {
	dst = append(dst, markValue)
	weight := t.Collation.Weight
	if padded && Pads(t) {
		return appendPaddedWeights(dst, s, weight, prefixLength)
	}
	return appendCharacters(dst, s, weight, prefixLength)
}

// appendPaddedWeights appends the characters of a text without the spaces at the end, with a mark behind each space.
func appendPaddedWeights(dst []byte, s string, weight func(rune) int32, prefixLength int) []byte {
	space := weight(' ')
	s = unpadded(firstCharacters(s, prefixLength), weight, space)
	var mark byte // of the present run of spaces; 0: none
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		w := weight(r)
		dst = appendWeight(dst, uint32(w)+1)
		if w != space {
			mark = 0
			continue
		}
		if mark == 0 {
			mark = markOf(s, weight, space)
		}
		dst = append(dst, mark)
	}
	return dst
}

// firstCharacters are the first characters of a text; n = 0: all.
func firstCharacters(s string, n int) string {
	if n == 0 {
		return s
	}
	end := 0
	for ; n > 0 && end < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end]
}

// unpadded is a text without the characters at its end that weigh as much as a space.
func unpadded(s string, weight func(rune) int32, space int32) string {
	for len(s) > 0 {
		r, size := utf8.DecodeLastRuneInString(s)
		if weight(r) != space {
			break
		}
		s = s[:len(s)-size]
	}
	return s
}

// markOf compares what follows a run of spaces, of which s has the rest, with a space. Something does.
func markOf(s string, weight func(rune) int32, space int32) byte {
	for _, r := range s {
		if w := weight(r); w < space {
			return markLess
		} else if w > space {
			return markGreater
		}
	}
	return markEnd
}
