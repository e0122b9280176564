package node

import (
	"encoding/binary"
	"fmt"
	"time"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/participant"
	"isochron/protocol"
	"isochron/routing"
	"isochron/shard"
	"isochron/store"
	"isochron/txn"
)

// Config of a node.
type Config struct {
	ID     txn.NodeID
	Region geo.Region
	Engine store.Engine
	Row    protocol.Row // what the cluster began with; the directory knows what holds now
	Seed   uint64
	// FirstEpoch is after which number the incarnations of an empty engine count: a
	// node that may lose its data has used those before.
	FirstEpoch uint32
	// Directory is the cluster's first directory: it must be the same at every
	// node's first start. Later starts read the directory from the engine. A node
	// that is added later gets one of Joining.
	Directory *routing.Directory
	WAN       geo.WAN // for choosing the nearest replica
	Params    Params
	Observer  Observer
	Watcher   txn.Watcher // may be nil
	// Process, if not nil, says that all nodes run in one process and end with it:
	// nothing is written for a restart, and messages are passed as they are.
	Process *shard.Process
	// Rows and Logs are what all replicas together may keep in memory of rows and of log
	// entries; nil: each has bounds of its own.
	Rows, Logs *store.Pool
	// Openers open participants of kinds that are not native; a node without one for a
	// kind takes no part in such a shard.
	Openers map[routing.Kind]participant.Opener
	// CoCoordinators, of experiments: who co-coordinates the attempts of gateways in
	// other regions. Empty: all nodes.
	CoCoordinators []txn.NodeID
	// DeadCoCoordinator, of experiments: see coordinator.Config.
	DeadCoCoordinator bool
}

// Node is everything one process runs of the core: its replicas and its
// coordinator. It is not safe for concurrent use.
type Node struct {
	cfg      Config
	now      txn.Now
	dir      *routing.Directory
	replicas map[txn.ShardID]*hosted
	order    []txn.ShardID // of replicas, rising
	epoch    uint32        // of this incarnation
	coord    *coordinator.Coordinator
	local    []txn.Envelope // messages to itself, in order
	out      []txn.Envelope
	drained  []txn.Envelope // what the last Drain handed out: its room is used again
	held     []heldBack
	outside  outside
	token    uint64 // of the newest held back
	asked    uint64 // the newest token that Drain has handed out
	nearest  map[txn.ShardID]txn.NodeID
	newDir   *routing.Directory
	draining bool
	turn     switching
	wakes    wakes
	// metaChanges counts what was applied in the meta shard.
	metaChanges uint64
	started     bool                   // the epoch is durable
	early       []*coordinator.Request // submitted before that
}

type heldBack struct {
	token uint64
	f     func()
}

// Output is what a node wants done. Messages may be sent at once, in any order
// and with any delay; the list is good until the next Drain. If SyncToken is not 0 the driver syncs the engine and
// then calls Synced with it; tokens rise, and a sync that began after a later
// Drain covers the earlier tokens.
type Output struct {
	Messages  []txn.Envelope
	SyncToken uint64
	Tasks     []Task        // to be run outside the loop, each with Finished at its end
	WakeAt    time.Duration // when to call Wake, by Now.Mono; the newest word counts
}

// The keys of a node's own facts in its engine.
var (
	identityKey  = []byte("n/identity")
	directoryKey = []byte("n/directory")
)

// The formats of a node's data. A cluster whose protocol was changed has things in
// its logs and its directory that older programs would pass over.
const (
	formatVersion  = 1
	formatSwitched = 2
)

// maxEarly bounds the requests that wait for the start to be durable.
const maxEarly = 10_000

