package accounts

import (
	"net"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/account"
)

// authServer asks a gate, for the engine's wire.
type authServer struct {
	gate    *account.Gate
	pause   func(m *mysql.Conn, until time.Time)
	methods []mysql.AuthMethod
}

// AuthServer is what asks clients of a server who they are, and lets them in. pause waits until a time, or until the client
// has gone.
func AuthServer(g *account.Gate, pause func(m *mysql.Conn, until time.Time)) mysql.AuthServer {
	s := &authServer{gate: g, pause: pause}
	s.methods = []mysql.AuthMethod{
		&method{mysql.NewMysqlNativeAuthMethod(s, nil), s, account.Native},
		&method{mysql.NewSha2CachingAuthMethod(s, s, nil), s, account.Sha2},
	}
	return s
}

// AuthMethods implements mysql.AuthServer.
func (s *authServer) AuthMethods() []mysql.AuthMethod { return s.methods }

// DefaultAuthMethodDescription implements mysql.AuthServer.
func (s *authServer) DefaultAuthMethodDescription() mysql.AuthMethodDescription {
	return mysql.MysqlNativePassword
}

// client is a connection that logs in.
type client struct {
	*mysql.Conn
	s *authServer
}

func (s *authServer) client(conn *mysql.Conn) client { return client{conn, s} }

type asked struct{}

// First implements account.Client.
func (c client) First() bool {
	if c.ClientData != nil {
		return false
	}
	c.ClientData = asked{}
	return true
}

// Pause implements account.Client.
func (c client) Pause(until time.Time) { c.s.pause(c.Conn, until) }

// method is a way to prove a password, behind what holds for every way.
type method struct {
	mysql.AuthMethod
	s      *authServer
	plugin string
}

// HandleUser implements mysql.AuthMethod.
func (m *method) HandleUser(conn *mysql.Conn, user string) bool {
	return m.s.gate.Asks(m.s.client(conn), user, m.plugin)
}

// HandleAuthPluginData implements mysql.AuthMethod.
func (m *method) HandleAuthPluginData(conn *mysql.Conn, user string, server, answer []byte, remote net.Addr) (getter mysql.Getter, err error) {
	began, c := time.Now(), m.s.client(conn)
	if err = m.s.gate.MayProve(c, m.plugin); err == nil {
		getter, err = m.AuthMethod.HandleAuthPluginData(conn, user, server, answer, remote)
	}
	m.s.gate.Done(c, user, remote, began, err)
	return getter, err
}

func loggedIn(n account.Name, err error) (mysql.Getter, error) {
	if err != nil {
		return nil, err
	}
	return gms.MysqlConnectionUser{User: n.User, Host: n.Host}, nil
}

// UserEntryWithHash implements mysql.HashStorage: mysql_native_password.
func (s *authServer) UserEntryWithHash(conn *mysql.Conn, salt []byte, user string, answer []byte, remote net.Addr) (mysql.Getter, error) {
	return loggedIn(s.gate.Native(s.client(conn), salt, user, answer, remote))
}

// UserEntryWithCacheHash implements mysql.CachingStorage: the fast path of caching_sha2_password.
func (s *authServer) UserEntryWithCacheHash(conn *mysql.Conn, salt []byte, user string, answer []byte, remote net.Addr) (mysql.Getter, mysql.CacheState, error) {
	who, known, err := s.gate.Cached(s.client(conn), salt, user, answer, remote)
	if !known {
		return nil, mysql.AuthNeedMoreData, nil
	}
	getter, err := loggedIn(who, err)
	return getter, mysql.AuthAccepted, err
}

// UserEntryWithPassword implements mysql.PlainTextStorage: the slow path of caching_sha2_password, over TLS.
func (s *authServer) UserEntryWithPassword(conn *mysql.Conn, user, password string, remote net.Addr) (mysql.Getter, error) {
	return loggedIn(s.gate.Password(s.client(conn), user, password, remote))
}
