package sql

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"isochron/sql/session"
	"isochron/sql/table"
	"isochron/sql/wire"
)

// What the wire library makes of a statement is a map of values by name, with a text for each, and of its answer a row of
// values for each row, each packet apart. A statement that a point update or a plan of the SQL core will do, as far as the
// session remembers, is read here instead, where its bytes come in, and answered with packets of package wire; whatever is
// not sure is left to the library. That is all in which such statements differ: the rest of their life is that of all
// (execution.go). What the core can prepare and the library's parser cannot is prepared here as well.

// The form of COM_STMT_EXECUTE: the command, the statement's number, flags, the
// number of iterations; then, if there are parameters, which are NULL, whether
// types follow, the types, the values. COM_QUERY and COM_STMT_PREPARE: the command, a text.
const (
	packetHeader   = 4
	queryCommand   = 0x03
	prepareCommand = 0x16
	executeCommand = 0x17
	closeCommand   = 0x19
	closeBytes     = 9  // of the packet that closes a statement
	executeFixed   = 10 // bytes before what parameters add
	executeFlags   = 5  // where the flags stand; 0: no cursor
	// belowBytes bounds what is read here; longer packets are for the library.
	belowBytes = 64 << 10
	// answerKept bounds the memory that a connection keeps for its next answer, and what it holds of an answer that may be
	// sent as it comes.
	answerKept = 64 << 10
	// writePiece is how much of an answer is written at once.
	writePiece = 256 << 10
)

// execute is what a connection keeps for statements that are read here.
type execute struct {
	hidden bool // the client speaks TLS
	never  bool // this connection is not for executions
	types  []wire.ParameterType
	values []wire.Parameter
	answer wire.Writer
	x      execution // of one after the other
}

// answer answers what a client has sent, if it is one whole statement that is read here, behind statements that it closes. It
// returns how many bytes are left for the wire library, at the beginning of b.
func (c *conn) answer(b []byte) (left int) {
	rest := b
	if c.frames.between() {
		if rest = c.closed(b); len(rest) > 0 && c.isWhole(rest) && c.dispatched(rest) {
			return 0
		}
	}
	left = copy(b, rest)
	c.frames.pass(b[:left])
	return left
}

// closed closes the statements that a client closes at the beginning of b, and returns what stands behind. Drivers send that
// with their next command, for it has no answer.
func (c *conn) closed(b []byte) []byte {
	before := len(b)
	for c.readsHere() && !c.execute.never && len(b) >= closeBytes && b[packetHeader] == closeCommand && bodyLength(b) == closeBytes-packetHeader && b[3] == 0 {
		delete(c.client.PrepareData, binary.LittleEndian.Uint32(b[packetHeader+1:]))
		b = b[closeBytes:]
	}
	if len(b) < before {
		c.recount()
	}
	return b
}

// dispatched answers one whole command; false: it is for the library.
func (c *conn) dispatched(b []byte) bool {
	switch body := b[packetHeader:]; body[0] {
	case executeCommand:
		return c.executed(body)
	case queryCommand:
		return c.queried(body[1:])
	case prepareCommand:
		return c.prepared(body[1:])
	}
	return false
}

// readsHere reports whether commands of the client are read here, and no statement runs: the library may look for the client's
// end while one does, and read what is sent then. Texts in another character set than UTF-8 are for the library.
func (c *conn) readsHere() bool {
	return c.session != nil && !c.execute.hidden && c.session.inside.Load() == 0 && c.session.coreSettings().client == nil
}

// isWhole reports whether b is one whole command that may be read here.
func (c *conn) isWhole(b []byte) bool {
	return c.readsHere() && len(b) > packetHeader && len(b) < belowBytes && bodyLength(b) == len(b)-packetHeader && b[3] == 0
}

// executed executes a prepared statement and answers it; false: it is for the library.
func (c *conn) executed(body []byte) bool {
	if c.execute.never || len(body) < executeFixed {
		return false
	}
	if c.execute.never = body[executeFlags] != 0; c.execute.never {
		return false // who opens cursors reads from them later
	}
	if binary.LittleEndian.Uint32(body[executeFlags+1:]) != 1 {
		return false
	}
	p := c.client.PrepareData[binary.LittleEndian.Uint32(body[1:])]
	if p == nil || len(p.BindVars) > 0 { // values that were sent before are for the library
		return false
	}
	t := c.session.texts.of(p.PrepareStmt)
	if !c.sent(p, body[executeFixed:]) {
		return false
	}
	r := request{text: p.PrepareStmt, prepare: p, sent: c.execute.values}
	if !updatesBelow(c.session, t, &r) && !coreBelow(c.session, t, &r) {
		return false
	}
	return c.run(t, r, c.executes(p))
}

