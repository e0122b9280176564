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

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/preauth"
)

// The numbers of what can become of a login.
const (
	codeAccessDenied = 1045
	codeNeedsTLS     = 3159
)

// authenticator lets clients in. The engine's own would take a password over an open
// connection when TLS is demanded, and can be made to panic by a short answer.
type authenticator struct {
	accounts   *Accounts
	requireTLS bool
	methods    []mysql.AuthMethod
	failures   *failures
	strangers  strangers
	noneNative *userAccount // asked for a password in the place of an unknown account
	noneSha2   *userAccount

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
	// Pause waits until a time, or until the client has gone.
	Pause func(m *mysql.Conn, until time.Time)
}

// NewGate is what asks clients of a server who they are, and lets them in.
func NewGate(a *Accounts, cfg GateConfig) mysql.AuthServer {
	g := &authenticator{accounts: a, requireTLS: cfg.RequireTLS, failures: newFailures(cfg), proved: map[string][sha256.Size]byte{}}
	g.noneNative = &userAccount{plugin: string(mysql.MysqlNativePassword), verifier: "*" + strings.Repeat("0", 40)}
	if again, err := mysql.SerializeCachingSha2PasswordAuthString(rand.Text(), []byte(rand.Text()[:20]), mysql.DefaultCachingSha2PasswordHashIterations); err == nil {
		g.noneSha2 = &userAccount{plugin: string(mysql.CachingSha2Password), verifier: string(again)}
	}
	g.methods = []mysql.AuthMethod{
		&method{mysql.NewMysqlNativeAuthMethod(g, nil), g, mysql.MysqlNativePassword},
		&method{mysql.NewSha2CachingAuthMethod(g, g, nil), g, mysql.CachingSha2Password},
	}
	return g
}

// AuthMethods implements mysql.AuthServer.
func (g *authenticator) AuthMethods() []mysql.AuthMethod { return g.methods }

// DefaultAuthMethodDescription implements mysql.AuthServer.
func (g *authenticator) DefaultAuthMethodDescription() mysql.AuthMethodDescription {
	return mysql.MysqlNativePassword
}

// method is a way to prove a password, behind what holds for every way.
type method struct {
	mysql.AuthMethod
	g    *authenticator
	name mysql.AuthMethodDescription
}

// HandleUser implements mysql.AuthMethod. Who does not exist is asked for a
// password too.
func (m *method) HandleUser(conn *mysql.Conn, user string) bool {
	_ = m.g.accounts.Refresh(context.Background()) // with what is at hand, if the catalogue cannot be read
	host := HostOf(conn.RemoteAddr())
	u := m.g.accounts.find(user, host)
	if m.g.strangers.asks(preauth.HostKey(conn.RemoteAddr()), u == nil, time.Now()) && m.g.askOnce(conn) {
		u = m.g.accounts.find(user, host)
	}
	if u == nil {
		return m.name == m.g.accounts.decoy(user)
	}
	return u.plugin == string(m.name)
}

// HandleAuthPluginData implements mysql.AuthMethod.
func (m *method) HandleAuthPluginData(conn *mysql.Conn, user string, server, client []byte, remote net.Addr) (mysql.Getter, error) {
	began := time.Now()
	getter, err := m.prove(conn, user, server, client, remote)
	if err != nil {
		m.g.failures.failed(conn, user, remote, began, err)
	} else {
		m.g.failures.passed(user)
	}
	return getter, err
}

func (m *method) prove(conn *mysql.Conn, user string, server, client []byte, remote net.Addr) (mysql.Getter, error) {
	if !conn.TLSEnabled() {
		switch {
		case m.g.requireTLS:
			return nil, mysql.NewSQLError(codeNeedsTLS, "HY000", "Connections using insecure transport are prohibited: connect with TLS, and verify the server with the cluster's sql-ca.crt")
		case m.name == mysql.CachingSha2Password:
			return nil, mysql.NewSQLError(codeNeedsTLS, "HY000", "A password of caching_sha2_password is sent over TLS only: connect with TLS, or give the user a mysql_native_password")
		}
	}
	return m.AuthMethod.HandleAuthPluginData(conn, user, server, client, remote)
}

// askOnce asks the leader for the users, once for each connection.
func (g *authenticator) askOnce(conn *mysql.Conn) bool {
	if conn.ClientData != nil {
		return false
	}
	conn.ClientData = asked{}
	return g.accounts.AskLeader() == nil
}

