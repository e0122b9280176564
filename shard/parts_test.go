package shard

import (
	"testing"
	"time"

	"isochron/participant"
	"isochron/protocol"
	"isochron/reveal"
	"isochron/store"
	"isochron/txn"
	"isochron/yield"
)

// noEvents ignores the events of a lock table.
type noEvents struct{}

func (noEvents) TxnAborted(_, _ txn.ID, _ bool)      {}
func (noEvents) LocksReleased(txn.ID, time.Duration) {}
func (noEvents) Published(txn.ID)                    {}

// quiet is an environment in which only time passes and messages are dropped.
type quiet struct {
	Env
	now txn.Now
}

func (q *quiet) Now() txn.Now         { return q.now }
func (q *quiet) Trace(string, ...any) {}
func (q *quiet) Tracing() bool        { return false }

func (q *quiet) Acknowledge(*txn.Ack, bool) {}

// lead1 returns the parts that a leader shares, over an engine with the row "old" of timestamp 10
// and the row "new" of timestamp 30.
func lead1(t *testing.T, name string) (*Config, *latestRows, *locks, *attempts) {
	t.Helper()
	spec, err := protocol.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	cfg := &Config{ID: 1, Spec: spec, Engine: store.NewMem(), Env: &quiet{}, Params: txn.Params{}.WithDefaults()}
	st, err := loadState(*cfg, []byte("s"), 0)
	if err != nil {
		t.Fatal(err)
	}
	var b store.Batch
	for key, at := range map[txn.Key]txn.Timestamp{"old": 10, "new": 30} { // order: independent rows
		st.write(&b, []txn.Write{{Key: key, Value: []byte("v")}}, at, txn.Version{Seq: 1})
	}
	cfg.Engine.Apply(&b)
	rows := &latestRows{state: st, engine: cfg.Engine}
	rows.early = reveal.NewEarly(spec.Reveal, rows.at)
	known := newAttempts(st, rows.early, &cfg.Params.InjectedBugs)
	table := yield.NewTable(spec.Yield, yield.HotRowConfig{}, noEvents{})
	return cfg, rows, &locks{Table: table, cfg: cfg, counts: &participant.Counts{}, leaves: func(txn.ID) {}}, &known
}

// sentMessages keeps the messages that a leader sends.
type sentMessages struct {
	quiet
	leased bool
	all    []txn.Message
}

func (h *sentMessages) Send(_ txn.Address, m txn.Message) { h.all = append(h.all, m) }

// last returns the last message, and checks that n were sent.
func (h *sentMessages) last(t *testing.T, n int) txn.Message {
	t.Helper()
	if len(h.all) != n {
		t.Fatalf("%d messages are sent, want %d", len(h.all), n)
	}
	return h.all[n-1]
}

func id(seq uint64) txn.ID { return txn.ID{Node: 1, Seq: seq} }
