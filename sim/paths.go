package sim

import (
	"isochron/node"
	"isochron/protocol"
	"isochron/store"
	"isochron/txn"
	"isochron/yield"
)

// path is a rare path of the protocols: a hunt that never went there has proved
// nothing about it.
type path struct {
	name  string
	count string // what is counted when it is reached
	on    func(protocol.Row) bool
}

func everywhere(protocol.Row) bool { return true }

// logged are the rows whose shards have a log, integrated the others.
func logged(r protocol.Row) bool { return r.Replicates == protocol.ByLog }

func integrated(r protocol.Row) bool { return r.Replicates == protocol.Unordered }

// moments are the rows in which moments can be read, keepsLeases those in which rows have leases.
func moments(r protocol.Row) bool { return r.Moments() }

func keepsLeases(r protocol.Row) bool { return r.Yield.RowLeases }

func hasFastPath(r protocol.Row) bool { return r.Decide.HasFastPath() }

// agrees: a commit that majorities have voted for is accepted by majorities.
func agrees(r protocol.Row) bool { return integrated(r) && !hasFastPath(r) }

func leaderSettles(r protocol.Row) bool { return r.Decide.LeaderProposes() }

func disputesOpinions(r protocol.Row) bool { return r.Decide.DisputesOpinions() }

func woundsWaiters(r protocol.Row) bool { return r.Yield == yield.WoundWait }

func wounds(r protocol.Row) bool { return logged(r) && r.Yield.OnConflict == yield.ConflictWoundWait }

func deadlocks(r protocol.Row) bool { return r.Yield.Deadlocks() }

func bypassesLeaders(r protocol.Row) bool { return r.Decide.Bypasses() }

func coCoordinates(r protocol.Row) bool { return r.Decide.CoCoordinates() }

func revealsEarly(r protocol.Row) bool { return r.Reveal.PreCommits() }

// paths are all of them, from the execution of a transaction to the end of a node.
var paths = []path{
	{"a transaction loses its locks to an older one", "sent: wounded", woundsWaiters},
	{"a leader asks whether the holder of locks still lives", "sent: probe", logged},
	{"locks of a dead client are freed", "note: locks freed", logged},
	{"a message meets a node that does not lead", "sent: not leader", logged},
	{"a leader looks for deadlocks over several shards", "sent: chase to a coordinator", deadlocks},
	{"a chase follows a wait to another shard", "sent: chase to a leader", deadlocks},
	{"a deadlock over several shards is looked at once more", "sent: recheck", deadlocks},
	{"a vote of No", "sent: vote no", func(r protocol.Row) bool { return logged(r) || leaderSettles(r) }},
	{"a coordinator meets silence and asks the logs", "note: asks the logs", everywhere},
	{"a participant finishes the work of another's coordinator", "note: takes over", everywhere},
	{"a fence is found, or logged, for an attempt without a vote", "sent: finding no", logged},
	{"a Yes without a decision is found in a log", "sent: finding yes", logged},
	{"a commit is found in a log", "sent: finding committed", everywhere},
	{"an abort is found in a log", "sent: finding aborted", everywhere},
	{"recovery ends in a commit", "note: recovered, commits", everywhere},
	{"recovery ends in an abort", "note: recovered, aborts", everywhere},
	{"a commit of which the client learns nothing", "unknown", everywhere},
	{"a leader is deposed", "note: deposed", logged},
	{"a leader serves while another still believes that it leads", "path: two leaders", logged},
	{"a new leader restores undecided votes", "note: restores votes", logged},
	{"a snapshot is fetched and becomes the state", "note: snapshot installed", logged},
	{"a reading of a moment comes too late", "reads at a moment that came too late", moments},
	{"a leader logs alone, and later hands its old entries on", "forced: entries of an old term are handed on", logged},
	{"a prepare comes after the log was asked of its vote", "forced: a prepare comes after the log was asked", logged},
	{"a rival overwrites what a majority has of an old term", "forced: entries that a majority had are overwritten", logged},
	{"a leader is lost right after it has told of a moment to come", "forced: a moment is lost with its leader", moments},
	{"followers without a vote hear a leader that too few voters hear", "forced: a leader is heard by followers without a vote", logged},
	{"a log is overwritten, and its node restarts before more has come", "forced: a log is overwritten, and its node restarts", logged},
	{"a leader is heard by those who join alone, while members change", "forced: a leader is heard by those who join alone", logged},
	{"who was left behind asks those who are blank for their votes", "forced: who was left behind asks those who are blank", logged},
	{"votes wait for room in a log when its members are to change", "forced: a log with little room while members change", logged},
	{"followers restart within their promise to a leader", "forced: followers restart within their promise", logged},
	{"a prepare that was refused comes again in a later term", "forced: a prepare comes again in a later term", logged},
	{"a vote that depends on undecided writers", "path: open vote", revealsEarly},
	{"what such a vote depends on commits", "sent: resolved", revealsEarly},
	{"what such a vote depends on aborts, and it with it", "sent: resolved doomed", revealsEarly},
	{"a vote that is doomed when it is given", "path: doomed vote", revealsEarly},
	{"a doomed Yes is found in a log", "path: doomed finding", revealsEarly},
	{"an open Yes is found in a log", "path: open finding", revealsEarly},
	{"a co-coordinator hears a No before the coordinator's decision", "sent: ack no", bypassesLeaders},
	{"a vote goes to a region without a replica", "sent: ack of a vote alone", coCoordinates},
	{"who recovers asks co-coordinators", "sent: recall", coCoordinates},
	{"a co-coordinator knows the decision", "path: recalled decision", coCoordinates},
	{"a replica is against an attempt", "sent: opinion against", integrated},
	{"a replica is for an attempt at a later timestamp", "path: opinion retry", integrated},
	{"a leader is asked to settle what replicas do not agree on", "sent: dispute", disputesOpinions},
	{"a No is proposed", "path: no proposed", hasFastPath},
	{"a Yes is proposed on which replicas do not agree", "path: yes proposed", hasFastPath},
	{"a Yes is proposed that majorities have voted for", "path: yes proposed", agrees},
	{"a view changes", "sent: start view", integrated},
	{"a view begins with what may have been a fast path", "path: yes kept by a view", hasFastPath},
	{"a view begins with what has been accepted", "path: yes kept by a view", agrees},
	{"a view begins with what nobody had heard of, refused for ever", "path: fenced by a view", integrated},
	{"a coordinator is lost right after it has told of what replicas agreed on", "forced: a coordinator is lost right after replicas agreed", integrated},
	{"a replica hears from another how attempts have ended", "sent: endings", integrated},
	{"a replica is told what it has missed with the decision", "path: decide with prepare", integrated},
}

