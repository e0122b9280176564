package exec

import (
	"bytes"
	"strconv"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// startExtreme starts MIN and MAX. ENUM and SET are compared as text, unlike in ORDER BY.
func (f *folding) startExtreme() func(*account) accumulator {
	e := newEncoder([]Key{{At: f.Args[0], Type: f.out}})
	var p pool[extreme]
	return func(a *account) accumulator { return p.take(extreme{folding: f, encoder: e, account: a}) }
}

// extreme is MIN or MAX: the first of the values that are equal to it.
type extreme struct {
	*folding
	encoder *encoder
	account *account
	held    []byte // the key of the value, and the value's bytes; nil: there is none yet
	key     int    // length of the key
	typ     sqltypes.Type
}

func (x *extreme) add(row []expr.Value) error {
	v := row[x.Args[0]]
	if v.IsNull() {
		return nil
	}
	x.buffer = x.encoder.append(x.buffer[:0], row)
	if x.held != nil {
		c := bytes.Compare(x.buffer, x.held[:x.key])
		if c == 0 || c > 0 == (x.Kind == Min) {
			return nil
		}
	}
	before := cap(x.held)
	x.key, x.typ = len(x.buffer), v.Type()
	x.buffer = append(x.buffer, v.Raw()...)
	x.held = append(x.held[:0], x.buffer...)
	return x.account.add(int64(cap(x.held) - before))
}

func (x *extreme) result() (expr.Value, error) {
	if x.held == nil {
		return expr.Null, nil
	}
	if sqltypes.IsUnsigned(x.typ) { // without the zeros of ZEROFILL
		if n, err := strconv.ParseUint(string(x.held[x.key:]), 10, 64); err == nil && x.typ != sqltypes.Year {
			return sqltypes.MakeTrusted(x.typ, strconv.AppendUint(nil, n, 10)), nil
		}
	}
	if x.out.Type() == sqltypes.Char { // of ENUM and SET
		x.typ = sqltypes.Char
	}
	return sqltypes.MakeTrusted(x.typ, x.held[x.key:]), nil
}
