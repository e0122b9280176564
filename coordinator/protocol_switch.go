package coordinator

import (
	"slices"
	"time"

	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

// During a protocol switch the gateway queues new transactions and starts them under the new
// protocol; clients see a pause and no error. Open transactions may finish until the drain deadline
// and are then rolled back. Transactions already committing run to completion.
//
// Invariant: all transactions that are open, and not committing, run under the gateway's protocol.
// A commit may outlast a switch: its Prepares name the protocol under which it began, and what
// follows the votes is the same in all.
//
// The queue is bounded in number and in time: a switch without a known end is abandoned somewhat
// after its own limit, and the gateway continues under the former protocol. Each shard checks for
// itself whether that protocol is current.

// protocolSwitch is a gateway's state between two protocols.
type protocolSwitch struct {
	params *txn.Params
	env    switchEnv
	host   switchHost

	seq    uint64        // of the present protocol
	try    uint64        // of the present switch; 0: none, or it has lasted too long
	given  uint64        // the newest switch that has lasted too long
	drain  time.Duration // open transactions are rolled back from then on
	until  time.Duration // the switch is not awaited any longer
	behind uint64        // a shard has reported this later protocol
	patch  time.Duration // its directory entry is not awaited any longer
	held   []*Request    // requests that would begin transactions, in order of arrival
}

// switchEnv is the part of the node that protocolSwitch uses.
type switchEnv interface{ Now() txn.Now }

// switchHost is switched from one protocol to another.
type switchHost interface {
	useProtocol(spec protocol.Spec)
	rollBackOpen(reason *txn.Error, which func(*transaction) bool)
	Submit(req *Request)
}

// maxHeld bounds the transactions that wait to begin.
const maxHeld = maxTransactions

// behindWait bounds the wait for the directory entry of a protocol that a shard has reported.
const behindWait = 5 * time.Second

// follow applies the protocol of the directory; spec is its resolved form. Open transactions of
// another protocol end.
func (u *protocolSwitch) follow(p routing.Protocol, spec protocol.Spec) {
	now := u.env.Now().Mono
	if p.Seq > u.seq {
		u.seq = p.Seq
		u.host.useProtocol(spec)
		u.host.rollBackOpen(protocolChanges(), func(*transaction) bool { return true })
	}
	switch {
	case !p.Under() || p.Try <= u.given:
		u.try = 0
	case p.Try != u.try:
		u.try, u.drain = p.Try, now+millis(p.DrainMillis)
		u.until = now + millis(p.LimitMillis) + 4*u.params.ResendAfter
	}
	u.startQueued()
}

func millis(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// holds reports whether new transactions are queued now.
func (u *protocolSwitch) holds() bool { return u.try != 0 || u.behind > u.seq }

// queueOrCancel queues a request that has to wait, or ends a queued one; false if the request is to
// be processed.
func (u *protocolSwitch) queueOrCancel(req *Request) bool {
	switch {
	case req.Op == OpEnd && req.Of != nil:
		i := slices.Index(u.held, req.Of)
		if i < 0 {
			return false
		}
		u.held = slices.Delete(u.held, i, i+1)
		req.Of.answer(Response{Err: rolledBack(req.Cause)})
		req.answer(Response{})
		return true
	case !u.holds() || !req.Txn.IsZero() || req.Op == OpEnd || req.Op == OpPublish || req.From.SystemTxn:
		return false
	case len(u.held) >= maxHeld:
		req.answer(Response{Err: txn.Errorf(txn.KindUnavailable,
			"the cluster is switching its commit protocol and this gateway's limit of %d waiting transactions is reached; retry later", maxHeld)})
		return true
	}
	u.held = append(u.held, req)
	return true
}

// startQueued starts the queued transactions, if nothing holds them any more.
func (u *protocolSwitch) startQueued() {
	if u.holds() {
		return
	}
	held := u.held
	u.held = nil
	for _, req := range held {
		u.host.Submit(req)
	}
}

// observe handles the protocol of a shard that has refused a request: a gateway that is behind
// starts nothing before it has that protocol itself.
func (u *protocolSwitch) observe(seq uint64) {
	if seq > u.seq && seq > u.behind {
		u.behind, u.patch = seq, u.env.Now().Mono+behindWait
	}
}

// sweep checks the bounds.
func (u *protocolSwitch) sweep(now time.Duration) {
	if u.try != 0 && now >= u.drain {
		u.host.rollBackOpen(protocolChanges(), func(t *transaction) bool { return !t.upkeep })
	}
	if u.try != 0 && now >= u.until {
		u.given, u.try = u.try, 0
	}
	if u.behind > u.seq && now >= u.patch {
		u.behind = 0
	}
	u.startQueued()
}

func protocolChanges() *txn.Error {
	return txn.Errorf(txn.KindAborted, "transaction rolled back: the cluster is switching its commit protocol; retry the transaction").Because(txn.CauseProtocol)
}
