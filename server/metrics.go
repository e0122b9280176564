package server

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"isochron/geo"
	"isochron/txn"
)

// Metrics takes what is measured as it happens. Its methods are called from
// loops and must return at once.
type Metrics interface {
	// TxnEnded reports the end of a transaction at this node's coordinator.
	TxnEnded(txn.TxnEndInfo)
	// Synced reports one sync of the disk; Shared how many answers had waited for
	// the syncs that were over when the loop looked.
	Synced(took time.Duration)
	Shared(answers int)
	// Recovering counts attempts whose participants' logs had to be asked.
	Recovering()
}

// slowSync is from how long a sync is logged; slowSyncEvery how often at most.
const (
	slowSync      = time.Second
	slowSyncEvery = 10 * time.Second
)

// campaignEvery is how often at most the elections of one shard that lead to
// nothing are logged.
const campaignEvery = 30 * time.Second

// eventListener turns what the core tells into log lines and figures. Its notes come
// from the loop alone.
type eventListener struct {
	log          *slog.Logger
	region       geo.Region
	clock        clock
	metrics      Metrics
	campaigns    map[txn.ShardID]campaigned
	slowLoggedAt atomic.Int64 // when a slow sync was last logged, in clock nanoseconds
	quiet        atomic.Bool  // the node was removed: that it hears no leader is no news
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

// TxnEnded implements txn.Watcher.
func (w *eventListener) TxnEnded(e txn.TxnEndInfo) {
	if w.metrics != nil {
		w.metrics.TxnEnded(e)
	}
}

// synced hears of a sync, from the syncer's goroutine.
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

// NodeEvent implements txn.Watcher.
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
		w.log.Warn("nobody answers for a transaction: its locks are freed", "shard", n.Shard, "txn", n.Txn.String())
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
	w.log.Info("no leader is heard: an election begins", "shard", n.Shard, "term", n.Term)
}

func (w *eventListener) recovery(n txn.NodeEvent) {
	attrs := []any{"txn", n.Txn.String(), "attempt", n.Attempt.String(), "participants", fmt.Sprint(n.Participants)}
	switch n.Kind {
	case txn.EventRecoveryStarted:
		w.log.Warn("a commit met silence: the participants' logs are asked", attrs...)
	case txn.EventTakesOver:
		w.log.Warn("a transaction is in doubt: its coordinator's work is finished here", attrs...)
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

// millis are milliseconds for a log line, to the microsecond.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
