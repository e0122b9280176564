package source

import (
	"context"
	"fmt"
	"slices"
	"time"

	"isochron/txn"
)

// What an agent is asked beside transactions: what its source is, and what is in doubt there.

// adminHandler answers it, for an agent.
type adminHandler struct{ *state }

// asker is who waits for an answer.
type asker struct {
	node    txn.NodeID
	request uint64
}

// askersMax bounds who may wait for the end of one branch.
const askersMax = 16

// asked answers a question, now or later.
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
		g.deny(a, txn.KindInvalidRequest, "the source's agent does not know the question; it is of an earlier version")
	}
}

func (g adminHandler) answer(a asker, m txn.SourceReply) {
	m.Shard, m.Request = g.id, a.request
	g.send(a.node, txn.Message{SourceReply: &m})
}

func (g adminHandler) deny(a asker, kind txn.Kind, format string, args ...any) {
	g.answer(a, txn.SourceReply{Refused: kind, Reason: fmt.Sprintf(format, args...)})
}

// described is what a source has said.
type described struct {
	schema txn.SourceSchema
	err    *Error
}

// describe asks the source what it is.
func (g adminHandler) describe(a asker) {
	if g.describing[a] { // asked again
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
		g.deny(a, txn.KindUnavailable, "too much is under way at the source's agent; ask again later")
	}
}

// doubts lists what is prepared and has not ended, the oldest first.
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

// reason tells why a branch has not ended.
func (g adminHandler) reason(b *branch) string {
	switch {
	case b.decided != nil && g.links.text != "":
		return fmt.Sprintf("it is decided (%s), and the source does not take that in: %s", verdict(b.decided.Commit), g.links.text)
	case b.decided != nil:
		return fmt.Sprintf("it is decided (%s), and that is being carried out", verdict(b.decided.Commit))
	case b.phase == prepareUnknown:
		return "the connection broke in its prepare; whether it is prepared is being looked for"
	case b.txn.IsZero():
		return fmt.Sprintf("it was found prepared; the log of shard %d is asked how it ends", b.name.RecordShard)
	case g.answers(b):
		return fmt.Sprintf("node %d coordinates it, and has not decided yet", b.gateway)
	}
	return fmt.Sprintf("its gateway, node %d, is silent; the log of shard %d is asked how it ends", b.gateway, b.name.RecordShard)
}

func verdict(commit bool) string {
	if commit {
		return "commit"
	}
	return "roll back"
}

// answers reports whether a branch's gateway has been heard of within its lease.
func (g adminHandler) answers(b *branch) bool {
	return !b.txn.IsZero() && g.now()-b.lastContact < patience(g.at.Params)
}

// resolve has a branch ended now: as the log of decisions says, where whoever asks first ends
// an attempt that is not decided; or as an operator says, who must know what he does.
func (g adminHandler) resolve(a asker, how txn.SourceQueryKind, name string) {
	n, ok := ParseName(name)
	b := g.branches[n.Attempt]
	switch {
	case !ok || n.Source != g.id || n.Cluster != g.cfg.Cluster:
		g.deny(a, txn.KindInvalidRequest, "%.140q is no branch of this cluster at this source; it is not touched", name)
	case b == nil && !g.links.serving:
		g.deny(a, txn.KindUnavailable, "what is prepared at the source is not known now: %s", g.links.text)
	case b == nil || b.phase < prepareUnknown:
		g.answer(a, txn.SourceReply{}) // it has ended, or was never prepared
	case b.decided == nil && b.phase == prepared && g.answers(b):
		g.deny(a, txn.KindInvalidRequest, "node %d coordinates it and answers (%v ago): it decides; nothing was done", b.gateway, (g.now() - b.lastContact).Round(time.Millisecond))
	case slices.Contains(b.askers, a): // asked again
	case len(b.askers) >= askersMax:
		g.deny(a, txn.KindUnavailable, "%d wait for the end of that branch already", askersMax)
	default:
		b.askers = append(b.askers, a)
		switch {
		case b.decided != nil || b.phase != prepared:
		case how != txn.SourceResolve:
			g.trace("source %d: %v ends by an operator's word: %s", g.id, b.name.Attempt, verdict(how == txn.SourceCommit))
			b.decided = &txn.Decide{Shard: g.id, Attempt: b.name.Attempt, Txn: b.txn, Commit: how == txn.SourceCommit}
			g.proceed(b)
		default:
			g.at.Env.Orphan(txn.Orphan{Attempt: b.name.Attempt, Txn: b.txn, Participants: []txn.ShardID{g.id}, RecordShard: b.name.RecordShard, Leftover: true})
		}
	}
}
