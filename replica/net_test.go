package replica

import (
	"fmt"
	"testing"
	"time"

	"isochron/protocol"
	"isochron/store"
	"isochron/txn"
)

// net is a shard's replicas, a disk for each, and their messages. It is no cluster: the test is the
// coordinator, as node 9.
type net struct {
	t        *testing.T
	spec     protocol.Spec
	params   txn.Params
	members  []txn.NodeID
	at       map[txn.NodeID]*machine
	queue    []txn.Envelope
	received []txn.Message  // by the coordinator
	acks     []txn.Envelope // also received by it
	lost     func(txn.Envelope) bool
	now      time.Duration
}

// machine is a replica's machine, and its Env.
type machine struct {
	n       *net
	id      txn.NodeID
	engine  *store.Mem
	r       *Replica
	held    []func()
	stuck   bool // its disk does not sync
	orphans []txn.Attempt
	spans   int
}

const (
	coordinator = txn.NodeID(9)
	shard       = txn.ShardID(2)
	resend      = 100 * time.Millisecond
	recoverAt   = 800 * time.Millisecond
	lockWait    = 300 * time.Millisecond
)

func newNet(t *testing.T, rowName string, n int) *net {
	t.Helper()
	spec, err := protocol.ByName(rowName)
	if err != nil {
		t.Fatal(err)
	}
	net := &net{t: t, spec: spec, at: map[txn.NodeID]*machine{}, params: txn.Params{ResendAfter: resend, RecoverAfter: recoverAt, LockWait: lockWait}}
	for i := range n {
		net.members = append(net.members, txn.NodeID(i+1))
	}
	for _, id := range net.members {
		net.at[id] = &machine{n: net, id: id, engine: store.NewMem()}
		net.open(id)
	}
	net.settle()
	return net
}

func (n *net) open(id txn.NodeID) {
	n.t.Helper()
	m := n.at[id]
	r, err := Open(Config{ID: shard, Self: id, Members: n.members, Engine: m.engine, Spec: n.spec, Params: n.params, Env: m})
	if err != nil {
		n.t.Fatal(err)
	}
	m.r = r
}

// crash stops a replica; unsynced writes are lost.
func (n *net) crash(id txn.NodeID) {
	m := n.at[id]
	m.engine, m.r, m.held = m.engine.CrashStrict(), nil, nil
}

func (m *machine) Now() txn.Now { return txn.Now{Mono: m.n.now} }

func (m *machine) Send(to txn.Address, msg txn.Message) {
	env := txn.Envelope{From: m.id, To: to.Node, Part: to.Part()}
	if err := txn.Decode(txn.Encode(&msg), &env.Msg); err != nil {
		m.n.t.Fatal(err)
	}
	m.n.queue = append(m.n.queue, env)
}

func (m *machine) AfterSync(f func()) { m.held = append(m.held, f) }
func (m *machine) Orphan(o txn.Orphan) {
	m.orphans = append(m.orphans, o.Attempt)
}
func (m *machine) Applied(txn.ShardID, []txn.Write) {}
func (m *machine) Held(txn.ShardID, txn.ID, int64)  { m.spans++ }
func (m *machine) NodeEvent(txn.NodeEvent)          {}
func (m *machine) Trace(format string, args ...any) {
	m.n.t.Logf("n%d: "+format, append([]any{m.id}, args...)...)
}
func (n *net) send(to txn.NodeID, m txn.Message) {
	n.queue = append(n.queue, txn.Envelope{From: coordinator, To: to, Msg: m, Part: txn.Participant(to, shard).Part()})
}

// sendAll sends to all replicas and delivers messages until none is left.
func (n *net) sendAll(m txn.Message) {
	for _, id := range n.members {
		n.send(id, m)
	}
	n.settle()
}

// settle syncs disks and delivers messages until none is left.
func (n *net) settle() {
	n.t.Helper()
	for range 10_000 {
		busy := len(n.queue) > 0
		for _, id := range n.members {
			m := n.at[id]
			if m.r == nil || m.stuck {
				continue
			}
			ready := m.held
			m.held = nil
			m.engine.EndSync(m.engine.BeginSync())
			for _, f := range ready {
				f()
				busy = true
			}
		}
		if !busy {
			return
		}
		list := n.queue
		n.queue = nil
		for _, env := range list {
			n.carry(env)
		}
	}
	n.t.Fatal("they never stop talking")
}