// New opens a node on its engine. It returns an error when the engine holds
// another node's data or a format it does not know. What it writes is durable
// after the first sync, which the first Drain asks for.
func New(cfg Config, now txn.Now) (*Node, error) {
	cfg.Params = cfg.Params.WithDefaults()
	n := &Node{cfg: cfg, now: now, replicas: map[txn.ShardID]*hosted{}, nearest: map[txn.ShardID]txn.NodeID{},
		wakes: wakes{origin: now.Mono, looked: now.Mono, pollAt: txn.Never}}
	n.touched()
	epoch, err := n.takeIdentity()
	if err != nil {
		return nil, err
	}
	if n.dir, err = n.storedDirectory(); err != nil {
		return nil, err
	}
	n.coord = coordinator.New(coordinator.Config{
		Self: cfg.ID, Epoch: epoch, Row: cfg.Row, Params: cfg.Params, Env: (*coordEnv)(n),
		DeadCoCoordinator: cfg.DeadCoCoordinator})
	if err := n.followProtocol(); err != nil {
		return nil, err
	}
	if err := n.openReplicas(); err != nil {
		return nil, err
	}
	// A crash may have come between a directory's becoming visible and its adoption.
	if v, _, ok := n.Peek(txn.Key(routing.DirectoryKey)); ok && v != nil {
		(*shardEnv)(n).noteDirectory(v)
	}
	n.AfterSync(func() {
		n.started = true
		for _, req := range n.early {
			n.coord.Submit(req)
		}
		n.early = nil
	})
	return n, nil
}

// takeIdentity checks whose data this is and begins a new incarnation.
func (n *Node) takeIdentity() (epoch uint32, err error) {
	raw, ok := n.cfg.Engine.Get(identityKey)
	epoch = n.cfg.FirstEpoch
	format := uint32(formatVersion)
	if ok {
		if len(raw) != 12 {
			return 0, fmt.Errorf("the node's identity is damaged: %d bytes instead of 12", len(raw))
		}
		if format = binary.BigEndian.Uint32(raw); format != formatVersion && format != formatSwitched {
			return 0, fmt.Errorf("the data is of format %d; this program reads formats up to %d", format, formatSwitched)
		}
		if id := txn.NodeID(binary.BigEndian.Uint32(raw[4:])); id != n.cfg.ID {
			return 0, fmt.Errorf("the data belongs to node %d; this is node %d", id, n.cfg.ID)
		}
		epoch = binary.BigEndian.Uint32(raw[8:])
	}
	epoch++
	n.epoch = epoch
	var b store.Batch
	n.putIdentity(&b, format)
	n.cfg.Engine.Apply(&b)
	return epoch, nil
}

func (n *Node) putIdentity(b *store.Batch, format uint32) {
	v := binary.BigEndian.AppendUint32(nil, format)
	v = binary.BigEndian.AppendUint32(v, uint32(n.cfg.ID))
	b.Set(identityKey, binary.BigEndian.AppendUint32(v, n.epoch))
}

func (n *Node) storedDirectory() (*routing.Directory, error) {
	raw, ok := n.cfg.Engine.Get(directoryKey)
	if !ok {
		n.storeDirectory(n.cfg.Directory)
		return n.cfg.Directory, nil
	}
	return routing.Decode(raw)
}

func (n *Node) storeDirectory(d *routing.Directory) {
	var b store.Batch
	b.Set(directoryKey, d.Encode())
	if d.Protocol.Seq > 0 {
		n.putIdentity(&b, formatSwitched)
	}
	n.cfg.Engine.Apply(&b)
}

// nearestOf is the replica with the shortest round trip; this node's own first.
func (n *Node) nearestOf(s routing.Shard) txn.NodeID {
	best, bestRTT := txn.NodeID(0), time.Duration(0)
	if s.Holds(uint32(n.cfg.ID)) {
		return n.cfg.ID
	}
	for _, v := range s.Replicas {
		id := txn.NodeID(v)
		rtt := n.cfg.WAN.RTT(n.cfg.Region, geo.Region(n.dir.RegionOf(v)))
		if best == 0 || rtt < bestRTT {
			best, bestRTT = id, rtt
		}
	}
	return best
}

// Deliver hands over a message from another node.
func (n *Node) Deliver(now txn.Now, env txn.Envelope) {
	n.now = now
	if env.Msg.Raft != nil {
		n.wakes.asked = false
	} else {
		n.touched()
	}
	n.dispatch(&env)
}

func (n *Node) dispatch(env *txn.Envelope) {
	m, to, s := &env.Msg, env.Part.For(), env.Part.Shard()
	if to == txn.ForUnsaid {
		to, s = unsaid(m)
	}
	if to&txn.ForCoordinator != 0 {
		n.coord.Deliver(env.From, m)
	}
	if to&txn.ForNode != 0 {
		n.hear(env.From, m)
	}
	if to&txn.ForParticipant == 0 {
		return
	}
	if r := n.replicas[s]; r != nil {
		r.Deliver(env.From, m)
	} else {
		n.refuse(env.From, m, s)
	}
}

