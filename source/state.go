package source

import (
	"context"
	"time"

	"isochron/decide"
	"isochron/participant"
	"isochron/txn"
)

// state is shared by an agent's parts.
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
	waiting  []task // not yet accepted by Env.RunAsync, in order
	// describing has the askers of descriptions under way; one task each.
	describing map[asker]bool

	proceed func(*branch) // starts the next step of a branch unless a step of it is under way
}

// task is a blocking call.
type task struct {
	work func(context.Context) any
	done func(any)
}

// runAsync runs a task outside the loop; it is queued if Env accepts no more.
func (s *state) runAsync(work func(context.Context) any, done func(any)) {
	if len(s.waiting) > 0 || !s.at.Env.RunAsync(work, done) {
		s.waiting = append(s.waiting, task{work, done}) // at most one for each branch
	}
}

// retry starts queued tasks.
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

// begin runs a branch's step outside the loop; no other step of the branch begins until it is done.
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

// forget drops an ended branch and replies to all requests that wait for its end.
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

// warn sends an abort to the transaction's other sources, past its coordinator (GeoTP section 4.1, early
// abort). This branch is not prepared and never will be, so no coordinator can have decided to commit.
func (s *state) warn(b *branch) {
	for _, p := range b.peers {
		s.at.Env.Send(txn.Participant(p.Node, p.Shard), txn.Message{Decide: &txn.Decide{Shard: p.Shard, Attempt: b.name.Attempt, Txn: b.txn}})
	}
}

// abandoned rolls back a branch that will not be asked to prepare; a prepared one stays.
func (s *state) abandoned(b *branch) {
	if b.phase != working || b.decided != nil {
		return
	}
	b.decided = &txn.Decide{Shard: s.id, Attempt: b.name.Attempt, Txn: b.txn}
	b.cancel.pull()
	s.proceed(b)
}

// broke notes a broken connection: the source is queried soon.
func (s *state) broke() {
	s.links.again = true
	s.links.lookAt = min(s.links.lookAt, s.now()+s.at.Params.TickInterval)
}
