package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// result reads what a statement returned, in the text or the binary form.
func (w *wireConn) result(binaryRows bool) (*Result, error) {
	p, err := w.read()
	if err != nil {
		return nil, err
	}
	switch p[0] {
	case 0xff:
		return nil, serverError(p)
	case 0:
		return okPacket(p), nil
	}
	count, _, _ := lenenc(p)
	res := &Result{}
	for range count {
		def, err := w.read()
		if err != nil {
			return nil, err
		}
		c, err := columnOf(def)
		if err != nil {
			return nil, err
		}
		res.Columns = append(res.Columns, c)
	}
	if _, err := w.read(); err != nil { // the end of the definitions
		return nil, err
	}
	for {
		p, err := w.read()
		if err != nil {
			return nil, err
		}
		if p[0] == 0xff {
			return nil, serverError(p)
		}
		if p[0] == 0xfe && len(p) < 9 {
			res.Warnings = int(binary.LittleEndian.Uint16(p[1:]))
			return res, nil
		}
		if len(res.Rows) >= rowsMax {
			return nil, fmt.Errorf("more than %d rows", rowsMax)
		}
		row, err := rowOf(p, res.Columns, binaryRows)
		if err != nil {
			return nil, err
		}
		res.Rows = append(res.Rows, row)
	}
}

func okPacket(p []byte) *Result {
	affected, _, rest := lenenc(p[1:])
	id, _, rest := lenenc(rest)
	res := &Result{Affected: affected, LastID: id}
	if len(rest) >= 4 {
		res.Warnings = int(binary.LittleEndian.Uint16(rest[2:]))
	}
	return res
}

// lenenc reads a length-encoded integer; null is the code of NULL.
func lenenc(b []byte) (n uint64, null bool, rest []byte) {
	size := 0
	switch {
	case len(b) == 0:
		return 0, true, nil
	case b[0] == 0xfb:
		return 0, true, b[1:]
	case b[0] == 0xfc:
		size = 2
	case b[0] == 0xfd:
		size = 3
	case b[0] == 0xfe:
		size = 8
	default:
		return uint64(b[0]), false, b[1:]
	}
	if len(b) < 1+size {
		return 0, true, nil
	}
	for i := size; i > 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n, false, b[1+size:]
}

var errShort = errors.New("a packet is too short")

func textOf(b []byte) (Cell, []byte, error) {
	if len(b) == 0 {
		return nil, nil, errShort
	}
	n, null, rest := lenenc(b)
	if null {
		return nil, rest, nil
	}
	if uint64(len(rest)) < n {
		return nil, nil, errShort
	}
	return Cell(rest[:n:n]), rest[n:], nil
}

func columnOf(b []byte) (c Column, err error) {
	var cell Cell
	for i := range 6 { // catalogue, schema, table twice, name twice
		if cell, b, err = textOf(b); err != nil {
			return c, err
		}
		if i == 4 {
			c.Name = string(cell)
		}
	}
	if len(b) < 11 {
		return c, errShort
	}
	b = b[1:]
	c.Charset, c.Type, c.Flags, c.Decimals = binary.LittleEndian.Uint16(b), b[6], binary.LittleEndian.Uint16(b[7:]), b[9]
	return c, nil
}

func rowOf(p []byte, columns []Column, binaryRow bool) (row []Cell, err error) {
	row = make([]Cell, len(columns))
	if !binaryRow {
		for i := range columns {
			if row[i], p, err = textOf(p); err != nil {
				return nil, err
			}
		}
		return row, nil
	}
	nulls := (len(columns) + 9) / 8
	if len(p) < 1+nulls {
		return nil, errShort
	}
	bits, p := p[1:1+nulls], p[1+nulls:]
	for i, c := range columns {
		if bits[(i+2)/8]&(1<<((i+2)%8)) != 0 {
			continue
		}
		if row[i], p, err = binaryValue(p, c); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// The sizes of the types that have one; the others have their length before them.
var binarySizes = map[byte]int{1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 8: 8, 9: 4, 13: 2}

// binaryValue reads a value of the binary form and returns it as text.
func binaryValue(p []byte, c Column) (Cell, []byte, error) {
	size, sized := binarySizes[c.Type]
	if !sized {
		cell, rest, err := textOf(p)
		if err != nil {
			return nil, nil, err
		}
		switch c.Type {
		case 7, 10, 12:
			cell, err = binaryDate(cell, c.Type == 10)
		case 11:
			cell, err = binaryTime(cell)
		}
		if cell == nil {
			cell = Cell{}
		}
		return cell, rest, err
	}
	if len(p) < size {
		return nil, nil, errShort
	}
	var n uint64
	for i := size - 1; i >= 0; i-- {
		n = n<<8 | uint64(p[i])
	}
	var text string
	switch {
	case c.Type == 4:
		text = floatText(float64(math.Float32frombits(uint32(n))), 32)
	case c.Type == 5:
		text = floatText(math.Float64frombits(n), 64)
	case c.Flags&flagUnsigned != 0 || c.Type == 13:
		text = strconv.FormatUint(n, 10)
	default:
		shift := 64 - 8*size
		text = strconv.FormatInt(int64(n<<shift)>>shift, 10)
	}
	return Cell(text), p[size:], nil
}

func binaryDate(b []byte, date bool) (Cell, error) {
	if n := len(b); n != 0 && n != 4 && n != 7 && n != 11 {
		return nil, errShort
	}
	full := make([]byte, 11)
	copy(full, b)
	s := fmt.Sprintf("%04d-%02d-%02d", binary.LittleEndian.Uint16(full), full[2], full[3])
	if !date {
		s += fmt.Sprintf(" %02d:%02d:%02d", full[4], full[5], full[6])
		if us := binary.LittleEndian.Uint32(full[7:]); us > 0 {
			s += fmt.Sprintf(".%06d", us)
		}
	}
	return Cell(s), nil
}

func binaryTime(b []byte) (Cell, error) {
	if n := len(b); n != 0 && n != 8 && n != 12 {
		return nil, errShort
	}
	full := make([]byte, 12)
	copy(full, b)
	sign := ""
	if full[0] != 0 {
		sign = "-"
	}
	hours := uint64(binary.LittleEndian.Uint32(full[1:]))*24 + uint64(full[5])
	s := fmt.Sprintf("%s%02d:%02d:%02d", sign, hours, full[6], full[7])
	if us := binary.LittleEndian.Uint32(full[8:]); us > 0 {
		s += fmt.Sprintf(".%06d", us)
	}
	return Cell(s), nil
}

// floatText is a number as the text protocol writes it: 1e100.
func floatText(f float64, bits int) string {
	return strings.Replace(strconv.FormatFloat(f, 'g', -1, bits), "e+", "e", 1)
}
