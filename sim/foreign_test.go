package sim

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"isochron/geo"
	"isochron/node"
	"isochron/participant"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

// foreign is an external database behind a driver that blocks: rows with a lock each; its prepared
// transactions outlive the node beside it.
type foreign struct {
	rows   map[txn.Key]txn.Row
	locks  map[txn.Key]txn.ID
	voted  map[txn.Attempt]*txn.Prepare
	ended  map[txn.Attempt]txn.Outcome
	called int
}

func newForeign() *foreign {
	return &foreign{map[txn.Key]txn.Row{}, map[txn.Key]txn.ID{}, map[txn.Attempt]*txn.Prepare{}, map[txn.Attempt]txn.Outcome{}, 0}
}

func (d *foreign) lock(id txn.ID, k txn.Key) bool {
	if by, taken := d.locks[k]; taken && by != id {
		return false
	}
	d.locks[k] = id
	return true
}

func (d *foreign) release(id txn.ID) {
	for k, by := range d.locks { // order: each by itself
		if by == id {
			delete(d.locks, k)
		}
	}
}

func (d *foreign) read(m *txn.Access) *txn.AccessReply {
	out := &txn.AccessReply{Shard: m.Shard, Request: m.Request, Term: 1}
	for _, k := range m.Keys {
		if m.Lock != txn.LockNone && !d.lock(m.Txn, k) {
			return &txn.AccessReply{Shard: m.Shard, Request: m.Request, Term: 1, Refused: txn.KindAborted, Reason: "the row is locked"}
		}
		row := d.rows[k]
		row.Key = k
		out.Rows = append(out.Rows, row)
	}
	return out
}

func (d *foreign) prepare(p *txn.Prepare) *txn.Vote {
	v := &txn.Vote{Shard: p.Shard, Attempt: p.Attempt, AwaitsDecision: true}
	ok := d.ended[p.Attempt] == txn.OutcomeNone
	for _, r := range p.Reads {
		ok = ok && d.rows[r.Key].Version == r.Version && d.lock(p.Txn, r.Key)
	}
	for _, w := range p.Writes {
		ok = ok && d.lock(p.Txn, w.Key)
	}
	if !ok {
		d.release(p.Txn)
		v.Refused, v.Reason = txn.KindAborted, "the row is locked or has changed"
		return v
	}
	d.voted[p.Attempt] = p
	v.Yes = true
	return v
}

func (d *foreign) decide(m *txn.Decide) *txn.DecideAck {
	if p := d.voted[m.Attempt]; p != nil {
		delete(d.voted, m.Attempt)
		d.ended[m.Attempt] = txn.OutcomeAborted
		if m.Commit {
			d.ended[m.Attempt] = txn.OutcomeCommitted
			for _, w := range p.Writes {
				d.rows[w.Key] = txn.Row{Key: w.Key, Value: w.Value, Version: m.Attempt}
			}
		}
	}
	d.release(m.Txn)
	return &txn.DecideAck{Shard: m.Shard, Attempt: m.Attempt}
}

func (d *foreign) find(m *txn.Inquire) *txn.InquireReply {
	f := &txn.InquireReply{Shard: m.Shard, Attempt: m.Attempt, Result: d.ended[m.Attempt]}
	switch p := d.voted[m.Attempt]; {
	case p != nil:
		f.Result, f.Participants = txn.OutcomeYes, p.Participants
	case f.Result == txn.OutcomeNone:
		d.ended[m.Attempt], f.Result = txn.OutcomeNo, txn.OutcomeNo
	}
	return f
}

// agent is the participant in front of it, and has none of the other kinds' optional methods.
type agent struct {
	participant.OpenOptions
	db *foreign
}

func (a *agent) Deliver(from txn.NodeID, delivered *txn.Message) {
	m := *delivered
	call := func(work func() txn.Message) {
		a.Env.RunAsync(func(context.Context) any { a.db.called++; return work() }, func(r any) { a.Env.Send(txn.Coordinator(from), r.(txn.Message)) })
	}
	switch {
	case m.Access != nil:
		call(func() txn.Message { return txn.Message{AccessReply: a.db.read(m.Access)} })
	case m.Prepare != nil && m.Prepare.Term != 1:
		a.Env.Send(txn.Coordinator(from), txn.Message{NotLeader: &txn.NotLeader{Shard: m.Prepare.Shard, Leader: a.Self, Term: 1, Attempt: m.Prepare.Attempt}})
	case m.Prepare != nil:
		call(func() txn.Message { return txn.Message{Vote: a.db.prepare(m.Prepare)} })
	case m.Decide != nil:
		call(func() txn.Message { return txn.Message{DecideAck: a.db.decide(m.Decide)} })
	case m.Inquire != nil:
		call(func() txn.Message { return txn.Message{InquireReply: a.db.find(m.Inquire)} })
	case m.Release != nil:
		a.db.release(m.Release.Txn)
	}
}

func (a *agent) Tick()                             {}
func (a *agent) NextWake() time.Duration           { return txn.Never }
func (a *agent) ReadLocal(k txn.Key) txn.Row       { return a.db.rows[k] }
func (a *agent) Leader() (txn.NodeID, uint64)      { return a.Self, 1 }
func (a *agent) Serving() bool                     { return true }
func (a *agent) Undecided() int                    { return len(a.db.voted) }
func (a *agent) Holders() int                      { return len(a.db.locks) }
func (a *agent) InDoubt(int) []participant.InDoubt { return nil }
func (a *agent) Summary() string                   { return "a foreign database" }
func (a *agent) Status() participant.Status {
	return participant.Status{Shard: txn.ShardID(a.Shard.ID), Kind: a.Shard.Kind, Serving: true}
}

