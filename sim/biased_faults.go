package sim

import (
	"math/rand/v2"
	"slices"
	"time"

	"isochron/protocol"
	"isochron/txn"
)

// biasedFaults makes rare paths common. What must happen seldom by chance alone, the
// seed has happen often in this run, and in another not at all: one class of
// messages comes late, or comes again when it is long over; a link forgets what it
// should carry for a moment, as a full queue does; a disk withholds a sync just
// when something hangs on it; timers of a node go off before their time.
//
// None of it breaks a promise that nodes may rely on: a network may do all this,
// a disk may be slow, and how patient a node is is its own affair.
type biasedFaults struct {
	n         *nemesis
	rand      *rand.Rand
	late      messageFault // a class of messages is held back
	duplicate messageFault // a class of messages is sent once more, later
	full      messageFault // after a message of this class, the link loses all for a moment
	sync      messageFault // after a message of this class, the receiver's disk withholds its sync
	plots     []scenario
}

// scenario is a course of several steps that is forced.
type scenario interface {
	// onSend says what becomes of a message that is about to leave.
	onSend(env *txn.Envelope) sendAction
}

// messageFault is a class of messages to which something happens.
type messageFault struct {
	class string // as kindOf says; "": it does not happen in this run
	odds  int    // once in so many
	most  int    // for at most so many units
}

// streamForced and streamTimers are the streams of chance for all this.
const (
	streamForced uint64 = 900 + iota
	streamTimers
	streamMembers
	streamRoom
	streamVotes
	streamEnds
	streamPriorities
	streamBeside
)

// forcible are the classes of messages on which something hangs.
var forcible = []string{
	"access", "access reply", "prepare", "vote yes", "vote no", "decide", "decide ack", "inquire", "inquire reply yes",
	"inquire reply no", "inquire reply committed", "release", "wounded", "txn status query", "txn status reply", "not leader", "raft",
	"snapshot fetch", "snapshot chunk",
}

// forcibleToo are those of rows with co-coordinators.
var forcibleToo = []string{"ack", "ack of a vote alone", "ack no", "pre-commit", "dependency decided", "dependency decided doomed", "query decision", "decision"}

func newForced(n *nemesis, seed uint64) *biasedFaults {
	f := &biasedFaults{n: n, rand: stream(seed, streamForced)}
	classes := forcible
	if n.w.cfg.Spec.Decide.CoCoordinates() {
		classes = slices.Concat(forcible, forcibleToo, forcibleToo) // the more, the fewer they are
	}
	if n.w.cfg.Spec.Replicates == protocol.Unordered {
		classes = slices.Concat(forcible, forcibleEach, forcibleEach)
	}
	for _, h := range []*messageFault{&f.late, &f.duplicate, &f.full, &f.sync} {
		class, odds, most := classes[f.rand.IntN(len(classes))], 1+f.rand.IntN(20), 1+f.rand.IntN(40)
		if f.rand.IntN(2) == 0 {
			*h = messageFault{class, odds, most}
			if class == "raft" {
				h.odds *= 50 // nothing would ever be done
			}
			if h == &f.full {
				h.odds *= 10
			}
		}
	}
	f.plan()
	return f
}

// plan draws which plots this run has.
func (f *biasedFaults) plan() {
	n := f.n
	if n.w.cfg.Spec.Replicates == protocol.Unordered {
		if f.rand.IntN(3) > 0 {
			f.plots = append(f.plots, &lostPath{n: n, odds: 10 + f.rand.IntN(60), left: 1 + f.rand.IntN(4), short: f.rand.IntN(2) == 0})
		}
		return // each of the others needs a log
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
		n.faults.Replace = false // their nodes alone come and go
		f.plots = append(f.plots, &guests{n: n, rand: f.rand, left: 3})
	}
	if draws := stream(n.w.cfg.Seed, streamBeside); votesBeside(n.w.cfg.Spec) && draws.IntN(4) > 0 {
		f.plots = append(f.plots, &lateHigh{n: n, rand: draws, odds: 1 + draws.IntN(3)})
	}
	f.planMembers()
	f.planVotes()
}

// planVotes draws, from a stream of its own, which plots there are about what is said of one who
// has voted.
func (f *biasedFaults) planVotes() {
	draws := stream(f.n.w.cfg.Seed, streamVotes)
	if draws.IntN(2) == 0 {
		f.plots = append(f.plots, &lateStatusQuery{n: f.n, rand: draws, odds: 1 + draws.IntN(4), left: 1 + draws.IntN(6)})
	}
}

// planMembers draws, from a stream of its own, which plots there are about members that change.
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

// start begins what needs no message to begin with.
func (f *biasedFaults) start() {
	for _, p := range f.plots {
		if s, is := p.(interface{ start() }); is {
			s.start()
		}
	}
}

// looksAhead is how far after the present the moments may lie that clients read.
func (f *biasedFaults) looksAhead() time.Duration {
	if f == nil || !slices.ContainsFunc(f.plots, func(p scenario) bool { _, is := p.(*lostReadTS); return is }) {
		return 0
	}
	return 3 * aheadUnits * f.n.unit
}

// happens draws whether it does, to a message of this class.
func (f *biasedFaults) happens(h messageFault, class string) bool {
	return h.class == class && f.rand.IntN(h.odds) == 0
}

func (f *biasedFaults) units(h messageFault) time.Duration {
	return time.Duration(1 + f.rand.Int64N(int64(h.most)*int64(f.n.unit)))
}

// onSend does to a message what the seed has in mind for its class.
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

// withhold has the next syncs of a disk last for as long as d altogether.
func (f *biasedFaults) withhold(h *host, d time.Duration) {
	if h.slowDisk > 1 || h.w.cfg.Hardware.Fsync == 0 {
		return
	}
	f.count("a sync withheld")
	h.slowDisk = 1 + int(d/h.w.cfg.Hardware.Fsync)
	h.w.log(h, "its disk withholds a sync")
	h.w.After(d, func() { h.slowDisk = 1 })
}

// hold sends a message later, if the world still breaks then or not: what was
// held back is not lost.
func (n *network) hold(env txn.Envelope, d time.Duration) {
	body := txn.Encode(&env.Msg) // as it is now
	n.w.After(d, func() {
		env.Msg = txn.Message{}
		if err := txn.Decode(body, &env.Msg); err != nil {
			panic(err) // our own encoding must be readable
		}
		n.send(&env)
	})
}
