package coordinator

import (
	"testing"
	"time"

	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

// spread is a fakeEnv whose shards are led from nodes at different distances.
type spread struct {
	*clocked
	to []txn.NodeID
	at []time.Duration
}

func (e *spread) Leader(s txn.ShardID) (txn.NodeID, uint64, bool) { return txn.NodeID(s), 1, true }
func (e *spread) RoundTrip(n txn.NodeID) (time.Duration, bool) {
	return time.Duration(n) * 10 * time.Millisecond, n != 9
}
func (e *spread) Send(to txn.Address, m txn.Message) {
	if m.Access != nil {
		e.to, e.at = append(e.to, to.Node), append(e.at, e.now)
	}
	e.clocked.Send(to, m)
}

func openSpread(t *testing.T) (*gateway, *spread) {
	t.Helper()
	env := &spread{}
	g := openGatewayIn(t, func(e *clocked) Env {
		env.clocked = e
		return env
	})
	spec, err := protocol.ByName("2pc+2pl-together")
	if err != nil {
		t.Fatal(err)
	}
	g.cfg.Spec = spec
	env.dir = &routing.Directory{Epoch: 1}
	for _, s := range []uint64{2, 5, 8, 9} {
		env.dir.Shards = append(env.dir.Shards, routing.Shard{ID: s, Replicas: []uint32{uint32(s)}})
		env.dir.AddRange(routing.TablePrefix(s), s)
	}
	return g, env
}

func specOf(s uint64) txn.Key { return txn.Key(routing.TablePrefix(s) + "k") }

// Parts leave so that all replies arrive together, each at its departure time, whatever the ticks;
// one with an unknown delay leaves immediately.
func TestPartsLeaveForTheirArrivalTimes(t *testing.T) {
	g, env := openSpread(t)
	req := &Request{Op: OpRead, Read: txn.Read{Gets: []txn.Key{specOf(2), specOf(5), specOf(8), specOf(9)}, Lock: txn.LockExclusive}, Done: func(Response) {}}
	g.Submit(req)
	for g.NextDeparture() != txn.Never {
		if next := g.NextDeparture(); next > env.now+5*time.Millisecond {
			env.now += 5 * time.Millisecond
			g.Tick() // it sends nothing early, and nothing twice
			continue
		}
		env.now = g.NextDeparture()
		g.Depart()
	}
	want := map[txn.NodeID]time.Duration{8: 0, 9: 0, 5: 30 * time.Millisecond, 2: 60 * time.Millisecond}
	if len(env.to) != len(want) {
		t.Fatalf("asked %v at %v", env.to, env.at)
	}
	for i, n := range env.to {
		if env.at[i] != want[n] {
			t.Errorf("node %d is asked at %v, not at %v", n, env.at[i], want[n])
		}
	}
}

// A part that has not left when its transaction ends is not sent.
func TestPartsOfAnEndedTransactionAreNotSent(t *testing.T) {
	g, env := openSpread(t)
	req := &Request{Op: OpRead, Read: txn.Read{Gets: []txn.Key{specOf(2), specOf(8)}, Lock: txn.LockExclusive}, Done: func(Response) {}}
	g.Submit(req)
	g.Submit(&Request{Op: OpEnd, Of: req})
	env.now = time.Second
	g.Depart()
	if len(env.to) != 1 || env.to[0] != 8 || g.NextDeparture() != txn.Never {
		t.Errorf("asked %v, the next leaves at %v", env.to, g.NextDeparture())
	}
}
