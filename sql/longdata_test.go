package sql

import (
	"bytes"
	"encoding/binary"
	"net"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
)

// ahead is a client that speaks byte by byte, and has prepared INSERT INTO shop.b VALUES (?, ?).
type ahead struct {
	t  *testing.T
	c  net.Conn
	id uint32
}

func (a *ahead) send(body []byte) {
	a.t.Helper()
	if _, err := a.c.Write(append([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), 0}, body...)); err != nil {
		a.t.Fatal(err)
	}
}

func (a *ahead) prepare() {
	a.t.Helper()
	a.send(append([]byte{mysql.ComPrepare}, "INSERT INTO shop.b VALUES (?, ?)"...))
	p := packetOf(a.t, a.c)
	if p[0] != mysql.OKPacket {
		a.t.Fatalf("prepare: %q", p)
	}
	a.id = binary.LittleEndian.Uint32(p[1:])
	for range 3 { // two parameters, and the end of them
		packetOf(a.t, a.c)
	}
}

// data sends a piece of the second parameter ahead.
func (a *ahead) data(piece []byte) {
	a.t.Helper()
	a.send(append(binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint32([]byte{mysql.ComStmtSendLongData}, a.id), 1), piece...))
}

// execute executes it with a number for the first parameter; "" is success.
func (a *ahead) execute(n int32) string {
	a.t.Helper()
	body := binary.LittleEndian.AppendUint32([]byte{mysql.ComStmtExecute}, a.id)
	body = append(body, 0, 1, 0, 0, 0, 0, 1, 3, 0, 252, 0) // no cursor, once, no NULLs, types follow: INT, BLOB
	a.send(binary.LittleEndian.AppendUint32(body, uint32(n)))
	p := packetOf(a.t, a.c)
	if p[0] == mysql.ErrPacket {
		return string(p[3:])
	}
	return ""
}

func (a *ahead) ping() {
	a.t.Helper()
	command(a.t, a.c, mysql.ComPing, "")
}

// What a client sends ahead of an execution counts: beyond the bound the execution fails,
// the connection lives, and nothing is kept.
func TestLongDataIsBounded(t *testing.T) {
	for name, enters := range map[string]func(testing.TB, string) net.Conn{"plain": enter, "tls": enterTLS} {
		t.Run(name, func(t *testing.T) {
			g := startGuarded(t, func(c *Config) { c.Memory = Memory{Statements: 64 << 20} }) // 16 MiB for a connection
			server := g.servers["va"]
			root := g.open(t, "va", "root", rootPassword, false)
			must(t, root, "CREATE DATABASE shop", "CREATE TABLE shop.b (id INT PRIMARY KEY, v LONGBLOB)")
			a := &ahead{t: t, c: enters(t, server.Addr().String())}
			a.prepare()
			idle := server.gateway.budget.InUse()
			piece := bytes.Repeat([]byte{'x'}, 1<<20)
			for range 3 {
				a.data(piece)
			}
			if said := a.execute(1); said != "" {
				t.Fatalf("3 MiB: %s", said)
			}
			for i := range 300 { // more than one request may have, with answers between them and without
				a.data(piece)
				if i > 200 {
					a.ping()
				}
			}
			if used := server.gateway.budget.InUse() - idle; used > 17<<20 {
				t.Errorf("%d bytes are counted", used)
			}
			if said := a.execute(2); !strings.Contains(said, connectionMemory) {
				t.Errorf("300 MiB were sent ahead: %q", said)
			}
			a.data([]byte("short"))
			if said := a.execute(3); said != "" {
				t.Errorf("afterwards: %s", said)
			}
			a.send(binary.LittleEndian.AppendUint32([]byte{mysql.ComStmtReset}, a.id))
			packetOf(t, a.c)
			a.ping()
			var n, length int
			if err := root.QueryRow("SELECT count(*), sum(length(v)) FROM shop.b").Scan(&n, &length); err != nil || n != 2 || length != 3<<20+5 {
				t.Errorf("%d rows with %d bytes are there (%v)", n, length, err)
			}
			_ = a.c.Close()
			eventually(t, "a closed connection has given back what it held", func() bool { return server.gateway.budget.InUse() <= idle })
		})
	}
}

// One parameter is no longer than a packet may be, whatever memory there is.
func TestLongDataWithinAPacket(t *testing.T) {
	g := startGuarded(t, func(c *Config) { c.Memory = Memory{Statements: 4 << 30} })
	root := g.open(t, "va", "root", rootPassword, false)
	must(t, root, "CREATE DATABASE shop", "CREATE TABLE shop.b (id INT PRIMARY KEY, v LONGBLOB)")
	a := &ahead{t: t, c: enter(t, g.servers["va"].Addr().String())}
	a.prepare()
	piece := bytes.Repeat([]byte{'x'}, 8<<20)
	for range 9 {
		a.data(piece)
	}
	if said := a.execute(1); !strings.Contains(said, "max_allowed_packet") {
		t.Errorf("72 MiB in one parameter: %q", said)
	}
	a.ping()
}
