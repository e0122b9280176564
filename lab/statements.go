package lab

import (
	"context"
	"time"

	"isochron/sim"
	"isochron/txn"
	"isochron/workload"
)

// A client is some way from its gateway, and sends it one statement after another; a transaction of
// a single statement needs no separate commit. This file has the cost of that: the way there and
// back, and the gateway's work on a statement before its request. By default it is nothing.

// travel takes one way between a client and its gateway.
func (k *tracked) travel() {
	if k.r.sequencer == nil {
		k.r.way(k.c)
	}
}

// way takes the time of one way between a client and its gateway.
func (r *run) way(c *sim.Client) {
	if d := r.spec.ClientRTT / 2; d > 0 {
		c.Sleep(d)
	}
}

// sends is the client's side of a statement: the answer to the one before returns, this one
// travels, and the gateway parses it.
func (k *tracked) sends() {
	k.answered()
	k.travel()
	k.c.Work(k.r.spec.StatementCPU)
	k.owed = true
}

// answered ends a statement: others may read its uncommitted writes of a hot row, and its answer
// travels.
func (k *tracked) answered() {
	if !k.owed {
		return
	}
	k.owed = false
	if p, ok := k.Txn.(txn.Publisher); ok {
		p.Publish()
	}
	k.travel()
}

// body runs the job's statements, each sent by itself unless there is only one.
func (k *tracked) body(ctx context.Context, job workload.Job) error {
	k.autocommit = job.Autocommit
	if k.r.spec.FixedSet && job.FixedSet != nil && (!job.ReadOnly || k.r.spec.spec.VotesOnFixedSetReads()) {
		return k.runFixedSet(ctx, job.FixedSet())
	}
	if k.autocommit {
		k.sends()
	}
	return job.Body(ctx, k)
}

// commit requests the commit.
func (k *tracked) commit(ctx context.Context) error {
	if !k.autocommit {
		k.sends()
	}
	if k.wrote {
		k.c.WorkBeside(k.r.spec.StoreCPU)
	}
	k.endsBranches()
	err := k.Txn.Commit(ctx)
	if err == nil {
		k.chargeCommit()
	}
	k.owed = false
	k.travel()
	return err
}

// rollback ends a try whose body failed. The database releases the locks of a refused transaction
// before its client knows.
func (k *tracked) rollback(err error) {
	if err == workload.ErrRollback && !k.autocommit {
		k.sends()
	}
	k.Txn.Rollback()
	if k.owed {
		k.travel()
	}
}

// waitedForLocks returns how long the try has waited for locks, in all its rounds.
func (k *tracked) waitedForLocks() (sum time.Duration) {
	j, ok := k.Txn.(txn.Journaled)
	if !ok {
		return 0
	}
	for _, r := range j.Rounds() {
		for _, p := range r.Parts {
			sum += p.Waited
		}
	}
	return sum
}
