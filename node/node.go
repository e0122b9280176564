package node

import (
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
	Spec   protocol.Spec // the cluster's first protocol; the directory has the one in force
	Seed   uint64
	// FirstEpoch is the number below the first incarnation of an empty engine: a
	// node that may have lost its data has used the numbers up to it.
	FirstEpoch uint32
	// Directory is the cluster's first directory: it must be the same at every
	// node's first start. Later starts read the directory from the engine. A node
	// that is added later gets one of Joining.
	Directory     *routing.Directory
	WAN           geo.WAN // for choosing the nearest replica where nothing was measured
	Params        Params
	Observer      Observer
	EventListener txn.EventListener // may be nil
	// Verify receives the states of replicas to be compared; nil: never.
	Verify func(*shard.Held)
	// Process, if not nil, means that all nodes run in one process and end with it:
	// nothing is written for a restart, and messages are passed without encoding.
	Process *shard.Process
	// Specs and Logs bound the memory of all replicas together for rows and log
	// entries; nil: each has bounds of its own.
	Specs, Logs *store.Pool
	// Openers open participants of kinds that are not native; a node without one for a
	// kind does not take part in such a shard.
	Openers map[routing.Kind]participant.Factory
	// CoCoordinators, for experiments: the co-coordinators of attempts of gateways in
	// other regions. Empty: all nodes.
	CoCoordinators []txn.NodeID
	// TracesAll, for tests, receives all messages the node sends, also to itself. It may be nil.
	TracesAll func(m *txn.Message)
	// DeadCoCoordinator, for experiments: see coordinator.Config.
	DeadCoCoordinator bool
}

// Node is the core of one process: its replicas and its
// coordinator. It is not safe for concurrent use.
type Node struct {
	*hostedParticipants
	*directoryView
	cfg            Config
	now            txn.Now
	identity       *identity
	coord          *coordinator.Coordinator
	outbox         *outbox
	syncs          syncs
	tracer         *tracer
	async          asyncTasks
	protocolSwitch *switching
	timers         timerSchedule
	started        bool                   // the incarnation is durable
	early          []*coordinator.Request // submitted before the incarnation was durable
}

// Output is the work that a node asks its driver to do. Messages may be sent immediately, in any order
// and with any delay; the list is valid until the next Drain. If SyncToken is not 0 the driver syncs the
// engine and then calls Synced with it; tokens rise, and a sync that began after a later
// Drain covers the earlier tokens.
type Output struct {
	Messages  []txn.Envelope
	SyncToken uint64
	Tasks     []Task        // to be run outside the loop; call Finished at the end of each
	WakeAt    time.Duration // when to call Wake, by Now.Mono; replaces all earlier values
}

// maxEarly bounds the requests queued until the incarnation is durable.
const maxEarly = 10_000

// New opens a node on its engine. It returns an error if the engine has
// another node's data or an unknown format. Its writes are durable
// after the first sync, which the first Drain asks for.
func New(cfg Config, now txn.Now) (*Node, error) {
	cfg.Params = cfg.Params.WithDefaults()
	n := assemble(cfg, now)
	n.touched()
	epoch, err := n.identity.take(cfg.FirstEpoch)
	if err != nil {
		return nil, err
	}
	if n.directoryView.dir, err = n.identity.directory(cfg.Directory); err != nil {
		return nil, err
	}
	n.coord = coordinator.New(coordinator.Config{
		Self: cfg.ID, Epoch: epoch, Spec: cfg.Spec, Params: cfg.Params, Env: (*coordEnv)(n), Seed: cfg.Seed,
		DeadCoCoordinator: cfg.DeadCoCoordinator})
	n.protocolSwitch.coord = n.coord
	if err := n.follow(); err != nil {
		return nil, err
	}
	// A crash may have happened after a directory became visible and before its adoption.
	if v, _, ok := n.ReadLocal(txn.Key(routing.DirectoryKey)); ok && v != nil {
		n.directoryView.observe(v)
	}
	n.syncs.after(func() {
		n.started = true
		for _, req := range n.early {
			n.coord.Submit(req)
		}
		n.early = nil
	})
	return n, nil
}

