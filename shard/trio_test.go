package shard

import (
	"testing"
	"time"

	"isochron/participant"
	"isochron/protocol"
	"isochron/store"
	"isochron/txn"
)

// trio is a shard of three replicas, with a network and disks without delay.
type trio struct {
	now      time.Duration
	replicas map[txn.NodeID]*Replica
	queue    []txn.Envelope
	others   []txn.Message // messages that are not the Raft group's own
}

// trioEnv is the environment of one replica.
type trioEnv struct {
	Env
	*trio
	self txn.NodeID
}

func (e *trioEnv) Now() txn.Now                     { return txn.Now{Mono: e.now} }
func (e *trioEnv) AfterSync(f func())               { f() }
func (e *trioEnv) NodeEvent(txn.NodeEvent)          {}
func (e *trioEnv) Trace(string, ...any)             {}
func (e *trioEnv) Tracing() bool                    { return false }
func (e *trioEnv) Held(txn.ShardID, txn.ID, int64)  {}
func (e *trioEnv) Applied(txn.ShardID, []txn.Write) {}
func (e *trioEnv) Acknowledge(*txn.Ack, bool)       {}
func (e *trioEnv) Orphan(txn.Orphan)                {}

func (e *trioEnv) Send(to txn.Address, m txn.Message) {
	if m.Raft == nil && m.SnapFetch == nil && m.SnapChunk == nil {
		e.others = append(e.others, m)
		return
	}
	e.queue = append(e.queue, txn.Envelope{From: e.self, To: to.Node, Msg: m})
}

// newTrio returns a trio led by its first replica, which serves and has received acknowledgements
// just now.
func newTrio(t *testing.T) (*trio, *leaderState) {
	t.Helper()
	spec, err := protocol.ByName("d2pc+2pl-group")
	if err != nil {
		t.Fatal(err)
	}
	w := &trio{now: time.Second, replicas: map[txn.NodeID]*Replica{}}
	all := []txn.NodeID{1, 2, 3}
	for _, n := range all {
		r, err := Open(Config{ID: 2, Self: n, Founders: all, Desired: participant.Desired{Voters: all, Preferred: all[:1]}, Engine: store.NewMem(),
			Spec: spec, Params: txn.Params{}.WithDefaults(), Seed: 1, Env: &trioEnv{trio: w, self: n}})
		if err != nil {
			t.Fatal(err)
		}
		w.replicas[n] = r
	}
	w.replicas[1].Tick()
	w.drain()
	w.replicas[1].Tick()
	w.drain()
	if !w.replicas[1].Serving() || !w.replicas[1].group.Leased() {
		t.Fatal("the first does not serve under a lease")
	}
	return w, w.replicas[1].lead
}

// drain delivers messages until none is under way.
func (w *trio) drain() {
	for {
		for n := range txn.NodeID(3) {
			w.replicas[n+1].Process()
		}
		queue := w.queue
		if w.queue = nil; len(queue) == 0 {
			return
		}
		for _, m := range queue {
			w.replicas[m.To].Deliver(m.From, &m.Msg)
		}
	}
}

func (w *trio) acks() (n int) {
	for _, m := range w.others {
		if m.DecideAck != nil {
			n++
		}
	}
	return n
}

// proposed returns the number of commands that a leader has proposed.
func (l *leaderState) proposed() uint64 { return l.r.group.Status().Counts.Proposals }
