package sim

import (
	flags "flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"isochron/protocol"
	"isochron/txn"
)

var crowdSeeds = flags.Uint64("crowd-seeds", 1, "number of seeds with which nodes are lost at each step of transactions at a hot row")

// crowdProtocols are those in which many transactions write a row before any has committed, in
// chains or in batches.
var crowdProtocols = []string{"txsql", "2pc+2pl-group", "bamboo", "aria"}

// blow is a loss at a step: of which nodes, and for how long.
type blow struct {
	everyone bool // all lose their power; otherwise the node that takes the step does
	down     time.Duration
}

var (
	briefly = blow{down: 5 * time.Millisecond}   // it is back before its absence is noticed
	long    = blow{down: 200 * time.Millisecond} // others take over
	allLost = blow{everyone: true, down: 5 * time.Millisecond}
)

func (b blow) String() string {
	if b.everyone {
		return fmt.Sprintf("all are lost for %v", b.down)
	}
	return fmt.Sprintf("one is lost for %v", b.down)
}

func (b blow) fall(c *hotCrowd, h *host) ([]*host, time.Duration) {
	if b.everyone {
		return c.w.hosts, b.down
	}
	return []*host{h}, b.down
}

// changesState reports whether a blow at a step shows more than others. If all nodes are lost,
// messages in transit are lost too, so only the disks and the answers to clients make a difference.
// A long loss matters only of a leader, n1 or n2.
func (b blow) changesState(s stepTaken) bool {
	if b.everyone {
		return s.kind == "sync" || s.kind == "answer"
	}
	return b != long || s.by < 3
}

// blows are at the steps with these numbers.
type blows map[int]blow

func (b blows) fall(c *hotCrowd, h *host, step int) ([]*host, time.Duration) {
	if one, falls := b[step]; falls {
		return one.fall(c, h)
	}
	return nil, 0
}

// tally counts the outcomes of the members, over all runs of a test.
type tally struct {
	runs, losses int
	answers      map[string]int
	committed    map[int]int // runs, by how many members were reported committed
}

func newTally() *tally { return &tally{answers: map[string]int{}, committed: map[int]int{}} }

// play runs one story. A failure message lists the blows.
func (y *tally) play(t *testing.T, p crowdPlan, b blows) *hotCrowd {
	t.Helper()
	if b != nil {
		p.lost, p.name = b.fall, fmt.Sprint(b)
	}
	c := openCrowd(t, p)
	defer c.w.Close()
	c.play()
	y.runs++
	y.losses += c.losses
	n := 0
	for _, m := range c.members {
		y.answers[m.answer]++
		if m.answer == "committed" {
			n++
		}
	}
	y.committed[n]++
	return c
}

// eachCrowd runs a test for every protocol, with one replica and with three.
func eachCrowd(t *testing.T, test func(t *testing.T, p crowdPlan, y *tally)) {
	for _, name := range crowdProtocols {
		for _, replicas := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d", name, replicas), func(t *testing.T) {
				t.Parallel()
				spec, err := protocol.ByName(name)
				if err != nil {
					t.Fatal(err)
				}
				y := newTally()
				for seed := range *crowdSeeds {
					test(t, crowdPlan{spec: spec, replicas: replicas, seed: seed}, y)
				}
				t.Logf("%d runs, %d losses of a node; members received %v; runs by number of commits: %v", y.runs, y.losses, y.answers, y.committed)
			})
		}
	}
}

// everyStep plays a plan once for every step and blow.
func (y *tally) everyStep(t *testing.T, p crowdPlan, all ...blow) {
	t.Helper()
	calm := y.play(t, p, nil)
	for _, m := range calm.members[:crowdSize-1] {
		if !m.placed && p.seed == 0 {
			t.Fatalf("member %d is not in the chain, with no loss: %v", m.id, m.reason)
		}
	}
	for _, b := range all {
		for i, s := range calm.taken {
			if b.changesState(s) {
				y.play(t, p, blows{i: b})
			}
		}
	}
}

// A row has a chain of uncommitted values, and its members commit. A node is lost at every step:
// the leader of the row with its log and its chain, a follower, a gateway with the transactions of
// its clients; or all together. Every acknowledged write is there, once, in the order of the chain;
// a write reported as not committed is not there; and every client whose node is up gets an answer.
func TestNodesAreLostInTheMiddleOfAGroup(t *testing.T) {
	eachCrowd(t, func(t *testing.T, p crowdPlan, y *tally) {
		for _, p.split = range []int{0, 2} {
			y.everyStep(t, p, p.blows()...)
		}
		// In the middle: some of a group are there, and some are not.
		if len(y.committed) < 4 || y.answers["unknown"] == 0 || p.replicas > 1 && y.answers["not committed"] == 0 {
			t.Errorf("too few outcomes for a test")
		}
	})
}

// blows returns the blows that make a difference. With one node all of them are the same.
func (p crowdPlan) blows() []blow {
	if p.replicas == 1 {
		return []blow{briefly}
	}
	return []blow{long, allLost, briefly}
}

// The same while a chain is rolled back, the newest first, because an early member of it rolls
// back; one of the aborted members has a vote in another shard. Seen red: with the oldest aborted
// first, and with no dependents aborted (the check of versions refused its readers, so the rows
// were right, and only the order showed it).
func TestNodesAreLostInTheMiddleOfARollback(t *testing.T) {
	eachCrowd(t, func(t *testing.T, p crowdPlan, y *tally) {
		for _, p.abortsFirst = range []int{1, 2} {
			p.split = 3
			if got, want := y.aborted(t, p), []int{5, 4, 3, 2}[:5-p.abortsFirst]; p.seed == 0 && p.spec.Yield.Hot.Publishes() && !slices.Equal(got, want) {
				t.Errorf("member %d rolled back, and with it %v were aborted in this order; want %v", p.abortsFirst, got, want)
			}
			if p.abortsFirst == 1 { // by a client of the leader itself: its release is no message
				y.everyStep(t, p, briefly)
				continue
			}
			y.everyStep(t, p, p.blows()...)
		}
		if y.answers["unknown"] == 0 || y.answers["committed"] == 0 {
			t.Errorf("too few outcomes for a test")
		}
	})
}

