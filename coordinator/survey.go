package coordinator

import (
	"context"
	"slices"
	"time"

	"isochron/routing"
	"isochron/txn"
)

// maxSurveys bounds the surveys that are on their way at one gateway.
const maxSurveys = 16

// survey is one that waits for answers.
type survey struct {
	req      *Request
	asked    []txn.NodeID // without an answer so far
	got      map[txn.NodeID]*txn.SurveyReply
	deadline time.Duration
}

// surveys are the questions to all nodes that are on their way.
type surveys struct {
	env     surveyEnv
	numbers *requestNumbers
	ownerOf func(txn.ID) (owner uint64, ok bool) // of a transaction of this gateway
	open    map[uint64]*survey                   // by request number
}

// surveyEnv is what surveys need of the node.
type surveyEnv interface {
	Now() txn.Now
	Send(to txn.Address, m txn.Message)
	Directory() *routing.Directory
}

// Survey implements txn.Surveyor.
func (d *db) Survey(ctx context.Context) (txn.Surveyed, error) {
	resp := d.port.Do(ctx, &Request{Op: OpSurvey})
	if resp.Err != nil {
		return txn.Surveyed{}, resp.Err
	}
	return *resp.Survey, nil
}

// Using implements txn.Users.
func (d *db) Using(ctx context.Context, guards []string) ([]txn.User, error) {
	resp := d.port.Do(ctx, &Request{Op: OpSurvey, Using: guards})
	if resp.Err != nil {
		return nil, resp.Err
	}
	var out []txn.User
	for _, n := range sortedKeys(resp.Survey.Nodes) {
		out = append(out, resp.Survey.Nodes[n].Users...)
	}
	return out, nil
}

// Known implements txn.Users.
func (d *db) Known(ctx context.Context) (txn.Surveyed, error) {
	resp := d.port.Do(ctx, &Request{Op: OpSurvey, Known: true})
	if resp.Err != nil {
		return txn.Surveyed{}, resp.Err
	}
	return *resp.Survey, nil
}

// begin asks every node.
func (v *surveys) begin(req *Request) {
	if len(v.open) >= maxSurveys {
		req.answer(Response{Err: txn.Errorf(txn.KindUnavailable, "%d questions to all nodes are on their way at this gateway, its bound; ask again later", maxSurveys)})
		return
	}
	id := v.numbers.take()
	s := &survey{req: req, got: map[txn.NodeID]*txn.SurveyReply{}, deadline: v.env.Now().Mono + txn.SurveyWait}
	v.open[id] = s
	for _, n := range v.env.Directory().Nodes {
		s.asked = append(s.asked, txn.NodeID(n.ID))
		v.env.Send(txn.Whole(txn.NodeID(n.ID)), txn.Message{Survey: &txn.Survey{Request: id, Using: req.Using, Known: req.Known}})
	}
}

func (v *surveys) hear(from txn.NodeID, m *txn.SurveyReply) {
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

func (v *surveys) end(id uint64) {
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
	s.req.answer(Response{Survey: &txn.Surveyed{Nodes: s.got, Silent: s.asked, Owners: owners}})
}

func (v *surveys) expire(now time.Duration) {
	for _, id := range sortedKeys(v.open) {
		if now >= v.open[id].deadline {
			v.end(id)
		}
	}
}

// nextWake is when a survey waits for answers no longer.
func (v *surveys) nextWake() time.Duration {
	at := txn.Never
	for _, s := range v.open { // order: the least of all
		at = min(at, s.deadline)
	}
	return at
}
