package preauth

import (
	"container/list"
	"time"
)

// ClientConn is an unauthenticated connection. Values are compared, so it must be a pointer.
type ClientConn interface {
	// Spoke reports whether anything was received on it.
	Spoke() bool
	// Close closes it, from any goroutine.
	Close() error
}

// Minimum times before an unauthenticated connection can be evicted.
const (
	// SilentMin is for a connection that has sent nothing.
	SilentMin = 50 * time.Millisecond
	// SpokenMin is for a connection that has begun to log in.
	SpokenMin = 100 * time.Millisecond
)

// Unauthenticated has the unauthenticated connections of a port, a bounded number. It is for one goroutine at a time.
type Unauthenticated struct {
	most  int
	all   map[ClientConn]*list.Element
	hosts map[string]*list.List // by address, the oldest first
}

type pendingConn struct {
	conn ClientConn
	host string
	came time.Time
}

// NewUnauthenticated returns an Unauthenticated with so many places, at least one.
func NewUnauthenticated(most int) *Unauthenticated {
	return &Unauthenticated{most: max(most, 1), all: map[ClientConn]*list.Element{}, hosts: map[string]*list.List{}}
}

// Len is the number of connections.
func (s *Unauthenticated) Len() int { return len(s.all) }

// Enter adds a connection from an address. If there is no place it evicts another and returns it;
// the caller closes it. If all are too new for that, it adds
// nothing and returns how long to wait before trying again.
func (s *Unauthenticated) Enter(now time.Time, host string, g ClientConn) (dropped ClientConn, wait time.Duration) {
	if len(s.all) >= s.most {
		victim, wait := s.victim(now, host)
		if wait > 0 {
			return nil, wait
		}
		dropped = victim
		s.Leave(victim)
	}
	of := s.hosts[host]
	if of == nil {
		of = list.New()
		s.hosts[host] = of
	}
	s.all[g] = of.PushBack(pendingConn{g, host, now})
	return dropped, 0
}

// Leave removes a connection; without effect if it is not present.
func (s *Unauthenticated) Leave(g ClientConn) {
	e := s.all[g]
	if e == nil {
		return
	}
	host := e.Value.(pendingConn).host
	delete(s.all, g)
	if of := s.hosts[host]; of.Len() == 1 {
		delete(s.hosts, host)
	} else {
		of.Remove(e)
	}
}

// victim returns the connection to evict for a newcomer from an address.
func (s *Unauthenticated) victim(now time.Time, newcomer string) (ClientConn, time.Duration) {
	host := s.largest(newcomer)
	of := s.hosts[host]
	wait := SpokenMin
	for e := of.Front(); e != nil; e = e.Next() {
		st := e.Value.(pendingConn)
		if !st.conn.Spoke() {
			if age := now.Sub(st.came); age >= SilentMin {
				return st.conn, 0
			} else {
				wait = min(wait, SilentMin-age)
			}
			break // those behind it are younger
		}
	}
	oldest := of.Front().Value.(pendingConn)
	age := now.Sub(oldest.came)
	if age >= SpokenMin || host != newcomer && of.Len() > 1 {
		return oldest.conn, 0
	}
	return nil, max(min(wait, SpokenMin-age), time.Millisecond)
}

// largest returns the address that would have the most connections with the newcomer; of several
// the newcomer's own, or else the oldest connection's.
func (s *Unauthenticated) largest(newcomer string) string {
	best, most := "", 0
	var since time.Time
	for host, of := range s.hosts { // order: the largest, then the oldest, then by name
		n := of.Len()
		if host == newcomer {
			n++
		}
		came := of.Front().Value.(pendingConn).came
		switch {
		case n < most:
			continue
		case n == most && best == newcomer:
			continue
		case n == most && host != newcomer && (came.After(since) || came.Equal(since) && host > best):
			continue
		}
		best, most, since = host, n, came
	}
	return best
}
