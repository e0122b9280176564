package sql

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/sqltest"
)

// packetOf reads one packet.
func packetOf(t testing.TB, c net.Conn) []byte {
	t.Helper()
	header := make([]byte, 4)
	if _, err := io.ReadFull(c, header); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, bodyLength(header))
	if _, err := io.ReadFull(c, body); err != nil {
		t.Fatal(err)
	}
	return body
}

// greetedFlags are the status flags of the server's greeting.
func greetedFlags(t testing.TB, greeting []byte) uint16 {
	t.Helper()
	at := bytes.IndexByte(greeting[1:], 0) + 2 // behind the version
	at += 4 + 8 + 1 + 2 + 1                    // connection, salt, filler, capabilities, character set
	return binary.LittleEndian.Uint16(greeting[at:])
}

// command sends a command and returns the flags of the packet that ends its answer.
func command(t testing.TB, c net.Conn, number byte, text string) uint16 {
	t.Helper()
	body := append([]byte{number}, text...)
	if _, err := c.Write(append([]byte{byte(len(body)), byte(len(body) >> 8), 0, 0}, body...)); err != nil {
		t.Fatal(err)
	}
	ends := 0
	for {
		p := packetOf(t, c)
		switch {
		case p[0] == mysql.ErrPacket:
			t.Fatalf("%q: %q", text, p)
		case p[0] == mysql.OKPacket && ends == 0:
			return binary.LittleEndian.Uint16(p[3:]) // two counts of one byte each before
		case p[0] == mysql.EOFPacket && len(p) == 5:
			if ends++; ends == 2 { // behind the columns, and behind the rows
				return binary.LittleEndian.Uint16(p[3:])
			}
		}
	}
}

// What a client is told of autocommit and of its transaction, byte by byte: drivers
// believe it, and one that is told that autocommit is off never sends that it should be.
func TestStatusFlags(t *testing.T) {
	server, err := NewServer(sqltest.NewCluster("va").Gateway("va"), Config{Root: verifierOf(rootPassword)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c := dial(t, server.Addr().String())
	if got := greetedFlags(t, packetOf(t, c)); got != uint16(mysql.ServerStatusAutocommit) {
		t.Errorf("the greeting's flags are %d, want autocommit (%d)", got, mysql.ServerStatusAutocommit)
	}
	flagsOf(t, enter(t, server.Addr().String()))
}

// Under TLS it is the same.
func TestStatusFlagsOverTLS(t *testing.T) {
	g := startGuarded(t, nil)
	flagsOf(t, enterTLS(t, g.servers["va"].Addr().String()))
}

// flagsOf walks a connection of root's through the states that a client is told of.
func flagsOf(t *testing.T, c net.Conn) {
	t.Helper()
	const auto, in = uint16(mysql.ServerStatusAutocommit), uint16(mysql.ServerInTransaction)
	const query, ping, reset = mysql.ComQuery, mysql.ComPing, mysql.ComResetConnection
	for _, step := range []struct {
		command byte
		text    string
		want    uint16
	}{
		{ping, "", auto},
		{query, "CREATE DATABASE shop", auto},
		{query, "CREATE TABLE shop.t (id INT PRIMARY KEY)", auto},
		{query, "INSERT INTO shop.t VALUES (1)", auto},
		{query, "SELECT * FROM shop.t", auto},
		{query, "BEGIN", auto | in},
		{query, "SELECT 1", auto | in},
		{query, "INSERT INTO shop.t VALUES (2)", auto | in},
		{ping, "", auto | in},
		{query, "COMMIT", auto},
		{query, "SET autocommit = 0", 0},
		{query, "INSERT INTO shop.t VALUES (3)", in},
		{query, "SELECT * FROM shop.t", in},
		{query, "ROLLBACK", 0},
		{query, "SET autocommit = 1", auto},
		{query, "SELECT * FROM shop.t", auto},
		{query, "BEGIN", auto | in},
		{reset, "", auto},
		{query, "SET autocommit = 0", 0},
		{reset, "", auto},
		{ping, "", auto},
	} {
		if got := command(t, c, step.command, step.text); got != step.want {
			t.Errorf("%q (command %d): flags %d, want %d", step.text, step.command, got, step.want)
		}
	}
}