// hear takes what is for the node itself.
func (n *Node) hear(from txn.NodeID, m *txn.Message) {
	switch {
	case m.Survey != nil:
		n.answerSurvey(from, m.Survey)
	case m.Drained != nil:
		n.heardDrained(from, m.Drained)
	}
}

// refuse answers for a shard that has no replica here (any more, or yet).
func (n *Node) refuse(to txn.NodeID, m *txn.Message, s txn.ShardID) {
	if request, attempt, ok := m.Asks(); ok {
		n.send(txn.Coordinator(to), txn.Message{NotLeader: &txn.NotLeader{Shard: s, Request: request, Attempt: attempt}})
	}
}

// Synced reports the end of a sync; released is how many answers waited for it.
func (n *Node) Synced(now txn.Now, token uint64) (released int) {
	n.now = now
	n.touched()
	i := 0
	for i < len(n.held) && n.held[i].token <= token {
		i++
	}
	ready := n.held[:i:i]
	n.held = n.held[i:]
	for _, h := range ready {
		h.f()
	}
	return len(ready)
}

// Submit hands over a client's request; req.Done is called, once, from inside
// some later call of a method of the node.
func (n *Node) Submit(now txn.Now, req *coordinator.Request) {
	n.now = now
	n.touched()
	if !n.started && len(n.early) < maxEarly {
		n.early = append(n.early, req) // a transaction's name rests on the epoch
		return
	}
	if !n.started {
		if req.Done != nil {
			req.Done(req.Refused("the node has just started and has too much to do; try again"))
		}
		return
	}
	n.coord.Submit(req)
	// What it can do here without waiting it does at once: of many requests for one
	// row that are handed over together none waits for another.
	n.deliverLocal()
}

// deliverLocal lets the parts hear what they have to say to each other.
func (n *Node) deliverLocal() {
	if len(n.local) > 0 {
		n.touched()
	}
	for i := 0; i < len(n.local); i++ { // it grows meanwhile
		n.dispatch(&n.local[i])
	}
	n.local = emptied(n.local)
}

// Drain takes what is to be done; call it after every call or batch of calls above,
// or soon after if nothing is Urgent.
func (n *Node) Drain() Output {
	for n.settle() {
	}
	out := Output{Messages: n.out, Tasks: n.outside.next, WakeAt: n.wakeAt()}
	n.outside.next = nil
	n.out, n.drained = emptied(n.drained), n.out
	if n.token > n.asked {
		n.asked = n.token
		out.SyncToken = n.token
	}
	return out
}

// Urgent reports whether there is something to be done that others wait for: the
// driver may put off Drain while there is not.
func (n *Node) Urgent() bool {
	return len(n.out) > 0 || n.newDir != nil || len(n.outside.next) > 0
}

// settle lets the parts talk to each other; false when they have nothing to say.
func (n *Node) settle() bool {
	n.deliverLocal()
	for _, id := range n.order {
		if w := n.replicas[id].work; w != nil {
			w.Process()
		}
	}
	if n.newDir != nil {
		n.adoptDirectory()
		return true
	}
	return len(n.local) > 0 // by nothing else do parts move each other
}

// emptied is a list whose room is used again, unless it is uncommonly much.
func emptied(list []txn.Envelope) []txn.Envelope {
	if cap(list) > maxRoom {
		return nil
	}
	clear(list)
	return list[:0]
}

const maxRoom = 1024

func (n *Node) send(to txn.Address, m txn.Message) {
	env := txn.Envelope{From: n.cfg.ID, To: to.Node, Msg: m, Part: to.Part()}
	if to.Node == n.cfg.ID {
		n.local = append(n.local, env)
		return
	}
	n.out = append(n.out, env)
}

// AfterSync holds f back until everything applied so far is durable.
func (n *Node) AfterSync(f func()) {
	if n.token == n.asked {
		n.token++
	}
	n.held = append(n.held, heldBack{n.token, f})
}
