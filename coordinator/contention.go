package coordinator

import (
	"context"
	"slices"
	"time"

	"isochron/routing"
	"isochron/txn"
)

// maxContentionQueries bounds the pending contention queries of one gateway.
const maxContentionQueries = 16

// contentionQuery is one that waits for replies.
type contentionQuery struct {
	req      *Request
	asked    []txn.NodeID // without a reply so far
	got      map[txn.NodeID]*txn.ContentionReply
	deadline time.Duration
}

// contentionQueries are the pending queries to all nodes.
type contentionQueries struct {
	env     contentionEnv
	numbers *requestNumbers
	ownerOf func(txn.ID) (owner uint64, ok bool) // of a transaction of this gateway
	open    map[uint64]*contentionQuery          // by request number
}

// contentionEnv is the part of the node that contentionQueries uses.
type contentionEnv interface {
	Now() txn.Now
	Send(to txn.Address, m txn.Message)
	Directory() *routing.Directory
}

// Contention implements txn.Surveyor.
func (d *db) Contention(ctx context.Context) (txn.ContentionReport, error) {
	resp := d.port.Do(ctx, &Request{Op: OpContention})
	if resp.Err != nil {
		return txn.ContentionReport{}, resp.Err
	}
	return *resp.Contention, nil
}

// Using implements txn.Users.
func (d *db) Using(ctx context.Context, guards []string) ([]txn.User, error) {
	resp := d.port.Do(ctx, &Request{Op: OpContention, Using: guards})
	if resp.Err != nil {
		return nil, resp.Err
	}
	var out []txn.User
	for _, n := range sortedKeys(resp.Contention.Nodes) {
		out = append(out, resp.Contention.Nodes[n].Users...)
	}
	return out, nil
}

// Known implements txn.Users.
func (d *db) Known(ctx context.Context) (txn.ContentionReport, error) {
	resp := d.port.Do(ctx, &Request{Op: OpContention, Known: true})
	if resp.Err != nil {
		return txn.ContentionReport{}, resp.Err
	}
	return *resp.Contention, nil
}

// begin asks every node.
func (v *contentionQueries) begin(req *Request) {
	if len(v.open) >= maxContentionQueries {
		req.answer(Response{Err: txn.Errorf(txn.KindUnavailable, "this gateway's limit of %d concurrent contention queries is reached; retry later", maxContentionQueries)})
		return
	}
	id := v.numbers.take()
	s := &contentionQuery{req: req, got: map[txn.NodeID]*txn.ContentionReply{}, deadline: v.env.Now().Mono + txn.ContentionWait}
	v.open[id] = s
	for _, n := range v.env.Directory().Nodes {
		s.asked = append(s.asked, txn.NodeID(n.ID))
		v.env.Send(txn.Whole(txn.NodeID(n.ID)), txn.Message{ContentionQuery: &txn.ContentionQuery{Request: id, Using: req.Using, Known: req.Known}})
	}
}

func (v *contentionQueries) receive(from txn.NodeID, m *txn.ContentionReply) {
	s := v.open[m.Request]
	if s == nil || !slices.Contains(s.asked, from) {
		return
	}
	s.asked = slices.DeleteFunc(s.asked, func(n txn.NodeID) bool { return n == from })
	s.got[from] = m
	if len(s.asked) == 0 {
		v.end(m.Request)
	}
}

func (v *contentionQueries) end(id uint64) {
	s := v.open[id]
	delete(v.open, id)
	owners := map[txn.ID]uint64{}
	for _, n := range sortedKeys(s.got) {
		for _, w := range s.got[n].Waits {
			for _, id := range []txn.ID{w.Txn, w.Holder} {
				if owner, ok := v.ownerOf(id); ok {
					owners[id] = owner
				}
			}
		}
	}
	s.req.answer(Response{Contention: &txn.ContentionReport{Nodes: s.got, Silent: s.asked, SessionIDs: owners}})
}

func (v *contentionQueries) expire(now time.Duration) {
	for _, id := range sortedKeys(v.open) {
		if now >= v.open[id].deadline {
			v.end(id)
		}
	}
}

// nextWake is when a query stops waiting for replies.
func (v *contentionQueries) nextWake() time.Duration {
	at := txn.Never
	for _, s := range v.open { // order: the least of all
		at = min(at, s.deadline)
	}
	return at
}
