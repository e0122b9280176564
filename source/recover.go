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

// recovery finds what is prepared, and has somebody find out how it ends.
type recovery struct {
	*state
	ends *ends
}

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

// look is what a source has said of itself.
type look struct {
	facts Facts
	names []Name
	err   *Error
}

// recall looks at what is prepared.
func (r *recovery) recall() {
	r.links.looking, r.links.again = true, false
	db, cluster := r.db, r.cfg.Cluster
	r.outside(func(ctx context.Context) any {
		var l look
		var err error
		if l.facts, err = db.Facts(ctx); err == nil {
			l.names, err = db.Prepared(ctx, cluster)
		}
		l.err = asError(err)
		return l
	}, func(result any) { r.recalled(result.(look)) })
}

// recalled takes in what is prepared.
func (r *recovery) recalled(l look) {
	k := &r.links
	k.looking = false
	k.lookAt = r.now() + recallEvery*r.at.Params.RecoverAfter
	if l.err == nil && k.identity != "" && k.identity != l.facts.Identity && !l.facts.Expected {
		l.err = &Error{Text: "another database answers there than before; the agent serves nothing until the first is back"}
		k.serving = false
	}
	if l.err != nil {
		r.trace("source %d: %v", r.id, l.err)
		k.text, k.lookAt = l.err.Text, r.now()+r.at.Params.ResendAfter
		return
	}
	if k.text, k.identity = "", l.facts.Identity; l.facts.PreparedMax == 0 {
		k.text = "the source prepares nothing: transactions that span it and others are refused"
	}
	if k.again { // what was under way when it broke may be prepared since
		k.lookAt = r.now() + r.at.Params.TickInterval
	}
	there := map[txn.Attempt]bool{}
	for _, n := range l.names {
		if n.Source == r.id && (n.Cluster == r.cfg.Cluster || r.at.Params.Bugs.TakeForeign) {
			there[n.Attempt] = true
			r.meet(n)
		}
	}
	r.raise(l.facts)
	k.serving = true
	for _, b := range r.branches.inOrder() {
		if b.phase == unsure && !there[b.name.Attempt] && !k.again {
			r.ends.failed(b, &Error{Text: "the connection to the source broke in the prepare, and it is not there", Again: true})
		}
		r.goOn(b)
	}
}

// meet takes in a branch that is prepared there.
func (r *recovery) meet(n Name) {
	switch b := r.branches[n.Attempt]; {
	case b == nil:
		b = &branch{name: n, gateway: n.Attempt.Node, phase: prepared, since: r.now(), heardAt: r.now()}
		r.branches[n.Attempt] = b
		if r.ended.how(n.Attempt) == txn.OutcomeAborted { // it came too late
			b.decided = &txn.Decide{Shard: r.id, Attempt: n.Attempt}
		}
		r.trace("source %d: finds %v prepared", r.id, n.Attempt)
	case b.phase == unsure:
		b.name = n
		r.ends.isPrepared(b)
	default:
		b.name = n // where its decision stands
	}
}

// look does what is due of a branch by time alone: it asks whether its gateway lives, and
// has others find out how a prepared one ends.
func (r *recovery) look(b *branch, now time.Duration) {
	if b.decided != nil {
		if b.retryAt != 0 && now >= b.retryAt {
			r.goOn(b)
		}
		return
	}
	if b.phase == unsure || now < r.looksAt(b) {
		return
	}
	if b.blockedAt != 0 && now >= b.blockedAt+b.options.LockWait {
		r.blockedTooLong(b)
		return
	}
	silent := now - b.heardAt
	switch {
	case b.phase == prepared && (b.txn.IsZero() || silent >= patience(r.at.Params)):
		if r.at.Params.Bugs.AbortPrepared {
			b.decided = &txn.Decide{Shard: r.id, Attempt: b.name.Attempt, Txn: b.txn}
			r.goOn(b)
			return
		}
		r.orphan(b, now)
	case silent >= patience(r.at.Params):
		r.trace("source %d: the gateway of %v is silent", r.id, b.name.Attempt)
		r.abandoned(b)
		return
	}
	b.probedAt = now
	if !b.txn.IsZero() {
		r.tell(b.gateway, txn.Message{Probe: &txn.Probe{Shard: r.id, Txn: b.txn}})
	}
}

// orphan has somebody find out how a prepared branch ends, now and then.
func (r *recovery) orphan(b *branch, now time.Duration) {
	if r.orphans.Due(now, b.name.Attempt, b.since, !b.txn.IsZero()) {
		r.at.Env.Orphan(txn.Orphan{Attempt: b.name.Attempt, Txn: b.txn, Participants: []txn.ShardID{r.id}, DecidedAt: b.name.DecidedAt, Leftover: true})
	}
}

// patience is how long a gateway may be silent.
func patience(p txn.Params) time.Duration { return p.ProbeAfter + p.GatewayLease }

// looksAt is when there is something to do of a branch by time alone.
func (r *recovery) looksAt(b *branch) time.Duration {
	switch p := r.at.Params; {
	case b.decided != nil && b.busy, b.decided == nil && b.phase == unsure, b.decided != nil && b.retryAt == 0:
		return txn.Never
	case b.decided != nil:
		return b.retryAt
	case b.txn.IsZero():
		return max(b.since, b.probedAt) + p.RecoverAfter
	default:
		at := max(b.heardAt, b.probedAt) + p.ProbeAfter
		if b.blockedAt != 0 {
			at = min(at, b.blockedAt+b.options.LockWait)
		}
		return at
	}
}

// probed hears whether a transaction is still open at its gateway.
func (r *recovery) probed(m *txn.ProbeReply) {
	for _, b := range r.branches.inOrder() {
		if b.txn != m.Txn || b.txn.IsZero() {
			continue
		}
		if m.Alive {
			b.heardAt = r.now()
			continue
		}
		b.heardAt = min(b.heardAt, r.now()-patience(r.at.Params))
		if b.phase == prepared && b.decided == nil {
			r.orphan(b, r.now())
		}
		r.abandoned(b)
	}
}
