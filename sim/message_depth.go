package sim

import "isochron/coordinator"

// chain is the number of sequential messages between regions from a client's commit request to the
// event that carries the chain. The effects of an event continue its chain: messages (plus one if
// they go to another region), timers, and what a sync releases. It travels beside the messages, not
// in them: the nodes do not know it.
type chain int32

// noChain is the chain of a tick, and of anything that no single commit has caused.
const noChain chain = -1

// chainOf begins the chain of a request.
func chainOf(req *coordinator.Request) chain {
	if req.Op == coordinator.OpCommit || req.Commit {
		return 0
	}
	return noChain
}

// over returns the chain after one message.
func (c chain) over(wide bool) chain {
	if wide && c != noChain {
		return c + 1
	}
	return c
}
