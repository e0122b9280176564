package wire

import "encoding/binary"

// Column describes a column of an answer to a client.
type Column struct {
	Database, Table, OrgTable, Name, OrgName string
	Collation                                uint16 // its number
	Length                                   uint32 // of the longest value, in bytes
	Type                                     byte   // the protocol's
	Flags                                    uint16
	Decimals                                 byte
}

// Columns are the encoded columns of a plan's answers.
type Columns struct {
	packets []byte // the number of columns and their packets; their sequence numbers begin at 1
	Types   []byte
}

// NewColumns encodes columns.
func NewColumns(list []Column) *Columns {
	var w Writer
	w.Begin()
	w.count(len(list))
	c := &Columns{Types: make([]byte, len(list))}
	for i := range list {
		w.column(&list[i])
		c.Types[i] = list[i].Type
	}
	c.packets = w.buf
	return c
}

func (w *Writer) count(n int) {
	w.begin()
	w.buf = appendLength(w.buf, uint64(n))
	w.end()
}

const fixedBytes = 12 // of a column: those of fixed length

func (w *Writer) column(c *Column) {
	w.begin()
	for _, text := range [...]string{"def", c.Database, c.Table, c.OrgTable, c.Name, c.OrgName} {
		w.buf = appendText(w.buf, text)
	}
	w.buf = binary.LittleEndian.AppendUint16(append(w.buf, fixedBytes), c.Collation)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, c.Length)
	w.buf = binary.LittleEndian.AppendUint16(append(w.buf, c.Type), c.Flags)
	w.buf = append(w.buf, c.Decimals, 0, 0)
	w.end()
}

// Columns appends the columns' packets: they are the first of an answer. flags and deprecated are as of EOF.
func (w *Writer) Columns(c *Columns, flags uint16, deprecated bool) {
	w.buf = append(w.buf, c.packets...)
	w.sequence += byte(1 + len(c.Types))
	if !deprecated {
		w.EOF(flags, 0, false)
	}
}

// parameter is how a parameter is described.
var parameter = Column{Name: "?", Type: typeVarString, Collation: 63}

// Prepared appends the answer to the preparation of a statement; columns is nil for one without rows.
func (w *Writer) Prepared(id uint32, parameters int, columns []Column, flags uint16, deprecated bool) {
	w.begin()
	w.buf = binary.LittleEndian.AppendUint32(append(w.buf, okPacket), id)
	w.buf = binary.LittleEndian.AppendUint16(w.buf, uint16(len(columns)))
	w.buf = binary.LittleEndian.AppendUint16(w.buf, uint16(parameters))
	w.buf = append(w.buf, 0, 0, 0) // no warnings
	w.end()
	for range parameters {
		w.column(&parameter)
	}
	if parameters > 0 && !deprecated {
		w.EOF(flags, 0, false)
	}
	for i := range columns {
		w.column(&columns[i])
	}
	if len(columns) > 0 && !deprecated {
		w.EOF(flags, 0, false)
	}
}
