package source

import (
	"context"
	"time"

	"isochron/txn"
)

// Recovery. At its start, after a lost connection and every queryDecisionEvery * RecoverAfter an agent
// lists the source's prepared branches. A branch of this cluster and source that the agent does not know
// waits for its decision, which the node's recovery of orphans looks up. All other names are foreign.

// recovery lists the prepared branches and has their decisions looked up.
type recovery struct {
	*state
	ender *branchEnder
}

// link is the state of the agent's connection to its source.
type link struct {
	open     bool // the agent's term is durable: it may query
	looking  bool
	again    bool // a connection broke during the query
	serving  bool // a query has succeeded since the agent's start
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

// look is the result of one query.
type look struct {
	facts Facts
	names []Name
	err   *Error
}

// queryDecision queries the source's facts and prepared branches.
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

// decisionQueried processes the result of a query.
func (r *recovery) decisionQueried(l look) {
	k := &r.links
	k.looking = false
	k.lookAt = r.now() + queryDecisionEvery*r.at.Params.RecoverAfter
	if l.err == nil && k.identity != "" && k.identity != l.facts.Identity && !l.facts.Expected {
		l.err = &Error{Text: "another database answers there than before; the source is not served until the first is back"}
		k.serving = false
	}
	if l.err != nil {
		r.trace("source %d: %v", r.id, l.err)
		k.text, k.lookAt = l.err.Text, r.now()+r.at.Params.ResendAfter
		return
	}
	if k.text, k.identity = "", l.facts.Identity; l.facts.PreparedMax == 0 {
		k.text = "the source's server allows no prepared transactions: transactions over it and other participants are refused"
	}
	if k.again { // a prepare under way when the connection broke may take effect later
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
			r.ender.failed(b, &Error{Text: "the connection to the source broke during the prepare, and the branch is not prepared", Again: true})
		}
		r.proceed(b)
	}
}

// meet processes a branch that the source lists as prepared.
func (r *recovery) meet(n Name) {
	switch b := r.branches[n.Attempt]; {
	case b == nil:
		b = &branch{name: n, gateway: n.Attempt.Node, phase: prepared, since: r.now(), lastContact: r.now()}
		r.branches[n.Attempt] = b
		if r.ended.how(n.Attempt) == txn.OutcomeAborted { // aborted before it was prepared
			b.decided = &txn.Decide{Shard: r.id, Attempt: n.Attempt}
		}
		r.trace("source %d: found %v prepared", r.id, n.Attempt)
	case b.phase == prepareUnknown:
		b.name = n
		r.ender.isPrepared(b)
	default:
		b.name = n // has the record shard, which the branch may lack
	}
}

// look does a branch's timed work: it queries the status of the transaction at its gateway, abandons a
// branch whose gateway is silent, and reports a prepared one as an orphan.
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
	case b.phase == prepared && (b.txn.IsZero() || silent >= gatewayTimeout(r.at.Params)):
		if r.at.Params.InjectedBugs.AbortPrepared {
			b.decided = &txn.Decide{Shard: r.id, Attempt: b.name.Attempt, Txn: b.txn}
			r.proceed(b)
			return
		}
		r.orphan(b, now)
	case silent >= gatewayTimeout(r.at.Params):
		r.trace("source %d: the gateway of %v is silent", r.id, b.name.Attempt)
		r.abandoned(b)
		return
	}
	b.statusAskedAt = now
	if !b.txn.IsZero() {
		r.send(b.gateway, txn.Message{TxnStatusQuery: &txn.TxnStatusQuery{Shard: r.id, Txn: b.txn}})
	}
}

// orphan reports a prepared branch, at intervals, so that its decision is looked up.
func (r *recovery) orphan(b *branch, now time.Duration) {
	if r.orphans.Due(now, b.name.Attempt, b.since, !b.txn.IsZero()) {
		r.at.Env.Orphan(txn.Orphan{Attempt: b.name.Attempt, Txn: b.txn, Participants: []txn.ShardID{r.id}, RecordShard: b.name.RecordShard, Leftover: true})
	}
}

// gatewayTimeout returns how long a gateway may be silent.
func gatewayTimeout(p txn.Params) time.Duration { return p.StatusQueryAfter + p.GatewayLease }

// looksAt returns when a branch next has timed work.
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

// statusQueried processes the reply whether a transaction is still open at its gateway.
func (r *recovery) statusQueried(m *txn.TxnStatusReply) {
	for _, b := range r.branches.inOrder() {
		if b.txn != m.Txn || b.txn.IsZero() {
			continue
		}
		if m.Alive {
			b.lastContact = r.now()
			continue
		}
		b.lastContact = min(b.lastContact, r.now()-gatewayTimeout(r.at.Params))
		if b.phase == prepared && b.decided == nil {
			r.orphan(b, r.now())
		}
		r.abandoned(b)
	}
}
