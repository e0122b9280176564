package sql

import (
	"context"
	"encoding/binary"
	"io"
	"testing"
	"time"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// BenchmarkStatement is what the layer spends on a statement of one row by its key,
// from the packet that comes in to those that go out, over TCP, over the model of a
// cluster, whose allocations are among those that are counted.
func BenchmarkStatement(b *testing.B) {
	for _, c := range []struct {
		name string
		text string
		args []int32 // nil: it is sent as text
	}{
		{"select/prepared", "SELECT n FROM d.t WHERE id = ?", []int32{1}},
		{"select/text", "SELECT n FROM d.t WHERE id = 1", nil},
		{"update/prepared", wireUpdate, []int32{5, 1}},
		{"update/text", "UPDATE d.t SET n = n + 5 WHERE id = 1", nil},
		{"insert/prepared", "INSERT INTO d.u VALUES (?, ?)", []int32{0, 1}},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkStatement(b, c.text, c.args) })
	}
}

func benchmarkStatement(b *testing.B, text string, args []int32) {
	g := &still{Gateway: sqltest.NewCluster("va").Gateway("va")}
	s, err := NewServer(g, Config{Root: verifierOf(rootPassword)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	w := newWire(b, s)
	w.send(append([]byte{3}, "CREATE TABLE d.u (id INT PRIMARY KEY, n INT)"...))
	w.ok()
	g.row = stillRow(b, g, s)
	body := append([]byte{3}, text...)
	if args != nil {
		w.send(append([]byte{0x16}, text...))
		body = executionOf(binary.LittleEndian.Uint32(w.drained()[packetHeader+1:]), args)
	}
	packet := framed(body)
	next := func() {}
	if args != nil && args[0] == 0 { // a new row each time
		id := packet[len(packet)-4*len(args):]
		next = func() { binary.LittleEndian.PutUint32(id, binary.LittleEndian.Uint32(id)+1) }
	}
	var answer []byte
	for range 5 {
		next()
		w.raw(packet)
		answer = w.drained()
	}
	b.ReportAllocs()
	for b.Loop() {
		next()
		w.raw(packet)
		if _, err := io.ReadFull(w.c, answer); err != nil {
			b.Fatal(err)
		}
	}
}

// drained are the bytes of all packets that come before a while without any.
func (w *rawClient) drained() (all []byte) {
	w.tb.Helper()
	room := make([]byte, 4096)
	for {
		_ = w.c.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		n, err := w.c.Read(room)
		if all = append(all, room[:n]...); err != nil {
			_ = w.c.SetReadDeadline(time.Time{})
			return all
		}
	}
}

// executionOf a prepared statement with four-byte numbers, with their types.
func executionOf(id uint32, args []int32) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{executeCommand}, id)
	b = append(b, 0, 1, 0, 0, 0, 0, 1)
	for range args {
		b = append(b, 3, 0)
	}
	for _, n := range args {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return b
}

// stillRow is the row of the table t.
func stillRow(tb testing.TB, g *still, s *Server) [][]byte {
	t, _ := s.gateway.store.Held().Table("d", "t")
	key, err := t.RowKey([]any{int32(1), int32(0)}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	got, err := g.Gateway.Begin(txn.Options{}).Read(context.Background(), txn.Read{Gets: []txn.Key{key}})
	if err != nil {
		tb.Fatal(err)
	}
	return got.Values
}
