package sim

import (
	"math/rand/v2"
	"slices"
	"time"

	"isochron/protocol"
	"isochron/txn"
)

// biasedFaults makes rare paths common. The seed chooses what happens often in this run: messages
// of one class arrive late, or a copy arrives much later; a link drops everything for a short time,
// as a full queue does; a disk delays a sync just when something depends on it; timers of a node
// fire early.
//
// None of it breaks an assumption that nodes may make: a network may do all this, a disk may be
// slow, and each node chooses its own time-outs.
type biasedFaults struct {
	n         *nemesis
	rand      *rand.Rand
	late      messageFault // messages of this class are delayed
	duplicate messageFault // messages of this class are sent a second time, later
	full      messageFault // after a message of this class, the link drops everything for a short time
	sync      messageFault // after a message of this class, the receiver's disk delays its sync
	plots     []scenario
}

// scenario forces a sequence of several steps.
type scenario interface {
	// onSend returns what happens to a message that is about to leave its host.
	onSend(env *txn.Envelope) sendAction
}

// messageFault is a class of messages and the odds and size of its fault.
type messageFault struct {
	class string // as kindOf returns it; "": the fault is off in this run
	odds  int    // once in this many messages
	most  int    // at most this many units of time
}

// streamForced and streamTimers are the streams of chance of biased faults and timers.
const (
	streamForced uint64 = 900 + iota
	streamTimers
	streamMembers
	streamRoom
	streamVotes
	streamEnds
	streamPriorities
	streamAssumedAborts
)

// forcible are the classes of messages that decide which path a protocol takes.
var forcible = []string{
	"access", "access reply", "prepare", "vote yes", "vote no", "decide", "decide ack", "inquire", "inquire reply yes",
	"inquire reply no", "inquire reply committed", "release", "wounded", "txn status query", "txn status reply", "not leader", "raft",
	"snapshot fetch", "snapshot chunk",
}

// forcibleToo are those of protocols with co-coordinators.
var forcibleToo = []string{"ack", "ack of a vote alone", "ack no", "pre-commit", "dependency decided", "dependency decided doomed", "query decision", "decision"}

func newForced(n *nemesis, seed uint64) *biasedFaults {
	f := &biasedFaults{n: n, rand: stream(seed, streamForced)}
	classes := forcible
	if n.w.cfg.Spec.Decide.CoCoordinates() {
		classes = slices.Concat(forcible, forcibleToo, forcibleToo) // listed twice, since there are fewer of them
	}
	if n.w.cfg.Spec.Replicates == protocol.Unordered {
		classes = slices.Concat(forcible, forcibleEach, forcibleEach)
	}
	for _, h := range []*messageFault{&f.late, &f.duplicate, &f.full, &f.sync} {
		class, odds, most := classes[f.rand.IntN(len(classes))], 1+f.rand.IntN(20), 1+f.rand.IntN(40)
		if f.rand.IntN(2) == 0 {
			*h = messageFault{class, odds, most}
			if class == "raft" {
				h.odds *= 50 // otherwise no transaction would ever commit
			}
			if h == &f.full {
				h.odds *= 10
			}
		}
	}
	f.plan()
	return f
}

// plan draws the scenarios of this run.
func (f *biasedFaults) plan() {
	n := f.n
	if n.w.cfg.Spec.Replicates == protocol.Unordered {
		if f.rand.IntN(3) > 0 {
			f.plots = append(f.plots, &lostPath{n: n, odds: 10 + f.rand.IntN(60), left: 1 + f.rand.IntN(4), short: f.rand.IntN(2) == 0})
		}
		return // each of the other scenarios needs a log
	}
	if n.w.cfg.Spec.Reveal.PreCommits() && f.rand.IntN(3) > 0 {
		f.plots = append(f.plots, &lostVote{n: n, odds: 10 + f.rand.IntN(60), left: 1 + f.rand.IntN(6)})
	}
	if f.rand.IntN(3) == 0 || n.w.cfg.Spec.Decide.Bypasses() && f.rand.IntN(2) == 0 {
		f.plots = append(f.plots, &oldEntry{n: n, rand: f.rand, odds: 10 + f.rand.IntN(60), left: 1 + f.rand.IntN(2)})
	}
	if f.rand.IntN(3) > 0 {
		f.plots = append(f.plots, &lostReadTS{n: n, rand: f.rand, odds: 1 + f.rand.IntN(4), left: 1 + f.rand.IntN(6)})
	}
	if f.rand.IntN(2) == 0 {
		f.plots = append(f.plots, &latePrepare{n: n, rand: f.rand, odds: 1 + f.rand.IntN(20)})
	}
	if f.rand.IntN(3) == 0 {
		f.plots = append(f.plots, &overtaken{n: n, rand: f.rand, odds: 5 + f.rand.IntN(40), left: 1 + f.rand.IntN(2)})
	}
	if f.rand.IntN(2) == 0 {
		f.plots = append(f.plots, &lostPromise{n: n, rand: f.rand, odds: 50 + f.rand.IntN(200), left: 2 + f.rand.IntN(4)})
	}
	if f.rand.IntN(3) == 0 {
		f.plots = append(f.plots, &laterTerm{n: n, rand: f.rand, odds: 1 + f.rand.IntN(4), left: 1 + f.rand.IntN(3)})
	}
	if n.w.cfg.Spec.Yield.Hot.Publishes() && f.rand.IntN(2) == 0 {
		f.plots = append(f.plots, &lateCascade{n: n, rand: f.rand, odds: 1 + f.rand.IntN(3)})
	}
	if n.w.cfg.Databases != nil && f.rand.IntN(2) == 0 {
		f.plots = append(f.plots, &lateDrop{n: n, rand: f.rand, odds: 1 + f.rand.IntN(4)})
	}
	if n.grows && f.rand.IntN(3) == 0 {
		n.faults.Replace = false // the scenario adds and removes nodes itself
		f.plots = append(f.plots, &guests{n: n, rand: f.rand, left: 3})
	}
	if draws := stream(n.w.cfg.Seed, streamAssumedAborts); assumesAborts(n.w.cfg.Spec) && draws.IntN(4) > 0 {
		f.plots = append(f.plots, &lateHigh{n: n, rand: draws, odds: 1 + draws.IntN(3)})
	}
	f.planMembers()
	f.planVotes()
}

