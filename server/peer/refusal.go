package peer

import (
	"errors"
	"time"

	"isochron/txn"
)

// Code says in a welcome why a peer will not have us, where a program must know.
// A number keeps its meaning for ever.
type Code uint32

// The codes. Those that are no concern of a program have none.
const (
	CodeRemoved Code = 1 // the node was removed from the cluster
	CodeStale   Code = 2 // a newer copy of the node has run: this one never will
	CodeTwice   Code = 3 // another start of the node is running
	codeWait    Code = 4 // it is not known yet who is there: ask again
	// CodeElsewhere: the start does not answer where the node is looked for.
	CodeElsewhere Code = 5
)

// refusal is a peer's word that it will not have us: no accident of the network.
type refusal struct {
	reason     string
	peerReason string // the peer's own words, where there are any
	code       Code
	ago        time.Duration // of CodeTwice: when the other start was heard
}

func (r refusal) Error() string { return r.reason }

// twiceFor is how long a node is told that it runs already before it believes it: a
// peer may take a connection for one that stands whose end it has not seen. The
// other must have been heard within quiet even then.
const twiceFor = 4 * time.Second

// retryMax bounds the pause where it is a matter of seconds until a peer lets us in.
const retryMax = 500 * time.Millisecond

// passing reports whether a refusal may soon be over.
func passing(err error) bool { return codeOf(err) == CodeTwice || codeOf(err) == codeWait }

func codeOf(err error) Code {
	var no refusal
	_ = errors.As(err, &no)
	return no.code
}

// turnedAway hears what came of an attempt to connect, and tells the node if it is
// not wanted for good.
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
