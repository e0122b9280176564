package lab

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"isochron/txn"
	"isochron/workload"
)

// books counts each commit in a row of its own, and requires that number of rows: rightly or not.
type books struct {
	wrong bool
	n     int
}

func (b *books) Rows() iter.Seq[txn.Write] { return func(func(txn.Write) bool) {} }

func (b *books) Next(*workload.Client) workload.Job {
	b.n++
	key := workload.MixSpan().Start + txn.Key([]byte{byte(b.n % 3), byte(b.n >> 8), byte(b.n)})
	return workload.Job{Class: "entry", Body: func(_ context.Context, t txn.Txn) error {
		t.Put(key, []byte("entry"))
		return nil
	}}
}

func (b *books) Check(rows iter.Seq[txn.Pair]) (wrong []string) {
	n := 0
	for p := range rows {
		if n++; string(p.Value) != "entry" {
			wrong = append(wrong, "a row with "+string(p.Value))
		}
	}
	if n != b.n {
		wrong = append(wrong, "rows are missing")
	}
	if b.wrong {
		wrong = append(wrong, "the books are cooked")
	}
	return wrong
}

// A workload's verdict on its rows after the run is part of the result.
func TestConditionsAreChecked(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		b := &books{wrong: wrong}
		s := Defaults()
		s.Clients, s.Warmup, s.Duration, s.mix = 60, time.Second, 10*time.Second, b
		r, err := Run(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Check.Serializable == wrong || strings.Contains(strings.Join(r.Check.Anomalies, " "), "cooked") != wrong || b.n < 2*pageRows {
			t.Errorf("%d entries, wrong: %v: %+v", b.n, wrong, r.Check)
		}
	}
}

// TPC-C's conditions hold after a run in the laboratory.
func TestTPCCInTheLaboratory(t *testing.T) {
	s := Defaults()
	s.Workload, s.Clients, s.Warmup, s.Duration = "tpcc", 30, time.Second, 3*time.Second
	if r := sound(t, mustRun(t, s)); r.Committed < 100 {
		t.Errorf("%d commits", r.Committed)
	}
}

// They also hold where each row is changed by a statement of its own and hot rows are published,
// although orders with a wrong item are rolled back at their end, with all dependents.
func TestTPCCWithOneStatementPerRow(t *testing.T) {
	s := beside("tpcc-rows", 64)
	s.Protocol, s.Warehouses, s.HotWaiters, s.ClientRTT = "txsql-hot", 1, 4, 100*time.Microsecond
	s.Warmup, s.Duration = 50*time.Millisecond, 150*time.Millisecond
	alone := s
	alone.Protocol = "mysql"
	got, held := sound(t, mustRun(t, s)), sound(t, mustRun(t, alone))
	if got.Aborted == 0 || got.ThroughputTPS < 1.3*held.ThroughputTPS {
		t.Errorf("%v a second with groups, %d aborted, and %v without", got.ThroughputTPS, got.Aborted, held.ThroughputTPS)
	}
}
