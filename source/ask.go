package source

import (
	"context"
	"fmt"
	"slices"
	"time"

	"isochron/txn"
)

// What an agent is asked beside transactions: what its source is, and what is in doubt there.

// desk answers it, for an agent.
type desk struct{ *state }

// asker is who waits for an answer.
type asker struct {
	node    txn.NodeID
	request uint64
}

// askersMax bounds who may wait for the end of one branch.
const askersMax = 16

// asked answers a question, now or later.
func (g desk) asked(from txn.NodeID, m *txn.SourceAsk) {
	a := asker{from, m.Request}
	switch m.What {
	case txn.SourceDescribe:
		g.describe(a)
	case txn.SourceInDoubt:
		g.answer(a, txn.SourceTold{InDoubt: g.doubts()})
	case txn.SourceResolve, txn.SourceCommit, txn.SourceUndo:
		g.resolve(a, m.What, m.Name)
	default:
		g.deny(a, txn.KindMisuse, "the source's agent does not know the question; it is of an earlier version")
	}
}

func (g desk) answer(a asker, m txn.SourceTold) {
	m.Shard, m.Request = g.id, a.request
	g.tell(a.node, txn.Message{SourceTold: &m})
}

func (g desk) deny(a asker, kind txn.Kind, format string, args ...any) {
	g.answer(a, txn.SourceTold{Refused: kind, Reason: fmt.Sprintf(format, args...)})
}

// described is what a source has said.
type described struct {
	schema txn.SourceSchema
	err    *Error
}

// describe asks the source what it is.
func (g desk) describe(a asker) {
	if g.describing[a] { // asked again
		return
	}
	db := g.db
	began := g.at.Env.Outside(func(ctx context.Context) any {
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
			g.answer(a, txn.SourceTold{Schema: &d.schema})
		}
	})
	if began {
		g.describing[a] = true
	} else {
		g.deny(a, txn.KindUnavailable, "too much is under way at the source's agent; ask again later")
	}
}

// doubts lists what is prepared and has not ended, the oldest first.
func (g desk) doubts() (out []txn.InDoubtBranch) {
	for _, b := range g.branches.inOrder() {
		if b.phase < unsure {
			continue
		}
		out = append(out, txn.InDoubtBranch{ID: g.id, Name: b.name.String(), AgeNanos: int64(g.now() - b.since), Why: g.why(b),
			Gateway: b.name.Attempt.Node, DecidedAt: b.name.DecidedAt, Txn: b.txn})
	}
	slices.SortStableFunc(out, func(a, b txn.InDoubtBranch) int { return int(min(max(b.AgeNanos-a.AgeNanos, -1), 1)) })
	return out[:min(len(out), txn.SourceDoubtMax)]
}

// why tells why a branch has not ended.
func (g desk) why(b *branch) string {
	switch {
	case b.decided != nil && g.links.text != "":
		return fmt.Sprintf("it is decided (%s), and the source does not take that in: %s", verdict(b.decided.Commit), g.links.text)
	case b.decided != nil:
		return fmt.Sprintf("it is decided (%s), and that is being carried out", verdict(b.decided.Commit))
	case b.phase == unsure:
		return "the connection broke in its prepare; whether it is prepared is being looked for"
	case b.txn.IsZero():
		return fmt.Sprintf("it was found prepared; the log of shard %d is asked how it ends", b.name.DecidedAt)
	case g.answers(b):
		return fmt.Sprintf("node %d coordinates it, and has not decided yet", b.gateway)
	}
	return fmt.Sprintf("its gateway, node %d, is silent; the log of shard %d is asked how it ends", b.gateway, b.name.DecidedAt)
}

func verdict(commit bool) string {
	if commit {
		return "commit"
	}
	return "roll back"
}

// answers reports whether a branch's gateway has been heard of within its lease.
func (g desk) answers(b *branch) bool {
	return !b.txn.IsZero() && g.now()-b.heardAt < patience(g.at.Params)
}

// resolve has a branch ended now: as the log of decisions says, where whoever asks first ends
// an attempt that is not decided; or as an operator says, who must know what he does.
func (g desk) resolve(a asker, how txn.SourceQuestion, name string) {
	n, ok := ParseName(name)
	b := g.branches[n.Attempt]
	switch {
	case !ok || n.Source != g.id || n.Cluster != g.cfg.Cluster:
		g.deny(a, txn.KindMisuse, "%.140q is no branch of this cluster at this source; it is not touched", name)
	case b == nil && !g.links.serving:
		g.deny(a, txn.KindUnavailable, "what is prepared at the source is not known now: %s", g.links.text)
	case b == nil || b.phase < unsure:
		g.answer(a, txn.SourceTold{}) // it has ended, or was never prepared
	case b.decided == nil && b.phase == prepared && g.answers(b):
		g.deny(a, txn.KindMisuse, "node %d coordinates it and answers (%v ago): it decides; nothing was done", b.gateway, (g.now() - b.heardAt).Round(time.Millisecond))
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
			g.goOn(b)
		default:
			g.at.Env.Orphan(txn.Orphan{Attempt: b.name.Attempt, Txn: b.txn, Participants: []txn.ShardID{g.id}, DecidedAt: b.name.DecidedAt, Leftover: true})
		}
	}
}
