package source

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"isochron/txn"
)

// phase is where a branch stands.
type phase uint8

const (
	working        phase = iota // statements are executed, or waited for
	preparing                   // its prepare, or its commit in one phase, is asked for or under way
	prepareUnknown              // whether it is prepared is not known: the connection broke
	prepared                    // it ends by a decision alone
)

// branch is a transaction's part here, as long as it has not ended.
type branch struct {
	name    Name
	txn     txn.ID     // zero of one that was found prepared
	gateway txn.NodeID // of its coordinator
	peers   []txn.Peer
	options BranchOptions
	handle  Branch // nil before its first statement, and once it is prepared or ended
	phase   phase
	busy    bool // something is under way outside
	whole   bool // that is all of the transaction: its one statement, and its commit
	cancel  *cancelHandle

	step  uint64      // of the newest work that came
	todo  *txn.Access // that work, while it waits for its turn or is under way
	reply *txn.AccessReply
	held  *txn.AccessReply // that reply, until the commit that came with the work is done

	reads   *versioned // once it is prepared over versions: what it has read there
	checked bool       // that was looked at again, and stands

	last          *txn.Prepare // asked for
	replies       txn.NodeID   // who is told the vote
	decided       *txn.Decide
	waits         []txn.NodeID // for the end
	inquirer      []txn.NodeID
	askers        []asker       // for its end, at an operator's word
	began         time.Duration // of its first statement here
	since         time.Duration // when it was prepared
	lastContact   time.Duration // when its gateway was heard of last
	statusAskedAt time.Duration
	retryAt       time.Duration // of an end that could not be brought about

	age        txn.Age
	workedAt   time.Duration // when the work under way was begun
	retransmit *retransmit   // of that work
	stood      struct {      // the statement at which it was seen last, and since when
		step  uint64
		since time.Duration
	}
	locked map[txn.Key]bool // records that it has locked, as far as they are known; true: exclusively
	victim bool             // it gives way, to end a deadlock

	blocksNewBranches bool          // others wait for its end (fence.go)
	blockedAt         time.Duration // since when it waits so; 0: it does not
}

// cancelHandle lets the loop end what is under way outside for a branch.
type cancelHandle struct {
	mu   sync.Mutex
	cut  bool
	stop context.CancelFunc
}

// tie makes a context that ends when the leash is pulled.
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

// branches are those of an agent that have not ended.
type branches map[txn.Attempt]*branch

// inOrder lists them in a fixed order.
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

// asError is a driver's error; what has no form is taken for the end of the branch.
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

// fault is what the client is told beside the reason.
func (e *Error) fault() *txn.Fault { return &txn.Fault{Code: e.Code, State: e.State} }

// cause is for who counts.
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

// lockWaitTimeout is MySQL's number of a lock that was not granted in time.
const lockWaitTimeout = 1205