const foreignKind routing.Kind = "foreign"

// beside is a cluster of three nodes: rows of table 1 are in a shard with a log, those of table 2
// in a foreign database beside the third node.
func beside(t *testing.T, row string, db *foreign) *Cluster {
	t.Helper()
	wan, err := geo.Parse("uniform:20ms:3")
	if err != nil {
		t.Fatal(err)
	}
	r, err := protocol.ByName(row)
	if err != nil {
		t.Fatal(err)
	}
	d := &routing.Directory{Epoch: 1}
	for i, region := range wan.Regions {
		d.Nodes = append(d.Nodes, routing.Node{ID: uint32(i + 1), Region: string(region)})
	}
	all, first, third := []uint32{1, 2, 3}, string(wan.Regions[0]), string(wan.Regions[2])
	d.Shards = []routing.Shard{{ID: 1, Replicas: all, Leader: first}, {ID: 2, Replicas: all, Leader: first, Kind: routing.Logged},
		{ID: 3, Replicas: []uint32{3}, Leader: third, Kind: foreignKind}}
	d.AddRange(routing.TablePrefix(1), 2)
	d.AddRange(routing.TablePrefix(2), 3)
	w, err := New(Config{Seed: 7, WAN: wan, Spec: r, Directory: d, Hardware: Hardware{Fsync: time.Millisecond, Async: 2 * time.Millisecond}, Codec: true,
		Fit: func(c *node.Config) {
			c.Openers = map[routing.Kind]participant.Factory{foreignKind: func(o participant.OpenOptions) (participant.Participant, error) {
				return &agent{o, db}, nil
			}}
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	if !w.RunUntil(quietWait, w.Ready) {
		t.Fatalf("the cluster does not start: %v", w.Summary())
	}
	return w
}

// One transaction spans a native shard and an external database, whose driver blocks: money moves
// between them from three regions while the node beside the database crashes, between any two
// messages, and restarts; the sum stays the same. One seed is one run.
func TestATransactionSpansKinds(t *testing.T) {
	for _, row := range []string{"2pc+2pl", "2pc+occ", "d2pc+2pl", "2pc+2pl-logged"} {
		t.Run(row, func(t *testing.T) {
			var last string
			for at := 700 * time.Millisecond; at <= 800*time.Millisecond; at += 10 * time.Millisecond {
				last = spanKinds(t, row, at)
			}
			if again := spanKinds(t, row, 800*time.Millisecond); again != last {
				t.Errorf("the same seed gave another run:\n%s\n%s", last, again)
			}
		})
	}
}

func spanKinds(t *testing.T, row string, lostAt time.Duration) string {
	db := newForeign()
	w := beside(t, row, db)
	ours, theirs := txn.Key(routing.TablePrefix(1)+"a"), txn.Key(routing.TablePrefix(2)+"b")
	moved := 0
	move := func(c *Client, by int) error {
		ctx, tx := context.Background(), c.DB().Begin(txn.Options{})
		defer tx.Rollback()
		got, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{ours, theirs}, ForWrite: true})
		if err != nil {
			return err
		}
		for i, k := range []txn.Key{ours, theirs} {
			old, _ := strconv.Atoi(string(got.Values[i]))
			tx.Put(k, []byte(strconv.Itoa(old+by*(1-2*i))))
		}
		return tx.Commit(ctx)
	}
	var clients []*Client
	for id := txn.NodeID(1); id <= 3; id++ {
		clients = append(clients, w.Go(id, func(c *Client) {
			for i := range 20 {
				if move(c, i+1) == nil {
					moved++
				}
				c.Sleep(50 * time.Millisecond)
			}
		}))
	}
	w.After(lostAt, func() { w.host(3).crash(strictly) })
	w.After(lostAt+800*time.Millisecond, func() {
		if err := w.host(3).boot(); err != nil {
			t.Error(err)
		}
	})
	quiet := func() bool {
		return !slices.ContainsFunc(clients[:2], func(c *Client) bool { return !c.Done() }) && len(db.voted) == 0 && w.Ready() && len(w.Residue()) == 0
	}
	if !w.RunUntil(2*time.Minute, quiet) {
		t.Fatalf("%d votes are left without a decision: %v, %v", len(db.voted), w.Residue(), w.Summary())
	}
	if moved < 10 || db.called == 0 {
		t.Errorf("%d moves, %d calls outside the loop: that proves little", moved, db.called)
	}
	raw, _, _ := w.host(1).node.ReadLocal(ours)
	a, _ := strconv.Atoi(string(raw))
	b, _ := strconv.Atoi(string(db.rows[theirs].Value))
	if a+b != 0 || a == 0 {
		t.Errorf("%d here and %d there: a transaction was committed at only one of them", a, b)
	}
	return fmt.Sprint(w.Elapsed(), moved, a, b, db.called)
}

// A node without an opener for a kind hosts no participant of it and serves everything else.
func TestAKindThatANodeDoesNotKnow(t *testing.T) {
	db := newForeign()
	w := beside(t, "2pc+2pl", db)
	w.host(3).crash(strictly)
	w.cfg.Fit = nil
	if err := w.host(3).boot(); err != nil {
		t.Fatal(err)
	}
	if !w.RunUntil(quietWait, w.Ready) || w.host(3).has(3) || !w.host(3).has(2) {
		t.Errorf("node 3 serves %v", w.host(3).node.Summary())
	}
}
