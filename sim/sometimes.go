package sim

import (
	"isochron/node"
	"isochron/protocol"
	"isochron/store"
	"isochron/txn"
	"isochron/yield"
)

// sometimesGoal is a rare path of the protocols: runs that never took it have tested nothing about
// it.
type sometimesGoal struct {
	name  string
	count string // the count that shows that it was taken
	on    func(protocol.Spec) bool
}

func everywhere(protocol.Spec) bool { return true }

// logged are the protocols whose shards have a log, integrated the others.
func logged(r protocol.Spec) bool { return r.Replicates == protocol.ByLog }

func integrated(r protocol.Spec) bool { return r.Replicates == protocol.Unordered }

// snapshotReads are the protocols with snapshot reads, keepsLeases those in which rows have leases.
func snapshotReads(r protocol.Spec) bool { return r.SnapshotReads() }

func keepsLeases(r protocol.Spec) bool { return r.Yield.RowLeases }

func hasFastPath(r protocol.Spec) bool { return r.Decide.HasFastPath() }

// agrees: a commit that majorities have voted for is accepted by majorities.
func agrees(r protocol.Spec) bool { return integrated(r) && !hasFastPath(r) }

func leaderSettles(r protocol.Spec) bool { return r.Decide.LeaderProposes() }

func usesSlowPath(r protocol.Spec) bool { return r.Decide.UsesSlowPath() }

func woundsWaiters(r protocol.Spec) bool { return r.Yield == yield.WoundWait }

func wounds(r protocol.Spec) bool { return logged(r) && r.Yield.OnConflict == yield.ConflictWoundWait }

func deadlocks(r protocol.Spec) bool { return r.Yield.Deadlocks() }

func bypassesLeaders(r protocol.Spec) bool { return r.Decide.Bypasses() }

func coCoordinates(r protocol.Spec) bool { return r.Decide.CoCoordinates() }

func revealsEarly(r protocol.Spec) bool { return r.Reveal.PreCommits() }

// paths are all of them, from the execution of a transaction to the end of a node.
var paths = []sometimesGoal{
	{"a transaction loses its locks to an older one", "sent: wounded", woundsWaiters},
	{"a leader queries whether the holder of locks is alive", "sent: txn status query", logged},
	{"locks of a dead client are freed", "note: locks freed", logged},
	{"a message meets a node that does not lead", "sent: not leader", logged},
	{"a leader looks for deadlocks over several shards", "sent: deadlock probe to a coordinator", deadlocks},
	{"a chase follows a wait to another shard", "sent: deadlock probe to a leader", deadlocks},
	{"a distributed deadlock is confirmed", "sent: deadlock confirm", deadlocks},
	{"a vote of No", "sent: vote no", func(r protocol.Spec) bool { return logged(r) || leaderSettles(r) }},
	{"a coordinator gets no reply and queries the logs", "note: queries the logs", everywhere},
	{"a participant finishes the work of another's coordinator", "note: takes over", everywhere},
	{"a fence is found, or logged, for an attempt without a vote", "sent: inquire reply no", logged},
	{"a Yes without a decision is found in a log", "sent: inquire reply yes", logged},
	{"a commit is found in a log", "sent: inquire reply committed", everywhere},
	{"an abort is found in a log", "sent: inquire reply aborted", everywhere},
	{"recovery ends in a commit", "note: recovered, commits", everywhere},
	{"recovery ends in an abort", "note: recovered, aborts", everywhere},
	{"a commit of which the client learns nothing", "unknown", everywhere},
	{"a leader is deposed", "note: deposed", logged},
	{"a leader serves while another still believes that it leads", "path: two leaders", logged},
	{"a new leader restores undecided votes", "note: restores votes", logged},
	{"a snapshot is fetched and becomes the state", "note: snapshot installed", logged},
	{"a read timestamp is too old", "reads at a timestamp that was too old", snapshotReads},
	{"a leader logs alone, and later hands its old entries on", "forced: entries of an old term are handed on", logged},
	{"a prepare arrives after the log was queried for its vote", "forced: a prepare arrives after the log was queried", logged},
	{"a rival overwrites what a majority has of an old term", "forced: entries that a majority had are overwritten", logged},
	{"a leader is lost right after it has served a future read timestamp", "forced: a read timestamp is lost with its leader", snapshotReads},
	{"a leader reaches followers without a vote and too few voters", "forced: a leader reaches only followers without a vote", logged},
	{"a log is overwritten, and its node restarts before more entries arrive", "forced: a log is overwritten, and its node restarts", logged},
	{"a leader reaches only joining voters during a membership change", "forced: a leader reaches only joining voters", logged},
	{"a stale voter requests the votes of uninitialized replicas", "forced: a stale voter requests votes from uninitialized replicas", logged},
	{"votes wait for room in a log when its members are to change", "forced: a log with little room while members change", logged},
	{"followers restart within their promise to a leader", "forced: followers restart within their promise", logged},
	{"a refused prepare arrives again in a later term", "forced: a prepare arrives again in a later term", logged},
	{"a vote that depends on undecided writers", "path: open vote", revealsEarly},
	{"the dependency of such a vote commits", "sent: dependency decided", revealsEarly},
	{"the dependency of such a vote aborts, and the vote's transaction with it", "sent: dependency decided doomed", revealsEarly},
	{"a vote that is doomed when it is given", "path: doomed vote", revealsEarly},
	{"a doomed Yes is found in a log", "path: doomed finding", revealsEarly},
	{"an open Yes is found in a log", "path: open finding", revealsEarly},
	{"a co-coordinator receives a No before the coordinator's decision", "sent: ack no", bypassesLeaders},
	{"a vote goes to a region without a replica", "sent: ack of a vote alone", coCoordinates},
	{"a recovering node queries co-coordinators", "sent: query decision", coCoordinates},
	{"a co-coordinator knows the decision", "path: recalled decision", coCoordinates},
	{"a replica is against an attempt", "sent: replica vote against", integrated},
	{"a replica is for an attempt at a later timestamp", "path: replica vote retry", integrated},
	{"a leader decides an attempt on which replicas disagree", "sent: slow path request", usesSlowPath},
	{"a No is proposed", "path: no proposed", hasFastPath},
	{"a Yes is proposed on which replicas do not agree", "path: yes proposed", hasFastPath},
	{"a Yes is proposed that majorities have voted for", "path: yes proposed", agrees},
	{"a view changes", "sent: start view", integrated},
	{"a view begins with what may have been a fast path", "path: yes kept by a view", hasFastPath},
	{"a view begins with the accepted votes", "path: yes kept by a view", agrees},
	{"a view begins with an attempt that no replica knew, refused permanently", "path: fenced by a view", integrated},
	{"a coordinator is lost right after it has reported what replicas agreed on", "forced: a coordinator is lost right after replicas agreed", integrated},
	{"a replica learns the outcome of attempts from another", "sent: anti entropy reply", integrated},
	{"a replica receives a missed Prepare with the decision", "path: decide with prepare", integrated},
}

