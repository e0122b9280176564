package source

import (
	"context"
	"time"

	"isochron/txn"
)

// Recovery: at its start, when its source comes back, and now and then besides, an agent
// looks at what is prepared there. What has a name of this cluster and source, and nobody
// here knows, waits for its decision; whoever finds that out is asked. All other names are
// somebody else's.

// link is how an agent stands with its source.
type link struct {
	open     bool // it may look
	looking  bool
	again    bool // the connection broke while it looked
	serving  bool // it has looked since it began
	lookAt   time.Duration
	identity string
	text     string // why it does not serve
}

func (l *link) due(now time.Duration) bool { return l.open && !l.looking && now >= l.lookAt }

func (l *link) nextWake() time.Duration {
	if !l.open || l.looking {
		return txn.Never
	}
	return l.lookAt
}

// broke notes that a connection did: it is looked soon what is prepared there.
func (g *Agent) broke() {
	g.links.again = true
	g.links.lookAt = min(g.links.lookAt, g.now()+g.at.Params.TickInterval)
}

// look is what a source has said of itself.
type look struct {
	facts Facts
	names []Name
	err   *Error
}

// recall looks at what is prepared.
func (g *Agent) recall() {
	g.links.looking, g.links.again = true, false
	db, cluster := g.db, g.cfg.Cluster
	g.outside(func(ctx context.Context) any {
		var l look
		var err error
		if l.facts, err = db.Facts(ctx); err == nil {
			l.names, err = db.Prepared(ctx, cluster)
		}
		l.err = asError(err)
		return l
	}, func(result any) { g.recalled(result.(look)) })
}

// recalled takes in what is prepared.
func (g *Agent) recalled(l look) {
	k := &g.links
	k.looking = false
	k.lookAt = g.now() + recallEvery*g.at.Params.RecoverAfter
	if l.err == nil && k.identity != "" && k.identity != l.facts.Identity {
		l.err = &Error{Text: "another database answers there than before; the agent serves nothing until the first is back"}
		k.serving = false
	}
	if l.err != nil {
		g.trace("source %d: %v", g.id, l.err)
		k.text, k.lookAt = l.err.Text, g.now()+g.at.Params.ResendAfter
		return
	}
	if k.text, k.identity = "", l.facts.Identity; l.facts.PreparedMax == 0 {
		k.text = "the source prepares nothing: transactions that span it and others are refused"
	}
	if k.again { // what was under way when it broke may be prepared since
		k.lookAt = g.now() + g.at.Params.TickInterval
	}
	there := map[txn.Attempt]bool{}
	for _, n := range l.names {
		if n.Source == g.id && (n.Cluster == g.cfg.Cluster || g.at.Params.Bugs.TakeForeign) {
			there[n.Attempt] = true
			g.meet(n)
		}
	}
	k.serving = true
	for _, b := range g.branches.inOrder() {
		if b.phase == unsure && !there[b.name.Attempt] && !k.again {
			g.failed(b, &Error{Text: "the connection to the source broke in the prepare, and it is not there", Again: true})
		}
		g.goOn(b)
	}
}

// meet takes in a branch that is prepared there.
func (g *Agent) meet(n Name) {
	switch b := g.branches[n.Attempt]; {
	case b == nil:
		b = &branch{name: n, gateway: n.Attempt.Node, phase: prepared, since: g.now(), heardAt: g.now()}
		g.branches[n.Attempt] = b
		if g.ended.how(n.Attempt) == txn.OutcomeAborted { // it came too late
			b.decided = &txn.Decide{Shard: g.id, Attempt: n.Attempt}
		}
		g.trace("source %d: finds %v prepared", g.id, n.Attempt)
	case b.phase == unsure:
		b.name = n
		g.isPrepared(b)
	default:
		b.name = n // where its decision stands
	}
}

// look does what is due of a branch by time alone: it asks whether its gateway lives, and
// has others find out how a prepared one ends.
func (g *Agent) look(b *branch, now time.Duration) {
	if b.decided != nil {
		if b.retryAt != 0 && now >= b.retryAt {
			g.goOn(b)
		}
		return
	}
	if b.phase == unsure || now < g.looksAt(b) {
		return
	}
	silent := now - b.heardAt
	switch {
	case b.phase == prepared && (b.txn.IsZero() || silent >= patience(g.at.Params)):
		if g.at.Params.Bugs.AbortPrepared {
			b.decided = &txn.Decide{Shard: g.id, Attempt: b.name.Attempt, Txn: b.txn}
			g.goOn(b)
			return
		}
		g.orphan(b, now)
	case silent >= patience(g.at.Params):
		g.trace("source %d: the gateway of %v is silent", g.id, b.name.Attempt)
		g.abandoned(b)
		return
	}
	b.probedAt = now
	if !b.txn.IsZero() {
		g.tell(b.gateway, txn.Message{Probe: &txn.Probe{Shard: g.id, Txn: b.txn}})
	}
}

// orphan has somebody find out how a prepared branch ends, now and then.
func (g *Agent) orphan(b *branch, now time.Duration) {
	if g.orphans.Due(now, b.name.Attempt, b.since, !b.txn.IsZero()) {
		g.at.Env.Orphan(txn.Orphan{Attempt: b.name.Attempt, Txn: b.txn, Participants: []txn.ShardID{g.id}, DecidedAt: b.name.DecidedAt, Leftover: true})
	}
}

// patience is how long a gateway may be silent.
func patience(p txn.Params) time.Duration { return p.ProbeAfter + p.GatewayLease }

// looksAt is when there is something to do of a branch by time alone.
func (g *Agent) looksAt(b *branch) time.Duration {
	switch p := g.at.Params; {
	case b.decided != nil && b.busy, b.decided == nil && b.phase == unsure, b.decided != nil && b.retryAt == 0:
		return txn.Never
	case b.decided != nil:
		return b.retryAt
	case b.txn.IsZero():
		return max(b.since, b.probedAt) + p.RecoverAfter
	default:
		return max(b.heardAt, b.probedAt) + p.ProbeAfter
	}
}

// probed hears whether a transaction is still open at its gateway.
func (g *Agent) probed(m *txn.ProbeReply) {
	for _, b := range g.branches.inOrder() {
		if b.txn != m.Txn || b.txn.IsZero() {
			continue
		}
		if m.Alive {
			b.heardAt = g.now()
			continue
		}
		b.heardAt = min(b.heardAt, g.now()-patience(g.at.Params))
		if b.phase == prepared && b.decided == nil {
			g.orphan(b, g.now())
		}
		g.abandoned(b)
	}
}
