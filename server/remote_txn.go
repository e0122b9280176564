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

// questionRows begins a question that holds a txn.OneShot, which the node runs
// at its gateway. Who may ask has a certificate of the cluster, and could as
// well be one of its nodes.
const questionRows = "rows\n"

// rowsWait bounds the running of one OneShot.
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
			Reason: fmt.Sprintf("the answer has %d bytes, its bound is %d: a row is too large", len(b), peer.AnswerMax)})
	}
	return b
}

// isRows cuts a question for rows.
func isRows(question []byte) (rest []byte, ok bool) {
	return bytes.CutPrefix(question, []byte(questionRows))
}

// Rows asks nodes of a running cluster to read and write rows.
type Rows struct {
	credentials *peer.Credentials
	members     []Member
	next        atomic.Int64 // whom to ask; another is asked when it does not answer
}

// NewRows asks the members in their order: the second when the first does not
// answer, and so on. It is good for several goroutines at once.
func NewRows(c *peer.Credentials, members []Member) *Rows {
	return &Rows{credentials: c, members: members}
}

// Do runs a transaction at a node. If the connection is lost on the way its
// outcome is KindUnknown if it writes, KindUnavailable else.
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
		return res, fmt.Errorf("node %d does not know the question, is it of another version? %s", m.ID, bytes.TrimSpace(b[:min(len(b), 200)]))
	}
	return res, res.Err()
}
