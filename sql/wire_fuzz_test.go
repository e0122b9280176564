package sql

import (
	"bytes"
	"crypto/sha1"
	"crypto/tls"
	"io"
	"net"
	"testing"
	"time"

	"isochron/sql/sqltest"
)

// FuzzWire: whatever a client sends before and after its login, the server ends
// the connection when its sender does, and serves the next.
func FuzzWire(f *testing.F) {
	f.Add(false, []byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add(false, handshake(make([]byte, 20)))
	f.Add(false, handshake([]byte{1}))
	f.Add(false, []byte{0xff, 0xff, 0xff, 1})
	f.Add(true, []byte{0, 0, 0, 0})
	f.Add(true, []byte("\x09\x00\x00\x00\x03SELECT 1"))
	f.Add(true, []byte("\x09\x00\x00\x00\x16SELECT ?\x0a\x00\x00\x00\x17\x01\x00\x00\x00\x00\x01\x00\x00\x00"))
	f.Add(true, []byte("\x05\x00\x00\x00\x19\x01\x00\x00\x00\x01\x00\x00\x00\x0e\x01\x00\x00\x00\x1f"))
	f.Add(true, []byte("\x07\x00\x00\x00\x18\x01\x00\x00\x00\x00\x00"))
	f.Add(true, []byte("\x03\x00\x00\x00\x04t\x00\x05\x00\x00\x00\x1a\x01\x00\x00\x00"))
	server, err := NewServer(sqltest.NewCluster("va").Gateway("va"), Config{Root: verifierOf(rootPassword)})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = server.Close() })
	address := server.Addr().String()
	f.Fuzz(func(t *testing.T, known bool, sent []byte) {
		if known {
			c := enter(t, address)
			send(t, c, sent)
		} else {
			c := dial(t, address)
			greeting(t, c)
			send(t, c, sent)
		}
		c := enter(t, address) // fails if the server no longer serves
		_ = c.Close()
	})
}

// send sends all, says that there is no more, and waits for the end.
func send(t *testing.T, c net.Conn, sent []byte) {
	t.Helper()
	_, _ = c.Write(sent) // the server may have closed already
	_ = c.(*net.TCPConn).CloseWrite()
	ends(t, "a connection whose client has ended", c)
	_ = c.Close()
}

// enter logs root in, byte by byte.
func enter(t testing.TB, address string) net.Conn {
	t.Helper()
	return enterBy(t, address, func(c net.Conn) net.Conn { return c })
}

// enterTLS is enter over TLS.
func enterTLS(t testing.TB, address string) net.Conn {
	t.Helper()
	return enterBy(t, address, func(c net.Conn) net.Conn {
		ask := handshake(nil)[:4+32]
		ask[0], ask[1], ask[4+1] = 32, 0, ask[4+1]|0x08 // CLIENT_SSL
		if _, err := c.Write(ask); err != nil {
			t.Fatal(err)
		}
		return tls.Client(c, &tls.Config{InsecureSkipVerify: true})
	})
}

func enterBy(t testing.TB, address string, secured func(net.Conn) net.Conn) net.Conn {
	t.Helper()
	c := dial(t, address)
	header := make([]byte, 4)
	if _, err := io.ReadFull(c, header); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, int(header[0])|int(header[1])<<8)
	if _, err := io.ReadFull(c, body); err != nil {
		t.Fatal(err)
	}
	at := bytes.IndexByte(body[1:], 0) + 2 + 4 // behind the version and the number of the connection
	salt := append(bytes.Clone(body[at:at+8]), body[at+8+1+2+1+2+2+1+10:at+8+1+2+1+2+2+1+10+12]...)
	once := sha1.Sum([]byte(rootPassword))
	twice := sha1.Sum(once[:])
	answer := sha1.Sum(append(salt, twice[:]...))
	for i := range answer {
		answer[i] ^= once[i]
	}
	shake := handshake(answer[:])
	if over := secured(c); over != c {
		c, shake[3], shake[4+1] = over, 2, shake[4+1]|0x08
	}
	if _, err := c.Write(shake); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, header); err != nil {
		t.Fatal(err)
	}
	body = make([]byte, int(header[0]))
	if _, err := io.ReadFull(c, body); err != nil || body[0] != 0 {
		t.Fatalf("the login of root ended with %q (%v)", body, err)
	}
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	return c
}
