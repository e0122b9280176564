package sql

import (
	"context"
	"encoding/binary"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// What the wire library makes of the execution of a prepared statement is a map of
// values by name, with a text for each, in buffers that it takes and gives back. One
// that a point update will do, as far as the session remembers, is read here instead,
// where its bytes come in, and answered at once; whatever it is not sure of it leaves to
// the library. That is all in which such statements differ: the rest of their life is
// that of all (execution.go).

// The form of COM_STMT_EXECUTE: the command, the statement's number, flags, the
// number of iterations; then, if there are parameters, which are NULL, whether
// types follow, the types, the values.
const (
	packetHeader   = 4
	executeCommand = 0x17
	executeFixed   = 10 // bytes before what parameters add
	executeFlags   = 5  // where the flags stand; 0: no cursor
	pointValuesMax = 8
	okPacketRoom   = 64
)

// execute is what a connection keeps for statements that are read here.
type execute struct {
	hidden bool // the client speaks TLS
	never  bool // this connection is not for it
	values [pointValuesMax]any
	packet [okPacketRoom]byte // the answer
	x      execution          // of one after the other
}

// answer answers what a client has sent, if it is one whole statement that is read here.
// If not, the bytes are for the wire library.
func (c *conn) answer(b []byte) bool {
	begins := c.frames.between()
	if begins && c.isExecute(b) && c.executed(b[packetHeader:]) {
		return true
	}
	c.frames.pass(b)
	return false
}

// isExecute reports whether b is one whole COM_STMT_EXECUTE, and no other statement runs:
// the library may look for the client's end while one does, and read what is sent then.
func (c *conn) isExecute(b []byte) bool {
	return c.session != nil && !c.execute.hidden && !c.execute.never && len(b) >= packetHeader+executeFixed && bodyLength(b) == len(b)-packetHeader && b[3] == 0 && b[packetHeader] == executeCommand && c.session.inside.Load() == 0
}

// executed executes the statement and answers it; false: it is for the library.
func (c *conn) executed(body []byte) bool {
	if c.execute.never = body[executeFlags] != 0; c.execute.never {
		return false // who opens cursors reads from them later
	}
	if binary.LittleEndian.Uint32(body[executeFlags+1:]) != 1 {
		return false
	}
	p := c.client.PrepareData[binary.LittleEndian.Uint32(body[1:])]
	if p == nil || len(p.BindVars) > 0 || len(p.ParamsType) > pointValuesMax { // values that were sent before are for the library
		return false
	}
	s := c.session
	t := s.texts.of(p.PrepareStmt)
	if t == nil || t.direct == nil || !s.autocommit() || s.GetIgnoreAutoCommit() {
		return false
	}
	values, ok := given(c.execute.values[:0], p, body[executeFixed:])
	if !ok || !t.direct.takes(values) {
		return false
	}
	x := &c.execute.x
	*x = execution{request: request{text: p.PrepareStmt, prepare: p, sent: values}, h: c.gateway.handler, c: c.client, s: s, below: true, shownText: &t.shownText}
	err := c.executes(p)
	if err == nil {
		err = x.run(context.Background())
	}
	if err == errAbove {
		return false
	}
	c.gateway.below.Add(1)
	answer := okPacket(c.execute.packet[:0], int64(x.result.RowsAffected), c.client.StatusFlags)
	if err != nil {
		answer = errPacket(c.execute.packet[:0], err)
	}
	if _, err := c.Write(answer); err != nil {
		_ = c.Conn.Close() // it is done and must not be done again: the next read fails
	}
	return true
}

// given appends the values of an execution, as int64 and string; ok is false if
// others are among them, or the bytes are not what they should be.
func given(into []any, p *mysql.PrepareData, rest []byte) (values []any, ok bool) {
	n := len(p.ParamsType)
	if n == 0 {
		return into, true
	}
	nulls := (n + 7) / 8
	if len(rest) < nulls+1 || !allZero(rest[:nulls]) {
		return nil, false
	}
	typed := rest[nulls] == 1
	rest = rest[nulls+1:]
	if typed {
		if len(rest) < 2*n || !retype(p.ParamsType, rest) {
			return nil, false
		}
		rest = rest[2*n:]
	}
	for _, t := range p.ParamsType {
		var v any
		if v, rest, ok = takeValue(querypb.Type(t), rest); !ok {
			return nil, false
		}
		into = append(into, v)
	}
	return into, true
}

func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// retype notes the types that a client has sent: they hold until it sends others.
func retype(types []int32, sent []byte) bool {
	for i := range types {
		t, err := sqltypes.MySQLToType(int64(sent[2*i]), int64(sent[2*i+1])>>2)
		if err != nil {
			return false
		}
		types[i] = int32(t)
	}
	return true
}

// takeValue takes the first value of b.
func takeValue(t querypb.Type, b []byte) (v any, rest []byte, ok bool) {
	switch t {
	case sqltypes.Int8, sqltypes.Uint8:
		if len(b) < 1 {
			return nil, nil, false
		}
		return integer(t, int64(int8(b[0])), 8), b[1:], true
	case sqltypes.Int16, sqltypes.Uint16:
		if len(b) < 2 {
			return nil, nil, false
		}
		return integer(t, int64(int16(binary.LittleEndian.Uint16(b))), 16), b[2:], true
	case sqltypes.Int24, sqltypes.Uint24, sqltypes.Int32, sqltypes.Uint32:
		if len(b) < 4 {
			return nil, nil, false
		}
		return integer(t, int64(int32(binary.LittleEndian.Uint32(b))), 32), b[4:], true
	case sqltypes.Int64, sqltypes.Uint64:
		if len(b) < 8 {
			return nil, nil, false
		}
		n := int64(binary.LittleEndian.Uint64(b))
		return n, b[8:], n >= 0 || t == sqltypes.Int64
	case sqltypes.Decimal, sqltypes.Text, sqltypes.Blob, sqltypes.VarChar, sqltypes.Char, sqltypes.VarBinary, sqltypes.Binary:
		return takeText(b)
	}
	return nil, nil, false
}

// integer is a number of so many bits, which came signed.
func integer(t querypb.Type, n int64, bits uint) int64 {
	if sqltypes.IsUnsigned(t) {
		return n & (1<<bits - 1)
	}
	return n
}

// takeText takes a text with its length before it; longer ones than fit in two
// bytes are for the library.
func takeText(b []byte) (v any, rest []byte, ok bool) {
	if len(b) < 1 || b[0] > 0xfc || b[0] == 0xfb || b[0] == 0xfc && len(b) < 3 {
		return nil, nil, false
	}
	n, from := int(b[0]), 1
	if b[0] == 0xfc {
		n, from = int(binary.LittleEndian.Uint16(b[1:])), 3
	}
	if len(b) < from+n {
		return nil, nil, false
	}
	return string(b[from : from+n]), b[from+n:], true
}

// okPacket appends the packet that says that so many rows were changed: at most 250.
func okPacket(into []byte, affected int64, flags uint16) []byte {
	into = append(into, 7, 0, 0, 1, mysql.OKPacket, byte(affected), 0)
	into = binary.LittleEndian.AppendUint16(into, flags)
	return append(into, 0, 0) // no warnings
}

// errPacket appends the packet that says why a statement has failed.
func errPacket(into []byte, err error) []byte {
	e, ok := err.(*mysql.SQLError)
	if !ok {
		e = mysql.NewSQLError(codeUnspecified, mysql.SSUnknownSQLState, "%v", err)
	}
	n := 9 + len(e.Message)
	into = append(into, byte(n), byte(n>>8), byte(n>>16), 1, mysql.ErrPacket)
	into = binary.LittleEndian.AppendUint16(into, uint16(e.Num))
	return append(append(append(into, '#'), e.State...), e.Message...)
}
