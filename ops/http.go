package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Config has a Listener's settings.
type Config struct {
	Address  string // loopback, unless the operator set another
	Profiles bool   // serve /debug/pprof; refused on any other interface than the loopback
	Log      *slog.Logger
}

// Listener serves one node's metrics and health over HTTP.
type Listener struct {
	m      *Metrics
	l      net.Listener
	server *http.Server
	ended  chan struct{}
}

// ErrProfiles refuses profiles on an interface that others can reach.
var ErrProfiles = errors.New("profiles are served on a loopback address only: remove http_profiles, or set http_listen to 127.0.0.1")

// Listen opens the port and serves until Close.
func (m *Metrics) Listen(cfg Config) (*Listener, error) {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if !Loopback(cfg.Address) {
		if cfg.Profiles {
			return nil, ErrProfiles
		}
		cfg.Log.Warn("the HTTP port has no authentication and is reachable from other machines: any client can read the metrics", "http_listen", cfg.Address)
	}
	l, err := net.Listen("tcp", cfg.Address)
	if err != nil {
		return nil, fmt.Errorf("the HTTP port cannot be opened: %w (is this node running already? set another address in http_listen, or leave it empty for no port)", err)
	}
	s := &Listener{m: m, l: l, ended: make(chan struct{})}
	s.server = &http.Server{
		Handler: s.routes(cfg.Profiles), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 3 * time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, // a profile takes long
		ErrorLog: slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	go func() {
		defer close(s.ended)
		_ = s.server.Serve(l) // it returns when the server is closed
	}()
	return s, nil
}

// Loopback reports whether an address is reachable only from this machine.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// Addr returns the listen address.
func (s *Listener) Addr() net.Addr { return s.l.Addr() }

// closeWait bounds the end of pending requests.
const closeWait = time.Second

// Close stops serving.
func (s *Listener) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	if err := s.server.Shutdown(ctx); err != nil {
		_ = s.server.Close()
	}
	<-s.ended
	return nil
}

func (s *Listener) routes(profiles bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { answer(w, r, s.m.alive()) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { answer(w, r, s.m.ready()) })
	if profiles {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}

// alive returns nil while the node's loop and disk respond within a bound.
func (m *Metrics) alive() error {
	p := m.process.Load()
	if p == nil {
		return nil // it is starting
	}
	return p.Health()
}

// ready returns nil while the node can serve SQL clients.
func (m *Metrics) ready() error {
	p := m.process.Load()
	if p == nil {
		return errors.New("the node is starting")
	}
	if err := p.Health(); err != nil {
		return err
	}
	none, err := p.Leaderless()
	switch {
	case err != nil:
		return err
	case len(none) > 0:
		return fmt.Errorf("%d shards have no known leader, the first of them %d: is a majority of the nodes running?", len(none), none[0])
	case m.sql.Load() == nil:
		return errors.New("the MySQL port is not open yet")
	}
	return nil
}

// answer replies ok or the reason, in one line of text, or in JSON to clients that accept it.
func answer(w http.ResponseWriter, r *http.Request, err error) {
	code, reason := http.StatusOK, ""
	if err != nil {
		code, reason = http.StatusServiceUnavailable, err.Error()
	}
	w.Header().Set("Cache-Control", "no-store")
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(struct {
			OK     bool   `json:"ok"`
			Reason string `json:"reason,omitempty"`
		}{err == nil, reason}) // the client may have gone
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	if err == nil {
		reason = "ok"
	}
	fmt.Fprintln(w, reason)
}
