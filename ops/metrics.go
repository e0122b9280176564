package ops

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"isochron/geo"
	"isochron/server"
	"isochron/sql"
	"isochron/sql/account"
	"isochron/txn"
)

// Metrics has the metrics of one node.
type Metrics struct {
	registry *prometheus.Registry
	process  atomic.Pointer[server.Process]
	sql      atomic.Pointer[sql.Server]
	wan      geo.WAN
	region   geo.Region

	ended      [endings]prometheus.Counter
	commit     [2]prometheus.Observer // without writes, with writes
	overBound  prometheus.Histogram
	recovering prometheus.Counter
	sync       prometheus.Histogram
	batch      prometheus.Histogram

	sqlCommitted prometheus.Histogram
	fixedSet     prometheus.Counter
	sqlAborted   [endings]prometheus.Counter
	statements   [2]prometheus.Observer // by the engine alone, by a round plan
	rounds       prometheus.Histogram
	wideRounds   prometheus.Histogram
	again        prometheus.Counter
	badLogins    *prometheus.CounterVec
}

var (
	_ server.Metrics        = (*Metrics)(nil)
	_ sql.Observer          = (*Metrics)(nil)
	_ sql.StatementObserver = (*Metrics)(nil)
	_ account.LoginObserver = (*Metrics)(nil)
)

// endings is the number of outcomes: one for each txn.Kind, 0 for a commit, and a rollback.
const (
	rolledBack = int(txn.KindTooLarge) + 1
	endings    = rolledBack + 1
)

// outcomes and causes are the labels of an ending.
var outcomes = [endings][2]string{
	0:                      {"committed", "none"},
	txn.KindAborted:        {"aborted", "conflict"},
	txn.KindLockTimeout:    {"aborted", "lock_timeout"},
	txn.KindNoWait:         {"aborted", "nowait"},
	txn.KindStale:          {"aborted", "schema_changed"},
	txn.KindUnavailable:    {"aborted", "unavailable"},
	txn.KindUnknown:        {"unknown", "unconfirmed"},
	txn.KindInvalidRequest: {"aborted", "refused"},
	txn.KindTooOld:         {"aborted", "too_old"},
	txn.KindTooLarge:       {"aborted", "too_large"},
	rolledBack:             {"rolled_back", "client"},
}

// New returns the metrics of a node in a region of a map.
func New(w geo.WAN, region geo.Region) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), wan: w, region: region}
	seconds := prometheus.ExponentialBuckets(0.0005, 2, 16) // to 16 s
	m.transactions()
	m.sync = m.histogram("isochron_disk_sync_duration_seconds", "Time of one sync of the disk, which makes durable all that was written before it.", prometheus.ExponentialBuckets(0.0001, 2, 16))
	m.batch = m.histogram("isochron_disk_sync_batch_size", "Answers released by one sync of the disk: the size of a group commit.", prometheus.ExponentialBuckets(1, 2, 12))
	m.sqlCommitted = m.histogram("isochron_sql_transaction_duration_seconds", "Time of the committed transactions of SQL clients, from their first use of data.", seconds)
	m.fixedSet = m.counter("isochron_sql_fixed_set_transactions_total", "Committed 2FI transactions of SQL clients: voted on in the round that reads.")
	aborted := m.counters("isochron_sql_transaction_failures_total", "Failed transactions of SQL clients; each try counts.", "cause")
	for i := range m.sqlAborted {
		m.sqlAborted[i] = aborted.WithLabelValues(outcomes[i][1])
	}
	statements := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "isochron_sql_statement_duration_seconds", Help: "Time of a statement with all its tries, by what executes its reads: a round plan, or the engine alone.", Buckets: seconds}, []string{"path"})
	m.register(statements)
	m.statements[0], m.statements[1] = statements.WithLabelValues("engine"), statements.WithLabelValues("round_plan")
	few := []float64{0, 1, 2, 3, 4, 6, 8, 16, 32, 64}
	m.rounds = m.histogram("isochron_sql_statement_rounds", "Rounds of reads of a statement, over all its tries.", few)
	m.wideRounds = m.histogram("isochron_sql_statement_cross_region_rounds", "Rounds of a statement with a request to another region.", few)
	m.again = m.counter("isochron_sql_auto_retries_total", "Statements and transactions the gateway retried without reporting the conflict to the client.")
	m.badLogins = m.counters("isochron_sql_login_failures_total", "Failed logins: wrong password or unknown user, locked account, or missing TLS.", "reason")
	for _, reason := range []string{"password", "tls", "locked"} {
		m.badLogins.WithLabelValues(reason)
	}
	m.register(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), statusCollector{m})
	return m
}

