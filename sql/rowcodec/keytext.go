package rowcodec

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"isochron/sql/coltype"
)

// unreadable replaces a value that cannot be decoded from its key form: text is
// stored by its weights.
const unreadable = "?"

// KeyText reads the key form of one value for a person, and what follows it. ok is
// false if b is not what AppendKey writes for the type, or AppendPaddedKey if padded.
func KeyText(b []byte, t *coltype.Type, padded bool) (text string, rest []byte, ok bool) {
	if Indexable(t) != nil || len(b) == 0 {
		return "", nil, false
	}
	mark, b := b[0], b[1:]
	if mark == markNull {
		return "NULL", b, true
	}
	switch t.Kind {
	case coltype.KindText:
		return weightsText(b, t.Collation, padded && t.Collation.Pads)
	case coltype.KindBytes:
		return bytesText(b)
	case coltype.KindDecimal:
		return skipDecimal(b)
	}
	if len(b) < 8 {
		return "", nil, false
	}
	n := binary.BigEndian.Uint64(b)
	switch t.Kind {
	case coltype.KindInt, coltype.KindYear:
		text = strconv.FormatInt(int64(n^1<<63), 10)
	case coltype.KindUint, coltype.KindBit, coltype.KindEnum, coltype.KindSet:
		text = strconv.FormatUint(n, 10)
	case coltype.KindTime:
		text = time.UnixMicro(int64(n ^ 1<<63)).UTC().Format("'2006-01-02 15:04:05.999999'")
	default:
		text = unreadable
	}
	return text, b[8:], true
}

// weightsText reads a text back where its collation weighs a character as itself, or
// as another that it takes for equal.
func weightsText(b []byte, collation *coltype.Collation, padded bool) (string, []byte, bool) {
	if collation.Binary {
		return bytesText(b)
	}
	weight := collation.Weight
	space := weight(' ')
	var out []rune
	readable := true
	for len(b) > 0 {
		w, n := cutWeight(b)
		if n == 0 || len(b) < n {
			break
		}
		b = b[n:]
		end := w == 0
		if padded && w == uint32(space)+1 {
			if len(b) == 0 {
				break
			}
			end, b = b[0] == markEnd, b[1:]
		}
		if end {
			if !readable {
				return unreadable, b, true
			}
			return "'" + string(out) + "'", b, true
		}
		r := rune(w - 1)
		readable = readable && weight(r) == r
		out = append(out, r)
	}
	return "", nil, false
}

// cutWeight reads what appendWeight wrote, and how many bytes it took.
func cutWeight(b []byte) (w uint32, n int) {
	switch c := b[0]; {
	case c < 0x80:
		return uint32(c), 1
	case c < 0xc0:
		w, n = uint32(c&0x3f), 2
	case c < 0xe0:
		w, n = uint32(c&0x1f), 3
	case c < 0xf0:
		w, n = uint32(c&0x0f), 4
	default:
		w, n = 0, 5
	}
	if len(b) < n {
		return 0, 0
	}
	for _, c := range b[1:n] {
		w = w<<8 | uint32(c)
	}
	return w, n
}

func bytesText(b []byte) (string, []byte, bool) {
	var out []byte
	for i := 0; i+1 < len(b); i++ {
		if b[i] != 0 {
			out = append(out, b[i])
			continue
		}
		if b[i+1] == 1 {
			return fmt.Sprintf("0x%x", out), b[i+2:], true
		}
		out = append(out, 0)
		i++
	}
	return "", nil, false
}

func skipDecimal(b []byte) (string, []byte, bool) {
	if len(b) == 0 {
		return "", nil, false
	}
	n := int(b[0]) - 0x80
	if n < 0 {
		n = -n
	}
	if len(b) < 1+n {
		return "", nil, false
	}
	return unreadable, b[1+n:], true
}
