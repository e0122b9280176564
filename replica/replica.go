package replica

import (
	"slices"
	"time"

	"isochron/decide"
	"isochron/reveal"
	"isochron/store"
	"isochron/txn"
	"isochron/yield"
)

// Replica is one replica of a shard.
//
// Invariant: what it has told anybody of an attempt within a view stays true
// within that view, over crashes too; it takes part in one view at a time, and
// never in one that is older than any it has heard of.
type Replica struct {
	cfg    Config
	env    Env
	rec    *record
	stamps *yield.Stamps // of entries that say OK or Yes
	local  map[txn.Attempt]*standing

	proposals map[txn.Attempt]*proposal
	waiting   *txn.ByAttempt[proposed] // for what they clash with
	readers   []*reader

	// A change of views (view.go).
	fence   []txn.Inquire // unanswered
	records map[txn.NodeID]*txn.ViewRecord
	retryAt time.Duration
	retries int

	nextCheck   time.Duration
	nextCompare time.Duration
	compareWith int
	counts      Counts
}

// Counts are totals since the replica was opened.
type Counts struct {
	Proposals   uint64 // slow paths begun here as leader
	Refusals    uint64 // opinions that were not OK
	ViewChanges uint64 // begun here
}

// standing is what is known of an entry in memory alone.
type standing struct {
	since    time.Duration // when it was entered here
	held     bool          // it is in stamps
	orphanAt time.Duration
}

// Open brings a replica back from the engine, or makes a new one.
func Open(cfg Config) (*Replica, error) {
	rec, fresh, err := openRecord(cfg.ID, cfg.Engine, cfg.Rows)
	if err != nil {
		return nil, err
	}
	r := &Replica{cfg: cfg, env: cfg.Env, rec: rec, stamps: yield.NewStamps(rec.meta.MaxTS),
		local: map[txn.Attempt]*standing{}, proposals: map[txn.Attempt]*proposal{}, records: map[txn.NodeID]*txn.ViewRecord{},
		waiting: txn.NewByAttempt[proposed]()}
	rec.unwritten = cfg.Ephemeral
	if fresh {
		var b store.Batch
		for _, w := range cfg.Genesis {
			rec.cache.Put(&b, w, 1, txn.Version{Seq: 1})
		}
		rec.putMeta(&b)
		cfg.Engine.Apply(&b)
	}
	rec.entries.All(func(_ txn.Attempt, e txn.Entry) bool {
		r.enter(e)
		return true
	})
	now := cfg.Env.Now().Mono
	r.nextCompare = now // it may have missed much
	r.retryAt = now
	return r, nil
}

func (r *Replica) n() int { return len(r.cfg.Members) }

func (r *Replica) leaderOf(view uint64) txn.NodeID {
	return r.cfg.Members[view%uint64(r.n())]
}

// takesPart reports whether the replica is in its view, not on the way to one.
func (r *Replica) takesPart() bool { return r.rec.meta.View == r.rec.meta.Normal }

func (r *Replica) view() uint64 { return r.rec.meta.View }

func (r *Replica) leads() bool { return r.takesPart() && r.leaderOf(r.view()) == r.cfg.Self }

func (r *Replica) toAll(m txn.Message) {
	for _, id := range r.cfg.Members {
		r.env.Send(txn.Participant(id, r.cfg.ID), m)
	}
}

// afterSync calls f when everything written so far is durable.
func (r *Replica) afterSync(f func()) {
	if r.cfg.Params.Bugs.AckBeforeSync {
		f()
		return
	}
	r.env.AfterSync(f)
}

// known reports whether what an attempt does is known, not just that it was made.
func known(p *txn.Prepare) bool { return p.At != 0 }

// claimOf is what an attempt reads and writes: Shared has all that it has read.
func claimOf(p *txn.Prepare) yield.Claim {
	c := yield.Claim{}
	for _, checks := range [][]txn.ReadCheck{p.Reads, p.Guards} {
		for _, check := range checks {
			c.Shared = append(c.Shared, check.Key)
		}
	}
	for _, w := range p.Writes {
		c.Exclusive = append(c.Exclusive, w.Key)
	}
	for _, s := range p.Spans {
		c.Spans = append(c.Spans, s.Span)
	}
	return c
}

// enter takes in what an entry holds.
func (r *Replica) enter(e txn.Entry) {
	a, now := e.Prepare.Attempt, r.env.Now().Mono
	l := r.local[a]
	if l == nil {
		rank := time.Duration(slices.Index(r.cfg.Members, r.cfg.Self))
		l = &standing{since: now, orphanAt: now + r.cfg.Params.RecoverAfter + rank*r.cfg.Params.ResendAfter}
		r.local[a] = l
	}
	holds := e.Answer == txn.AnswerOK
	if e.Final {
		holds = e.Yes
	}
	switch {
	case holds && !l.held:
		r.stamps.Hold(a, e.Prepare.At, claimOf(&e.Prepare))
	case !holds && l.held:
		r.stamps.Drop(a, e.Prepare.At, claimOf(&e.Prepare), false)
	}
	l.held = holds
}

