package account

import (
	"sync"
	"sync/atomic"

	"isochron/sql/legacy"
)

// One account cannot take all that a node has: of its connections, prepared statements and
// Memory it has at most 80 %, so that there is room for others. How many connections it has
// can be said: for one account by MAX_USER_CONNECTIONS, for each by max_user_connections.

// Errors of MySQL about an account that has too many connections.
const (
	codeTooManyOfUser = 1203
	codeUserLimit     = 1226
)

// PartOf is what one account may have of what there is.
func PartOf(all int64) int64 { return all - all/5 }

// Share is what the connections of one account have.
type Share struct {
	name        string
	connections int64 // of shares
	Prepared    atomic.Int64
	Memory      atomic.Int64 // bytes that statements hold, and values sent ahead
	results     atomic.Int64 // bytes of results that are held back
	Requests    atomic.Int64 // bytes of long requests
}

// Shares are those of a gateway, by account.
type Shares struct {
	mu sync.Mutex
	of map[string]*Share
}

// enter counts a connection of an account; false: it has as many as it may.
func (s *Shares) enter(name string, most int64) (*Share, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.of[name]
	if one == nil {
		one = &Share{name: name}
	}
	if one.connections >= most {
		return nil, false
	}
	if s.of == nil {
		s.of = map[string]*Share{}
	}
	s.of[name] = one
	one.connections++
	return one, true
}

// Leave gives back what enter has counted.
func (s *Shares) Leave(one *Share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one.connections--; one.connections == 0 {
		delete(s.of, one.name)
	}
}

// Places are those of connections at a node.
type Places struct {
	All           int64 // of all accounts, but Kept
	Kept          int64 // for those who may administer
	Each          int64 // what is set for each account; 0: nothing
	Administrator bool  // the connection is of one who may administer
}

// TakeConnection counts a connection with its account, or says why that has too many. Those who
// may administer have a few more, for an application may use their account.
func (s *Shares) TakeConnection(a *Accounts, user, host string, p Places) (*Share, error) {
	var own int64
	if u := a.named(user, host); u != nil {
		own = u.connections
	}
	of, each := p.All, p.Each
	most := PartOf(of)
	switch {
	case own > 0:
		most = own
	case each > 0:
		most = each
	}
	more := int64(0)
	if p.Administrator && own == 0 {
		more = min(p.Kept, max((of-most)/2, 0))
		if most >= of {
			more = p.Kept // these are beyond the places of all
		}
	}
	one, ok := s.enter(user+"@"+host, most+more)
	switch {
	case ok:
		return one, nil
	case own > 0:
		return nil, legacy.NewError(codeUserLimit, "42000", "User '%s' has exceeded the 'max_user_connections' resource (current value: %d): close a connection, or ALTER USER ... WITH MAX_USER_CONNECTIONS", user, own)
	case each > 0:
		return nil, legacy.NewError(codeTooManyOfUser, "42000", "User %s already has more than 'max_user_connections' active connections (the node's setting is %d)", user, each)
	}
	return nil, legacy.NewError(codeTooManyOfUser, "42000", "User %s already has more than 'max_user_connections' active connections: an account has at most %d here, 80 %% of the node's (sql.connections). ALTER USER ... WITH MAX_USER_CONNECTIONS, or SET GLOBAL max_user_connections, says another number", user, most)
}

// Take adds to one part of a share; false, and nothing is added, if that is beyond what an
// account may have of all.
func (s *Share) Take(part func(*Share) *atomic.Int64, n, all int64) bool {
	if s == nil || n <= 0 {
		return true
	}
	if part(s).Add(n) > PartOf(all) {
		part(s).Add(-n)
		return false
	}
	return true
}

// Give takes from one part of a share what Take has added.
func (s *Share) Give(part func(*Share) *atomic.Int64, n int64) {
	if s != nil {
		part(s).Add(-n)
	}
}

// OfMemory are bytes that statements hold.
func OfMemory(s *Share) *atomic.Int64 { return &s.Memory }

// OfResults are bytes of results that are held back.
func OfResults(s *Share) *atomic.Int64 { return &s.results }

// OfPrepared are prepared statements.
func OfPrepared(s *Share) *atomic.Int64 { return &s.Prepared }
