package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"isochron/txn"
)

func keys(all ...txn.Key) Records { return Records{Keys: all} }

// ran is a transaction that asks for records once, waits there, and ends.
func ran(h *HotRecords, of Records, took time.Duration, committed bool) {
	f := h.Open()
	f.Admit(of).Executed(took)
	f.End(committed)
}

func near(a, b time.Duration) bool { return (a - b).Abs() <= time.Microsecond }

func (h *HotRecords) mustKnow(t *testing.T, k txn.Key) HotRecord {
	t.Helper()
	r, ok := h.Of(k)
	if !ok {
		t.Fatalf("%q is not known", k)
	}
	return r
}

// Eq. 4 by hand: equal shares where nothing is known, then by how long each was waited for;
// Eq. 5, scaled.
func TestWaitsAreDividedAmongRecords(t *testing.T) {
	h := NewHotRecords(HotConfig{})
	ran(h, keys("a", "b"), 80*ms, true)
	for _, k := range []txn.Key{"a", "b"} {
		if got := h.mustKnow(t, k).Wait; !near(got, 10*ms) { // 0.25 * 80 / 2
			t.Errorf("%s: %v", k, got)
		}
	}
	ran(h, keys("a"), 50*ms, true) // a: 0.75*10 + 0.25*50 = 20
	ran(h, keys("a", "b"), 60*ms, true)
	for k, want := range map[txn.Key]time.Duration{"a": 25 * ms, "b": 12500 * time.Microsecond} { // 0.75*w + 0.25*60*(2/3, 1/3)
		if got := h.mustKnow(t, k).Wait; !near(got, want) {
			t.Errorf("%s: %v, want %v", k, got, want)
		}
	}
	ran(h, keys("a", "c"), 80*ms, true) // c counts as the mean of those measured: half
	if got := h.mustKnow(t, "c").Wait; !near(got, 10*ms) {
		t.Errorf("one that is new: %v", got)
	}
	if got := h.Open().Forecast(keys("b", "c", "unknown")).Latency; !near(got, (12500*time.Microsecond+10*ms)/4) {
		t.Errorf("forecast %v", got)
	}
}

// A record without waits may become hot; a slow one that has become fast is forecast as fast.
func TestWaitsBeginAndEnd(t *testing.T) {
	h := NewHotRecords(HotConfig{Scale: 1})
	for range 40 {
		ran(h, keys("a"), 0, true)
	}
	if got := h.Open().Forecast(keys("a")).Latency; got != 0 {
		t.Errorf("no transaction has waited, and %v is forecast", got)
	}
	for range 40 {
		ran(h, keys("a"), 100*ms, true)
	}
	if got := h.Open().Forecast(keys("a")).Latency; got < 99*ms || got > 100*ms {
		t.Errorf("all wait for 100 ms, and %v is forecast", got)
	}
	for range 100 {
		ran(h, keys("a"), 0, true)
	}
	if got := h.Open().Forecast(keys("a")).Latency; got > time.Microsecond {
		t.Errorf("no transaction waits any longer, and %v is forecast", got)
	}
	h.Open().Admit(keys("a")).Executed(-1)
	AdmittedPart{}.Executed(ms)
}

// Eq. 9: one of the transactions that access a record holds it, each of the others has to be
// granted it.
func TestTheAbortProbability(t *testing.T) {
	h := NewHotRecords(HotConfig{})
	for i := range 4 {
		ran(h, keys("a"), ms, i > 0) // three of four commit
	}
	chance := func() float64 { return h.Open().Forecast(keys("a", "fresh")).Lost() }
	var all []*Footprint
	for i, want := range []float64{0, 0, 0.25, 1 - 0.75*0.75} {
		if got := chance(); math.Abs(got-want) > 1e-9 {
			t.Errorf("with %d inside: %v, want %v", i, got, want)
		}
		f := h.Open()
		f.Admit(keys("a", "fresh"))
		all = append(all, f)
	}
	if got := all[0].Forecast(keys("a", "fresh")); got.Lost() != 0 || got.Latency != 0 {
		t.Errorf("it waits for itself: %+v", got)
	}
	for _, f := range all {
		f.End(true)
		f.End(true) // once is enough
		f.Admit(keys("a"))
	}
	if r := h.mustKnow(t, "a"); r.Accessing != 0 || r.Accessed != 8 || r.Committed != 7 {
		t.Errorf("%+v", r)
	}
	two := Forecast{Latency: ms, Granted: 0.5}.And(Forecast{Latency: 3 * ms, Granted: 0.5})
	if two.Latency != 3*ms || two.Lost() != 0.75 {
		t.Errorf("%+v", two)
	}
}