// sent reads the values of an execution; false: the library says what is wrong with them.
func (c *conn) sent(p *mysql.PrepareData, rest []byte) bool {
	x := &c.execute
	x.types = x.types[:0]
	for _, t := range p.ParamsType {
		typ, flags := sqltypes.TypeToMySQL(querypb.Type(t))
		x.types = append(x.types, wire.ParameterType{Type: byte(typ), Unsigned: flags&int64(querypb.MySqlFlag_UNSIGNED_FLAG) != 0})
	}
	before, err := len(x.types), error(nil)
	if x.values, err = wire.Parameters(rest, x.types, x.values[:0]); err != nil {
		return false
	}
	for i := range before {
		unsigned := int64(0)
		if x.types[i].Unsigned {
			unsigned = int64(querypb.MySqlFlag_UNSIGNED_FLAG)
		}
		t, err := sqltypes.MySQLToType(int64(x.types[i].Type), unsigned)
		if err != nil {
			return false
		}
		p.ParamsType[i] = int32(t) // they hold until the client sends others
	}
	return true
}

// queried executes a text and answers it; false: it is for the library.
func (c *conn) queried(text []byte) bool {
	s := c.session
	first := table.FirstWord(string(text[:min(len(text), textBegin)]))
	if transactionWords[first] {
		return len(text) < textBegin && standsAlone(s) && readTransacting(s, string(text)) != nil && c.run(nil, request{text: string(text)}, nil)
	}
	if len(s.texts.kept) == 0 {
		return false
	}
	switch first {
	case "select", "with", "values", "table", "insert", "replace", "update", "delete":
	default:
		return false
	}
	r := textRequest(string(text), false)
	if r.keyed == "" {
		return false
	}
	t := s.texts.of(r.keyed)
	return t != nil && (updatesBelow(s, t, &r) || coreBelow(s, t, &r)) && c.run(t, r, nil)
}

// textBegin is how much of a text is looked at for its first word.
const textBegin = 32

// updatesBelow reports whether a statement is one that a point update has done before.
func updatesBelow(s *Session, t *text, r *request) bool {
	if t == nil || t.direct == nil || !s.Autocommit() || s.GetIgnoreAutoCommit() {
		return false
	}
	var room [8]any
	values := r.given(room[:0])
	return values != nil && t.direct.takes(values)
}

// coreBelow reports whether a statement is one for which the core has a plan, or may make one, and stands by itself.
func coreBelow(s *Session, t *text, r *request) bool {
	if !standsAlone(s) || session.SaysLasting(r.text) {
		return false
	}
	if t != nil && t.core.some() {
		if _, types, ok := r.coreParameters(); ok && (t.core.plans[types] != nil || t.core.changes[types] != nil) {
			return true
		}
	}
	if r.prepare == nil || t != nil && (t.above || t.core.refused || len(t.core.plans)+len(t.core.changes) >= variantsMax) {
		return false
	}
	if !mayUseCore(s, r.text) && !mayChangeByCore(s, r.text) {
		return false
	}
	return !mayLimitByNull(r)
}

// mayLimitByNull reports whether a parameter of LIMIT may be NULL, which is for numberLimits. With one LIMIT they are among the
// parameters behind it.
func mayLimitByNull(r *request) bool {
	isNull := func(p wire.Parameter) bool { return p.Null }
	text := strings.ToLower(r.text)
	at := strings.LastIndex(text, "limit")
	if at < 0 || !slices.ContainsFunc(r.sent, isNull) {
		return false
	}
	behind := min(strings.Count(text[at:], "?"), len(r.sent))
	return strings.Count(text, "limit") > 1 || slices.ContainsFunc(r.sent[len(r.sent)-behind:], isNull)
}

