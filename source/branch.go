package source

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"isochron/txn"
)

// phase is a branch's phase.
type phase uint8

const (
	working        phase = iota // statements are executed, or awaited
	preparing                   // its prepare, or its one-phase commit, is requested or under way
	prepareUnknown              // the connection broke during the prepare; unknown whether it is prepared
	prepared                    // only a decision ends it
)

// branch is a transaction's part at this source until it has ended.
type branch struct {
	name    Name
	txn     txn.ID     // zero if found prepared by recovery
	gateway txn.NodeID // its coordinator's node
	peers   []txn.Peer
	options BranchOptions
	handle  Branch // nil before its first statement, and once prepared or ended
	phase   phase
	busy    bool // a step runs outside the loop; no other step begins
	whole   bool // that step is the whole transaction: its one statement and its commit
	cancel  *cancelHandle

	step  uint64      // of the newest batch received
	todo  *txn.Access // that batch, while it waits or runs
	reply *txn.AccessReply
	held  *txn.AccessReply // that reply, withheld until the commit that came with the batch is done

	reads   *versioned // of a branch over versions, once prepared: its reads
	checked bool       // those reads were validated

	last          *txn.Prepare // the prepare that was requested
	replies       txn.NodeID   // receives the vote
	decided       *txn.Decide
	waits         []txn.NodeID // are sent the ack when the branch has ended
	inquirer      []txn.NodeID
	askers        []asker       // operators' queries that wait for its end
	began         time.Duration // when its first statement came
	since         time.Duration // when it was prepared
	lastContact   time.Duration // when its gateway was last in contact
	statusAskedAt time.Duration
	retryAt       time.Duration // of an end that failed; 0: none

	age      txn.Age
	workedAt time.Duration // when the batch under way was begun
	progress *progress     // of that batch
	lastSeen struct {      // the statement it was last seen at, and since when
		step  uint64
		since time.Duration
	}
	locked map[txn.Key]bool // records it is known to have locked; true: exclusively
	victim bool             // chosen to end a deadlock

	blocksNewBranches bool          // new branches wait for its end (restart_barrier.go)
	blockedAt         time.Duration // since when it waits behind the restart barrier; 0: it does not
}

// cancelHandle lets the loop cancel a branch's step outside it.
type cancelHandle struct {
	mu   sync.Mutex
	cut  bool
	stop context.CancelFunc
}

// tie returns a context that ends when the handle is pulled, before or after.
func (l *cancelHandle) tie(parent context.Context) context.Context {
	ctx, stop := context.WithCancel(parent)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop = stop; l.cut {
		stop()
	}
	return ctx
}

func (l *cancelHandle) pull() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut = true; l.stop != nil {
		l.stop()
	}
}

// branches holds an agent's branches that have not ended.
type branches map[txn.Attempt]*branch

// inOrder returns the branches in the order of their attempts.
func (bs branches) inOrder() []*branch {
	out := make([]*branch, 0, len(bs))
	for _, b := range bs { // order: sorted below
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b *branch) int {
		if a.name.Attempt.Less(b.name.Attempt) {
			return -1
		}
		return 1
	})
	return out
}

// asError returns a driver's error as an *Error; one of another type ends the branch.
func asError(err error) *Error {
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	}
	return &Error{Text: err.Error(), Ends: true}
}

// fault is the part of an error that the client receives with the reason.
func (e *Error) fault() *txn.Fault { return &txn.Fault{Code: e.Code, State: e.State} }

// cause is the error's class in metrics.
func (e *Error) cause() txn.Cause {
	switch {
	case e.Gone:
		return txn.CauseUnavailable
	case e.Code == lockWaitTimeout:
		return txn.CauseLockTimeout
	case e.Again:
		return txn.CauseConflict
	}
	return txn.CauseOther
}

// lockWaitTimeout is MySQL's error number of a lock wait that timed out.
const lockWaitTimeout = 1205
