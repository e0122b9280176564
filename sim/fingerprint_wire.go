package sim

import "isochron/txn"

// The wire form of small frequent messages, for the hash alone: byte for byte the output of
// txn.Encode, which takes several times as long, since it visits each possible field of a message.
// They are maps (CBOR) from field numbers to nonzero values.

// appendWire appends the wire form of a message; ok is false for other messages.
func appendWire(b []byte, m *txn.Message) (out []byte, ok bool) {
	w := wire{b: b}
	switch {
	case m.FixedSetReads != nil:
		w.only(60)
		w.begin()
		w.number(1, uint64(m.FixedSetReads.Shard))
		w.name(2, m.FixedSetReads.Attempt)
		w.rows(3, m.FixedSetReads.Rows)
	case m.Forward != nil:
		w.only(61)
		w.begin()
		w.number(1, uint64(m.Forward.Shard))
		w.name(2, m.Forward.Attempt)
		w.name(3, m.Forward.Reader)
		w.rows(4, m.Forward.Rows)
	case m.Release != nil:
		w.only(10)
		w.begin()
		w.number(1, uint64(m.Release.Shard))
		w.name(2, txn.Attempt(m.Release.Txn))
	default:
		return b, false
	}
	return w.b, true
}

// wire is a message that is written field by field.
type wire struct {
	b  []byte
	at int // of the head of the map to which fields are added
}

// The major types of CBOR in use, and the bound from which a number follows its head.
const (
	cborNumber = 0 << 5
	cborBytes  = 2 << 5
	cborList   = 4 << 5
	cborMap    = 5 << 5
	cborInHead = 24
)

func (w *wire) head(major byte, n uint64) {
	switch {
	case n < cborInHead:
		w.b = append(w.b, major|byte(n))
	case n < 1<<8:
		w.b = append(w.b, major|24, byte(n))
	case n < 1<<16:
		w.b = append(w.b, major|25, byte(n>>8), byte(n))
	case n < 1<<32:
		w.b = append(w.b, major|26, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	default:
		w.b = append(w.b, major|27, byte(n>>56), byte(n>>48), byte(n>>40), byte(n>>32), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
}

// only begins a message that has this field and no other.
func (w *wire) only(field uint64) {
	w.b = append(w.b, cborMap|1)
	w.head(cborNumber, field)
}

// begin begins a map of fewer than cborInHead fields.
func (w *wire) begin() {
	w.at = len(w.b)
	w.b = append(w.b, cborMap)
}

func (w *wire) field(number byte) {
	w.b[w.at]++
	w.b = append(w.b, number)
}

func (w *wire) number(field byte, n uint64) {
	if n != 0 {
		w.field(field)
		w.head(cborNumber, n)
	}
}

func wireBytes[T ~string | ~[]byte](w *wire, field byte, s T) {
	if len(s) > 0 {
		w.field(field)
		w.head(cborBytes, uint64(len(s)))
		w.b = append(w.b, s...)
	}
}

func (w *wire) name(field byte, a txn.Attempt) {
	if a.IsZero() {
		return
	}
	w.field(field)
	outer := w.at
	w.begin()
	w.number(1, uint64(a.Node))
	w.number(2, uint64(a.Epoch))
	w.number(3, a.Seq)
	w.at = outer
}

func (w *wire) rows(field byte, rows []txn.Row) {
	if len(rows) == 0 {
		return
	}
	w.field(field)
	w.head(cborList, uint64(len(rows)))
	outer := w.at
	for i := range rows {
		w.begin()
		wireBytes(w, 1, rows[i].Key)
		wireBytes(w, 2, rows[i].Value)
		w.name(3, rows[i].Version)
	}
	w.at = outer
}