// leave takes out what an entry held, once it is decided or void.
func (r *Replica) leave(e *txn.Prepare, committed bool) {
	l := r.local[e.Attempt]
	delete(r.local, e.Attempt)
	delete(r.proposals, e.Attempt)
	if l != nil && l.held {
		r.stamps.Drop(e.Attempt, e.At, claimOf(e), committed)
		if r.leads() {
			r.env.Held(r.cfg.ID, e.Txn, int64(l.since))
		}
	} else if committed {
		r.stamps.Remember(e.Attempt, e.At, claimOf(e))
	}
}

// RowsHeld is what the replica keeps of its rows at hand, in bytes.
func (r *Replica) RowsHeld() int64 { return int64(r.rec.cache.Held()) }

func (r *Replica) row(k txn.Key) txn.Row { return r.rec.cache.Latest(r.cfg.Engine, k) }

func (r *Replica) scan(s txn.Scan) txn.ScanRows { return r.scanAsOf(s, store.Newest) }

func (r *Replica) scanAsOf(s txn.Scan, at txn.Timestamp) txn.ScanRows {
	return reveal.NewWalk(store.ScanAsOf(r.cfg.Engine, r.rec.rows, s.Span, s.Reverse, at), nil, s.Reverse).Answer(s, nil)
}

// Deliver hands over a message.
func (r *Replica) Deliver(from txn.NodeID, m *txn.Message) {
	switch {
	case m.Access != nil:
		r.onAccess(from, m.Access)
	case m.Prepare != nil:
		r.onPrepare(from, m.Prepare)
	case m.Dispute != nil:
		r.onDispute(m.Dispute)
	case m.Accept != nil:
		r.onAccept(from, m.Accept)
	case m.Accepted != nil:
		r.onAccepted(m.Accepted)
	case m.Decide != nil:
		r.onDecide(from, m.Decide)
	case m.Inquire != nil:
		r.onInquire(from, m.Inquire)
	case m.ChangeView != nil:
		r.onChangeView(from, m.ChangeView)
	case m.ViewRecord != nil:
		r.onViewRecord(from, m.ViewRecord)
	case m.StartView != nil:
		r.onStartView(m.StartView)
	case m.Compare != nil:
		r.onCompare(from, m.Compare)
	case m.Endings != nil:
		r.onEndings(m.Endings)
	}
}

// Tick does what is due; see NextWake.
func (r *Replica) Tick() {
	now := r.env.Now().Mono
	r.expireReaders(now)
	r.tickView(now)
	if now < r.nextCheck {
		return
	}
	r.nextCheck = now + r.cfg.Params.RecoverAfter/8
	r.rec.entries.All(func(a txn.Attempt, e txn.Entry) bool {
		if l := r.local[a]; now >= l.orphanAt {
			l.orphanAt = now + r.cfg.Params.RecoverAfter
			r.env.Orphan(txn.Orphan{Attempt: a, Txn: e.Prepare.Txn, Participants: e.Prepare.Participants, DecidedAt: e.Prepare.DecidedAt})
		}
		return true
	})
	if r.waiting.Len() > 0 {
		r.ask(r.leaderOf(r.view())) // it may know how that ended for which they wait
	}
	if now >= r.nextCompare {
		r.nextCompare = now + r.cfg.Params.RecoverAfter
		r.compare()
	}
}

// Peek reads a row as it is committed here.
func (r *Replica) Peek(k txn.Key) txn.Row { return r.row(k) }

// Leader is who leads the view, and the view's number.
func (r *Replica) Leader() (txn.NodeID, uint64) { return r.leaderOf(r.view()), r.view() }

// Serving reports whether this replica leads its view.
func (r *Replica) Serving() bool { return r.leads() }

// Members are all replicas.
func (r *Replica) Members() []txn.NodeID { return r.cfg.Members }

// Undecided is the number of attempts without a decision.
func (r *Replica) Undecided() int { return r.rec.entries.Len() }

// Holders is the number of attempts that are in others' way.
func (r *Replica) Holders() (n int) {
	for _, l := range r.local { // order: a count
		if l.held {
			n++
		}
	}
	return n
}

// Endings is the number of decided attempts that are remembered.
func (r *Replica) Endings() int { return r.rec.endings.Len() }

func (r *Replica) majority() int { return decide.Majority(r.n()) }
