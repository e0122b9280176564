package agents

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"isochron/protocol"
)

// victim is the process to kill.
type victim string

const (
	theGateway  victim = "gateway"
	theAgent    victim = "agent"
	theDatabase victim = "database"
	theNetwork  victim = "network" // between the agent and all others, until the client has an answer
)

// Each process killed at each step of a commit, beside each database: nothing stays prepared, the
// money sums, acknowledged moves are there, and the others continue.
func TestEachProcessKilledAtEachStep(t *testing.T) {
	c := start(t, protocol.Default)
	for _, v := range []victim{theGateway, theAgent, theDatabase} {
		for _, kind := range kinds {
			for _, step := range steps {
				t.Run(fmt.Sprintf("%s/%s/%s", v, kind, step), func(t *testing.T) { c.loses(t, v, kind, step) })
			}
		}
	}
}

// The same where sources prepare with the last statement, at the steps that differ.
func TestEachProcessKilledDuringDecentralizedPrepare(t *testing.T) {
	c := start(t, "geotp")
	for _, v := range []victim{theGateway, theAgent, theDatabase} {
		for _, kind := range kinds {
			for _, step := range []string{prepared, beforeFinish} {
				t.Run(fmt.Sprintf("%s/%s/%s", v, kind, step), func(t *testing.T) { c.loses(t, v, kind, step) })
			}
		}
	}
}

// An agent that is cut off at a step, and reconnected when its client has an answer.
func TestAnAgentIsCutOff(t *testing.T) {
	c := start(t, protocol.Default)
	for _, kind := range kinds {
		for _, step := range []string{executed, prepared, beforeFinish} {
			t.Run(fmt.Sprintf("%s/%s", kind, step), func(t *testing.T) { c.loses(t, theNetwork, kind, step) })
		}
	}
}

// loses kills a process at a step of a move, and checks the result.
func (c *cluster) loses(t *testing.T, v victim, kind, step string) {
	c.at(t)
	i := map[string]int{"pg": agentPG, "my": agentMY}[kind]
	agent := c.all[i]
	agent.send("arm " + step)
	agent.await("armed")
	number := c.move()
	agent.await("at " + step)
	switch v {
	case theGateway:
		c.all[gateway].kill()
		agent.send("go")
		c.again(gateway)
	case theAgent:
		agent.kill()
		c.again(i)
	case theNetwork:
		agent.send("cut")
		agent.await("cut true")
		agent.send("go")
		defer agent.send("heal") // if it ends early
	case theDatabase:
		servers[kind].Kill()
		agent.send("go")
		if err := servers[kind].Start(); err != nil {
			t.Fatal(err)
		}
	}
	answered := ""
	if v != theGateway {
		answered = strings.TrimPrefix(c.all[gateway].await("moved "+number+" "), "moved "+number+" ")
	}
	if v == theNetwork {
		agent.send("heal")
		agent.await("cut false")
	}
	c.awaitQuiet(t)
	c.judge(t, number, answered)
	c.proceeds(t)
	t.Logf("the client received %q", answered)
}

// at has what follows be said of this test.
func (c *cluster) at(t *testing.T) {
	c.t = t
	for _, p := range c.all {
		p.t = t
	}
}

// ours are the names of what we have prepared somewhere.
func ours(t *testing.T) (out []string) {
	t.Helper()
	for _, kind := range kinds {
		names := preparedAt(t, kind)
		if !slices.Contains(names, "billing-7") {
			t.Errorf("at %s another program's prepared transaction is gone: %v", kind, names)
		}
		for _, n := range names {
			if strings.HasPrefix(n, "isochron1") {
				out = append(out, kind+" "+n)
			}
		}
	}
	return out
}

// awaitQuiet waits until nothing of ours is prepared, and the sources are served.
func (c *cluster) awaitQuiet(t *testing.T) {
	t.Helper()
	c.awaitSources()
	for deadline := time.Now().Add(endless); ; time.Sleep(50 * time.Millisecond) {
		left := ours(t)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it stays prepared: %v\n%s", left, c.all[agentPG].tail())
		}
	}
}

// judge compares what the databases and the shard have.
func (c *cluster) judge(t *testing.T, number, answered string) {
	t.Helper()
	for _, wrong := range c.wrong(t, number, answered) {
		t.Error(wrong)
	}
}

// wrong returns the faults after a move whose client received an answer.
func (c *cluster) wrong(t *testing.T, number, answered string) (out []string) {
	t.Helper()
	c.all[gateway].send("moves " + fmt.Sprint(c.moves))
	shard := strings.TrimPrefix(c.all[gateway].await("moves "), "moves ")
	sum := 0
	for _, kind := range kinds {
		if has := strings.Join(ask(t, kind, "SELECT id FROM moves ORDER BY id"), ","); has != shard {
			out = append(out, fmt.Sprintf("%s has the moves %s, and the shard %s", kind, has, shard))
		}
		n := 0
		if _, err := fmt.Sscan(ask(t, kind, "SELECT v FROM acct WHERE id = 1")[0], &n); err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if sum != 2000 {
		out = append(out, fmt.Sprintf("the accounts sum to %d", sum))
	}
	there := slices.Contains(strings.Split(shard, ","), number)
	if answered == "ok" && !there || strings.HasPrefix(answered, "no: ") && there {
		out = append(out, fmt.Sprintf("the client received %q for move %s, and there are %s", answered, number, shard))
	}
	return out
}

// proceeds has a move go through, sooner or later.
func (c *cluster) proceeds(t *testing.T) {
	t.Helper()
	last := ""
	for deadline := time.Now().Add(endless); time.Now().Before(deadline); {
		number := c.move()
		if last = c.all[gateway].await("moved " + number + " "); strings.HasSuffix(last, " ok") {
			return
		}
	}
	t.Errorf("nothing goes through any more: %s", last)
}

// A source that acknowledges before the branch is prepared loses half of a move when its agent is
// killed then: the check reports it.
func TestAVoteBeforeThePrepareIsNoticed(t *testing.T) {
	c := start(t, protocol.Default, bugOfNode+"=vote-before-prepare")
	answered := ""
	for range 10 { // a move that something else ends shows nothing
		c.all[agentPG].send("arm " + beforePrepare)
		c.all[agentPG].await("armed")
		number := c.move()
		c.all[agentPG].await("at " + beforePrepare)
		// The vote has left the agent only when the client knows: an agent killed sooner has sent
		// none.
		answered = strings.TrimPrefix(c.all[gateway].await("moved "+number+" "), "moved "+number+" ")
		c.all[agentPG].kill()
		c.again(agentPG)
		c.awaitQuiet(t)
		if found := c.wrong(t, number, answered); len(found) > 0 {
			return
		}
		if !strings.HasPrefix(answered, "no: ") {
			break
		}
	}
	t.Errorf("a vote for an unprepared branch is not noticed: the client received %q", answered)
}
