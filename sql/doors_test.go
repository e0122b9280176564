package sql

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// Many more connections than there are places, all idle: those who log in come in, and
// what the idle hold is bounded.
func TestIdleStrangers(t *testing.T) {
	g := startGuarded(t, func(c *Config) { c.Unauthenticated, c.LoginTimeout = 32, time.Hour })
	server := g.servers["va"]
	must(t, g.open(t, "va", "root", rootPassword, false), "CREATE USER plain IDENTIFIED BY 'p'")
	for i := range 100 {
		c, err := net.Dial("tcp", server.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if i%2 == 0 {
			_, _ = c.Write([]byte{1}) // it seems to begin
		}
	}
	for _, user := range [][2]string{{"root", rootPassword}, {"plain", "p"}} {
		for _, secure := range []bool{false, true} {
			if err := g.login(t, "va", user[0], user[1], secure); err != nil {
				t.Errorf("%s, TLS %v: %v", user[0], secure, err)
			}
		}
	}
	if now, dropped := server.Unauthenticated(); now > 32 || dropped < 60 {
		t.Errorf("%d strangers, %d lost their place", now, dropped)
	}
	eventually(t, "the dropped are not kept", func() bool { return server.listener.open.Load() <= 34 })
}

// told is a log and an observer of logins.
type told struct {
	*observed
	mu      sync.Mutex
	log     bytes.Buffer
	reasons map[string]int
}

func (o *told) LoginFailed(reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reasons[reason]++
}

func (o *told) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.log.Write(p)
}

// Each failed login is written down, and after some the answers wait; the right password
// is let in all the same.
func TestFailedLogins(t *testing.T) {
	o := &told{observed: new(observed), reasons: map[string]int{}}
	g := startGuarded(t, func(c *Config) {
		c.Observer, c.Log, c.FailedLoginDelay = o, slog.New(slog.NewTextHandler(o, nil)), time.Millisecond
	})
	must(t, g.open(t, "va", "root", rootPassword, false), "CREATE USER sha IDENTIFIED WITH caching_sha2_password BY 's1'")
	for range 6 {
		wantCode(t, g.login(t, "va", "root", "secret", true), 1045, "28000")
		wantCode(t, g.login(t, "va", "nobody", "secret", true), 1045, "28000")
	}
	wantCode(t, g.login(t, "va", "sha", "secret", false), 3159, "HY000")
	if err := g.login(t, "va", "root", rootPassword, true); err != nil {
		t.Error(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(o.log.String()), "\n")
	waits := 0
	for _, l := range lines {
		if strings.Contains(l, "answered_after=1ms") {
			waits++
		}
		if !strings.Contains(l, `msg="a login failed" user=`) || !strings.Contains(l, "from=127.0.0.1:") || strings.Contains(l, "secret") {
			t.Errorf("the log says %s", l)
		}
	}
	if len(lines) != 13 || waits != 9 || o.reasons["password"] != 12 || o.reasons["tls"] != 1 {
		t.Errorf("%d lines, %d waits, %v", len(lines), waits, o.reasons)
	}
}
