package sql

import (
	"context"
	"io"
	"net"
	"strconv"
	"testing"

	vmysql "github.com/dolthub/vitess/go/mysql"
)

// What the session says of its encryption, by SHOW STATUS.
func TestSslCipherIsShown(t *testing.T) {
	g := startGuarded(t, nil)
	for _, secure := range []bool{false, true} {
		var name, cipher, version string
		db := g.open(t, "va", "root", rootPassword, secure)
		if err := db.QueryRow("SHOW STATUS LIKE 'Ssl_cipher'").Scan(&name, &cipher); err != nil || (cipher != "") != secure {
			t.Errorf("TLS %v: the cipher is %q (%v)", secure, cipher, err)
		}
		if err := db.QueryRow("SHOW SESSION STATUS LIKE 'Ssl_version'").Scan(&name, &version); err != nil || (version != "") != secure {
			t.Errorf("TLS %v: the version is %q (%v)", secure, version, err)
		}
	}
}

// COM_CHANGE_USER is refused: the connection lives and is whose it was.
func TestChangeUserIsRefused(t *testing.T) {
	g := startGuarded(t, nil)
	must(t, g.open(t, "va", "root", rootPassword, true), "CREATE USER u IDENTIFIED BY 'p'")
	host, port := hostPort(t, g.servers["va"].Addr().String())
	c, err := vmysql.Connect(context.Background(), &vmysql.ConnParams{Host: host, Port: port, Uname: "u", Pass: "p"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := append([]byte{17}, "root\x00\x00\x00mysql_native_password\x00"...)
	if _, err := c.Conn.Write(append([]byte{byte(len(body)), 0, 0, 0}, body...)); err != nil {
		t.Fatal(err)
	}
	header := make([]byte, 4)
	if _, err := io.ReadFull(c.Conn, header); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, bodyLength(header))
	if _, err := io.ReadFull(c.Conn, answer); err != nil || answer[0] != 0xff || int(answer[1])|int(answer[2])<<8 != 1047 {
		t.Fatalf("%q, %v; want error 1047", answer, err)
	}
	r, err := c.ExecuteFetch("SELECT CURRENT_USER()", 1, false)
	if err != nil || r.Rows[0][0].ToString() != "u@%" {
		t.Errorf("afterwards: %v, %v", r, err)
	}
}

func hostPort(t *testing.T, address string) (string, int) {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return host, n
}
