package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"isochron/geo"
	"isochron/protocol"
	"isochron/routing"
	"isochron/test/hours"
	"isochron/txn"
	"isochron/workload"
	"isochron/yield"
)

// Every role of a transaction is lost at every one of its messages, the sender just before and just
// after the message leaves: the coordinator in one region, the leaders of the two participants in
// two others, each a follower of the other. The node loses its power and restarts, and then the two
// rows must agree with each other and with the outcome that the client received, and nothing may
// remain undecided.
func TestEveryRoleIsLostAtEveryStep(t *testing.T) {
	for _, name := range commonRows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains([]string{"2pc+2pl-home", "d2pc+occ"}, name) {
				hours.Only(t)
			}
			spec, err := protocol.ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			if spec.Yield.Hot != yield.HotNone {
				t.Skip("one transaction makes no row hot, and over two shards its steps are those of the protocol without hot rows")
			}
			steps := newStepWorld(t, spec).play(t, loss{at: -1})
			answer, losses := map[string]int{}, 0
			for at, sender := range steps {
				for role := range txn.NodeID(3) {
					l := loss{at: at, role: role + 1}
					for _, l.when = range l.snapshotReads(sender) {
						s := newStepWorld(t, spec)
						s.play(t, l)
						answer[s.answered]++
						losses++
					}
				}
			}
			t.Logf("%d steps, %d losses; the client received: %v", len(steps), losses, answer)
			if len(steps) < 20 || answer["committed"] == 0 || answer["unknown"] == 0 || answer["not committed"] == 0 {
				t.Errorf("%d steps, received %v: too few outcomes for a test", len(steps), answer)
			}
		})
	}
}

// loss is the node that is lost, and the message of the transaction at which it is.
type loss struct {
	at   int
	role txn.NodeID // 1 the coordinator, 2 and 3 the leaders
	when sendAction
}

func (l loss) String() string {
	return fmt.Sprintf("n%d lost at message %d, %s it left", l.role, l.at, map[sendAction]string{lostCrash: "before", leftCrash: "after"}[l.when])
}

// snapshotReads lists when the role can be lost. A node other than the sender has one case: the
// message leaves.
func (l loss) snapshotReads(sender txn.NodeID) []sendAction {
	if l.role == sender {
		return []sendAction{lostCrash, leftCrash}
	}
	return []sendAction{leftCrash}
}

type stepWorld struct {
	w        *Cluster
	answered string
}

// stepKeys returns the keys of the two rows, each led from a region other than the coordinator's.
func stepKeys() []txn.Key {
	return []txn.Key{txn.Key(routing.TablePrefix(7) + "b"), txn.Key(routing.TablePrefix(8) + "c")}
}

func newStepWorld(t *testing.T, spec protocol.Spec) *stepWorld {
	t.Helper()
	wan, err := geo.Parse("azure5")
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions[:3])
	for i, table := range []uint64{7, 8} {
		dir.AddRange(routing.TablePrefix(table), dir.EnsureShard(dir.Shards[0].Replicas, string(wan.Regions[i+1]), 0))
	}
	w, err := New(Config{
		Seed: 1, WAN: wan.Scale(0.1), Spec: spec, Directory: dir, Codec: true,
		Params: FaultRunParams(txn.InjectedBugs{}), Hardware: Hardware{Fsync: 300 * time.Microsecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &stepWorld{w: w}
}

// play runs one transaction over both rows, with the loss, and checks the end. It returns the
// sender of each message of the transaction.
func (s *stepWorld) play(t *testing.T, l loss) (steps []txn.NodeID) {
	t.Helper()
	defer s.w.Close()
	s.await(t, l, "leaders", s.w.Ready)
	s.transact(t, l, "1", 1)
	began := false
	s.w.onSend = func(h *host, env *txn.Envelope) sendAction {
		if began = began || env.Msg.Access != nil || env.Msg.Prepare != nil; !began || !carriesData(&env.Msg) {
			return leaves
		}
		steps = append(steps, h.id)
		if len(steps)-1 != l.at {
			return leaves
		}
		victim := s.w.host(l.role)
		s.w.After(300*time.Millisecond, victim.restart)
		if victim == h {
			return l.when
		}
		victim.crash(strictly)
		return leaves
	}
	s.answered = s.transact(t, l, "2", 1)
	s.w.Run(2 * time.Second)
	s.w.onSend = nil
	s.await(t, l, "quiet", func() bool { return s.w.Ready() && len(s.w.Residue()) == 0 })
	values := s.read(t, l)
	switch {
	case values != "1 1" && values != "2 2":
		t.Fatalf("%v: torn: the rows are %s", l, values)
	case s.answered == "committed" && values != "2 2", s.answered == "not committed" && values != "1 1":
		t.Fatalf("%v: the client received %s, and the rows are %s", l, s.answered, values)
	}
	return steps
}

// carriesData reports whether a message is a step: heartbeats and the like are not.
func carriesData(m *txn.Message) bool { return m.Raft == nil || len(m.Raft.Data) >= 40 }

func (s *stepWorld) await(t *testing.T, l loss, what string, holds func() bool) {
	t.Helper()
	if !s.w.RunUntil(30*time.Second, holds) {
		t.Fatalf("%v: no %s after 30 s: %v\n%s", l, what, s.w.Residue(), strings.Join(s.w.Summary(), "\n"))
	}
}

// transact reads and writes both rows and returns the outcome that the client received.
func (s *stepWorld) transact(t *testing.T, l loss, value string, at txn.NodeID) (answer string) {
	t.Helper()
	c := s.w.Go(at, func(c *Client) {
		tx := c.DB().Begin(txn.Options{})
		defer tx.Rollback()
		_, err := tx.Read(context.Background(), txn.Read{Gets: stepKeys(), Lock: txn.LockExclusive})
		if err == nil {
			for _, k := range stepKeys() {
				tx.Put(k, []byte(value))
			}
			err = tx.Commit(context.Background())
		}
		switch {
		case err == nil:
			answer = "committed"
		case txn.KindOf(err) == txn.KindUnknown:
			answer = "unknown"
		default:
			answer = "not committed"
		}
	})
	s.await(t, l, "answer", c.Done)
	return answer
}

// read returns both values, read in one transaction from another region.
func (s *stepWorld) read(t *testing.T, l loss) (values string) {
	t.Helper()
	c := s.w.Go(2, func(c *Client) {
		for range 20 {
			tx := c.DB().Begin(txn.Options{})
			got, err := tx.Read(context.Background(), txn.Read{Gets: stepKeys()})
			if err == nil {
				err = tx.Commit(context.Background())
			}
			if err == nil {
				values = fmt.Sprintf("%s %s", got.Values[0], got.Values[1])
				return
			}
			tx.Rollback()
			c.Sleep(50 * time.Millisecond)
		}
	})
	s.await(t, l, "read", c.Done)
	return values
}
