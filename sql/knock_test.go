package sql

import (
	"log/slog"
	"net"
	"runtime"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/sqltest"
)

// knock connects and goes away without a login, in one of the ways to do so.
func knock(t testing.TB, address string, way int) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if way == 0 {
		return // at once
	}
	packetOf(t, c)
	switch way {
	case 2: // within the login
		_, _ = c.Write(handshake(make([]byte, 20))[:40])
	case 3: // with a wrong password
		_, _ = c.Write(handshake(make([]byte, 20)))
		packetOf(t, c)
	}
}

// Whoever connects and goes away before he has logged in leaves nothing behind.
func TestKnocksLeaveNothing(t *testing.T) {
	server, err := NewServer(sqltest.NewCluster("va").Gateway("va"), Config{Root: verifierOf(rootPassword), FailedLoginDelay: -1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	g := server.gateway
	left := func() (sessions, conns, engine, processes int) {
		_ = server.server.SessionManager().Iter(func(gms.Session) (bool, error) { engine++; return false, nil })
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.sessions), len(g.conns), engine, len(server.engine.ProcessList.Processes())
	}
	many := func(n int) uint64 {
		for i := range n {
			knock(t, server.Addr().String(), i%4)
		}
		eventually(t, "every connection has ended", func() bool { return server.listener.open.Load() == 0 && server.Connections() == 0 })
		server.server.SessionManager().WaitForClosedConnections()
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := many(100)
	const n = 1000
	after := many(n)
	if sessions, conns, engine, processes := left(); sessions+conns+engine+processes > 0 {
		t.Errorf("%d sessions, %d connections, %d sessions and %d processes of the engine are left", sessions, conns, engine, processes)
	}
	const perKnockMax = 4 << 10 // a session takes some 31 KB
	if grown := int64(after) - int64(before); grown > n*perKnockMax {
		t.Errorf("%d connections without a login left %d bytes each", n, grown/n)
	}
}