func (n *net) carry(env txn.Envelope) {
	if n.lost != nil && n.lost(env) {
		return
	}
	if env.To == coordinator {
		n.received = append(n.received, env.Msg)
		if env.Msg.DecideAck != nil {
			n.acks = append(n.acks, env)
		}
		return
	}
	if m := n.at[env.To]; m != nil && m.r != nil && env.Part.For()&txn.ForParticipant != 0 && env.Part.Shard() == shard {
		m.r.Deliver(env.From, &env.Msg)
	}
}

// pass advances time.
func (n *net) pass(d time.Duration) {
	const tick = 10 * time.Millisecond
	for end := n.now + d; n.now < end; {
		n.now += tick
		for _, id := range n.members {
			if m := n.at[id]; m.r != nil {
				m.r.Tick()
			}
		}
		n.settle()
	}
}

func attempt(seq uint64) txn.Attempt { return txn.Attempt{Node: coordinator, Epoch: 1, Seq: seq} }

// prepare returns attempt seq, at a timestamp, made of "r:key" (read while it was unwritten),
// "r:key=seq" (read as attempt seq wrote it), "w:key" and "s:key" (the range from there to its end
// was read and is empty).
func prepare(seq uint64, at txn.Timestamp, what ...string) *txn.Prepare {
	p := &txn.Prepare{Shard: shard, Attempt: attempt(seq), Txn: txn.ID(attempt(seq)), Participants: []txn.ShardID{shard, 3}, At: at}
	for _, w := range what {
		key := w[2:]
		switch w[0] {
		case 'r':
			var by uint64
			c := txn.ReadCheck{Key: txn.Key(key)}
			if len(key) > 2 && key[1] == '=' {
				if _, err := fmt.Sscan(key[2:], &by); err != nil {
					panic(err)
				}
				c = txn.ReadCheck{Key: txn.Key(key[:1]), Version: attempt(by)}
			}
			p.Reads = append(p.Reads, c)
		case 'w':
			p.Writes = append(p.Writes, txn.Write{Key: txn.Key(key), Value: fmt.Appendf(nil, "by %d", seq)})
		case 's':
			p.Spans = append(p.Spans, txn.SpanCheck{Span: txn.Span{Start: txn.Key(key), End: txn.Key(key + "~")}, Digest: txn.Digest(nil)})
		}
	}
	return p
}

func decision(p *txn.Prepare, commit, with bool) txn.Message {
	d := &txn.Decide{Shard: shard, Attempt: p.Attempt, Txn: p.Txn, Commit: commit, At: p.At}
	if with {
		d.Prepare = p
	}
	return txn.Message{Decide: d}
}

// replicaVotes returns the votes that the coordinator has received for an attempt, the last of each
// replica.
func (n *net) replicaVotes(seq uint64) map[txn.NodeID]txn.ValidationResult {
	out := map[txn.NodeID]txn.ValidationResult{}
	for _, m := range n.received {
		if m.ReplicaVote != nil && m.ReplicaVote.Attempt == attempt(seq) {
			out[m.ReplicaVote.Replica] = m.ReplicaVote.Result
		}
	}
	return out
}

// counts returns the vote that a majority has accepted in one view, as the coordinator or the
// leader has received it: "yes", "no", or "" for none.
func (n *net) counts(seq uint64) string {
	type of struct {
		view uint64
		yes  bool
	}
	have := map[of]map[txn.NodeID]bool{}
	for _, m := range n.received {
		if v := m.Vote; v != nil && v.Attempt == attempt(seq) {
			return yesNo(v.Yes)
		}
		a := m.Accepted
		if a == nil || a.Attempt != attempt(seq) {
			continue
		}
		k := of{a.View, a.Yes}
		if have[k] == nil {
			have[k] = map[txn.NodeID]bool{}
		}
		have[k][a.Replica] = true
		if len(have[k]) > len(n.members)/2 {
			return yesNo(a.Yes)
		}
	}
	return ""
}

// has returns a replica's value of a row.
func (n *net) has(id txn.NodeID, key string) string {
	return string(n.at[id].r.ReadLocal(txn.Key(key)).Value)
}
