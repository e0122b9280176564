package sql

import (
	"crypto/tls"
	"maps"
	"net"
	"strings"
	"sync"

	gms "github.com/dolthub/go-mysql-server/sql"
)

// The engine gives each session some hundred status variables of its own, which few
// ever look at: more than half of the objects that a thousand connections keep
// alive. Here a session counts what it is told to, and has them once it is asked.

// registry makes no status variables for sessions that do not ask.
type registry struct{ gms.StatusVariableRegistry }

// NewSessionMap implements gms.StatusVariableRegistry.
func (registry) NewSessionMap() map[string]gms.StatusVarValue { return nil }

// registerStatus puts ours before the engine's, once for the process.
var registerStatus = sync.OnceFunc(func() { gms.StatusVariables = registry{gms.StatusVariables} })

// status are the status variables of a session.
type status struct {
	counted map[string]int // before it was asked
	all     map[string]gms.StatusVarValue
	secure  *tls.ConnectionState // nil: without TLS
	still   bool                 // a plan is compiled, for which the engine would count the statement
}

// secured is the state of a connection's TLS.
func secured(c net.Conn) *tls.ConnectionState {
	t := tlsOf(c)
	if t == nil {
		return nil
	}
	state := t.ConnectionState()
	return &state
}

// tell puts the words about TLS among the variables; each is of this session alone.
func (t *status) tell() {
	if t.secure == nil {
		return
	}
	for name, text := range map[string]string{ // order: each by itself
		"Ssl_cipher": tls.CipherSuiteName(t.secure.CipherSuite), "Ssl_version": strings.Replace(tls.VersionName(t.secure.Version), "TLS ", "TLSv", 1),
	} {
		if v := t.all[name]; v != nil {
			t.all[name] = saidStatus{v, text}
		}
	}
}

// saidStatus is a status variable with a value of ours.
type saidStatus struct {
	gms.StatusVarValue
	value any
}

// Value implements gms.StatusVarValue.
func (s saidStatus) Value() any { return s.value }

// Copy implements gms.StatusVarValue.
func (s saidStatus) Copy() gms.StatusVarValue { return s }

// IncrementStatusVariable implements gms.Session.
func (s *Session) IncrementStatusVariable(_ *gms.Context, name string, n int) {
	switch t := &s.status; {
	case t.still:
		gms.StatusVariables.IncrementGlobal(name, -n) // it has counted it there already
	case t.all != nil:
		t.add(name, n)
	case t.counted == nil:
		t.counted = map[string]int{name: n}
	default:
		t.counted[name] += n
	}
}

func (t *status) add(name string, n int) {
	if v := t.all[name]; v != nil {
		_ = v.Increment(uint64(int64(n))) // of one that does not count it is refused
	}
}

// asked are all of them.
func (t *status) asked() map[string]gms.StatusVarValue {
	if t.all == nil {
		t.all = map[string]gms.StatusVarValue{}
		if r, ok := gms.StatusVariables.(registry); ok {
			t.all = r.StatusVariableRegistry.NewSessionMap()
		}
		for name, n := range t.counted { // order: each by itself
			t.add(name, n)
		}
		t.counted = nil
		t.tell()
	}
	return t.all
}

// GetAllStatusVariables implements gms.Session.
func (s *Session) GetAllStatusVariables(*gms.Context) map[string]gms.StatusVarValue {
	return maps.Clone(s.status.asked())
}

// GetStatusVariable implements gms.Session.
func (s *Session) GetStatusVariable(_ *gms.Context, name string) (any, error) {
	if v := s.status.asked()[name]; v != nil {
		return v.Value(), nil
	}
	return nil, gms.ErrUnknownSystemVariable.New(name)
}

// SetStatusVariable implements gms.Session.
func (s *Session) SetStatusVariable(_ *gms.Context, name string, value any) error {
	v := s.status.asked()[name]
	if v == nil {
		return gms.ErrUnknownSystemVariable.New(name)
	}
	return v.Set(value)
}
