package server

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"isochron/server/peer"
	"isochron/txn"
)

// questionRows is the prefix of a query with a txn.OneShot, which the node runs at its gateway. The sender has
// a certificate of the cluster and could as well be one of its nodes.
const questionRows = "rows\n"

// rowsWait bounds one OneShot.
const rowsWait = time.Minute

// answerRows runs a OneShot.
func (p *Process) answerRows(question []byte) []byte {
	var q txn.OneShot
	if err := txn.Decode(question, &q); err != nil {
		return txn.Encode(txn.OneShotResult{Kind: txn.KindInvalidRequest, Reason: err.Error()})
	}
	ctx, cancel := context.WithTimeout(context.Background(), rowsWait)
	defer cancel()
	res := q.Run(ctx, p.DB())
	b := txn.Encode(res)
	if len(b) > peer.AnswerMax {
		b = txn.Encode(txn.OneShotResult{Kind: txn.KindInvalidRequest,
			Reason: fmt.Sprintf("a row is too large: the reply has %d bytes, the limit is %d", len(b), peer.AnswerMax)})
	}
	return b
}

// isRows cuts the prefix off such a query.
func isRows(question []byte) (rest []byte, ok bool) {
	return bytes.CutPrefix(question, []byte(questionRows))
}

// Rows sends reads and writes of rows to the nodes of a running cluster.
type Rows struct {
	credentials *peer.Credentials
	members     []Member
	next        atomic.Int64 // the member to use; the next one if it does not answer
}

// NewRows uses the members in their order: the second if the first does not answer, and so on. It is safe for
// concurrent use.
func NewRows(c *peer.Credentials, members []Member) *Rows {
	return &Rows{credentials: c, members: members}
}

// Do runs a transaction at a node. If the connection is lost the error is KindUnknown for one with writes,
// else KindUnavailable.
func (r *Rows) Do(ctx context.Context, q txn.OneShot) (txn.OneShotResult, error) {
	ask, cancel := context.WithTimeout(ctx, rowsWait+10*time.Second)
	defer cancel()
	turn := r.next.Load()
	m := r.members[turn%int64(len(r.members))]
	b, err := peer.Ask(ask, r.credentials, m.ID, m.Address, append([]byte(questionRows), txn.Encode(q)...))
	if err != nil {
		r.next.CompareAndSwap(turn, turn+1)
		kind := txn.KindUnavailable
		if len(q.Writes) > 0 {
			kind = txn.KindUnknown
		}
		return txn.OneShotResult{}, txn.Errorf(kind, "node %d at %s: %v", m.ID, m.Address, err)
	}
	var res txn.OneShotResult
	if err := txn.Decode(b, &res); err != nil {
		return res, fmt.Errorf("unknown query: node %d may be of another version: %s", m.ID, bytes.TrimSpace(b[:min(len(b), 200)]))
	}
	return res, res.Err()
}