type asked struct{}

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
// have been changed a moment ago: once, the leader is asked.
func (g *authenticator) verify(conn *mysql.Conn, user string, remote net.Addr, password bool, proved func(*userAccount) bool) (mysql.Getter, error) {
	host := HostOf(remote)
	for {
		u := g.accounts.find(user, host)
		if u != nil && mayTry(conn, u, remote) && proved(u) {
			if !u.locked {
				return gms.MysqlConnectionUser{User: u.user, Host: u.host}, nil
			}
		} else {
			u = nil
		}
		if !g.askOnce(conn) {
			if u != nil {
				return nil, locked(user, host)
			}
			if g.accounts.find(user, host) == nil { // it takes as long
				_ = proved(g.noneNative) || g.noneSha2 != nil && proved(g.noneSha2)
			}
			return nil, denied(user, host, password)
		}
	}
}

// mayTry holds for every way to prove a password: an account without a password is
// refused from another machine.
func mayTry(conn *mysql.Conn, u *userAccount, remote net.Addr) bool {
	if u.verifier == "" && !isLoopback(remote) {
		return false
	}
	// There are no certificates of clients, so who must show one cannot come in.
	return u.tls == "" || u.tls == "ANY" && conn.TLSEnabled()
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
	return mysql.NewSQLError(codeAccessDenied, "28000", "Access denied for user '%s'@'%s' (using password: %s)", user, host, using)
}

// UserEntryWithHash implements mysql.HashStorage: mysql_native_password.
func (g *authenticator) UserEntryWithHash(conn *mysql.Conn, salt []byte, user string, answer []byte, remote net.Addr) (mysql.Getter, error) {
	return g.verify(conn, user, remote, len(answer) > 0, func(u *userAccount) bool {
		if u.plugin != string(mysql.MysqlNativePassword) {
			return false
		}
		if u.verifier == "" {
			return len(answer) == 0
		}
		stored, err := mysql.DecodeMysqlNativePasswordHex(u.verifier)
		return err == nil && len(stored) == 20 && len(answer) == 20 && mysql.VerifyHashedMysqlNativePassword(answer, salt, stored)
	})
}

// UserEntryWithCacheHash implements mysql.CachingStorage: the fast path of
// caching_sha2_password, for a password that was proved before.
func (g *authenticator) UserEntryWithCacheHash(conn *mysql.Conn, salt []byte, user string, answer []byte, remote net.Addr) (mysql.Getter, mysql.CacheState, error) {
	if len(answer) == 0 || len(answer) == 1 && answer[0] == 0 {
		getter, err := g.verify(conn, user, remote, false, func(u *userAccount) bool {
			return u.plugin == string(mysql.CachingSha2Password) && u.verifier == ""
		})
		return getter, mysql.AuthAccepted, err
	}
	u := g.accounts.find(user, HostOf(remote))
	if u == nil || u.plugin != string(mysql.CachingSha2Password) || u.verifier == "" || u.locked || !mayTry(conn, u, remote) || len(answer) != sha256.Size {
		return nil, mysql.AuthNeedMoreData, nil
	}
	g.mu.Lock()
	hash, ok := g.proved[u.verifier]
	g.mu.Unlock()
	if !ok || !mysql.VerifyHashedCachingSha2Password(answer, salt, hash[:]) {
		return nil, mysql.AuthNeedMoreData, nil
	}
	return gms.MysqlConnectionUser{User: u.user, Host: u.host}, mysql.AuthAccepted, nil
}

// UserEntryWithPassword implements mysql.PlainTextStorage: the slow path of
// caching_sha2_password, over TLS.
func (g *authenticator) UserEntryWithPassword(conn *mysql.Conn, user, password string, remote net.Addr) (mysql.Getter, error) {
	return g.verify(conn, user, remote, password != "", func(u *userAccount) bool {
		if u.plugin != string(mysql.CachingSha2Password) {
			return false
		}
		if u.verifier == "" {
			return password == ""
		}
		digest, iterations, salt, _, err := mysql.DeserializeCachingSha2PasswordAuthString([]byte(u.verifier))
		if err != nil || digest != "SHA256" {
			return false
		}
		again, err := mysql.SerializeCachingSha2PasswordAuthString(password, salt, iterations)
		if err != nil || subtle.ConstantTimeCompare(again, []byte(u.verifier)) != 1 {
			return false
		}
		g.remember(u.verifier, password)
		return true
	})
}

// remember keeps a proved password for the fast path, under its stored form: a
// new password has another.
func (g *authenticator) remember(stored, password string) {
	once := sha256.Sum256([]byte(password))
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.proved) >= provedMax {
		clear(g.proved)
	}
	g.proved[stored] = sha256.Sum256(once[:])
}