// The counts are halved beyond 32, so that older transactions count less.
func TestCountsAreHalved(t *testing.T) {
	h := NewHotRecords(HotConfig{})
	for range 32 {
		ran(h, keys("a"), ms, false)
	}
	if r := h.mustKnow(t, "a"); r.Accessed != 32 || r.Committed != 0 {
		t.Errorf("%+v", r)
	}
	ran(h, keys("a"), ms, true)
	if r := h.mustKnow(t, "a"); r.Accessed != 16 || r.Committed != 0 {
		t.Errorf("%+v", r)
	}
	for range 17 {
		ran(h, keys("a"), ms, true)
	}
	if r := h.mustKnow(t, "a"); r.Accessed != 16 || r.Committed != 8 {
		t.Errorf("%+v", r)
	}
}

// A record counts once for a transaction, whatever asks for it how often.
func TestARecordCountsOnce(t *testing.T) {
	h := NewHotRecords(HotConfig{Scale: 1})
	ran(h, keys("a", "b"), 80*ms, true)
	of := Records{Keys: []txn.Key{"a", "a"}, Scans: []txn.Scan{{Span: txn.Span{Start: "a", End: "c"}}}}
	f := h.Open()
	if got := f.Forecast(of).Latency; !near(got, 20*ms) {
		t.Errorf("forecast %v", got)
	}
	w := f.Admit(of)
	if again := f.Admit(of); len(w.records()) != 2 || len(again.records()) != 0 {
		t.Errorf("%d records, and again %d", len(w.records()), len(again.records()))
	}
	if a := h.mustKnow(t, "a"); a.Accessing != 1 || h.mustKnow(t, "b").Accessing != 1 {
		t.Errorf("%+v", a)
	}
	f.End(false)
	if a := h.mustKnow(t, "a"); a.Accessing != 0 || a.Accessed != 2 || a.Committed != 1 {
		t.Errorf("%+v", a)
	}
}

// A scan finds the known records of its span, from where it begins and up to its limit.
func TestScansMeetKnownRecords(t *testing.T) {
	h := NewHotRecords(HotConfig{Scale: 1, OldWeight: 0.5})
	for i, k := range []txn.Key{"a", "b", "c", "d"} {
		ran(h, keys(k), 2*ms<<i, true) // 1, 2, 4, 8 ms
	}
	span := txn.Span{Start: "a\x00", End: "d"}
	for _, c := range []struct {
		scan txn.Scan
		want time.Duration
	}{
		{txn.Scan{Span: span}, 6 * ms},
		{txn.Scan{Span: span, Reverse: true}, 6 * ms},
		{txn.Scan{Span: span, Limit: 1}, 2 * ms},
		{txn.Scan{Span: span, Limit: 1, Reverse: true}, 4 * ms},
		{txn.Scan{Span: txn.Span{Start: "a", End: "e"}, Limit: 3, Reverse: true}, 14 * ms},
		{txn.Scan{Span: txn.Span{Start: "x", End: "z"}}, 0},
		{txn.Scan{Span: txn.Span{Start: "d", End: "a"}}, 0},
	} {
		if got := h.Open().Forecast(Records{Scans: []txn.Scan{c.scan}}).Latency; !near(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.scan, got, c.want)
		}
	}
	if h.Len() != 4 {
		t.Errorf("%d records are known", h.Len())
	}
}

// The number of records is bounded whatever is accessed; the longest untouched is evicted first,
// and a transaction that still accesses it does no harm.
func TestHotRecordsAreBounded(t *testing.T) {
	h := NewHotRecords(HotConfig{RecordsMax: 3})
	f := h.Open()
	f.Admit(keys("a"))
	ran(h, keys("b"), ms, true)
	ran(h, keys("c"), ms, true)
	ran(h, keys("b"), ms, true)
	ran(h, Records{Scans: []txn.Scan{{Span: txn.Span{Start: "c", End: "d"}}}}, ms, true)
	ran(h, keys("d", "e"), ms, true) // a goes, and b, which was touched before c
	if _, ok := h.Of("a"); ok || h.Len() != 3 {
		t.Errorf("%d are known, the longest untouched: %v", h.Len(), ok)
	}
	if h.mustKnow(t, "c"); f.Forecast(keys("a")).Granted != 1 {
		t.Error("it was evicted, and still has a forecast")
	}
	f.End(true)
	if ran(h, keys("a"), ms, true); h.mustKnow(t, "a").Accessed != 1 {
		t.Error("an evicted record does not start again")
	}

	long := txn.Key(make([]byte, 1000))
	h = NewHotRecords(HotConfig{BytesMax: 3500})
	for i := range 50 {
		ran(h, keys(long+txn.Key(rune('a'+i))), ms, true)
	}
	if h.Len() != 3 || h.Bytes() > 3500 || h.Bytes() < 3000 {
		t.Errorf("%d records of %d bytes", h.Len(), h.Bytes())
	}

	h = NewHotRecords(HotConfig{PerTxn: 2})
	f = h.Open()
	f.Admit(keys("a", "b", "c"))
	f.Admit(keys("d"))
	if h.Len() != 2 || len(f.held) != 2 {
		t.Errorf("%d records are known, and %d count", h.Len(), len(f.held))
	}
}

