package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"isochron/preauth"
	"isochron/sql/legacy"
)

// The numbers of what can become of a login.
const (
	codeAccessDenied = 1045
	codeNeedsTLS     = 3159
)

// Gate lets clients in. The engine's own would take a password over an open
// connection when TLS is demanded, and can be made to panic by a short answer.
type Gate struct {
	accounts   *Accounts
	requireTLS bool
	failures   *failures
	strangers  strangers
	noneNative *User // asked for a password in the place of an unknown account
	noneSha2   *User

	mu     sync.Mutex
	proved map[string][sha256.Size]byte // stored passwords that were proved, by their stored form
}

// provedMax bounds the cache of proved passwords.
const provedMax = 1024

// GateConfig is how clients are let in.
type GateConfig struct {
	RequireTLS bool // who comes without TLS is refused
	// FailedLoginDelay is the longest wait of an answer to a wrong password, below 0 none
	// waits; LoginTimeout is what a client has to log in.
	FailedLoginDelay, LoginTimeout time.Duration
	Log                            *slog.Logger  // of logins that failed
	Observer                       LoginObserver // may be nil
}

// Client is a connection that logs in.
type Client interface {
	RemoteAddr() net.Addr
	TLSEnabled() bool
	First() bool           // this is the first call
	Pause(until time.Time) // or until the client has gone
}

// NewGate is what lets clients in.
func NewGate(a *Accounts, cfg GateConfig) *Gate {
	g := &Gate{accounts: a, requireTLS: cfg.RequireTLS, failures: newFailures(cfg), proved: map[string][sha256.Size]byte{}}
	g.noneNative = &User{Plugin: Native, Verifier: "*" + strings.Repeat("0", 40)}
	if again, err := legacy.Sha2Verifier(rand.Text(), []byte(rand.Text()[:20]), legacy.Sha2Iterations); err == nil {
		g.noneSha2 = &User{Plugin: Sha2, Verifier: again}
	}
	return g
}

// Asks reports whether a client is asked for a password in the way of a plugin. Who does not exist is asked for a
// password too.
func (g *Gate) Asks(c Client, user, plugin string) bool {
	_ = g.accounts.Refresh(context.Background()) // with what is at hand, if the catalogue cannot be read
	host := HostOf(c.RemoteAddr())
	u := g.accounts.find(user, host)
	if g.strangers.asks(preauth.HostKey(c.RemoteAddr()), u == nil, time.Now()) && g.askOnce(c) {
		u = g.accounts.find(user, host)
	}
	if u == nil {
		return plugin == g.accounts.decoy(user)
	}
	return u.Plugin == plugin
}

// Done notes what has become of a login that began at a time. It returns when the answer may go out.
func (g *Gate) Done(c Client, user string, remote net.Addr, began time.Time, err error) {
	if err != nil {
		g.failures.failed(c, user, remote, began, err)
	} else {
		g.failures.passed(user)
	}
}

// MayProve is nil if a client may prove a password by a plugin over its connection.
func (g *Gate) MayProve(c Client, plugin string) error {
	switch {
	case c.TLSEnabled():
	case g.requireTLS:
		return legacy.NewError(codeNeedsTLS, "HY000", "Connections using insecure transport are prohibited: connect with TLS, and verify the server with the cluster's sql-ca.crt")
	case plugin == Sha2:
		return legacy.NewError(codeNeedsTLS, "HY000", "A password of caching_sha2_password is sent over TLS only: connect with TLS, or give the user a mysql_native_password")
	}
	return nil
}

// askOnce asks the leader for the users, once for each connection.
func (g *Gate) askOnce(c Client) bool { return c.First() && g.accounts.AskLeader() == nil }

// strangers are addresses from which an unknown account was asked for.
// The leader is asked for such a name, which takes time. From there it is asked for every
// name for a while, so that the time does not tell which there are.
type strangers struct {
	mu   sync.Mutex
	last map[string]time.Time
}

const (
	strangersMax = 4096
	strangersFor = 10 * time.Minute
)

// asks reports whether the leader is to be asked for a name.
func (s *strangers) asks(address string, unknown bool, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if unknown {
		if s.last == nil || len(s.last) >= strangersMax {
			s.last = map[string]time.Time{}
		}
		s.last[address] = now
		return true
	}
	last, ok := s.last[address]
	return ok && now.Sub(last) < strangersFor
}

