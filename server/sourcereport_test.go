package server

import "testing"

// An address shown to people has no account in it and names the socket.
func TestServerOf(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://u:s3cret@h:1/d?sslmode=require":                   "h:1/d",
		"postgres://u:s3cret@/d?host=/run/postgresql&port=5433":       "/run/postgresql:d",
		"postgres://u:s3cret@/d?host=h":                               "/d",
		"mysql://u:s3cret@localhost/d?socket=/run/mysqld/mysqld.sock": "/run/mysqld/mysqld.sock:d",
		"mysql://u:s3cret@h/d":                                        "h/d",
	} {
		if got := serverOf(address); got != want {
			t.Errorf("%s is shown as %q, want %q", address, got, want)
		}
	}
}