// assemble connects the parts.
func assemble(cfg Config, now txn.Now) *Node {
	n := &Node{cfg: cfg, now: now, identity: &identity{engine: cfg.Engine, self: cfg.ID},
		outbox: &outbox{self: cfg.ID, tracesAll: cfg.TracesAll}, tracer: &tracer{cfg.ID, cfg.Observer, cfg.EventListener},
		timers: timerSchedule{every: cfg.Params.TickInterval, origin: now.Mono, looked: now.Mono, pollAt: txn.Never}}
	n.directoryView = &directoryView{self: cfg.ID, distances: distances{wan: cfg.WAN, own: cfg.Region}, nearest: map[txn.ShardID]txn.NodeID{}}
	n.hostedParticipants = &hostedParticipants{opener: opener{&n.cfg, (*shardEnv)(n), n.directoryView, n.identity}, directory: n.directoryView, tracer: n.tracer,
		replicas: map[txn.ShardID]*hosted{}}
	n.protocolSwitch = &switching{params: cfg.Params, first: cfg.Spec, participants: n.hostedParticipants, directory: n.directoryView, outbox: n.outbox, tracer: n.tracer}
	return n
}

// Deliver processes a message from another node. After the return the caller may reuse the envelope;
// the node may keep what the message points to.
func (n *Node) Deliver(now txn.Now, env *txn.Envelope) {
	n.now = now
	if env.Msg.Raft != nil {
		n.timers.asked = false
	} else {
		n.touched()
	}
	n.dispatch(env)
}

func (n *Node) dispatch(env *txn.Envelope) {
	m, to, s := &env.Msg, env.Part.For(), env.Part.Shard()
	if to == txn.ForUnspecified {
		to, s = inferReceiver(m)
	}
	if to&txn.ForCoordinator != 0 {
		n.coord.Deliver(env.From, m)
	}
	if to&txn.ForNode != 0 {
		n.receive(env.From, m)
	}
	if to&txn.ForParticipant == 0 {
		return
	}
	if m.Prepare != nil && m.Prepare.VotesTo != 0 {
		n.coord.Coordinate(m.Prepare)
	}
	if r := n.replicas[s]; r != nil {
		r.Deliver(env.From, m)
	} else {
		n.outbox.refuse(env.From, m, s)
	}
}

// receive processes messages for the node itself.
func (n *Node) receive(from txn.NodeID, m *txn.Message) {
	switch {
	case m.ContentionQuery != nil:
		n.outbox.send(txn.Coordinator(from), txn.Message{ContentionReply: withContention(m.ContentionQuery, n.coord, n.hostedParticipants)})
	case m.Drained != nil:
		n.protocolSwitch.observe(n.now.Mono, from, m.Drained)
	}
}

// Synced reports the end of a sync; released is the number of calls that waited for it.
func (n *Node) Synced(now txn.Now, token uint64) (released int) {
	n.now = now
	n.touched()
	return n.syncs.done(token)
}

// Submit submits a client's request; req.Done is called once, from inside
// some later call of a method of the node.
func (n *Node) Submit(now txn.Now, req *coordinator.Request) {
	n.now = now
	n.touched()
	if !n.started && len(n.early) < maxEarly {
		n.early = append(n.early, req) // a transaction's id contains the epoch
		return
	}
	if !n.started {
		if req.Done != nil {
			req.Done(req.Refused("the node is starting and its request queue is full; retry later"))
		}
		return
	}
	n.coord.Submit(req)
	// Local work is done immediately: of many requests for one row submitted together,
	// none waits for another.
	n.deliverLocal()
}

// deliverLocal delivers the messages between the parts.
func (n *Node) deliverLocal() {
	if len(n.outbox.local) > 0 {
		n.touched()
	}
	for i := 0; i < len(n.outbox.local); i++ { // the list grows meanwhile
		n.dispatch(&n.outbox.local[i])
	}
	n.outbox.local = emptied(n.outbox.local)
}

// Drain returns the work for the driver; call it after every call or batch of calls above,
// or soon after if the node is not Urgent.
func (n *Node) Drain() Output {
	for n.settle() {
	}
	wake := n.wakeAt()
	return Output{Messages: n.outbox.take(), SyncToken: n.syncs.ask(), Tasks: n.async.take(), WakeAt: wake}
}

// Urgent reports whether there is output that others wait for: the
// driver may defer Drain otherwise.
func (n *Node) Urgent() bool {
	return len(n.outbox.out) > 0 || n.newDir != nil || len(n.async.next) > 0
}

// settle runs the parts; false when they have no more messages for each other.
func (n *Node) settle() bool {
	n.deliverLocal()
	n.hostedParticipants.work()
	if n.newDir != nil {
		n.adoptDirectory()
		return true
	}
	return len(n.outbox.local) > 0 // parts affect each other by messages only
}
