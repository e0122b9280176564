package lab

import (
	"time"

	"isochron/sim"
)

// A deterministic database (Aria, VLDB'20) has a sequencer before it: a transaction arrives at the
// server as a whole, and batches of a fixed size are executed, each on the state after the batch
// before; the next batch begins when all of this one have ended. A transaction that is aborted for
// another of its batch is in the next one, before later arrivals, without notice to its client.
// Batches that a transaction may join at any time, as the protocol aria has by itself, are
// validated against values that others have changed since: the more clients, the fewer of a batch
// commit.

// sequencer admits clients batch by batch. It is nil if there is none.
type sequencer struct {
	size    int
	inside  int           // of the present batch, without those whose writes are revealed
	through int           // those whose writes are revealed, and whose clients have no answer yet
	again   []*sim.Client // aborted for others of the batch, in that order
	waiting []*sim.Client // later arrivals
}

// newSequencer returns nil if the experiment has none.
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

// revealed is called when writes are revealed: the next batch reads them, and need not wait until
// they are on disk.
func (q *sequencer) revealed() {
	if q == nil || q.inside == 0 {
		return
	}
	q.inside--
	q.through++
	q.begin()
}

// leave ends a client's part in its batch: wrote, if it has committed writes. A client that will
// retry is parked until the next batch begins.
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

// begin admits the next batch when the last one is over.
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

// chargeCommit charges the commit of a transaction that was not aborted to the server's loop:
// under a sequencer a request for a commit costs as much as a read, and the rest is charged only to
// those with writes.
func (k *tracked) chargeCommit() {
	if k.wrote && k.r.sequencer != nil {
		k.c.QueueWork(max(k.r.spec.CommitCPU-k.r.spec.RequestCPU, time.Duration(0)))
	}
}
