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
	Spec   protocol.Spec // what the cluster began with; the directory knows what holds now
	Seed   uint64
	// FirstEpoch is after which number the incarnations of an empty engine count: a
	// node that may lose its data has used those before.
	FirstEpoch uint32
	// Directory is the cluster's first directory: it must be the same at every
	// node's first start. Later starts read the directory from the engine. A node
	// that is added later gets one of Joining.
	Directory     *routing.Directory
	WAN           geo.WAN // for choosing the nearest replica where nothing was measured
	Params        Params
	Observer      Observer
	EventListener txn.EventListener // may be nil
	// Verify is given the states of replicas that are to be compared; nil: none is.
	Verify func(*shard.Held)
	// Process, if not nil, says that all nodes run in one process and end with it:
	// nothing is written for a restart, and messages are passed as they are.
	Process *shard.Process
	// Specs and Logs are what all replicas together may keep in memory of rows and of log
	// entries; nil: each has bounds of its own.
	Specs, Logs *store.Pool
	// Openers open participants of kinds that are not native; a node without one for a
	// kind takes no part in such a shard.
	Openers map[routing.Kind]participant.Factory
	// CoCoordinators, of experiments: who co-coordinates the attempts of gateways in
	// other regions. Empty: all nodes.
	CoCoordinators []txn.NodeID
	// TracesAll, of tests, hears all that the node says, to itself too. It may be nil.
	TracesAll func(m *txn.Message)
	// DeadCoCoordinator, of experiments: see coordinator.Config.
	DeadCoCoordinator bool
}

// Node is everything one process runs of the core: its replicas and its
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
	early          []*coordinator.Request // submitted before that
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

// maxEarly bounds the requests that wait for the start to be durable.
const maxEarly = 10_000

// New opens a node on its engine. It returns an error when the engine holds
// another node's data or a format it does not know. What it writes is durable
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
	// A crash may have come between a directory's becoming visible and its adoption.
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

// assemble gives each part what it needs of the others.
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

// Deliver hands over a message from another node. The envelope is the caller's again when it
// returns: what the message points to may be kept, the envelope may not.
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
	if to == txn.ForUnsaid {
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

// receive takes what is for the node itself.
func (n *Node) receive(from txn.NodeID, m *txn.Message) {
	switch {
	case m.ContentionQuery != nil:
		n.outbox.send(txn.Coordinator(from), txn.Message{ContentionReply: withContention(m.ContentionQuery, n.coord, n.hostedParticipants)})
	case m.Drained != nil:
		n.protocolSwitch.observe(n.now.Mono, from, m.Drained)
	}
}

// Synced reports the end of a sync; released is how many answers waited for it.
func (n *Node) Synced(now txn.Now, token uint64) (released int) {
	n.now = now
	n.touched()
	return n.syncs.done(token)
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
	if len(n.outbox.local) > 0 {
		n.touched()
	}
	for i := 0; i < len(n.outbox.local); i++ { // it grows meanwhile
		n.dispatch(&n.outbox.local[i])
	}
	n.outbox.local = emptied(n.outbox.local)
}

// Drain takes what is to be done; call it after every call or batch of calls above,
// or soon after if nothing is Urgent.
func (n *Node) Drain() Output {
	for n.settle() {
	}
	wake := n.wakeAt()
	return Output{Messages: n.outbox.take(), SyncToken: n.syncs.ask(), Tasks: n.async.take(), WakeAt: wake}
}

// Urgent reports whether there is something to be done that others wait for: the
// driver may put off Drain while there is not.
func (n *Node) Urgent() bool {
	return len(n.outbox.out) > 0 || n.newDir != nil || len(n.async.next) > 0
}

// settle lets the parts talk to each other; false when they have nothing to say.
func (n *Node) settle() bool {
	n.deliverLocal()
	n.hostedParticipants.work()
	if n.newDir != nil {
		n.adoptDirectory()
		return true
	}
	return len(n.outbox.local) > 0 // by nothing else do parts move each other
}
