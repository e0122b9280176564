package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/participant"
	"isochron/routing"
	"isochron/server/sourcedb"
	"isochron/source"
	"isochron/txn"
)

// SourceConfig is an external database with an agent at one node of the cluster.
type SourceConfig struct {
	Name        string     // in the cluster
	Address     string     // postgres://user@host:port/database or mysql://..., see sourcedb.Open
	Password    string     // overrides the one in the address
	Region      geo.Region // of the node with the agent; used by a Cluster only
	Connections int        // at most; 0: sourcedb.ConnectionsDefault
	Ordering    sourcedb.Ordering
	// DeadlockAfter is the wait after which a deadlock over several databases is searched for
	// (txn.Params.SourceWaits); 0: as in the whole cluster, below 0: never.
	DeadlockAfter time.Duration
	// Wrap, for tests, wraps the driver; nil: no wrapper.
	Wrap func(source.Driver) source.Driver
}

// agents has a node's drivers, opens agents for them, and enters its sources in the directory.
//
// A source is unknown to the cluster until it has reported its identity. Then an entry of the directory is
// made with that identity, and the node opens an agent for the entry. From then on the source may be
// unreachable at any time without an effect on the rest of the cluster.
type agents struct {
	cluster   string
	node      txn.NodeID
	log       *slog.Logger
	hosted    []*hostedSource
	directory atomic.Pointer[routing.Directory]
	stop      context.CancelFunc
	begun     sync.WaitGroup
}

// newAgents opens the drivers without connecting.
func newAgents(cluster string, node txn.NodeID, sources []SourceConfig, log *slog.Logger) (*agents, error) {
	a := &agents{cluster: cluster, node: node, log: log}
	for _, c := range sources {
		if err := routing.CheckSourceName(c.Name); err != nil {
			return nil, err
		}
		if a.called(c.Name) != nil {
			return nil, fmt.Errorf("two sources are called %s", c.Name)
		}
		db, err := sourcedb.Open(c.Address, sourcedb.Options{Password: c.Password, Connections: c.Connections, Ordering: c.Ordering, Cluster: cluster})
		if err != nil {
			return nil, fmt.Errorf("source %s: %w", c.Name, err)
		}
		if c.Wrap != nil {
			db = c.Wrap(db)
		}
		a.hosted = append(a.hosted, &hostedSource{Driver: db, name: c.Name, dialect: dialectOf(c.Address), deadlockAfter: c.DeadlockAfter, server: serverOf(c.Address), identity: a.identityOf})
	}
	return a, nil
}

// dialectOf returns the dialect of an address that sourcedb.Open has accepted.
func dialectOf(address string) string {
	if scheme, _, _ := strings.Cut(address, "://"); source.Dialect(scheme) == source.MySQL || scheme == "mariadb" {
		return string(source.MySQL)
	}
	return string(source.Postgres)
}

// identityOf returns a source's identity in the directory, "" if it has none.
func (a *agents) identityOf(name string) string {
	if d := a.directory.Load(); d != nil {
		if s, ok := d.SourceNamed(name); ok {
			return s.Source.Identity
		}
	}
	return ""
}

// openers returns the node's factory of agents.
func (a *agents) openers() map[routing.Kind]participant.Factory {
	return map[routing.Kind]participant.Factory{source.Kind: source.Factory(source.Config{Cluster: clusterNumber(a.cluster), Open: a.open, DetectAfter: a.detectAfter})}
}

// detectAfter returns a source's DeadlockAfter, or all if it has none.
func (a *agents) detectAfter(s routing.Shard, all time.Duration) time.Duration {
	if s.Source != nil {
		if h := a.called(s.Source.Name); h != nil && h.deadlockAfter != 0 {
			return h.deadlockAfter
		}
	}
	return all
}

// clusterNumber returns the cluster's number in the names of branches.
func clusterNumber(name string) uint64 { return xxhash.Sum64String(name) }

// open returns the driver of a source of the directory.
func (a *agents) open(s routing.Shard) (source.Driver, error) {
	if s.Source == nil {
		return absent{fmt.Sprint(s.ID)}, nil
	}
	if h := a.called(s.Source.Name); h != nil {
		return h, nil
	}
	return absent{s.Source.Name}, nil
}

// called returns the source of a name, nil if it is not at this node.
func (a *agents) called(name string) *hostedSource {
	for _, h := range a.hosted {
		if h.name == name {
			return h
		}
	}
	return nil
}

// reason returns why a source of this node is not served, "" if it is, or is not here.
func (a *agents) reason(name string) string {
	if h := a.called(name); h != nil {
		_, text, _ := h.status()
		return text
	}
	return ""
}

// adopted stores the node's new directory.
func (a *agents) adopted(d *routing.Directory) { a.directory.Store(d) }

// start enters the sources in the directory, through the node's gateway.
func (a *agents) start(db txn.DB) {
	var ctx context.Context
	ctx, a.stop = context.WithCancel(context.Background())
	for _, h := range a.hosted {
		a.begun.Go(func() { a.introduce(ctx, db, h) })
	}
}

// close ends the connections; prepared branches stay.
func (a *agents) close() {
	if a.stop != nil {
		a.stop()
	}
	a.begun.Wait()
	for _, h := range a.hosted {
		_ = h.Driver.Close() // nothing of it is needed any more
	}
}

// Pauses between two attempts to reach a source that the directory does not have, and the interval at which
// one that it has is queried.
const (
	introducePauseLeast = 250 * time.Millisecond
	introducePauseMost  = 15 * time.Second
	askEvery            = 5 * time.Second
)

// introduce enters a source in the directory once it answers, retrying until then.
func (a *agents) introduce(ctx context.Context, db txn.DB, h *hostedSource) {
	logged := ""
	for pause := introducePauseLeast; ; pause = min(2*pause, introducePauseMost) {
		err := a.tryIntroduce(ctx, db, h)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			a.keepAsking(ctx, h)
			return
		}
		if text := err.Error(); text != logged {
			logged = text
			a.log.Warn("the source is not served yet; its agent keeps trying", "source", h.name, "why", text)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// keepAsking queries a known source's facts, so that its status is current without clients' requests.
func (a *agents) keepAsking(ctx context.Context, h *hostedSource) {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	was := ""
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if _, _, at := h.status(); time.Since(at) < askEvery/2 {
			continue
		}
		_, err := h.Facts(ctx)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != was && ctx.Err() == nil {
			a.log.Warn("the source's status changed", "source", h.name, "why", cmp.Or(text, "reachable again"))
		}
		was = text
	}
}

func (a *agents) tryIntroduce(ctx context.Context, db txn.DB, h *hostedSource) error {
	ctx, stop := context.WithTimeout(ctx, askMax)
	defer stop()
	f, err := h.Facts(ctx)
	if err != nil {
		return err
	}
	var refused error
	_, err = coordinator.ChangeDirectory(ctx, db, func(d *routing.Directory) error {
		_, refused = d.AddSource(uint32(a.node), routing.Source{Name: h.name, Dialect: h.dialect, Identity: f.Identity})
		return refused
	})
	if err != nil {
		h.note(nil, err.Error())
		return err
	}
	for _, w := range f.Warnings {
		a.log.Warn("source warning", "source", h.name, "warning", w)
	}
	for _, w := range f.Hints {
		a.log.Info("source hint", "source", h.name, "hint", w)
	}
	a.log.Info("the source is served", "source", h.name, "dialect", h.dialect, "version", f.Version)
	return nil
}
