package coordinator

import (
	"testing"
	"time"

	"isochron/txn"
	"isochron/yield"
)

// queueing is a coordinator with a window of one for transactions that start on one table.
type queueing struct {
	*Coordinator
	env     *fakeEnv
	answers map[txn.ID]Response
}

const account = txn.Key("\x10\x00\x00\x00\x00\x00\x00\x00\x07alice")

func newQueueing(t *testing.T) *queueing {
	t.Helper()
	_, env := openFake(t)
	q := &queueing{New(Config{Self: 1, Epoch: 1, Spec: openRow(t, "2pc+2pl-nro"), Env: env, Params: txn.Params{AdmissionWait: time.Second}.WithDefaults()}), env, map[txn.ID]Response{}}
	// One try has lost, so the class is counted; and an operator admits one at a time.
	q.admission.admission.Leave(0, classOf(q.read0()), nil, yield.Lost)
	env.dir.Admission.Most = 1
	for range 40 {
		env.mono += 10 * time.Millisecond
		q.end(q.txns[q.read()], txn.Errorf(txn.KindAborted, "lost").Because(txn.CauseConflict))
	}
	env.sent = nil
	return q
}

// read0 is the first read of a transfer.
func (q *queueing) read0() *Request {
	return &Request{Op: OpRead, Read: txn.Read{Gets: []txn.Key{account}}}
}

// read makes a new transaction read, and returns its id.
func (q *queueing) read() txn.ID {
	req := q.read0()
	req.Done = func(r Response) { q.answers[r.Txn] = r }
	q.Submit(req)
	return req.begun
}

// asked are the transactions whose reads were sent to a shard.
func (q *queueing) asked() (out []txn.ID) {
	for _, m := range q.env.sent {
		if m.Access != nil {
			out = append(out, m.Access.Txn)
		}
	}
	return out
}

func (q *queueing) pass(d time.Duration) {
	for end := q.env.mono + d; q.env.mono < end; {
		q.env.mono += 20 * time.Millisecond
		q.Tick()
	}
}

// Where most tries fail only some are admitted: the others wait before any request is sent to a
// shard, and are admitted when one ends, or when one's client is gone.
func TestQueuedTransactionsSendNothing(t *testing.T) {
	q := newQueueing(t)
	a, b, c := q.read(), q.read(), q.read()
	if got := q.asked(); len(got) != 1 || got[0] != a {
		t.Fatalf("asked: %v, want %v alone; %+v", got, a, q.Admission())
	}
	q.Submit(&Request{Op: OpRead, Txn: b, Read: q.read0().Read, Done: func(r Response) { q.answers[b] = r }})
	if r := q.answers[b]; r.Err == nil || r.Err.Kind != txn.KindInvalidRequest {
		t.Errorf("a queued transaction must be busy: %+v", r)
	}
	q.Submit(&Request{Op: OpEnd, Txn: b, Cause: txn.CauseConnection})
	if r := q.answers[b]; r.Err == nil {
		t.Errorf("the queued request was answered: %+v", r)
	}
	if got := q.asked(); len(got) != 1 {
		t.Errorf("one that waited has gone, and %v were asked for", got)
	}
	q.Submit(&Request{Op: OpEnd, Txn: a})
	if got := q.asked(); len(got) != 2 || got[1] != c {
		t.Errorf("asked: %v, want %v at last", got, c)
	}
}

// A transaction whose wait times out is refused; it continues, and may request again. One whose
// client is idle does not count, and its next request is never delayed.
func TestWaitsForAdmissionEnd(t *testing.T) {
	q := newQueueing(t)
	a, b := q.read(), q.read()
	q.pass(2 * time.Second)
	if r := q.answers[b]; r.Err == nil || r.Err.Kind != txn.KindLockTimeout {
		t.Fatalf("it has waited for too long: %+v; %+v", r, q.Admission())
	}
	delete(q.answers, b)
	q.Submit(&Request{Op: OpRead, Txn: b, Read: q.read0().Read, Done: func(r Response) { q.answers[b] = r }})
	if r, ok := q.answers[b]; ok || len(q.asked()) < 1 {
		t.Fatalf("it waits again: %+v", r)
	}
	access := q.env.sent[len(q.env.sent)-1].Access
	q.Deliver(1, &txn.Message{AccessReply: &txn.AccessReply{Shard: 2, Request: access.Request, Term: 1, Rows: []txn.Row{{Key: account}}}})
	if r := q.answers[a]; r.Err != nil || len(r.Rows) != 1 {
		t.Fatalf("the first has read: %+v", r)
	}
	before := len(q.asked())
	q.pass(200 * time.Millisecond)
	if got := q.asked(); len(got) != before+1 || got[before] != b {
		t.Fatalf("the client of %v is idle, so %v is admitted: %v", a, b, got[before:])
	}
	q.Submit(&Request{Op: OpRead, Txn: a, Read: txn.Read{Gets: []txn.Key{account + "x"}}})
	if got := q.asked(); len(got) != before+2 || got[before+1] != a {
		t.Errorf("%v must proceed immediately: %v", a, got[before+1:])
	}
	if c := q.Admission()[0]; c.Running != 2 || c.Queue != 0 || c.Refused != 1 {
		t.Errorf("%+v", c)
	}
}

// A commit that is a transaction's only request ends with its refusal.
func TestARefusedCommitEndsItsTransaction(t *testing.T) {
	q := newQueueing(t)
	q.read()
	var got []Response
	q.Submit(&Request{Op: OpCommit, Writes: []txn.Write{{Key: account, Value: []byte("1")}}, Done: func(r Response) { got = append(got, r) }})
	open := len(q.txns)
	q.pass(2 * time.Second)
	if len(got) != 1 || got[0].Err == nil || got[0].Err.Kind != txn.KindLockTimeout || len(q.txns) != open-1 {
		t.Errorf("answered %+v, %d of %d transactions are left", got, len(q.txns), open)
	}
}
