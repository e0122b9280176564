package exec

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// startConcat starts GROUP_CONCAT.
func (f *folding) startConcat() func(*account) accumulator {
	if len(f.Order) == 0 {
		return func(a *account) accumulator { return &concat{folding: f, account: a} }
	}
	e := newEncoder(f.Order)
	return func(a *account) accumulator {
		return &orderedConcat{concat: concat{folding: f, account: a}, encoder: e}
	}
}

// concat is GROUP_CONCAT of rows as they come. It holds the result, at most MaxLength bytes of it.
type concat struct {
	*folding
	account *account
	text    []byte
	rows    int
	full    bool // it has been cut
}

func (c *concat) add(row []expr.Value) error {
	for _, at := range c.Args {
		if row[at].IsNull() {
			return nil
		}
	}
	if c.full {
		return nil
	}
	before := cap(c.text)
	c.begin()
	for _, at := range c.Args {
		c.put(concatenated(row[at]))
	}
	c.end()
	return c.account.add(int64(cap(c.text) - before))
}

// concatenated is a value as a text: a BIT is a number.
func concatenated(v expr.Value) []byte {
	if v.Type() != sqltypes.Bit {
		return expr.Text(v).Raw()
	}
	n := uint64(0)
	for _, b := range v.Raw() {
		n = n<<8 | uint64(b)
	}
	return strconv.AppendUint(nil, n, 10)
}

// begin begins a row with the separator.
func (c *concat) begin() {
	if c.rows++; c.rows > 1 {
		c.put([]byte(c.Separator))
	}
}

// put appends bytes, no more than one beyond the maximum: they are cut off at the end of the row.
func (c *concat) put(b []byte) {
	room := c.maxLength() + 1 - len(c.text)
	c.text = append(c.text, b[:min(max(room, 0), len(b))]...)
}

// end ends a row and cuts the text to its maximum.
func (c *concat) end() {
	most := c.maxLength()
	if len(c.text) <= most {
		return
	}
	c.full = true
	if c.out.Collation() == collations.CollationBinaryID {
		c.text = c.text[:most]
	} else {
		c.text = cutText(c.text, most)
	}
	c.context.Warn(1260, fmt.Sprintf("Row %d was cut by GROUP_CONCAT()", c.rows))
}

func (c *concat) result() (expr.Value, error) {
	if c.rows == 0 {
		return expr.Null, nil
	}
	return sqltypes.MakeTrusted(c.out.Type(), c.text), nil
}

// orderedConcat is GROUP_CONCAT with an ORDER BY. It holds the texts of all rows. Of rows that are equal in their order the
// last comes first: MySQL inserts each before its equals.
type orderedConcat struct {
	concat
	encoder *encoder
	list    []concatRow
}

// concatRow is a row of GROUP_CONCAT.
type concatRow struct {
	key, text []byte
	at        int
}

func (o *orderedConcat) add(row []expr.Value) error {
	size := 0
	for _, at := range o.Args {
		if row[at].IsNull() {
			return nil
		}
		size += row[at].Len()
	}
	o.buffer = o.encoder.append(o.buffer[:0], row)
	both := make([]byte, 0, len(o.buffer)+size)
	both = append(both, o.buffer...)
	for _, at := range o.Args {
		both = append(both, concatenated(row[at])...)
	}
	n := len(o.buffer)
	o.list = append(o.list, concatRow{both[:n:n], both[n:], len(o.list)})
	return o.account.add(int64(len(both)) + itemBytes)
}

func (o *orderedConcat) result() (expr.Value, error) {
	slices.SortFunc(o.list, func(a, b concatRow) int {
		if c := bytes.Compare(a.key, b.key); c != 0 {
			return c
		}
		return cmp.Compare(b.at, a.at)
	})
	for i := range o.list {
		if o.full {
			break
		}
		o.begin()
		o.put(o.list[i].text)
		o.end()
	}
	o.list = nil
	return o.concat.result()
}
