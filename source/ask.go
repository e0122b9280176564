package source

import (
	"context"
	"fmt"
	"slices"
	"time"

	"isochron/txn"
)

// Queries that are not part of a transaction: a source's description and its branches in doubt.

// adminHandler answers these queries.
type adminHandler struct{ *state }

// asker identifies a query that is not yet answered.
type asker struct {
	node    txn.NodeID
	request uint64
}

// askersMax bounds the queries that wait for one branch to end.
const askersMax = 16

// asked answers a query, now or later.
func (g adminHandler) asked(from txn.NodeID, m *txn.SourceQuery) {
	a := asker{from, m.Request}
	switch m.Kind {
	case txn.SourceDescribe:
		g.describe(a)
	case txn.SourceInDoubt:
		g.answer(a, txn.SourceReply{InDoubt: g.doubts()})
	case txn.SourceResolve, txn.SourceCommit, txn.SourceUndo:
		g.resolve(a, m.Kind, m.Name)
	default:
		g.deny(a, txn.KindInvalidRequest, "unknown query: the source's agent is of an earlier version")
	}
}

func (g adminHandler) answer(a asker, m txn.SourceReply) {
	m.Shard, m.Request = g.id, a.request
	g.send(a.node, txn.Message{SourceReply: &m})
}

func (g adminHandler) deny(a asker, kind txn.Kind, format string, args ...any) {
	g.answer(a, txn.SourceReply{Refused: kind, Reason: fmt.Sprintf(format, args...)})
}

// described is a source's description, or the error of querying it.
type described struct {
	schema txn.SourceSchema
	err    *Error
}

// describe queries the source's facts and tables.
func (g adminHandler) describe(a asker) {
	if g.describing[a] { // repeated
		return
	}
	db := g.db
	began := g.at.Env.RunAsync(func(ctx context.Context) any {
		var d described
		f, err := db.Facts(ctx)
		if err == nil {
			d.schema = txn.SourceSchema{Dialect: string(f.Dialect), Version: f.Version, Identity: f.Identity, PreparedMax: f.PreparedMax, Warnings: f.Warnings}
			d.schema.Tables, err = db.Tables(ctx)
		}
		d.schema.Fit()
		d.err = asError(err)
		return d
	}, func(result any) {
		delete(g.describing, a)
		if d := result.(described); d.err != nil {
			g.deny(a, txn.KindUnavailable, "%s", d.err.Text)
		} else {
			g.answer(a, txn.SourceReply{Schema: &d.schema})
		}
	})
	if began {
		g.describing[a] = true
	} else {
		g.deny(a, txn.KindUnavailable, "the source's agent runs too many tasks; retry later")
	}
}

// doubts lists the prepared branches that have not ended, the oldest first.
func (g adminHandler) doubts() (out []txn.InDoubtBranch) {
	for _, b := range g.branches.inOrder() {
		if b.phase < prepareUnknown {
			continue
		}
		out = append(out, txn.InDoubtBranch{ID: g.id, Name: b.name.String(), AgeNanos: int64(g.now() - b.since), Reason: g.reason(b),
			Gateway: b.name.Attempt.Node, RecordShard: b.name.RecordShard, Txn: b.txn})
	}
	slices.SortStableFunc(out, func(a, b txn.InDoubtBranch) int { return int(min(max(b.AgeNanos-a.AgeNanos, -1), 1)) })
	return out[:min(len(out), txn.SourceDoubtMax)]
}

// reason explains to an operator why a branch has not ended.
func (g adminHandler) reason(b *branch) string {
	switch {
	case b.decided != nil && g.links.text != "":
		return fmt.Sprintf("decided (%s), but the source is not available: %s", verdict(b.decided.Commit), g.links.text)
	case b.decided != nil:
		return fmt.Sprintf("decided (%s); the source is being sent the decision", verdict(b.decided.Commit))
	case b.phase == prepareUnknown:
		return "the connection broke during the prepare; the source is being queried for the branch"
	case b.txn.IsZero():
		return fmt.Sprintf("found prepared; the decision is being looked up in the log of shard %d", b.name.RecordShard)
	case g.answers(b):
		return fmt.Sprintf("its coordinator, node %d, has not decided yet", b.gateway)
	}
	return fmt.Sprintf("its gateway, node %d, is silent; the decision is being looked up in the log of shard %d", b.gateway, b.name.RecordShard)
}

func verdict(commit bool) string {
	if commit {
		return "commit"
	}
	return "roll back"
}

// answers reports whether a branch's gateway was in contact within its lease.
func (g adminHandler) answers(b *branch) bool {
	return !b.txn.IsZero() && g.now()-b.lastContact < gatewayTimeout(g.at.Params)
}

// resolve ends a branch now. SourceResolve uses the decision in the log; if there is none, the
// recovery that queries the log first aborts the attempt. SourceCommit and SourceUndo force an
// outcome; the operator answers for its being right.
func (g adminHandler) resolve(a asker, how txn.SourceQueryKind, name string) {
	n, ok := ParseName(name)
	b := g.branches[n.Attempt]
	switch {
	case !ok || n.Source != g.id || n.Cluster != g.cfg.Cluster:
		g.deny(a, txn.KindInvalidRequest, "%.140q does not name a branch of this cluster at this source; nothing was done", name)
	case b == nil && !g.links.serving:
		g.deny(a, txn.KindUnavailable, "the source's prepared branches are not known now: %s", g.links.text)
	case b == nil || b.phase < prepareUnknown:
		g.answer(a, txn.SourceReply{}) // ended, or never prepared
	case b.decided == nil && b.phase == prepared && g.answers(b):
		g.deny(a, txn.KindInvalidRequest, "its coordinator, node %d, answered %v ago and will decide; nothing was done", b.gateway, (g.now() - b.lastContact).Round(time.Millisecond))
	case slices.Contains(b.askers, a): // repeated
	case len(b.askers) >= askersMax:
		g.deny(a, txn.KindUnavailable, "%d queries wait for this branch already; retry later", askersMax)
	default:
		b.askers = append(b.askers, a)
		switch {
		case b.decided != nil || b.phase != prepared:
		case how != txn.SourceResolve:
			g.trace("source %d: %v ends by an operator's command: %s", g.id, b.name.Attempt, verdict(how == txn.SourceCommit))
			b.decided = &txn.Decide{Shard: g.id, Attempt: b.name.Attempt, Txn: b.txn, Commit: how == txn.SourceCommit}
			g.proceed(b)
		default:
			g.at.Env.Orphan(txn.Orphan{Attempt: b.name.Attempt, Txn: b.txn, Participants: []txn.ShardID{g.id}, RecordShard: b.name.RecordShard, Leftover: true})
		}
	}
}