func (m *Metrics) transactions() {
	ended := m.counters("isochron_transactions_total", "Transactions that ended at this gateway, those of the catalogue too; each try counts.", "outcome", "cause")
	for i := range m.ended {
		m.ended[i] = ended.WithLabelValues(outcomes[i][0], outcomes[i][1])
	}
	commit := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "isochron_commit_duration_seconds", Help: "Time of successful commits, from the request to the reply.",
		Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16)}, []string{"writes"})
	m.register(commit)
	m.commit[0], m.commit[1] = commit.WithLabelValues("no"), commit.WithLabelValues("yes")
	m.overBound = m.histogram("isochron_commit_network_bound_ratio", "Time of commits with writes divided by the network bound: a round trip to each leader and one from there to its majority. Measured only with a wan, where the bound is above 1 ms.",
		[]float64{1, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 30})
	m.recovering = m.counter("isochron_commit_recoveries_total", "Commit attempts whose outcome was read from the participants' logs.")
}

// register adds collectors, with the old names of their metrics.
func (m *Metrics) register(all ...prometheus.Collector) {
	for _, c := range all {
		m.registry.MustRegister(newWithOldNames(c))
	}
}

func (m *Metrics) histogram(name, help string, buckets []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	m.register(h)
	return h
}

func (m *Metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	m.register(c)
	return c
}

func (m *Metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.register(c)
	return c
}

// Attach sets the node that each scrape queries.
func (m *Metrics) Attach(p *server.Process) { m.process.Store(p) }

// Serve sets the SQL server once it is open; nil: it is closing.
func (m *Metrics) Serve(s *sql.Server) { m.sql.Store(s) }

// TxnEnded implements server.Metrics.
func (m *Metrics) TxnEnded(e txn.TxnEndInfo) {
	if e.RolledBack {
		m.ended[rolledBack].Inc()
		return
	}
	m.ended[e.Outcome].Inc()
	if e.Outcome != 0 || e.Commit == 0 {
		return
	}
	if !e.Wrote {
		m.commit[0].Observe(e.Commit.Seconds())
		return
	}
	m.commit[1].Observe(e.Commit.Seconds())
	p := m.process.Load()
	if p == nil {
		return
	}
	if bound := server.CommitBound(m.wan, p.Directory(), m.region, e.Participants); bound >= time.Millisecond {
		m.overBound.Observe(float64(e.Commit) / float64(bound))
	}
}

// Synced implements server.Metrics.
func (m *Metrics) Synced(took time.Duration) { m.sync.Observe(took.Seconds()) }

// Shared implements server.Metrics.
func (m *Metrics) Shared(answers int) { m.batch.Observe(float64(answers)) }

// Recovering implements server.Metrics.
func (m *Metrics) Recovering() { m.recovering.Inc() }

// Committed implements sql.Observer.
func (m *Metrics) Committed(took time.Duration, s txn.Stats) {
	m.sqlCommitted.Observe(took.Seconds())
	if s.FixedSet {
		m.fixedSet.Inc()
	}
}

// Aborted implements sql.Observer.
func (m *Metrics) Aborted(kind txn.Kind) { m.sqlAborted[kind].Inc() }

// LoginFailed implements sql.LoginObserver.
func (m *Metrics) LoginFailed(reason string) { m.badLogins.WithLabelValues(reason).Inc() }

// Statement implements sql.StatementObserver.
func (m *Metrics) Statement(s sql.Statement) {
	path := 0
	if s.Planned {
		path = 1
	}
	m.statements[path].Observe(s.Took.Seconds())
	m.rounds.Observe(float64(s.Rounds))
	m.wideRounds.Observe(float64(s.WideRounds))
	if s.Again > 0 {
		m.again.Add(float64(s.Again))
	}
}
