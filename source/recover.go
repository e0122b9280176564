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
	ender *branchEnder
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

// queryDecision looks at what is prepared.
func (r *recovery) queryDecision() {
	r.links.looking, r.links.again = true, false
	db, cluster := r.db, r.cfg.Cluster
	r.runAsync(func(ctx context.Context) any {
		var l look
		var err error
		if l.facts, err = db.Facts(ctx); err == nil {
			l.names, err = db.Prepared(ctx, cluster)
		}
		l.err = asError(err)
		return l
	}, func(result any) { r.decisionQueried(result.(look)) })
}

// decisionQueried takes in what is prepared.
func (r *recovery) decisionQueried(l look) {
	k := &r.links
	k.looking = false
	k.lookAt = r.now() + queryDecisionEvery*r.at.Params.RecoverAfter
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
		if n.Source == r.id && (n.Cluster == r.cfg.Cluster || r.at.Params.InjectedBugs.TakeForeign) {
			there[n.Attempt] = true
			r.meet(n)
		}
	}
	r.arm(l.facts)
	k.serving = true
	for _, b := range r.branches.inOrder() {
		if b.phase == prepareUnknown && !there[b.name.Attempt] && !k.again {
			r.ender.failed(b, &Error{Text: "the connection to the source broke in the prepare, and it is not there", Again: true})
		}
		r.proceed(b)
	}
}

// meet takes in a branch that is prepared there.
func (r *recovery) meet(n Name) {
	switch b := r.branches[n.Attempt]; {
	case b == nil:
		b = &branch{name: n, gateway: n.Attempt.Node, phase: prepared, since: r.now(), lastContact: r.now()}
		r.branches[n.Attempt] = b
		if r.ended.how(n.Attempt) == txn.OutcomeAborted { // it came too late
			b.decided = &txn.Decide{Shard: r.id, Attempt: n.Attempt}
		}
		r.trace("source %d: finds %v prepared", r.id, n.Attempt)
	case b.phase == prepareUnknown:
		b.name = n
		r.ender.isPrepared(b)
	default:
		b.name = n // where its decision stands
	}
}

// look does what is due of a branch by time alone: it asks whether its gateway lives, and
// has others find out how a prepared one ends.
func (r *recovery) look(b *branch, now time.Duration) {
	if b.decided != nil {
		if b.retryAt != 0 && now >= b.retryAt {
			r.proceed(b)
		}
		return
	}
	if b.phase == prepareUnknown || now < r.looksAt(b) {
		return
	}
	if b.blockedAt != 0 && now >= b.blockedAt+b.options.LockWait {
		r.blockedTooLong(b)
		return
	}
	silent := now - b.lastContact
	switch {
	case b.phase == prepared && (b.txn.IsZero() || silent >= patience(r.at.Params)):
		if r.at.Params.InjectedBugs.AbortPrepared {
			b.decided = &txn.Decide{Shard: r.id, Attempt: b.name.Attempt, Txn: b.txn}
			r.proceed(b)
			return
		}
		r.orphan(b, now)
	case silent >= patience(r.at.Params):
		r.trace("source %d: the gateway of %v is silent", r.id, b.name.Attempt)
		r.abandoned(b)
		return
	}
	b.statusAskedAt = now
	if !b.txn.IsZero() {
		r.send(b.gateway, txn.Message{TxnStatusQuery: &txn.TxnStatusQuery{Shard: r.id, Txn: b.txn}})
	}
}

// orphan has somebody find out how a prepared branch ends, now and then.
func (r *recovery) orphan(b *branch, now time.Duration) {
	if r.orphans.Due(now, b.name.Attempt, b.since, !b.txn.IsZero()) {
		r.at.Env.Orphan(txn.Orphan{Attempt: b.name.Attempt, Txn: b.txn, Participants: []txn.ShardID{r.id}, RecordShard: b.name.RecordShard, Leftover: true})
	}
}

// patience is how long a gateway may be silent.
func patience(p txn.Params) time.Duration { return p.StatusQueryAfter + p.GatewayLease }

// looksAt is when there is something to do of a branch by time alone.
func (r *recovery) looksAt(b *branch) time.Duration {
	switch p := r.at.Params; {
	case b.decided != nil && b.busy, b.decided == nil && b.phase == prepareUnknown, b.decided != nil && b.retryAt == 0:
		return txn.Never
	case b.decided != nil:
		return b.retryAt
	case b.txn.IsZero():
		return max(b.since, b.statusAskedAt) + p.RecoverAfter
	default:
		at := max(b.lastContact, b.statusAskedAt) + p.StatusQueryAfter
		if b.blockedAt != 0 {
			at = min(at, b.blockedAt+b.options.LockWait)
		}
		return at
	}
}

// statusQueried hears whether a transaction is still open at its gateway.
func (r *recovery) statusQueried(m *txn.TxnStatusReply) {
	for _, b := range r.branches.inOrder() {
		if b.txn != m.Txn || b.txn.IsZero() {
			continue
		}
		if m.Alive {
			b.lastContact = r.now()
			continue
		}
		b.lastContact = min(b.lastContact, r.now()-patience(r.at.Params))
		if b.phase == prepared && b.decided == nil {
			r.orphan(b, r.now())
		}
		r.abandoned(b)
	}
}