// aborted plays a plan with no loss, and lists the members aborted with another, in that order.
func (y *tally) aborted(t *testing.T, p crowdPlan) (out []int) {
	t.Helper()
	var lines []string
	p.trace = func(line string) { lines = append(lines, line) }
	c := y.play(t, p, nil)
	for _, line := range lines {
		for _, m := range c.members[:crowdSize-1] {
			if strings.HasSuffix(line, " cascades to "+m.txn.String()) {
				out = append(out, m.id)
			}
		}
	}
	return out
}

// A recovering node is lost too, at every step: of its start, of reading its log, of taking over
// from the leader, of querying the outcome of votes, until all is quiet.
func TestNodesAreLostInTheMiddleOfRecovery(t *testing.T) {
	eachCrowd(t, func(t *testing.T, p crowdPlan, y *tally) {
		p.split = 2
		y.again(t, p, "vote yes", p.blows()[:min(2, p.replicas)]...) // a node that restarts immediately leaves nothing to take over
		p.abortsFirst, p.split = 1, 3
		kind := "wounded with another"
		if !p.spec.Yield.Hot.Publishes() {
			kind = "vote no"
		}
		y.again(t, p, kind, p.blows()[0])
		if y.losses < 3*y.runs/2 {
			t.Errorf("%d losses in %d runs: too tame to show anything", y.losses, y.runs)
		}
	})
}

// again strikes first where the leader takes a step of the kind, with one node anywhere, and then
// once more, at every step that follows.
func (y *tally) again(t *testing.T, p crowdPlan, kind string, first ...blow) {
	t.Helper()
	for i, s := range y.play(t, p, nil).taken {
		if p.replicas > 1 && (s != stepTaken{1, kind}) {
			continue
		}
		for _, b := range first {
			steps := y.play(t, p, blows{i: b}).taken
			second := blow{down: b.down}
			for j := range steps[i+1:] {
				y.play(t, p, blows{i: b, i + 1 + j: second})
			}
		}
		if p.replicas > 1 {
			return
		}
	}
	if p.replicas > 1 && p.seed == 0 {
		t.Errorf("the leader takes no step %q", kind)
	}
}

// A node that is lost at the first step after its loss, at the second after that, and so on, gets a
// step further each time, and completes in the end.
func TestANodeIsLostAgainAndAgain(t *testing.T) {
	const lives = 12
	eachCrowd(t, func(t *testing.T, p crowdPlan, y *tally) {
		p.split = 2
		for _, victim := range []txn.NodeID{1, txn.NodeID(p.replicas)} {
			since, life := 0, 0
			p.lost = func(c *hotCrowd, h *host, step int) ([]*host, time.Duration) {
				if h.id != victim || life == lives {
					return nil, 0
				}
				if since++; since <= life {
					return nil, 0
				}
				since = 0
				life++
				return briefly.fall(c, h)
			}
			y.play(t, p, nil)
			if life < lives/3 {
				t.Errorf("the node was lost only %d times", life)
			}
		}
	})
}

// Each story can fail: with a bug injected, one of the same runs shows it.
func TestInjectedBugsShowInTheMiddleOfAGroup(t *testing.T) {
	for _, c := range []struct {
		bug      string
		spec     string
		replicas int
		plan     crowdPlan
		blow     blow
	}{
		{"vote-on-append", "txsql", 1, crowdPlan{}, briefly},
		{"vote-on-append", "txsql", 3, crowdPlan{}, allLost},
		{"vote-on-append", "aria", 1, crowdPlan{}, briefly},
		{"ack-before-sync", "2pc+2pl-group", 3, crowdPlan{}, allLost},
		{"ack-before-sync", "bamboo", 3, crowdPlan{split: 2}, allLost},
		{"forget-votes", "txsql", 3, crowdPlan{split: 2, seed: 1}, briefly},
		{"forget-votes", "bamboo", 3, crowdPlan{split: 2, seed: 1}, briefly},
	} {
		t.Run(fmt.Sprintf("%s/%s/%d", c.bug, c.spec, c.replicas), func(t *testing.T) {
			t.Parallel()
			var err error
			p := c.plan
			if p.bugs, _, err = InjectBug(c.bug); err != nil {
				t.Fatal(err)
			}
			if p.spec, err = protocol.ByName(c.spec); err != nil {
				t.Fatal(err)
			}
			p.replicas = c.replicas
			caught := 0
			p.caught = func(what string) {
				if caught++; caught == 1 {
					t.Logf("%.400s", what)
				}
			}
			y := newTally()
			for ; p.seed < 24 && caught == 0; p.seed++ {
				for i, s := range y.play(t, p, nil).taken {
					if c.blow.changesState(s) {
						y.playPlanted(t, p, blows{i: c.blow})
					}
				}
			}
			if t.Logf("%d of %d runs show it", caught, caught+y.runs); caught == 0 {
				t.Error("no run shows it")
			}
		})
	}
}

// playPlanted is play for a story that an injected bug may end.
func (y *tally) playPlanted(t *testing.T, p crowdPlan, b blows) {
	defer func() {
		if r := recover(); r != nil {
			if _, ended := r.(storyEnds); !ended {
				p.caught(fmt.Sprintf("panic: %v", r))
			}
		}
	}()
	y.play(t, p, b)
}