// planVotes draws, from its own stream, the scenarios about replies on a transaction that has
// voted.
func (f *biasedFaults) planVotes() {
	draws := stream(f.n.w.cfg.Seed, streamVotes)
	if draws.IntN(2) == 0 {
		f.plots = append(f.plots, &lateStatusQuery{n: f.n, rand: draws, odds: 1 + draws.IntN(4), left: 1 + draws.IntN(6)})
	}
}

// planMembers draws, from its own stream, the scenarios about membership changes.
func (f *biasedFaults) planMembers() {
	draws := stream(f.n.w.cfg.Seed, streamMembers)
	if littleRoom(f.n.w.cfg.Seed, Faults{Forced: true}) > 0 {
		f.plots = append(f.plots, &fullLog{n: f.n, rand: draws, left: 6})
	}
	isGuests := func(p scenario) bool { _, is := p.(*guests); return is }
	mayMove := f.n.grows && !f.n.faults.Replace && !slices.ContainsFunc(f.plots, isGuests)
	var half *jointMajority
	if f.n.grows && draws.IntN(3) > 0 {
		half = &jointMajority{n: f.n, rand: draws, left: 4}
		f.plots = append(f.plots, half)
	}
	if mayMove && draws.IntN(2) == 0 {
		f.plots = append(f.plots, &leftBehind{n: f.n, rand: draws})
	} else if mayMove && half != nil {
		half.moves = 3
	}
}

// start begins the scenarios that no message starts.
func (f *biasedFaults) start() {
	for _, p := range f.plots {
		if s, is := p.(interface{ start() }); is {
			s.start()
		}
	}
}

// looksAhead returns how far in the future the read timestamps of clients may be.
func (f *biasedFaults) looksAhead() time.Duration {
	if f == nil || !slices.ContainsFunc(f.plots, func(p scenario) bool { _, is := p.(*lostReadTS); return is }) {
		return 0
	}
	return 3 * aheadUnits * f.n.unit
}

// happens draws whether the fault hits a message of this class.
func (f *biasedFaults) happens(h messageFault, class string) bool {
	return h.class == class && f.rand.IntN(h.odds) == 0
}

func (f *biasedFaults) units(h messageFault) time.Duration {
	return time.Duration(1 + f.rand.Int64N(int64(h.most)*int64(f.n.unit)))
}

// onSend applies the run's faults to a message of their class.
func (f *biasedFaults) onSend(env *txn.Envelope) sendAction {
	class, w := kindOf(&env.Msg), f.n.w
	if env.To == 0 || int(env.To) > len(w.hosts) || env.To == env.From {
		return leaves
	}
	for _, p := range f.plots {
		if what := p.onSend(env); what != leaves {
			return what
		}
	}
	if f.happens(f.full, class) {
		f.count("a full queue")
		f.n.cutFor(w.host(env.From), w.host(env.To), false, f.n.unit/8)
	}
	if f.happens(f.sync, class) {
		f.withhold(w.host(env.To), f.units(f.sync))
	}
	if f.happens(f.duplicate, class) {
		f.count(class + " again")
		w.net.hold(*env, f.units(f.duplicate))
	}
	if f.happens(f.late, class) {
		f.count(class + " late")
		w.net.hold(*env, f.units(f.late))
		return heldBack
	}
	return leaves
}

func (f *biasedFaults) count(what string) { f.n.counts["forced: "+what]++ }

// withhold makes the next syncs of a disk last d in total.
func (f *biasedFaults) withhold(h *host, d time.Duration) {
	if h.slowDisk > 1 || h.w.cfg.Hardware.Fsync == 0 {
		return
	}
	f.count("a sync withheld")
	h.slowDisk = 1 + int(d/h.w.cfg.Hardware.Fsync)
	h.w.log(h, "its disk withholds a sync")
	h.w.After(d, func() { h.slowDisk = 1 })
}

// hold sends a message later, whether faults are still active then or not: a delayed message is not
// lost.
func (n *network) hold(env txn.Envelope, d time.Duration) {
	body := txn.Encode(&env.Msg) // its present content
	n.w.After(d, func() {
		env.Msg = txn.Message{}
		if err := txn.Decode(body, &env.Msg); err != nil {
			panic(err) // our own encoding must be readable
		}
		n.send(&env)
	})
}
