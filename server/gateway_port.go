package server

import (
	"context"
	"fmt"
	"sync"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/node"
	"isochron/routing"
	"isochron/txn"
)

// port is one node's gateway as its clients' goroutines use it.
type port struct {
	r *runner
	p *Process // nil: a node of a Cluster, which is never removed
}

var _ coordinator.Port = port{}

// answers is a pool of channels for one reply each.
var answers = sync.Pool{New: func() any { return make(chan coordinator.Response, 1) }}

// Do submits the request and waits. If the caller stops waiting, a commit that was submitted may still
// happen.
func (p port) Do(ctx context.Context, req *coordinator.Request) coordinator.Response {
	if p.p != nil && p.p.Removed() != "" {
		return req.Refused(p.p.Removed())
	}
	answer := answers.Get().(chan coordinator.Response)
	req.Done = func(r coordinator.Response) {
		answer <- r
		p.r.woke()
	}
	if !p.r.box.put(input{request: req}) {
		answers.Put(answer)
		return coordinator.Response{Txn: req.Txn, Err: txn.Errorf(txn.KindUnavailable,
			"too many requests wait at the gateway in %s: try again, or send less", p.r.region)}
	}
	select {
	case r := <-answer:
		answers.Put(answer) // empty and unshared: Done is called once
		return r
	case <-ctx.Done():
		go p.abandon(req, answer)
		return req.Failed(fmt.Sprintf("the client stopped waiting at the gateway in %s: %v", p.r.region, context.Cause(ctx)))
	case <-p.left():
		go p.abandon(req, answer)
		return req.Failed(p.p.Removed())
	case <-p.r.ended:
		return req.Failed(fmt.Sprintf("the gateway in %s has stopped", p.r.region))
	}
}

// left is closed when the node has learned that it was removed from the cluster: pending requests would wait
// without end.
func (p port) left() <-chan struct{} {
	if p.p == nil {
		return nil
	}
	return p.p.left
}

// abandon ends the transaction begun by a request whose client never received the transaction's name: no
// other request could release its locks.
func (p port) abandon(req *coordinator.Request, answer <-chan coordinator.Response) {
	if req.Op != coordinator.OpRead && req.Op != coordinator.OpUpdate && req.Op != coordinator.OpFixedSet || !req.Txn.IsZero() {
		return // the client has the name, or the commit is the end
	}
	select {
	case r := <-answer:
		if !r.Txn.IsZero() {
			p.Post(&coordinator.Request{Op: coordinator.OpEnd, Txn: r.Txn})
		}
	case <-p.r.ended:
	}
}

// Post submits a request without a reply. It is never refused: a lost end would leave locks behind.
func (p port) Post(req *coordinator.Request) { p.r.box.putAlways(input{request: req}) }

func (p port) Directory() *routing.Directory { return p.r.directory.Load() }
func (p port) Region() geo.Region            { return p.r.region }

// ReadLocal reads in the node's loop, since only the loop may read the node. Rows of the meta shard are
// cached until something is applied there.
func (p port) ReadLocal(key txn.Key) (value []byte, version txn.Version, ok bool) {
	dir := p.Directory()
	s, held := dir.ShardOf(string(key))
	meta := held && txn.ShardID(s) == txn.MetaShard
	if meta {
		if row, known := p.r.localReads.get(key, p.r.meta.Load()); known {
			return row.value, row.version, row.ok
		}
	}
	var at uint64
	if !p.r.inLoop(func(n *node.Node) { value, version, ok = n.ReadLocal(key); at = n.MetaChanges() }) {
		return nil, txn.Version{}, false
	}
	if meta && ok {
		p.r.localReads.put(key, peeked{value, version, ok}, at)
	}
	return value, version, ok
}
