package coordinator

import (
	"context"
	"slices"
	"time"

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

// Survey implements txn.Surveyor.
func (d *db) Survey(ctx context.Context) (txn.Surveyed, error) {
	resp := d.port.Do(ctx, &Request{Op: OpSurvey})
	if resp.Err != nil {
		return txn.Surveyed{}, resp.Err
	}
	return *resp.Survey, nil
}

// survey asks every node.
func (c *Coordinator) survey(req *Request) {
	if len(c.surveys) >= maxSurveys {
		c.answer(req, Response{Err: txn.Errorf(txn.KindUnavailable, "%d questions to all nodes are on their way at this gateway, its bound; ask again later", maxSurveys)})
		return
	}
	c.nextPart++
	s := &survey{req: req, got: map[txn.NodeID]*txn.SurveyReply{}, deadline: c.env.Now().Mono + txn.SurveyWait}
	c.surveys[c.nextPart] = s
	for _, n := range c.env.Directory().Nodes {
		s.asked = append(s.asked, txn.NodeID(n.ID))
		c.env.Send(txn.Whole(txn.NodeID(n.ID)), txn.Message{Survey: &txn.Survey{Request: c.nextPart}})
	}
}

func (c *Coordinator) onSurveyReply(from txn.NodeID, m *txn.SurveyReply) {
	s := c.surveys[m.Request]
	if s == nil || !slices.Contains(s.asked, from) {
		return
	}
	s.asked = slices.DeleteFunc(s.asked, func(n txn.NodeID) bool { return n == from })
	s.got[from] = m
	if len(s.asked) == 0 {
		c.endSurvey(m.Request)
	}
}

func (c *Coordinator) endSurvey(id uint64) {
	s := c.surveys[id]
	delete(c.surveys, id)
	owners := map[txn.ID]uint64{}
	for _, n := range sortedKeys(s.got) {
		for _, w := range s.got[n].Waits {
			for _, id := range []txn.ID{w.Txn, w.Holder} {
				if t := c.txns[id]; t != nil {
					owners[id] = t.owner
				}
			}
		}
	}
	c.answer(s.req, Response{Survey: &txn.Surveyed{Nodes: s.got, Silent: s.asked, Owners: owners}})
}

func (c *Coordinator) expireSurveys(now time.Duration) {
	for _, id := range sortedKeys(c.surveys) {
		if now >= c.surveys[id].deadline {
			c.endSurvey(id)
		}
	}
}

// Rollbacks are the transactions of this incarnation that were rolled back, by cause.
func (c *Coordinator) Rollbacks() []uint64 { return slices.Clone(c.rollbacks[:]) }

// Retried are those of the Rollbacks that the gateway did again by itself, by cause.
func (c *Coordinator) Retried() []uint64 { return slices.Clone(c.retried[:]) }
