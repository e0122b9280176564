package peer

import (
	"errors"
	"time"

	"isochron/txn"
)

// Code is a refusal's reason in a welcome, where a program must know it. A number never changes its meaning.
type Code uint32

// The codes. Refusals that concern only people have none.
const (
	CodeRemoved Code = 1 // the node was removed from the cluster
	CodeStale   Code = 2 // a newer copy of the node has run: this one is refused permanently
	CodeTwice   Code = 3 // another start of the node is running
	codeWait    Code = 4 // undecided yet: ask again
	// CodeElsewhere: the start does not answer at the node's address.
	CodeElsewhere Code = 5
)

// refusal is a peer's refusal of this node, as opposed to a failure of the network.
type refusal struct {
	reason     string
	peerReason string // the peer's text, if there is one
	code       Code
	ago        time.Duration // with CodeTwice: since the last contact with the other start
}

func (r refusal) Error() string { return r.reason }

// twiceFor is the time for which a peer must report another start before the node acts on it: a
// peer may not have noticed yet that a connection has ended. Even then the other start must have
// sent within quiet.
const twiceFor = 4 * time.Second

// retryMax bounds the pause while a peer will admit the node within seconds.
const retryMax = 500 * time.Millisecond

// passing reports whether a refusal may soon be over.
func passing(err error) bool { return codeOf(err) == CodeTwice || codeOf(err) == codeWait }

func codeOf(err error) Code {
	var no refusal
	_ = errors.As(err, &no)
	return no.code
}

// turnedAway processes the result of an attempt to connect, and notifies the node of a permanent
// refusal.
func (t *Transport) turnedAway(by txn.NodeID, err error) {
	var no refusal
	refused := errors.As(err, &no)
	now := time.Now()
	t.mu.Lock()
	first := t.twice[by]
	switch {
	case !refused || no.code != CodeTwice:
		delete(t.twice, by)
	case first.IsZero():
		first, t.twice[by] = now, now
	}
	t.mu.Unlock()
	if !refused || t.cfg.TurnedAway == nil {
		return
	}
	switch {
	case no.code == CodeRemoved, no.code == CodeStale, no.code == CodeTwice && now.Sub(first) >= twiceFor && no.ago < quiet:
		t.cfg.TurnedAway(by, no.code, no.peerReason)
	}
}
