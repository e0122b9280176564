package server

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"isochron/geo"
	"isochron/txn"
)

// Metrics receives measurements as they happen. Its methods are called in nodes' loops and must not block.
type Metrics interface {
	// TxnEnded reports the end of a transaction at this node's coordinator.
	TxnEnded(txn.TxnEndInfo)
	// Synced reports one sync of the disk. Shared reports how many replies had waited for the syncs that
	// ended since the loop's last round.
	Synced(took time.Duration)
	Shared(answers int)
	// Recovering counts attempts whose participants' logs had to be queried.
	Recovering()
}

// slowSync is the duration from which a sync is logged, at most once every slowSyncEvery.
const (
	slowSync      = time.Second
	slowSyncEvery = 10 * time.Second
)

// campaignEvery is the interval at which one shard's unsuccessful elections are logged at most.
const campaignEvery = 30 * time.Second

// eventListener turns the core's events into log lines and metrics. Events come from the loop only.
type eventListener struct {
	log          *slog.Logger
	region       geo.Region
	clock        clock
	metrics      Metrics
	campaigns    map[txn.ShardID]campaigned
	slowLoggedAt atomic.Int64 // when a slow sync was last logged, in clock nanoseconds
	quiet        atomic.Bool  // the node was removed: its missing leaders are not logged
}

type campaigned struct {
	term uint64
	at   time.Duration
}

var _ txn.EventListener = (*eventListener)(nil)

func newWatch(cfg runnerConfig) *eventListener {
	return &eventListener{log: cfg.log, region: cfg.me.Region, clock: cfg.clock, metrics: cfg.metrics,
		campaigns: map[txn.ShardID]campaigned{}}
}

// TxnEnded implements txn.EventListener.
func (w *eventListener) TxnEnded(e txn.TxnEndInfo) {
	if w.metrics != nil {
		w.metrics.TxnEnded(e)
	}
}

// synced reports a sync; the syncer's goroutine calls it.
func (w *eventListener) synced(took time.Duration) {
	if w.metrics != nil {
		w.metrics.Synced(took)
	}
	now := int64(w.clock.mono())
	last := w.slowLoggedAt.Load()
	if took < slowSync || last != 0 && now-last < int64(slowSyncEvery) || !w.slowLoggedAt.CompareAndSwap(last, now) {
		return
	}
	w.log.Warn("the disk is slow", "sync_ms", millis(took))
}

func (w *eventListener) shared(answers int) {
	if w.metrics != nil && answers > 0 {
		w.metrics.Shared(answers)
	}
}

// NodeEvent implements txn.EventListener.
func (w *eventListener) NodeEvent(n txn.NodeEvent) {
	switch n.Kind {
	case txn.EventElectionStarted:
		w.campaign(n)
	case txn.EventElected:
		w.log.Info("elected leader", "shard", n.Shard, "term", n.Term)
	case txn.EventServes:
		w.log.Info("the leader serves", "shard", n.Shard, "term", n.Term, "undecided", n.Count)
	case txn.EventDeposed:
		w.log.Info("no longer leader", "shard", n.Shard, "term", n.Term)
	case txn.EventFollows:
		w.log.Info("follows a leader", "shard", n.Shard, "term", n.Term, "leader", n.Peer)
	case txn.EventSnapshotSent:
		w.log.Info("a replica lags: a snapshot is offered", "shard", n.Shard, "index", n.Index)
	case txn.EventSnapshotFetched:
		w.log.Info("fetching a snapshot", "shard", n.Shard, "index", n.Index, "peer", n.Peer)
	case txn.EventSnapshotInstalled:
		w.log.Info("snapshot installed", "shard", n.Shard, "index", n.Index)
	case txn.EventLocksReleased:
		w.log.Warn("a transaction's gateway does not answer: its locks are released", "shard", n.Shard, "txn", n.Txn.String())
	default:
		w.recovery(n)
	}
}

func (w *eventListener) campaign(n txn.NodeEvent) {
	if w.quiet.Load() {
		return
	}
	now := w.clock.mono()
	if last, ok := w.campaigns[n.Shard]; ok && last.term == n.Term && now-last.at < campaignEvery {
		return
	}
	w.campaigns[n.Shard] = campaigned{n.Term, now}
	w.log.Info("no leader known: an election begins", "shard", n.Shard, "term", n.Term)
}

func (w *eventListener) recovery(n txn.NodeEvent) {
	attrs := []any{"txn", n.Txn.String(), "attempt", n.Attempt.String(), "participants", fmt.Sprint(n.Participants)}
	switch n.Kind {
	case txn.EventRecoveryStarted:
		w.log.Warn("a participant does not answer a commit: the participants' logs are queried", attrs...)
	case txn.EventTakesOver:
		w.log.Warn("a transaction is in doubt: this node takes over for its coordinator", attrs...)
	case txn.EventRecovered:
		outcome := "aborted"
		if n.Commit {
			outcome = "committed"
		}
		w.log.Info("a transaction in doubt is decided", append(attrs, "outcome", outcome)...)
		return
	}
	if w.metrics != nil {
		w.metrics.Recovering()
	}
}

// millis returns milliseconds for a log line, to the microsecond.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
