package sim

import (
	"context"
	"strconv"
	"testing"
	"time"

	"isochron/geo"
	"isochron/history"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
	"isochron/workload"
)

// Where coordinators propose timestamps and clocks are wrong, a serial order may contradict real
// time: T1 writes A from a gateway whose clock is ahead; when it is committed T2 begins, and writes
// B from a gateway whose clock is behind; T3 writes both, between them, and is in progress all the
// time. A was written last by T1 and B by T3: so T2 is before T3 and T3 before T1, though T1 ended
// before T2 began.
//
// That is exactly the isolation that the protocol promises: the history is serializable. Protocols
// that promise strictness abort one of them instead.
func TestTimestampsMayContradictRealTime(t *testing.T) {
	for _, name := range []string{"tapir", "carousel-fast", "starry"} {
		spec, err := protocol.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		h := playInversion(t, spec)
		report := history.CheckRegisters(h)
		if !report.Serializable() {
			t.Errorf("%s: %v", name, report.Violations)
		}
		if report.StrictSerializable() != (spec.Isolation == protocol.StrictSerializability) {
			t.Errorf("%s promises %s, and the check finds %v", name, spec.Isolation, report.Violations)
		}
		if spec.Isolation == protocol.StrictSerializability {
			continue
		}
		for i, want := range []history.Outcome{history.OK, history.OK, history.OK, history.OK} {
			if got := h.Records[i].Outcome; got != want {
				t.Errorf("%s: record %d is %s", name, i, got)
			}
		}
		if last := h.Records[3].Ops; last[0].Value != 1 || last[1].Value != 3 {
			t.Errorf("%s: at the end A is of T%d and B of T%d", name, last[0].Value, last[1].Value)
		}
	}
}

// inversion is the cluster of that story, of three nodes and two shards.
type inversion struct {
	t    *testing.T
	w    *Cluster
	h    history.History
	keys [3]txn.Key // of three shards
}

