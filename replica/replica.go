package replica

import (
	"time"

	"isochron/store"
	"isochron/txn"
)

// Replica is one replica of a shard.
//
// Invariant: its messages about an attempt within a view stay true within that view, over crashes
// too; it takes part in one view at a time, and never in one older than the highest it knows.
type Replica struct {
	*member
	rows      committed
	holds     *holds
	validator *validator
	readers   *readers
	slow      *slowPath
	change    *viewChange
	merger    *merger
	comparing *comparing

	nextCheck time.Duration
	refusals  uint64 // results other than OK, since the replica was opened
}

// Open restores a replica from the engine, or creates one.
func Open(cfg Config) (*Replica, error) {
	rec, fresh, err := openRecord(cfg.ID, cfg.Engine, cfg.SpecAt)
	if err != nil {
		return nil, err
	}
	r := assemble(&member{cfg: cfg, env: cfg.Env, rec: rec})
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
		r.holds.enter(e)
		return true
	})
	now := cfg.Env.Now().Mono
	r.comparing.next = now // it may have missed decisions
	r.change.retryAt = now
	return r, nil
}

// assemble connects the parts.
func assemble(m *member) *Replica {
	rows, held, slow := committed{engine: m.cfg.Engine, rec: m.rec}, newHolds(m), newSlowPath(m)
	return &Replica{
		member: m, rows: rows, holds: held, slow: slow,
		validator: &validator{member: m, rows: rows, holds: held},
		readers:   &readers{member: m, rows: rows, holds: held, behind: map[txn.Key][]*reader{}},
		change:    &viewChange{member: m, slow: slow, records: map[txn.NodeID]*txn.ViewRecord{}},
		merger:    &merger{member: m, rows: rows},
		comparing: &comparing{member: m},
	}
}

// known reports whether an attempt's Prepare is known, not only its id.
func known(p *txn.Prepare) bool { return p.At != 0 }

// leave removes the state of an attempt that is decided or void.
func (r *Replica) leave(p *txn.Prepare, committed bool) {
	delete(r.slow.mine, p.Attempt)
	r.holds.leave(p, committed)
}

// RowsHeld returns the memory used for cached rows, in bytes.
func (r *Replica) RowsHeld() int64 { return int64(r.rec.cache.Held()) }

// Deliver processes a message.
func (r *Replica) Deliver(from txn.NodeID, m *txn.Message) {
	switch {
	case m.Access != nil:
		r.readers.onAccess(from, m.Access)
	case m.Prepare != nil:
		r.onPrepare(from, m.Prepare)
	case m.SlowPathRequest != nil:
		r.onDispute(m.SlowPathRequest)
	case m.Accept != nil:
		r.onAccept(from, m.Accept)
	case m.Accepted != nil:
		r.slow.onAccepted(m.Accepted)
	case m.Decide != nil:
		r.onDecide(from, m.Decide)
	case m.Inquire != nil:
		r.onInquire(from, m.Inquire)
	case m.ChangeView != nil:
		r.change.onChangeView(from, m.ChangeView)
	case m.ViewRecord != nil:
		r.onViewRecord(from, m.ViewRecord)
	case m.StartView != nil:
		r.onStartView(m.StartView)
	case m.AntiEntropyRequest != nil:
		r.comparing.onCompare(from, m.AntiEntropyRequest)
	case m.AntiEntropyReply != nil:
		r.onEndings(m.AntiEntropyReply)
	}
}

// Tick runs the work that is due; see NextWake.
func (r *Replica) Tick() {
	now := r.env.Now().Mono
	r.readers.expire(now)
	r.change.tick(now)
	if now < r.nextCheck {
		return
	}
	r.nextCheck = now + r.cfg.Params.RecoverAfter/8
	r.holds.orphans(now)
	if r.slow.waiting.Len() > 0 {
		r.comparing.ask(r.leaderOf(r.view())) // the leader may have the decisions they wait for
	}
	r.comparing.tick(now)
}

// ReadLocal returns the committed row.
func (r *Replica) ReadLocal(k txn.Key) txn.Row { return r.rows.row(k) }

// Leader returns the leader of the view, and the view's number.
func (r *Replica) Leader() (txn.NodeID, uint64) { return r.leaderOf(r.view()), r.view() }

// Serving reports whether this replica leads its view.
func (r *Replica) Serving() bool { return r.leads() }

// Members returns all replicas.
func (r *Replica) Members() []txn.NodeID { return r.cfg.Members }

// Undecided is the number of attempts without a decision.
func (r *Replica) Undecided() int { return r.rec.entries.Len() }

// Holders is the number of attempts that hold locks.
func (r *Replica) Holders() int { return r.holds.count() }

// Endings is the number of decided entries kept.
func (r *Replica) Endings() int { return r.rec.decidedEntries.Len() }
