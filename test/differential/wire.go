package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"time"
)

// Bounds of what a server may send.
const (
	packetMax = 1<<24 - 1
	rowsMax   = 100_000
)

// Capabilities that the client has: long flags, a database at login, protocol 4.1, transactions, authentication by
// plugin, several results.
const capabilities = 0x1 | 0x4 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x20000 | 0x80000

// utf8mb4General is the number of the collation utf8mb4_general_ci.
const utf8mb4General = 45

// ServerError is an error that the server sent.
type ServerError struct {
	Code    int
	State   string
	Message string
}

func (e *ServerError) Error() string {
	return fmt.Sprintf("error %d (%s): %s", e.Code, e.State, e.Message)
}

// Column is a column of an answer, as the packet has it.
type Column struct {
	Name     string
	Type     byte
	Charset  uint16
	Flags    uint16
	Decimals byte
}

// Cell is a value as text, nil for NULL.
type Cell []byte

// Result is what a statement returned.
type Result struct {
	Columns  []Column
	Rows     [][]Cell
	Affected uint64
	LastID   uint64
	Warnings int
}

// wireConn is a connection that speaks MySQL's protocol, without TLS and without a password.
type wireConn struct {
	conn net.Conn
	r    *bufio.Reader
	seq  byte
}

// dialWire connects as root. The statement bound is also that of the login.
func dialWire(address, database string, bound time.Duration) (*wireConn, error) {
	c, err := net.DialTimeout("tcp", address, bound)
	if err != nil {
		return nil, err
	}
	w := &wireConn{conn: c, r: bufio.NewReaderSize(c, 1<<16)}
	if err := errors.Join(c.SetDeadline(time.Now().Add(bound)), w.login(database)); err != nil {
		c.Close()
		return nil, err
	}
	return w, nil
}

func (w *wireConn) login(database string) error {
	greeting, err := w.read()
	if err != nil {
		return err
	}
	if len(greeting) > 0 && greeting[0] == 0xff {
		return serverError(greeting)
	}
	b := binary.LittleEndian.AppendUint32(nil, capabilities)
	b = binary.LittleEndian.AppendUint32(b, packetMax)
	b = append(b, utf8mb4General)
	b = append(b, make([]byte, 23)...)
	b = append(b, "root\x00\x00"...) // the length of the password's hash is 0
	b = append(b, database+"\x00mysql_native_password\x00"...)
	if err := w.write(b); err != nil {
		return err
	}
	for range 4 {
		p, err := w.read()
		if err != nil {
			return err
		}
		switch p[0] {
		case 0:
			return nil
		case 0xff:
			return serverError(p)
		case 0xfe: // another plugin: its answer for an empty password is empty
			if err := w.write(nil); err != nil {
				return err
			}
		}
	}
	return errors.New("the server asks for a password")
}

func (w *wireConn) close() { w.conn.Close() }

// deadline bounds all that follows.
func (w *wireConn) deadline(d time.Duration) error { return w.conn.SetDeadline(time.Now().Add(d)) }

// read reads one packet of any length.
func (w *wireConn) read() ([]byte, error) {
	var out []byte
	for {
		var head [4]byte
		if _, err := io.ReadFull(w.r, head[:]); err != nil {
			return nil, err
		}
		n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
		w.seq = head[3] + 1
		at := len(out)
		out = append(out, make([]byte, n)...)
		if _, err := io.ReadFull(w.r, out[at:]); err != nil {
			return nil, err
		}
		if n < packetMax {
			break
		}
	}
	if len(out) == 0 {
		return nil, errors.New("an empty packet")
	}
	return out, nil
}

func (w *wireConn) write(b []byte) error {
	for {
		n := min(len(b), packetMax)
		head := []byte{byte(n), byte(n >> 8), byte(n >> 16), w.seq}
		w.seq++
		if _, err := w.conn.Write(append(head, b[:n]...)); err != nil {
			return err
		}
		if b = b[n:]; n < packetMax {
			return nil
		}
	}
}

func (w *wireConn) command(kind byte, body []byte) error {
	w.seq = 0
	return w.write(append([]byte{kind}, body...))
}

func serverError(p []byte) error {
	e := &ServerError{Code: int(binary.LittleEndian.Uint16(p[1:]))}
	rest := p[3:]
	if len(rest) > 6 && rest[0] == '#' {
		e.State, rest = string(rest[1:6]), rest[6:]
	}
	e.Message = string(rest)
	return e
}

// query sends a statement as text.
func (w *wireConn) query(statement string) (*Result, error) {
	if err := w.command(3, []byte(statement)); err != nil {
		return nil, err
	}
	return w.result(false)
}

// execute prepares a statement, executes it once and closes it.
func (w *wireConn) execute(statement string, args []*Literal) (*Result, error) {
	if err := w.command(0x16, []byte(statement)); err != nil {
		return nil, err
	}
	p, err := w.read()
	if err != nil {
		return nil, err
	}
	if p[0] == 0xff {
		return nil, serverError(p)
	}
	if len(p) < 9 {
		return nil, errors.New("a short answer to a preparation")
	}
	id := p[1:5]
	columns, params := binary.LittleEndian.Uint16(p[5:]), binary.LittleEndian.Uint16(p[7:])
	for _, n := range []uint16{params, columns} {
		if n == 0 {
			continue
		}
		for range int(n) + 1 { // and the end of the definitions
			if _, err := w.read(); err != nil {
				return nil, err
			}
		}
	}
	if int(params) != len(args) {
		return nil, fmt.Errorf("%d parameters for %d values", params, len(args))
	}
	if err := w.command(0x17, execution(id, args)); err != nil {
		return nil, err
	}
	res, err := w.result(true)
	var failed *ServerError
	if err == nil || errors.As(err, &failed) {
		if e := w.command(0x19, id); e != nil {
			return nil, e
		}
	}
	return res, err
}

// execution is the body of COM_STMT_EXECUTE.
func execution(id []byte, args []*Literal) []byte {
	b := append(append([]byte{}, id...), 0, 1, 0, 0, 0)
	if len(args) == 0 {
		return b
	}
	nulls := make([]byte, (len(args)+7)/8)
	var types, values []byte
	for i, a := range args {
		types = binary.LittleEndian.AppendUint16(types, a.Type)
		switch a.Type {
		case typeNull:
			nulls[i/8] |= 1 << (i % 8)
		case typeLongLong:
			n, _ := strconv.ParseInt(a.Value, 10, 64) // integer has checked it
			values = binary.LittleEndian.AppendUint64(values, uint64(n))
		case typeUnsigned:
			n, _ := strconv.ParseUint(a.Value, 10, 64)
			values = binary.LittleEndian.AppendUint64(values, n)
		case typeDouble:
			f, _ := strconv.ParseFloat(a.Value, 64)
			values = binary.LittleEndian.AppendUint64(values, math.Float64bits(f))
		default:
			values = appendText(values, a.Value)
		}
	}
	b = append(append(b, nulls...), 1)
	return append(append(b, types...), values...)
}

func appendText(b []byte, s string) []byte {
	switch n := len(s); {
	case n < 251:
		b = append(b, byte(n))
	case n < 1<<16:
		b = append(b, 0xfc, byte(n), byte(n>>8))
	default:
		b = append(b, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
	return append(b, s...)
}