// Many random transactions at a time: the counts are even, the list and the tree agree, and the
// same seed gives the same statistics.
func TestHotRecordsStayWhole(t *testing.T) {
	run := func() string {
		h, rng := NewHotRecords(HotConfig{RecordsMax: 40, PerTxn: 8}), rand.New(rand.NewPCG(1, 2))
		var open []*Footprint
		key := func() txn.Key { return txn.Key(fmt.Sprintf("%02d", min(rng.IntN(60), rng.IntN(60)))) }
		for range 5000 {
			f := h.Open()
			of := Records{Keys: []txn.Key{key(), key()}, Scans: []txn.Scan{{Span: txn.Span{Start: key(), End: key()}, Limit: rng.IntN(4), Reverse: rng.IntN(2) == 0}}}
			c := f.Forecast(of)
			if c.Granted < 0 || c.Granted > 1 || c.Latency < 0 {
				t.Fatalf("%+v", c)
			}
			f.Admit(of).Executed(time.Duration(rng.IntN(1000)) * time.Microsecond)
			f.Admit(keys(key()))
			if open = append(open, f); len(open) > 10 {
				i := rng.IntN(len(open))
				open[i].End(rng.IntN(3) > 0)
				open = append(open[:i], open[i+1:]...)
			}
		}
		for _, f := range open {
			f.End(true)
		}
		listed := 0
		for r := h.ends.newer; r != &h.ends; r = r.newer {
			if listed++; r.newer.older != r {
				t.Fatal("the list is broken")
			}
		}
		if listed != h.Len() || h.Len() > 40 || h.Bytes() != listed*(hotRecordBytes+2) {
			t.Errorf("%d in the list, %d in the tree, %d bytes", listed, h.Len(), h.Bytes())
		}
		out := ""
		h.all.Scan(func(k txn.Key, r *hotRecord) bool {
			if r.is.accessing != 0 || r.is.committed > r.is.accessed || r.is.accessed > 32 {
				t.Errorf("%+v", *r)
			}
			out += fmt.Sprintf("%s %v %d %d\n", k, r.is.wait, r.is.accessed, r.is.committed)
			return true
		})
		return out
	}
	if a, b := run(), run(); a != b {
		t.Error("two runs of one seed differ")
	}
}

// full are statistics that know as much as they ever do.
func full() (*HotRecords, []txn.Key) {
	h := NewHotRecords(HotConfig{})
	all := make([]txn.Key, 2*DefaultHotRecordsMax)
	for i := range all {
		all[i] = txn.Key(fmt.Sprintf("table000:%020d", i))
		ran(h, keys(all[i]), ms, true)
	}
	return h, all
}

// The whole analysis of a transaction of five records, two of which have to be added and others
// evicted for them.
func BenchmarkHotRecordsTransaction(b *testing.B) {
	h, all := full()
	known := all[DefaultHotRecordsMax:]
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		at := i * 7919 % (DefaultHotRecordsMax / 2)
		of := keys(known[at+5000], known[at+6000], known[at+7000], all[at], all[at+1])
		f := h.Open()
		_ = f.Forecast(of)
		f.Admit(of).Executed(ms)
		f.End(true)
	}
}

// A forecast over a range of a hundred known records.
func BenchmarkHotRecordsScan(b *testing.B) {
	h, all := full()
	of := Records{Scans: []txn.Scan{{Span: txn.Span{Start: all[100_000], End: all[100_100]}}}}
	f := h.Open()
	b.ReportAllocs()
	for b.Loop() {
		_ = f.Forecast(of)
	}
}

// The memory of a record, with its key of 29 bytes, and the value of Bytes for it.
func BenchmarkHotRecordsMemory(b *testing.B) {
	all := make([]txn.Key, DefaultHotRecordsMax)
	for i := range all {
		all[i] = txn.Key(fmt.Sprintf("table000:%020d", i))
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	h := NewHotRecords(HotConfig{})
	for _, k := range all {
		ran(h, keys(k), ms, true)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	for b.Loop() {
		h.Open().Admit(keys(all[0]))
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(h.Len()), "B/record")
	b.ReportMetric(float64(h.Bytes())/float64(h.Len()), "B/record-reported")
	runtime.KeepAlive(all)
}
