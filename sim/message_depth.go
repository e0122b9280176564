package sim

import "isochron/coordinator"

// chain counts the messages between regions that followed upon each other from
// a client's commit request to the event that carries the chain. Whatever an
// event causes goes on with its chain: messages (one more if they go to another
// region), timers, and what a sync releases. It travels beside the messages, not
// in them, so the nodes know nothing of it.
type chain int32

// noChain is that of a tick, and of anything that no single commit has caused.
const noChain chain = -1

// chainOf begins the chain of a request.
func chainOf(req *coordinator.Request) chain {
	if req.Op == coordinator.OpCommit || req.Commit {
		return 0
	}
	return noChain
}

// over is the chain after one message.
func (c chain) over(wide bool) chain {
	if wide && c != noChain {
		return c + 1
	}
	return c
}