// openInversion creates the cluster.
func openInversion(t *testing.T, spec protocol.Spec) *inversion {
	t.Helper()
	wan, err := geo.Parse("azure5")
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions[:3])
	s := &inversion{t: t}
	for i := range s.keys {
		prefix := routing.TablePrefix(uint64(7 + i))
		dir.AddRange(prefix, dir.EnsureShard(dir.Shards[0].Replicas, string(wan.Regions[i]), 0))
		s.keys[i] = txn.Key(prefix + "k")
	}
	s.w, err = New(Config{Seed: 1, WAN: wan.Scale(0.1), Spec: spec, Directory: dir, Codec: true, Params: FaultRunParams(txn.InjectedBugs{}),
		Hardware: Hardware{Fsync: 300 * time.Microsecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.w.Close)
	s.w.host(1).wallShift, s.w.host(3).wallShift = 10*time.Second, 5*time.Second
	if !s.w.RunUntil(quietWait, s.w.Ready) {
		t.Fatal("the cluster does not start")
	}
	return s
}

func playInversion(t *testing.T, spec protocol.Spec) *history.History {
	t.Helper()
	s := openInversion(t, spec)
	b, _ := s.w.cfg.Directory.ShardOf(string(s.keys[1]))
	s.w.onSend = func(_ *host, env *txn.Envelope) sendAction { // T3's message to B is held back
		if p := env.Msg.Prepare; p != nil && p.Attempt.Node == 3 && p.Shard == txn.ShardID(b) {
			return heldBack
		}
		return leaves
	}
	third := s.begin(3, 3, 0, 1)
	s.w.Run(10 * time.Millisecond)
	s.end(s.begin(1, 1, 0))
	s.end(s.begin(2, 2, 1))
	s.w.onSend = nil
	s.end(third)
	s.end(s.w.Go(2, s.readAll))
	return &s.h
}

// begin starts a client that writes its number to some of the rows.
func (s *inversion) begin(at txn.NodeID, number int64, rows ...int) *Client {
	return s.w.Go(at, func(c *Client) {
		x, began := c.DB().Begin(txn.Options{}), c.Elapsed()
		r := &history.Record{Process: int(number), InvokeNanos: int64(began), Outcome: history.OK}
		for _, i := range rows {
			x.Put(s.keys[i], strconv.AppendInt(nil, number, 10))
			r.Ops = append(r.Ops, history.Op{Kind: history.Put, Key: string(rune('A' + i)), Value: number})
		}
		if err := x.Commit(context.Background()); err != nil {
			r.Outcome, r.Reason = history.Fail, err.Error()
		}
		r.Txn, r.CompleteNanos, r.At = x.ID().String(), int64(c.Elapsed()), int64(x.Stats().CommitAt)
		s.h.Add(r)
	})
}

func (s *inversion) readAll(c *Client) {
	x, began := c.DB().Begin(txn.Options{}), c.Elapsed()
	r := &history.Record{Process: 4, InvokeNanos: int64(began), Outcome: history.OK, Final: true}
	got, err := x.Read(context.Background(), txn.Read{Gets: s.keys[:]})
	if err == nil {
		err = x.Commit(context.Background())
	}
	if err != nil {
		s.t.Errorf("nothing is read at the end: %v", err)
		return
	}
	for i, v := range got.Values {
		number, _ := strconv.ParseInt(string(v), 10, 64) // 0: not written yet
		r.Ops = append(r.Ops, history.Op{Kind: history.Get, Key: string(rune('A' + i)), Value: number})
	}
	r.Txn, r.CompleteNanos = x.ID().String(), int64(c.Elapsed())
	s.h.Add(r)
}

func (s *inversion) end(c *Client) {
	s.t.Helper()
	if !s.w.RunUntil(quietWait, c.Done) {
		s.t.Fatal("a client waits without end")
	}
}

// With row leases no clock needs to be wrong: T1 has read A, whose lease was renewed, when T2
// overwrites it; T3 begins when T2 is over, and writes B; T1 reads that, and commits inside its
// lease. So T3 is before T1, and T1 before T2. Under r4 T1 is refused.
func TestLeasesMayContradictRealTime(t *testing.T) {
	for _, name := range []string{"r4+sundial", "r4"} {
		spec, err := protocol.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		s := openInversion(t, spec)
		leased := spec.Isolation == protocol.Serializability
		for number := range int64(3) { // each begins a lease later than the one before
			s.end(s.begin(2, 10+number, 1))
		}
		s.end(s.w.Go(1, func(c *Client) { s.lookAt(c, 20, nil) }))
		hasRead := false
		first := s.w.Go(1, func(c *Client) {
			s.lookAt(c, 1, func() {
				hasRead = true
				c.Sleep(2 * time.Second)
			})
		})
		if !s.w.RunUntil(quietWait, func() bool { return hasRead }) {
			t.Fatal("T1 reads nothing")
		}
		s.end(s.begin(1, 2, 0))
		s.w.Run(time.Millisecond) // an end and a begin at the same time would overlap
		s.end(s.begin(2, 3, 2))
		s.end(first)
		report, last := history.CheckRegisters(&s.h), s.h.Records[len(s.h.Records)-1]
		if !report.Serializable() || report.StrictSerializable() == leased || (last.Outcome == history.OK) != leased {
			t.Errorf("%s: T1 is %s (%s), and of the whole: %v", name, last.Outcome, last.Reason, report.Violations)
		}
	}
}

// lookAt reads A and, after a while, C as well; without a while A and B.
func (s *inversion) lookAt(c *Client, number int, meanwhile func()) {
	x, began := c.DB().Begin(txn.Options{}), c.Elapsed()
	r := &history.Record{Process: number, InvokeNanos: int64(began), Outcome: history.OK}
	read := func(row int) {
		got, err := x.Read(context.Background(), txn.Read{Gets: []txn.Key{s.keys[row]}})
		if err != nil {
			s.t.Errorf("T%d does not read: %v", number, err)
			return
		}
		value, _ := strconv.ParseInt(string(got.Values[0]), 10, 64)
		r.Ops = append(r.Ops, history.Op{Kind: history.Get, Key: string(rune('A' + row)), Value: value})
	}
	if read(0); meanwhile == nil {
		read(1)
	} else {
		meanwhile()
		read(2)
	}
	if err := x.Commit(context.Background()); err != nil {
		r.Outcome, r.Reason = history.Fail, err.Error()
	}
	r.Txn, r.CompleteNanos = x.ID().String(), int64(c.Elapsed())
	s.h.Add(r)
}