// countMessage counts a message and the paths that only its content tells of.
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
	case m.Finding != nil:
		count(m.Finding.Open, "open finding")
		count(m.Finding.Doomed, "doomed finding")
	case m.Opinion != nil:
		count(m.Opinion.Answer == txn.AnswerRetry, "opinion retry")
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

// noteNames are what nodes report of themselves, as it is counted.
var noteNames = map[txn.NoteKind]string{
	txn.NoteCampaigns: "campaigns", txn.NoteDeposed: "deposed", txn.NoteTakesOver: "takes over", txn.NoteAsksLogs: "asks the logs",
	txn.NoteSnapshotSent: "snapshot sent", txn.NoteSnapshotInstalled: "snapshot installed", txn.NoteLocksFreed: "locks freed",
}

// noteCounter is a node's Watcher that counts, and looks when somebody begins to lead.
type noteCounter struct {
	h    *hunt
	self txn.NodeID
}

// Note implements txn.Watcher.
func (c noteCounter) Note(m txn.Note) {
	name := noteNames[m.Kind]
	switch {
	case m.Kind == txn.NoteRecovered && m.Commit:
		name = "recovered, commits"
	case m.Kind == txn.NoteRecovered:
		name = "recovered, aborts"
	case m.Kind == txn.NoteServes && m.Count > 0:
		name = "restores votes"
	}
	if name != "" {
		c.h.counts["note: "+name]++
	}
	if m.Kind == txn.NoteServes && c.h.n != nil {
		c.h.n.checkLeases(c.self, m)
	}
}

// Ended implements txn.Watcher.
func (noteCounter) Ended(txn.Ended) {}

// boot makes a node whose remarks are counted.
func (h *hunt) boot(c node.Config, now txn.Now) (process, error) {
	c.Watcher = noteCounter{h, c.ID}
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

// Reached is how often a rare path was reached.
type Reached struct {
	Path  string
	Times int
}

// RarePaths tells how often the hunts of a row reached each rare path that the row
// has, those never reached with 0.
func RarePaths(row protocol.Row, counts Counts) []Reached {
	var out []Reached
	for _, p := range paths {
		if p.on(row) {
			out = append(out, Reached{p.name, counts[p.count]})
		}
	}
	return out
}