// verify lets a user in whose password is proved. If it is not, the password may
// have been changed since: once, the leader is asked.
func (g *Gate) verify(c Client, user string, remote net.Addr, password bool, proved func(*User) bool) (Name, error) {
	host := HostOf(remote)
	for {
		u := g.accounts.find(user, host)
		if u != nil && mayTry(c, u, remote) && proved(u) {
			if !u.Locked {
				return u.Name, nil
			}
		} else {
			u = nil
		}
		if !g.askOnce(c) {
			if u != nil {
				return Name{}, locked(user, host)
			}
			if g.accounts.find(user, host) == nil { // it takes as long
				_ = proved(g.noneNative) || g.noneSha2 != nil && proved(g.noneSha2)
			}
			return Name{}, denied(user, host, password)
		}
	}
}

// mayTry holds for every way to prove a password: an account without a password is
// refused from another machine.
func mayTry(c Client, u *User, remote net.Addr) bool {
	if u.Verifier == "" && !isLoopback(remote) {
		return false
	}
	// There are no certificates of clients, so who must show one cannot come in.
	return u.TLS == "" || u.TLS == "ANY" && c.TLSEnabled()
}

func isLoopback(a net.Addr) bool {
	ip := net.ParseIP(HostOf(a))
	return ip != nil && ip.IsLoopback()
}

// HostOf is the host of an address.
func HostOf(a net.Addr) string {
	host, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	return host
}

// denied says nothing of why: whoever guesses must not learn which users there are.
func denied(user, host string, password bool) error {
	using := "NO"
	if password {
		using = "YES"
	}
	return legacy.NewError(codeAccessDenied, "28000", "Access denied for user '%s'@'%s' (using password: %s)", user, host, using)
}

// locked is MySQL's answer to a client that has proved the password of a locked account.
func locked(user, host string) error {
	return legacy.NewError(codeAccountLocked, "HY000", "Access denied for user '%s'@'%s'. Account is locked.", user, host)
}

// Native is the account of a client that has answered to a salt as mysql_native_password does.
func (g *Gate) Native(c Client, salt []byte, user string, answer []byte, remote net.Addr) (Name, error) {
	return g.verify(c, user, remote, len(answer) > 0, func(u *User) bool {
		switch {
		case u.Plugin != Native:
			return false
		case u.Verifier == "":
			return len(answer) == 0
		}
		return legacy.ProvesNative(answer, salt, u.Verifier)
	})
}

// Cached is the account of a client that has answered to a salt as caching_sha2_password does, for a password that was proved
// before; false: it must send its password.
func (g *Gate) Cached(c Client, salt []byte, user string, answer []byte, remote net.Addr) (who Name, known bool, err error) {
	if len(answer) == 0 || len(answer) == 1 && answer[0] == 0 {
		who, err = g.verify(c, user, remote, false, func(u *User) bool { return u.Plugin == Sha2 && u.Verifier == "" })
		return who, true, err
	}
	u := g.accounts.find(user, HostOf(remote))
	if u == nil || u.Plugin != Sha2 || u.Verifier == "" || u.Locked || !mayTry(c, u, remote) || len(answer) != sha256.Size {
		return Name{}, false, nil
	}
	g.mu.Lock()
	hash, ok := g.proved[u.Verifier]
	g.mu.Unlock()
	if !ok || !legacy.ProvesSha2(answer, salt, hash[:]) {
		return Name{}, false, nil
	}
	return u.Name, true, nil
}

// Password is the account of a client that has sent its password over TLS, as caching_sha2_password has it.
func (g *Gate) Password(c Client, user, password string, remote net.Addr) (Name, error) {
	return g.verify(c, user, remote, password != "", func(u *User) bool {
		if u.Plugin != Sha2 {
			return false
		}
		if u.Verifier == "" {
			return password == ""
		}
		iterations, salt, err := legacy.ReadSha2Verifier(u.Verifier)
		if err != nil {
			return false
		}
		again, err := legacy.Sha2Verifier(password, salt, iterations)
		if err != nil || subtle.ConstantTimeCompare([]byte(again), []byte(u.Verifier)) != 1 {
			return false
		}
		g.remember(u.Verifier, password)
		return true
	})
}

// remember keeps a proved password for the fast path, under its stored form: a
// new password has another.
func (g *Gate) remember(stored, password string) {
	once := sha256.Sum256([]byte(password))
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.proved) >= provedMax {
		clear(g.proved)
	}
	g.proved[stored] = sha256.Sum256(once[:])
}
