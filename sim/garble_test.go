package sim

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"isochron/protocol"
	"isochron/txn"
)

// garbled runs a loaded cluster, with a new node that fetches snapshots, in which some messages are
// delivered a second time in a garbled form that can still be decoded, with the same sender. It
// returns their number.
func garbled(t *testing.T, seed uint64, load time.Duration, also func(h *faultRun)) (came int) {
	t.Helper()
	spec, err := protocol.ByName(commonRows[seed%uint64(len(commonRows))])
	if err != nil {
		t.Fatal(err)
	}
	h := &faultRun{cfg: FaultRunConfig{Regions: 3, Faults: Faults{Replace: true}}}
	h.open(seed, spec)
	defer h.w.Close()
	if !h.w.RunUntil(quietWait, h.w.Ready) || !h.setup() {
		t.Fatal("the cluster does not start")
	}
	r := rand.New(rand.NewPCG(seed, 7))
	h.w.onSend = func(_ *host, env *txn.Envelope) sendAction {
		odds := 40
		if env.Msg.SnapChunk != nil || env.Msg.SnapFetch != nil {
			odds = 2
		}
		if r.IntN(odds) == 0 && env.To != 0 && int(env.To) <= len(h.w.hosts) { // a garbled message may have named no node
			var m txn.Message
			if txn.Decode(txn.Encode(&env.Msg), &m) != nil {
				t.Error("a message cannot be read")
			}
			garble(r, &m)
			to := txn.Envelope{From: env.From, To: env.To} // the receiver follows from the garbled message
			if r.IntN(2) == 0 {
				to.Part = env.Part
			}
			if h.inject(to, txn.Encode(&m), env.Msg.SnapChunk != nil) {
				came++
			}
		}
		return leaves
	}
	defer h.forgive(t)
	h.startClients(h.w.Elapsed() + load)
	h.n.move()
	if also != nil {
		also(h)
	}
	h.w.Run(load)
	return came
}

// inject delivers bytes to a node as the message of an envelope, now or, with early, before any
// message in transit; false if they cannot be decoded.
func (h *faultRun) inject(env txn.Envelope, raw []byte, early bool) bool {
	if txn.Decode(raw, &env.Msg) != nil {
		return false
	}
	wait := time.Duration(0)
	if !early {
		wait = h.w.net.delay(&env)
	}
	h.w.After(wait, func() {
		if o := h.w.host(env.To); o.up() {
			h.w.net.queue(o, &delivery{env: env})
		}
	})
	return true
}

// mayStop lists errors at which a node stops by design: stored or committed data that cannot be
// decoded, a log that lost acknowledged entries (store.Failure), a commit that cannot be atomic,
// and an entry at an impossible position.
var mayStop = []string{"storage failed while", "but the log has no vote for it", "which the log does not have", "while a vote is undecided"}

// forgive treats a node's intended stop as the end of the run.
func (h *faultRun) forgive(t *testing.T) {
	r := recover()
	if r == nil {
		return
	}
	what := fmt.Sprint(r)
	if slices.ContainsFunc(mayStop, func(reason string) bool { return strings.Contains(what, reason) }) {
		t.Logf("at %s ms a node stopped: %s", stamp(h.w.Elapsed()), what)
		return
	}
	if strings.Contains(string(debug.Stack()), "(*Client).resume") {
		t.Logf("at %s ms a client could not decode a garbled row: %s", stamp(h.w.Elapsed()), what)
		return
	}
	panic(r)
}

// A garbled message never makes a node panic.
func TestGarbledMessages(t *testing.T) {
	came := 0
	for seed := range uint64(seeds(t, 30)) {
		came += garbled(t, seed, 500*time.Millisecond, nil)
	}
	if came < 1000 {
		t.Errorf("only %d garbled messages were delivered", came)
	}
	t.Logf("%d garbled messages", came)
}

// FuzzMessage delivers any decodable message of a node to another.
func FuzzMessage(f *testing.F) {
	f.Add(uint64(1), uint8(1), uint8(0), []byte{0xa0})
	f.Add(uint64(2), uint8(2), uint8(1), txn.Encode(&txn.Message{SnapFetch: &txn.SnapFetch{Shard: 2, Index: 5, From: []byte{1}}}))
	f.Add(uint64(3), uint8(3), uint8(1), txn.Encode(&txn.Message{SnapChunk: &txn.SnapChunk{Shard: 3, Index: 5, Keys: [][]byte{{1}}, Values: [][]byte{{}}}}))
	f.Add(uint64(4), uint8(2), uint8(0), txn.Encode(&txn.Message{Raft: &txn.Raft{Shard: 2, Data: []byte{8, 3, 16, 2, 24, 1, 32, 4}}}))
	f.Add(uint64(5), uint8(1), uint8(2), txn.Encode(&txn.Message{Prepare: &txn.Prepare{Shard: 2, Term: 1, Participants: []txn.ShardID{2}}}))
	f.Fuzz(func(t *testing.T, seed uint64, from, to uint8, raw []byte) {
		garbled(t, seed, 150*time.Millisecond, func(h *faultRun) {
			a, b := txn.NodeID(from%3+1), txn.NodeID(to%3+1)
			if a != b {
				h.inject(txn.Envelope{From: a, To: b}, raw, true)
			}
		})
	})
}