// standsAlone reports whether no statement of a packet is to be answered.
func standsAlone(s *Session) bool {
	p := &s.packet
	return len(p.ahead) == 0 && len(p.answers) == 0 && p.apart == "" && p.live == ""
}

// run runs a statement and answers it, with an error if there is one already.
func (c *conn) run(t *text, r request, err error) bool {
	x, w := &c.execute.x, &c.execute.answer
	w.Begin()
	*x = execution{request: r, h: c.gateway.handler, c: c.client, s: c.session, below: c}
	if t != nil {
		x.shownText = &t.shownText
	}
	if err == nil {
		if r.prepare != nil {
			c.session.prepared.preparing = r.text
			defer func() { c.session.prepared.preparing = "" }()
		}
		err = x.run(context.Background())
	}
	if err == errAbove {
		return false
	}
	c.gateway.below.Add(1)
	switch {
	case err != nil:
		if !x.streamed {
			w.Begin()
		}
		e := asSQLError(err)
		w.Error(uint16(e.Num), e.State, e.Message)
	case x.described:
		w.EOF(c.client.StatusFlags, c.warnings(), c.deprecatesEOF())
	default:
		w.OK(x.result.RowsAffected, x.result.InsertID, c.client.StatusFlags, c.warnings(), x.result.Info)
	}
	c.send()
	return true
}

// warnings is how many warnings the statement has.
func (c *conn) warnings() uint16 {
	return uint16(min(c.session.WarningCount(), math.MaxUint16))
}

// send sends what there is of the answer. What fails is done and must not be done again: the next read fails.
func (c *conn) send() {
	for b := c.execute.answer.Bytes(); len(b) > 0; { // each piece has the patience of a write
		n := min(len(b), writePiece)
		if _, err := c.Write(b[:n]); err != nil {
			_ = c.Conn.Close()
			break
		}
		b = b[n:]
	}
	c.execute.answer.Sent(answerKept)
}

// deprecatesEOF reports whether the client takes no EOF packets.
func (c *conn) deprecatesEOF() bool {
	return c.client.Capabilities&mysql.CapabilityClientDeprecateEOF != 0
}

// asSQLError is an error with a number.
func asSQLError(err error) *mysql.SQLError {
	if e, ok := err.(*mysql.SQLError); ok {
		return e
	}
	return mysql.NewSQLError(codeUnspecified, mysql.SSUnknownSQLState, "%v", err)
}

// prepared prepares a query or a change that the core executes, and answers it; false: it is for the library.
func (c *conn) prepared(body []byte) bool {
	text := string(body)
	switch table.FirstWord(text) {
	case "select", "with", "values", "table", "insert", "replace", "update", "delete", "create", "alter", "drop", "rename", "truncate":
	default:
		return false
	}
	if c.client.Capabilities&mysql.CapabilityClientMultiStatements != 0 && several(text) {
		return false
	}
	fields, parameters, ok, failed := prepareBelow(c.session, text)
	w := &c.execute.answer
	if failed != nil {
		e := asSQLError(errorOf(c.session, failed))
		w.Begin()
		w.Error(uint16(e.Num), e.State, e.Message)
		c.send()
		return true
	}
	if !ok {
		return false
	}
	m := c.client
	m.StatementID++
	p := &mysql.PrepareData{StatementID: m.StatementID, PrepareStmt: text, ParamsCount: uint16(parameters), ParamsType: make([]int32, parameters), BindVars: map[string]*querypb.BindVariable{}}
	m.PrepareData[p.StatementID] = p
	w.Begin()
	if err := c.gateway.prepare(m, p.StatementID); err != nil {
		e := asSQLError(err)
		w.Error(uint16(e.Num), e.State, e.Message)
	} else {
		w.Prepared(p.StatementID, parameters, wireColumns(fields), m.StatusFlags, c.deprecatesEOF())
	}
	c.send()
	return true
}

// appendSent appends values that were read here as int64 and string; nil if others are among them.
func appendSent(into []any, sent []wire.Parameter) []any {
	for i := range sent {
		p := &sent[i]
		switch n, ok := p.Integer(); {
		case p.Null || p.Float() || p.IsTime():
			return nil
		case !ok:
			into = append(into, string(p.Text()))
		case p.Unsigned && n > math.MaxInt64:
			return nil
		default:
			into = append(into, int64(n))
		}
	}
	return into
}
