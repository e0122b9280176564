package sql

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/sqltest"
	"isochron/sql/wire"
	"isochron/txn"
)

// rawClient is a client that writes its packets itself. It has logged in and prepared
// one update of one row of the table t, which is a point update.
type rawClient struct {
	tb    testing.TB
	c     net.Conn
	id    uint32
	reply [64]byte
}

const wireUpdate = "UPDATE d.t SET n = n + ? WHERE id = ?"

func newWire(tb testing.TB, s *Server) *rawClient {
	w := &rawClient{tb: tb, c: enter(tb, s.Addr().String())}
	tb.Cleanup(func() { w.c.Close() })
	for _, text := range []string{"CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, n INT)", "INSERT INTO d.t VALUES (1, 0)"} {
		w.send(append([]byte{3}, text...))
		w.ok()
	}
	w.send(append([]byte{0x16}, wireUpdate...))
	w.id = binary.LittleEndian.Uint32(w.packet()[1:])
	for range 3 { // the two parameters and the end of them
		w.packet()
	}
	for range 3 {
		w.send(w.execution(0, 1))
		w.ok()
	}
	return w
}

// execution of the update, with types.
func (w *rawClient) execution(n, id int32) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{executeCommand}, w.id)
	b = append(b, 0, 1, 0, 0, 0, 0, 1, 3, 0, 3, 0)
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(n)), uint32(id))
}

// framed is a command in its packet.
func framed(body []byte) []byte {
	return append([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), 0}, body...)
}

func (w *rawClient) send(body []byte) { w.raw(framed(body)) }

func (w *rawClient) raw(b []byte) {
	w.tb.Helper()
	if _, err := w.c.Write(b); err != nil {
		w.tb.Fatal(err)
	}
}

// packet is the body of the next packet, or its first bytes.
func (w *rawClient) packet() []byte {
	w.tb.Helper()
	if _, err := io.ReadFull(w.c, w.reply[:packetHeader]); err != nil {
		w.tb.Fatal(err)
	}
	n := bodyLength(w.reply[:])
	kept := min(n, len(w.reply))
	_, err := io.ReadFull(w.c, w.reply[:kept])
	if _, err2 := io.CopyN(io.Discard, w.c, int64(n-kept)); err != nil || err2 != nil {
		w.tb.Fatal(err, err2)
	}
	return w.reply[:kept]
}

// ok takes an OK and returns how many rows were affected.
func (w *rawClient) ok() byte {
	w.tb.Helper()
	b := w.packet()
	if b[0] != mysql.OKPacket {
		w.tb.Fatalf("the server answers %q", b)
	}
	return b[1]
}

// However the bytes of statements come in, each is done once and answered in turn.
func TestOnlyWholeStatementsAreReadBelow(t *testing.T) {
	f := startGuarded(t, nil)
	g := f.servers["va"].gateway
	w := newWire(t, f.servers["va"])
	one, none := framed(w.execution(1, 1)), framed(w.execution(1, 7))
	ping, longData := framed([]byte{0x0e}), framed(append(binary.LittleEndian.AppendUint32([]byte{0x18}, w.id), 0, 0, '9'))
	for _, step := range []struct {
		what  string
		sent  [][]byte
		want  [][]byte // rows affected, of the answers after each piece
		below int64
	}{
		{"one", [][]byte{one}, [][]byte{{1}}, 1},
		{"one for no row", [][]byte{none}, [][]byte{{0}}, 1},
		{"two at once", [][]byte{bytes.Join([][]byte{one, none}, nil)}, [][]byte{{1, 0}}, 0},
		{"one in two pieces", [][]byte{one[:2], one[2:]}, [][]byte{{}, {1}}, 0},
		{"one and a half, and the rest", [][]byte{bytes.Join([][]byte{one, none[:9]}, nil), none[9:]}, [][]byte{{1}, {0}}, 0},
		{"a ping and one", [][]byte{bytes.Join([][]byte{ping, one}, nil)}, [][]byte{{0, 1}}, 0},
		{"after all that", [][]byte{one}, [][]byte{{1}}, 1},
		{"a value sent before", [][]byte{longData, one}, [][]byte{{}, {1}}, 0},
	} {
		before := g.below.Load()
		for i, b := range step.sent {
			w.raw(b)
			for _, want := range step.want[i] {
				if got := w.ok(); got != want {
					t.Errorf("%s: %d rows affected, not %d", step.what, got, want)
				}
			}
			if len(step.want[i]) == 0 {
				eventually(t, "the piece was read", func() bool { return connOf(theOnly(g)).request.Load() > 0 })
			}
		}
		if n := g.below.Load() - before; n != step.below {
			t.Errorf("%s: %d were read below the wire library, not %d", step.what, n, step.below)
		}
	}
}

