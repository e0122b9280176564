package exec

import (
	"bytes"

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
	key     []byte // of the value; nil: there is none yet
	bytes   []byte // the value's
	typ     sqltypes.Type
}

func (x *extreme) add(row []expr.Value) error {
	v := row[x.Args[0]]
	if v.IsNull() {
		return nil
	}
	x.buffer = x.encoder.append(x.buffer[:0], row)
	if x.key != nil {
		c := bytes.Compare(x.buffer, x.key)
		if c == 0 || c > 0 == (x.Kind == Min) {
			return nil
		}
	}
	before := cap(x.key) + cap(x.bytes)
	x.key = append(x.key[:0], x.buffer...)
	x.bytes = append(x.bytes[:0], v.Raw()...)
	x.typ = v.Type()
	return x.account.add(int64(cap(x.key) + cap(x.bytes) - before))
}

func (x *extreme) result() (expr.Value, error) {
	if x.key == nil {
		return expr.Null, nil
	}
	if x.out.Type() == sqltypes.Char {
		return sqltypes.MakeTrusted(sqltypes.Char, x.bytes), nil
	}
	return sqltypes.MakeTrusted(x.typ, x.bytes), nil
}
