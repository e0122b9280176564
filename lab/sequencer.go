package lab

import (
	"time"

	"isochron/sim"
)

// A deterministic database (Aria, VLDB'20) has a sequencer before it: a transaction comes to the
// server as a whole, and so many of them are executed at a time, all on what the batch before
// has left; the next batch begins when all of this one have ended. Who gives way to another of
// its batch is in the next one, before those who have come meanwhile, and its client knows nothing
// of it. Batches that anybody may join at any time, as the row aria has them by itself, are judged
// on values that others have changed since: the more clients, the fewer of a batch commit.

// sequencer lets clients in, batch by batch. It is nil where there is none.
type sequencer struct {
	size    int
	inside  int           // of the batch on its way, without those whose writes are revealed
	through int           // those whose writes are revealed, and whose clients have not been told
	again   []*sim.Client // who gave way, in that order
	waiting []*sim.Client // who has come meanwhile
}

// newSequencer is nil if nobody has asked for one.
func newSequencer(size int) *sequencer {
	if size == 0 {
		return nil
	}
	return &sequencer{size: size}
}

// enter parks a client until its batch begins.
func (q *sequencer) enter(c *sim.Client) {
	if q == nil {
		return
	}
	q.waiting = append(q.waiting, c)
	q.begin()
	c.Idle()
}

// revealed is told of writes that are revealed: the next batch goes on from them, and need not wait
// until the disk has them.
func (q *sequencer) revealed() {
	if q == nil || q.inside == 0 {
		return
	}
	q.inside--
	q.through++
	q.begin()
}

// leave ends a client's part in its batch: wrote, if it has committed writes. One that gave way and is
// to be tried again is parked until the next batch begins.
func (q *sequencer) leave(c *sim.Client, wrote, again bool) {
	switch {
	case q == nil:
		return
	case wrote && q.through > 0:
		q.through--
	default:
		q.inside--
	}
	if again {
		q.again = append(q.again, c)
	}
	q.begin()
	if again {
		c.Idle()
	}
}

// begin lets the next batch in when the last one is over.
func (q *sequencer) begin() {
	if q.inside > 0 {
		return
	}
	for q.inside < q.size && len(q.again)+len(q.waiting) > 0 {
		from := &q.waiting
		if len(q.again) > 0 {
			from = &q.again
		}
		(*from)[0].Wake()
		(*from)[0] = nil
		*from = (*from)[1:]
		q.inside++
	}
}

// arrives is the way of a whole transaction to the sequencer, and its wait for a batch.
func (r *run) arrives(c *sim.Client) {
	if r.sequencer != nil {
		r.way(c)
		r.sequencer.enter(c)
	}
}

// departs is the way of its answer.
func (r *run) departs(c *sim.Client) {
	if r.sequencer != nil {
		r.way(c)
	}
}

// commitsInTurn has the commit of one that did not give way take its turn of the server's loop: under
// a sequencer a request for a commit costs as much as a read, and the rest is owed only by who has
// written something.
func (k *tracked) commitsInTurn() {
	if k.wrote && k.r.sequencer != nil {
		k.c.WorkInTurn(max(k.r.spec.CommitCPU-k.r.spec.RequestCPU, time.Duration(0)))
	}
}
