package sim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"isochron/node"
	"isochron/participant"
	"isochron/routing"
	"isochron/source"
	"isochron/txn"
)

// Databases are models of external databases beside the nodes of a cluster: one for each source of
// its directory, which only its agent's node can reach.
type Databases struct {
	// Latency is one way between an agent and its database; Fsync and Work are the database's own
	// durations of a log sync and of a statement. Zero: 100 us, 1 ms, 50 us.
	Latency, Fsync, Work time.Duration
	// Dialects are those of the sources, in the directory's order; none: alternately MySQL's and
	// PostgreSQL's.
	Dialects []source.Dialect
	// DeadlockAfter is the wait of a statement in a PostgreSQL before it checks for a deadlock; 0:
	// it checks immediately, as a MySQL does.
	DeadlockAfter time.Duration
	// ReportWaits makes PostgreSQLs report their wait edges to their agents, as real ones do; for
	// others agents infer the waits. Either matters only if Params.SourceWaits is not 0.
	ReportWaits bool

	w     *Cluster
	all   []*database
	of    map[txn.ShardID]*database
	acked map[source.Name]bool // ends of branches that agents have acknowledged, except where decided
	late  []string             // branches that were begun after that
}

// receives records the acknowledgements of agents.
func (s *Databases) receives(m *txn.Message) {
	if s != nil && m.DecideAck != nil && s.of[m.DecideAck.Shard] != nil {
		s.acked[source.Name{Cluster: ourCluster, Attempt: m.DecideAck.Attempt, Source: m.DecideAck.Shard}] = true
	}
}

// begins records that a branch is begun. A branch whose end was acknowledged must never begin
// again.
func (s *Databases) begins(n source.Name) {
	n.RecordShard = 0
	if s.acked[n] {
		s.late = append(s.late, n.String())
	}
}

// ourCluster is in the names of branches, and strangeCluster in those of another cluster in the
// same databases.
const (
	ourCluster     = 1
	strangeCluster = 2
)

func or(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

// attach creates the databases of a cluster.
func (s *Databases) attach(w *Cluster) {
	if s == nil {
		return
	}
	s.w, s.of, s.acked = w, map[txn.ShardID]*database{}, map[source.Name]bool{}
	for _, e := range w.cfg.Directory.Shards {
		if e.Kind != source.Kind {
			continue
		}
		d := &database{
			w: w, name: fmt.Sprintf("db%d", e.ID), dialect: s.dialect(len(s.all)),
			latency: or(s.Latency, 100*time.Microsecond), fsync: or(s.Fsync, time.Millisecond), work: or(s.Work, 50*time.Microsecond), lockWait: 5 * time.Second,
			rows: map[string]string{}, locks: map[string]*dbLock{},
		}
		if d.dialect == source.Postgres {
			d.deadlockAfter = s.DeadlockAfter
		}
		s.all = append(s.all, d)
		s.of[txn.ShardID(e.ID)] = d
		s.leaveStrange(d, txn.ShardID(e.ID))
	}
}

// dialect returns the dialect of the i-th source.
func (s *Databases) dialect(i int) source.Dialect {
	all := s.Dialects
	if len(all) == 0 {
		all = []source.Dialect{source.MySQL, source.Postgres}
	}
	return all[i%len(all)]
}

// strangers returns what others have prepared there: another cluster, and a program outside.
func strangers(s txn.ShardID) []string {
	return []string{
		source.Name{Cluster: strangeCluster, Attempt: txn.Attempt{Node: 1, Epoch: 1, Seq: 1 << 40}, Source: s, RecordShard: 2}.String(),
		fmt.Sprintf("billing-%d", s),
	}
}

func (s *Databases) leaveStrange(d *database, id txn.ShardID) {
	for i, name := range strangers(id) {
		x := d.begin(name, nil)
		x.state = dbPrepared
		d.lock(context.Background(), x, dbClaim{fmt.Sprintf("strange/%d", i), lockX}, func(*source.Error) {})
	}
}

// fit gives a node an opener for sources.
func (s *Databases) fit(c *node.Config) {
	if s == nil {
		return
	}
	if c.Openers == nil {
		c.Openers = map[routing.Kind]participant.Factory{}
	}
	bugs := c.Params.InjectedBugs
	c.Openers[source.Kind] = source.Factory(source.Config{Cluster: ourCluster, Open: func(e routing.Shard) (source.Driver, error) {
		h := s.w.host(txn.NodeID(e.Replicas[0]))
		return &dbDriver{db: s.of[txn.ShardID(e.ID)], host: h, incarnation: h.boots, takesForeign: bugs.TakeForeign}, nil
	}})
}

// lost notifies the databases that a node is lost.
func (s *Databases) lost(h *host) {
	if s == nil {
		return
	}
	for _, d := range s.all {
		d.disconnect(h, h.boots)
	}
	// An agent remembers ended branches for one incarnation, and need not for longer: a statement
	// batch names the incarnation for which it is sent, so that the next one refuses batches for
	// this one. A branch that the next incarnation begins was begun by a batch sent to it as the
	// first, of a transaction whose gateway has not ended it.
	for n := range s.acked { // order: each by itself
		if e, ok := s.w.cfg.Directory.Shard(uint64(n.Source)); ok && slices.Contains(e.Replicas, uint32(h.id)) {
			delete(s.acked, n)
		}
	}
}

// left returns the transactions of this cluster that are still prepared, and the foreign ones that
// are missing.
func (s *Databases) left() (ours []string, touched []string) {
	for _, e := range s.w.cfg.Directory.Shards {
		d := s.of[txn.ShardID(e.ID)]
		if d == nil {
			continue
		}
		strange := strangers(txn.ShardID(e.ID))
		for _, x := range d.open {
			if n, ok := source.ParseName(x.name); ok && n.Cluster == ourCluster {
				ours = append(ours, fmt.Sprintf("%s has %s, %s", d.name, x.name, [...]string{"active", "syncing", "prepared", "ending", "ended"}[x.state]))
			}
		}
		for _, key := range d.unended() {
			ours = append(ours, fmt.Sprintf("%s has %s", d.name, key))
		}
		for _, name := range strange {
			if x := d.named(name); x == nil || x.state != dbPrepared {
				touched = append(touched, fmt.Sprintf("%s of %s is not prepared any more", name, d.name))
			}
		}
	}
	return ours, touched
}
