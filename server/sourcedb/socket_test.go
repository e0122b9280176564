package sourcedb

import (
	"strings"
	"testing"

	"isochron/source"
)

// Over its own socket a server is the same database as over its port; branches are ended from either, and a cancelled
// statement ends at the server, although all connections have the same name there.
func TestSocket(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		port := k.driver
		socket, err := Open(k.server.SocketURL(), Options{})
		k.must(err)
		t.Cleanup(func() { _ = socket.Close() })
		there, err := port.Facts(k.ctx)
		k.must(err)
		here, err := socket.Facts(k.ctx)
		k.must(err)
		if here.Identity != there.Identity || here.Incarnation != there.Incarnation || strings.Join(here.Warnings, ";") != strings.Join(there.Warnings, ";") {
			t.Errorf("over the socket it is %+v, over the port %+v", here, there)
		}
		k.driver = socket
		b, n := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (5, 50)")
		k.must(b.Prepare(k.ctx))
		k.prepared(port, n)
		k.finish(socket, n, true, true)
		if r := k.ok("SELECT v FROM %s WHERE id = 5"); len(r.Rows) != 1 || string(r.Rows[0][0]) != "50" {
			t.Errorf("a statement alone reads %q", r.Rows)
		}
		if r := k.ok("DELETE FROM %s WHERE id = 5"); r.Affected != 1 {
			t.Errorf("a statement alone deletes %d", r.Affected)
		}
		testCancel(t, k)
	})
}
