package coordinator

import (
	"slices"
	"time"

	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

// While the cluster goes from one protocol to another this gateway begins no
// transactions: they wait, and begin under the new one, so that a client sees a
// pause. Those that are open may go on for a while and are rolled back then; those
// that are in their commit come to its end.
//
// Invariant: all transactions that are open, and in no commit, run under the
// protocol that the gateway goes by. A commit may outlive a change: what it asks
// says under which protocol it began, and what follows its votes is the same in all.
//
// What waits here is bounded in number and in time: a switch whose end is never
// heard of is waited for no longer than its own limit and some more, and the
// gateway goes on as before. Whether that is right each shard judges for itself.

// protocolSwitch is where a gateway stands between two protocols.
type protocolSwitch struct {
	params *txn.Params
	env    turnEnv
	host   switchHost

	seq    uint64        // of the protocol it goes by
	try    uint64        // of the switch under way, 0: there is none, or it has lasted too long
	given  uint64        // the newest try that has lasted too long
	drain  time.Duration // from then on what is open is rolled back
	until  time.Duration // from then on the try is not waited for
	behind uint64        // a shard has spoken of this later protocol
	patch  time.Duration // from then on that is not waited for
	held   []*Request    // would begin transactions, in the order they came
}

// turnEnv is what turn needs of the node.
type turnEnv interface{ Now() txn.Now }

// switchHost is what goes from one protocol to another.
type switchHost interface {
	useProtocol(spec protocol.Spec)
	rollBackOpen(reason *txn.Error, which func(*transaction) bool)
	Submit(req *Request)
}

// maxHeld bounds the transactions that wait to begin.
const maxHeld = maxTransactions

// behindWait bounds the wait for the news of a protocol of which a shard has spoken.
const behindWait = 5 * time.Second

// follow has the gateway go by what the directory says; row is what that
// comes to. Open transactions of another protocol end.
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

// holds reports whether no transactions are begun now.
func (u *protocolSwitch) holds() bool { return u.try != 0 || u.behind > u.seq }

// queueOrCancel keeps a request that has to wait, or ends one that does; false if the
// request is to be looked at.
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
			"the cluster changes its protocol, and %d transactions wait at this gateway to begin, its bound; try again later", maxHeld)})
		return true
	}
	u.held = append(u.held, req)
	return true
}

// startQueued has those begin that have waited, if nothing holds them any more.
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

// observe hears of the protocol of a shard that has refused something: a
// gateway that is behind begins nothing before it has heard of that itself.
func (u *protocolSwitch) observe(seq uint64) {
	if seq > u.seq && seq > u.behind {
		u.behind, u.patch = seq, u.env.Now().Mono+behindWait
	}
}

// sweep looks at the bounds.
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
	return txn.Errorf(txn.KindAborted, "the cluster changes its protocol, and the transaction was rolled back; do it again").Because(txn.CauseProtocol)
}
