package sql

import (
	"sync"
	"sync/atomic"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/sysvars"
)

// One account cannot take all that a node has: of its connections, prepared statements and
// memory it has at most 80 %, so that there is room for others. How many connections it has
// can be said: for one account by MAX_USER_CONNECTIONS, for each by max_user_connections.

const userConnections = sysvars.UserConnections

// Errors of MySQL about an account that has too many connections.
const (
	codeTooManyOfUser = 1203
	codeUserLimit     = 1226
)

// partOf is what one account may have of what there is.
func partOf(all int64) int64 { return all - all/5 }

// share is what the connections of one account have.
type share struct {
	name        string
	connections int64 // of shares
	prepared    atomic.Int64
	memory      atomic.Int64 // bytes that statements hold, and values sent ahead
	results     atomic.Int64 // bytes of results that are held back
	requests    atomic.Int64 // bytes of long requests
}

// shares are those of a gateway, by account.
type shares struct {
	mu sync.Mutex
	of map[string]*share
}

// enter counts a connection of an account; false: it has as many as it may.
func (s *shares) enter(name string, most int64) (*share, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.of[name]
	if one == nil {
		one = &share{name: name}
	}
	if one.connections >= most {
		return nil, false
	}
	if s.of == nil {
		s.of = map[string]*share{}
	}
	s.of[name] = one
	one.connections++
	return one, true
}

func (s *shares) leave(one *share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one.connections--; one.connections == 0 {
		delete(s.of, one.name)
	}
}

// takeShare counts a connection with its account, or says why that has too many. Those who
// may administer have a few more, for an application may use their account.
func (g *gateway) takeShare(m *mysql.Conn, of int64, administrator bool) (*share, error) {
	who, ok := m.UserData.(gms.MysqlConnectionUser)
	if !ok {
		return &share{}, nil
	}
	var own int64
	if u := g.accounts.named(who.User, who.Host); u != nil {
		own = attributesOf(u).MaxUserConnections
	}
	each := setGlobally(userConnections, 0)
	most := partOf(of)
	switch {
	case own > 0:
		most = own
	case each > 0:
		most = each
	}
	more := int64(0)
	if administrator && own == 0 {
		more = min(adminPlaces, max((of-most)/2, 0))
		if most >= of {
			more = adminPlaces // these are beyond the places of all
		}
	}
	one, ok := g.shares.enter(who.User+"@"+who.Host, most+more)
	switch {
	case ok:
		return one, nil
	case own > 0:
		return nil, mysql.NewSQLError(codeUserLimit, "42000", "User '%s' has exceeded the 'max_user_connections' resource (current value: %d): close a connection, or ALTER USER ... WITH MAX_USER_CONNECTIONS", who.User, own)
	case each > 0:
		return nil, mysql.NewSQLError(codeTooManyOfUser, "42000", "User %s already has more than 'max_user_connections' active connections (the node's setting is %d)", who.User, each)
	}
	return nil, mysql.NewSQLError(codeTooManyOfUser, "42000", "User %s already has more than 'max_user_connections' active connections: an account has at most %d here, 80 %% of the node's (sql.connections). ALTER USER ... WITH MAX_USER_CONNECTIONS, or SET GLOBAL max_user_connections, says another number", who.User, most)
}

// share is that of the session's account; nil: it is not known.
func (s *Session) share() *share {
	if s == nil || s.wire == nil {
		return nil
	}
	return s.wire.share
}

// take adds to one part of a share; false, and nothing is added, if that is beyond what an
// account may have of all.
func (s *share) take(part func(*share) *atomic.Int64, n, all int64) bool {
	if s == nil || n <= 0 {
		return true
	}
	if part(s).Add(n) > partOf(all) {
		part(s).Add(-n)
		return false
	}
	return true
}

func (s *share) give(part func(*share) *atomic.Int64, n int64) {
	if s != nil {
		part(s).Add(-n)
	}
}

func ofMemory(s *share) *atomic.Int64   { return &s.memory }
func ofResults(s *share) *atomic.Int64  { return &s.results }
func ofPrepared(s *share) *atomic.Int64 { return &s.prepared }
