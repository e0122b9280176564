package sql

import (
	"bytes"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"
)

// dial opens a connection and reads the server's greeting.
func dial(t testing.TB, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // only so that a hang ends as a failure
	return c
}

func greeting(t testing.TB, c net.Conn) {
	t.Helper()
	header := make([]byte, 4)
	if _, err := io.ReadFull(c, header); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, c, int64(header[0])|int64(header[1])<<8|int64(header[2])<<16); err != nil {
		t.Fatal(err)
	}
}

// ends reads until the server closes the connection.
func ends(t *testing.T, what string, c net.Conn) {
	t.Helper()
	_, err := io.Copy(io.Discard, c)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		t.Errorf("%s: the connection is still open after a minute", what)
	}
}

// handshake is a login of root with an answer to the greeting.
func handshake(answer []byte) []byte {
	body := []byte{0x85, 0xa6, 0x3f, 0x20, 0, 0, 0, 1, 45} // 4.1, plugins, secure connection, lenenc
	body[0], body[1], body[2], body[3] = 0x05, 0xa2, 0x28, 0x00
	body = append(body, make([]byte, 23)...)
	body = append(body, "root\x00"...)
	body = append(append(body, byte(len(answer))), answer...)
	body = append(body, "mysql_native_password\x00"...)
	return append([]byte{byte(len(body)), byte(len(body) >> 8), 0, 1}, body...)
}

// Whatever a stranger sends, his connection ends and others are served.
func TestBrokenLogins(t *testing.T) {
	g := startGuarded(t, nil)
	server := g.servers["va"]
	server.listener.login.Store(int64(300 * time.Millisecond))
	for what, sent := range map[string][]byte{
		"nothing":               nil,
		"garbage":               []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
		"half a header":         {1, 0},
		"a huge length":         {0xff, 0xff, 0xff, 1, 0},
		"a cut handshake":       handshake(make([]byte, 20))[:40],
		"an empty packet":       {0, 0, 0, 1},
		"a wrong sequence":      {5, 0, 0, 9, 1, 2, 3, 4, 5},
		"zeros":                 make([]byte, 4096),
		"a flood":               bytes.Repeat([]byte{0xff}, 2*loginMaxBytes),
		"a short answer":        handshake([]byte{7}),
		"an answer of 19 bytes": handshake(make([]byte, 19)),
		"a long answer":         handshake(make([]byte, 200)),
		"TLS that is none":      append([]byte{32, 0, 0, 1, 0x05, 0xaa, 0x28, 0}, append(make([]byte, 28), "no hello of TLS"...)...),
	} {
		c := dial(t, server.Addr().String())
		greeting(t, c)
		_, _ = c.Write(sent) // the server may have closed already
		ends(t, what, c)
	}
	if err := g.login(t, "va", "root", rootPassword, true); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	eventually(t, "no connection is counted for ever", func() bool { return server.listener.open.Load() == 0 })
}

func TestTooManyConnections(t *testing.T) {
	g := startGuarded(t, func(c *Config) { c.Connections = 2 })
	for range 2 {
		db := g.open(t, "va", "root", rootPassword, false)
		if err := db.Ping(); err != nil {
			t.Fatal(err)
		}
		defer db.Close()
	}
	must(t, g.open(t, "wa", "root", rootPassword, false), "CREATE USER plain IDENTIFIED BY 'p'")
	err := g.login(t, "va", "plain", "p", false)
	if n, state, message := codeOf(err); n != 1040 || state != "08004" || message != "Too many connections" {
		t.Errorf("a third connection: %v", err)
	}
	if err := g.login(t, "va", "root", rootPassword, false); err != nil {
		t.Errorf("an administrator: %v", err)
	}
	eventually(t, "a place that was left is free", func() bool { return g.servers["va"].listener.known.Load() == 2 })
	if err := g.login(t, "wa", "root", rootPassword, false); err != nil {
		t.Errorf("another port: %v", err)
	}
}

// A statement that is too long is refused in words, and the connection lives; one
// beyond all measure ends its connection. Others are served meanwhile.
func TestLongStatements(t *testing.T) {
	g := startGuarded(t, nil)
	for _, secure := range []bool{false, true} {
		db := g.open(t, "va", "root", rootPassword, secure)
		db.SetMaxOpenConns(1)
		var allowed int
		if err := db.QueryRow("SELECT @@max_allowed_packet").Scan(&allowed); err != nil || allowed != statementMaxBytes {
			t.Errorf("max_allowed_packet is %d (%v)", allowed, err)
		}
		long := g.openWith(t, "va", "root", rootPassword, secure, 1<<30)
		long.SetMaxOpenConns(1)
		var before, after int
		if err := long.QueryRow("SELECT CONNECTION_ID()").Scan(&before); err != nil {
			t.Fatal(err)
		}
		statement := "SELECT '" + strings.Repeat("x", 100<<20) + "'"
		_, err := long.Exec(statement)
		wantCode(t, err, 1153, "08S01")
		if err := long.QueryRow("SELECT CONNECTION_ID()").Scan(&after); err != nil || before != after {
			t.Errorf("the connection %d became %d (%v)", before, after, err)
		}
		if _, err := long.Exec(statement + statement); err == nil {
			t.Error("200 MB were read")
		}
		if err := db.Ping(); err != nil {
			t.Errorf("meanwhile: %v", err)
		}
		runtime.GC()
	}
	eventually(t, "nothing is counted for ever", func() bool { return g.servers["va"].listener.unread.Load() == 0 })
}