// countMessage counts a message and the paths that its content shows.
func (n *nemesis) countMessage(from txn.NodeID, m *txn.Message) {
	n.counts["sent: "+kindOf(m)]++
	count := func(on bool, what string) {
		if on {
			n.counts["path: "+what]++
		}
	}
	switch {
	case m.Vote != nil:
		count(m.Vote.Open, "open vote")
		count(m.Vote.Doomed, "doomed vote")
	case m.InquireReply != nil:
		count(m.InquireReply.Open, "open finding")
		count(m.InquireReply.Doomed, "doomed finding")
	case m.ReplicaVote != nil:
		count(m.ReplicaVote.Result == txn.ValidationRetry, "replica vote retry")
	case m.Accept != nil:
		count(m.Accept.Yes, "yes proposed")
		count(!m.Accept.Yes, "no proposed")
	case m.StartView != nil:
		for _, e := range m.StartView.Entries {
			count(e.Yes, "yes kept by a view")
			count(e.Prepare.At == 0, "fenced by a view")
		}
	case m.Decide != nil:
		count(m.Decide.Prepare != nil, "decide with prepare")
	case m.Decision != nil:
		count(from != m.Decision.Attempt.Node, "recalled decision") // others only answer
	}
}

// noteNames are the names under which events reported by nodes are counted.
var noteNames = map[txn.NodeEventKind]string{
	txn.EventElectionStarted: "campaigns", txn.EventDeposed: "deposed", txn.EventTakesOver: "takes over", txn.EventRecoveryStarted: "queries the logs",
	txn.EventSnapshotSent: "snapshot sent", txn.EventSnapshotInstalled: "snapshot installed", txn.EventLocksReleased: "locks freed",
}

// eventCounter is a node's listener that counts, and checks when a node begins to lead.
type eventCounter struct {
	h    *faultRun
	self txn.NodeID
}

// NodeEvent implements txn.EventListener.
func (c eventCounter) NodeEvent(m txn.NodeEvent) {
	name := noteNames[m.Kind]
	switch {
	case m.Kind == txn.EventRecovered && m.Commit:
		name = "recovered, commits"
	case m.Kind == txn.EventRecovered:
		name = "recovered, aborts"
	case m.Kind == txn.EventServes && m.Count > 0:
		name = "restores votes"
	}
	if name != "" {
		c.h.counts["note: "+name]++
	}
	if m.Kind == txn.EventServes && c.h.n != nil {
		c.h.n.checkLeases(c.self, m)
	}
}

// TxnEnded implements txn.EventListener.
func (eventCounter) TxnEnded(txn.TxnEndInfo) {}

// boot makes a node whose events are counted.
func (h *faultRun) boot(c node.Config, now txn.Now) (process, error) {
	c.EventListener = eventCounter{h, c.ID}
	if h.room > 0 {
		c.Logs = store.NewPool(h.room)
	}
	if h.timers != nil {
		h.timers.boot(&c)
	}
	if h.cfg.boot != nil {
		return h.cfg.boot(c, now)
	}
	return bootNode(c, now)
}

// GoalReached is the number of times that a rare goal was reached.
type GoalReached struct {
	Path  string
	Times int
}

// SometimesGoals returns how often the runs of a protocol reached each rare path that the protocol
// has; 0 for those never reached.
func SometimesGoals(spec protocol.Spec, counts Counts) []GoalReached {
	var out []GoalReached
	for _, p := range paths {
		if p.on(spec) {
			out = append(out, GoalReached{p.name, counts[p.count]})
		}
	}
	return out
}