func theOnly(g *gateway) *mysql.Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.conns { // order: there is one
		return c
	}
	return nil
}

func TestValuesOfAnExecution(t *testing.T) {
	long := bytes.Repeat([]byte{'x'}, 300)
	for _, c := range []struct {
		what string
		rest []byte
		want []any // nil: for no point update
	}{
		{"as typed before", append([]byte{0, 0}, append(bytes.Repeat([]byte{0xff}, 8), 2, 0, 0, 0, 0, 0, 0, 0)...), []any{int64(-1), int64(2)}},
		{"signed and unsigned", []byte{0, 1, 1, 0, 1, 0x80, 0xff, 0xff}, []any{int64(-1), int64(255)}},
		{"two and four bytes", []byte{0, 1, 2, 0x80, 3, 0, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff}, []any{int64(65535), int64(-2)}},
		{"four unsigned, and a text", []byte{0, 1, 3, 0x80, 0xfe, 0, 0xff, 0xff, 0xff, 0xff, 2, 'a', 'b'}, []any{int64(4294967295), "ab"}},
		{"texts", append(append([]byte{0, 1, 0xfd, 0, 0xfc, 0, 0}, 0xfc, 44, 1), long...), []any{"", string(long)}},
		{"a length of three bytes", []byte{0, 1, 1, 0, 0xfe, 0, 1, 0xfd, 1, 0, 0, 'x'}, []any{int64(1), "x"}},
		{"beyond int64", append([]byte{0, 1, 8, 0x80, 1, 0}, append(bytes.Repeat([]byte{0xff}, 8), 1)...), nil},
		{"NULL", []byte{2, 1, 1, 0, 1, 0, 1}, nil},
		{"a double", []byte{0, 1, 5, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1}, nil},
		{"a date", []byte{0, 1, 10, 0, 1, 0, 4, 0xe8, 7, 2, 29, 1}, nil},
	} {
		sent, err := wire.Parameters(c.rest, []wire.ParameterType{{Type: 8}, {Type: 8}}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		got := appendSent([]any{}, sent)
		if (got == nil) != (c.want == nil) {
			t.Errorf("%s: %v", c.what, got)
			continue
		}
		for i := range c.want {
			if got[i] != c.want[i] {
				t.Errorf("%s: value %d is %v, not %v", c.what, i, got[i], c.want[i])
			}
		}
	}
}

// still is a gateway beneath which, once told, every row is the same and an update
// costs nothing.
type still struct {
	*sqltest.Gateway
	row [][]byte
}

func (g *still) Begin(o txn.Options) txn.Txn {
	tx := g.Gateway.Begin(o)
	if g.row != nil {
		return stillTxn{tx, g}
	}
	return tx
}

type stillTxn struct {
	txn.Txn
	g *still
}

func (t stillTxn) Update(_ context.Context, _ txn.Read, f func([][]byte) ([]txn.Write, bool)) (bool, error) {
	_, ok := f(t.g.row)
	return ok, nil
}

// BenchmarkUpdate is an update by key, from the packet that comes in to the packet
// that goes out, over TCP, without a database beneath. Of the allocations one is the
// layer's; the others are the model's, and those of the row that is changed.
func BenchmarkUpdate(b *testing.B) {
	g := &still{Gateway: sqltest.NewCluster("va").Gateway("va")}
	s, err := NewServer(g, Config{Root: verifierOf(rootPassword)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	w := newWire(b, s)
	g.row = stillRow(b, g, s)
	before := s.gateway.below.Load()
	packet := framed(w.execution(5, 1))
	b.ReportAllocs()
	for b.Loop() {
		w.raw(packet)
		w.ok()
	}
	if n := s.gateway.below.Load() - before; n < int64(b.N) {
		b.Fatalf("%d of %d were read below the wire library", n, b.N)
	}
}
