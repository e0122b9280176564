package source

import (
	"context"
	"time"

	"isochron/decide"
	"isochron/participant"
	"isochron/txn"
)

// state is what the parts of an agent share.
type state struct {
	cfg Config
	at  participant.OpenOptions
	db  Driver
	replySender

	branches branches
	ended    *memory
	orphans  *decide.Orphans
	links    link
	barrier  restartBarrier
	waiting  []task // could not be begun yet
	// describing are those for whom the source is being asked what it is; one task for each.
	describing map[asker]bool

	proceed func(*branch) // does what is next for a branch, if nothing of it is under way
}

// task is work outside the loop.
type task struct {
	work func(context.Context) any
	done func(any)
}

// runAsync has something run outside the loop, later if too much is under way there.
func (s *state) runAsync(work func(context.Context) any, done func(any)) {
	if len(s.waiting) > 0 || !s.at.Env.RunAsync(work, done) {
		s.waiting = append(s.waiting, task{work, done}) // one for each branch at most
	}
}

// retry begins what could not be begun before.
func (s *state) retry() {
	waiting := s.waiting
	s.waiting = nil
	for i, t := range waiting {
		if !s.at.Env.RunAsync(t.work, t.done) {
			s.waiting = append(s.waiting, waiting[i:]...)
			break
		}
	}
}

// begin runs something of a branch outside the loop; nothing else of it runs meanwhile.
func (s *state) begin(b *branch, work func(context.Context) any, done func(any)) {
	b.busy, b.cancel = true, &cancelHandle{}
	l := b.cancel
	s.runAsync(func(ctx context.Context) any {
		ctx = l.tie(ctx)
		defer l.pull()
		return work(ctx)
	}, func(result any) {
		b.busy = false
		done(result)
		s.proceed(b)
	})
}

// forget ends a branch, and tells who waits for that.
func (s *state) forget(b *branch, how txn.Outcome) {
	a := b.name.Attempt
	delete(s.branches, a)
	s.ended.note(a, how)
	s.orphans.Ended(a)
	held := time.Duration(0)
	if b.began != 0 {
		held = s.now() - b.began
		s.at.Env.Held(s.id, b.txn, int64(b.began))
	}
	s.counts.ended(how, held)
	b.cancel.pull()
	for _, n := range b.waits {
		s.send(n, txn.Message{DecideAck: &txn.DecideAck{Shard: s.id, Attempt: a}})
	}
	for _, n := range b.inquirer {
		s.found(n, a, how)
	}
	for _, x := range b.askers {
		adminHandler{s}.answer(x, txn.SourceReply{})
	}
	s.disarm(b)
}

// warn tells the transaction's other sources that it cannot commit, past its coordinator
// (GeoTP section 4.1, early abort). What has failed here was never prepared, and never will be.
func (s *state) warn(b *branch) {
	for _, p := range b.peers {
		s.at.Env.Send(txn.Participant(p.Node, p.Shard), txn.Message{Decide: &txn.Decide{Shard: p.Shard, Attempt: b.name.Attempt, Txn: b.txn}})
	}
}

// abandoned rolls back a branch that nobody will ask to prepare; a prepared one stays.
func (s *state) abandoned(b *branch) {
	if b.phase != working || b.decided != nil {
		return
	}
	b.decided = &txn.Decide{Shard: s.id, Attempt: b.name.Attempt, Txn: b.txn}
	b.cancel.pull()
	s.proceed(b)
}

// broke notes that a connection did: it is looked soon what is prepared there.
func (s *state) broke() {
	s.links.again = true
	s.links.lookAt = min(s.links.lookAt, s.now()+s.at.Params.TickInterval)
}
