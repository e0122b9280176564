package history

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// regs builds a history of registers. "px1" writes 1 to x, "gx1" reads 1 there, "gx0" its initial
// value; "@5" is the timestamp of the commit. Prefixes are those of hist. Without times every
// transaction overlaps every other.
func regs(txns ...string) *History {
	h := new(History)
	for i, text := range txns {
		r := &Record{Process: i, Outcome: OK, CompleteNanos: 1000}
		if mark, rest, ok := strings.Cut(text, ":"); ok {
			text = rest
			switch mark {
			case "final":
				r.Final = true
			case "snapshot":
				r.ReadTS = true
			default:
				r.Outcome = Outcome(mark)
			}
		}
		for _, word := range strings.Fields(text) {
			n, err := strconv.ParseInt(strings.TrimLeft(word, "@gpxyzuvk"), 10, 64)
			if err != nil {
				panic(err)
			}
			switch word[0] {
			case '@':
				r.At = n
			case 'g':
				r.Ops = append(r.Ops, Op{Kind: Get, Key: word[1:2], Value: n})
			case 'p':
				r.Ops = append(r.Ops, Op{Kind: Put, Key: word[1:2], Value: n})
			}
		}
		h.Add(r)
	}
	return h
}

// during gives each transaction its begin and its end.
func during(h *History, times ...int64) *History {
	for i, r := range h.Records {
		r.InvokeNanos, r.CompleteNanos = times[2*i], times[2*i+1]
	}
	return h
}

func TestRegisters(t *testing.T) {
	for _, c := range []struct {
		name string
		h    *History
		want string // names of the violations, in order
	}{
		{"nothing", regs(), ""},
		{"clean", sequential(regs("px1 py1 @1", "gx1 px2 @2", "gy1 gx2", "final:gx2 gy1")), ""},
		{"clean and concurrent", regs("gx0 px1", "gx1 gy0", "gy0 py1", "gx1 gy1", "final:gx1 gy1"), ""},
		{"blind writes in the order of their timestamps", sequential(regs("px1 @1", "px2 @2", "final:gx2")), ""},
		{"blind writes in an unknown order", regs("px1", "px2", "gx1", "gx2"), ""},
		{"reads of a failed transaction do not count", regs("px1", "fail:gx1 gy0", "py1", "final:gx1 gy1"), ""},
		{"an unknown one that no transaction read", regs("unknown:gx0 px1 py1", "gx0 px2 @2", "final:gx2 gy0"), ""},
		{"an unknown one that was seen", regs("unknown:gx0 px1", "gx1 px2", "final:gx2"), ""},
		{"own writes are seen", regs("gx0 px1 gx1 px2 gx2", "final:gx2"), ""},
		{"a snapshot read in another order than a read-only transaction", regs("px1 @1", "py1 @2", "gx1 gy0", "snapshot:gx0 gy1"), ""},
		{"a snapshot read with half of a transaction", regs("px1 py1", "snapshot:gx1 gy0"), "G-single"},

		{"G0", regs("gx0 px1 gy2 py1", "gx1 px2 gy0 py2"), "G0"},
		{"G0 by timestamps and reads", regs("gy2 py1 px1 @1", "px2 gy0 py2 @2"), "incompatible-order G0"},
		{"G1a", regs("fail:px1", "gx1"), "G1a"},
		{"G1b", regs("px1 px2", "gx1"), "G1b"},
		{"G1c", regs("px1 gy1", "py1 gx1"), "G1c"},
		{"G1c through an unknown one", regs("unknown:px1 gy1", "py1 gx1"), "G1c"},
		{"G-single", regs("px1 py1", "gx0 gy1"), "G-single"},
		{"G-single by timestamps", regs("px1 @1", "px2 py2 @2", "gx1 gy2"), "G-single"},
		{"lost update", regs("gx0 px1", "gx0 px2"), "lost-update"},
		{"lost update by timestamps", regs("px1 @1", "gx0 px2 @2"), "lost-update"},
		{"G2-item: write skew", regs("gx0 py1", "gy0 px1"), "G2-item"},
		{"G2-item: read-only anomaly", regs("px1 gy0", "gx0 gy1", "py1"), "G2-item"},

		{"stale read", sequential(regs("px1 @1", "gx0")), "G-single-realtime"},
		{"an order against real time", sequential(regs("px1 @2", "px2 @1")), "G0-realtime"},
		{"read before it was written", sequential(regs("gx1", "px1")), "G1c-realtime"},
		{"real time, over those between", sequential(regs("px1 @1", "py1", "pz1", "gx0")), "G-single-realtime"},
		{"skew against real time", during(regs("gx0 py1", "px1", "gy0"), 0, 100, 10, 20, 30, 40), "G2-item-realtime"},
		{"two read-only transactions, against real time", regs("px1", "py1", "gx1 gy0", "gx0 gy1"), "G2-item"},

		{"timestamps against reads", regs("px1 @5", "gx1 px2 @4"), "incompatible-order"},
		{"timestamps against reads, over one without", regs("px1 @5", "gx1 px2", "gx2 px3 @4"), "incompatible-order"},
		{"one timestamp twice", regs("px1 @5", "px2 @5"), "incompatible-order"},
		{"lost", sequential(regs("gx0 px1", "gx1 px2", "final:gx1")), "lost-write G-single-realtime"},
		{"invented", regs("gx7"), "invented-value"},
		{"internal", regs("gx0 px1 gx0"), "internal"},
		{"not repeatable", regs("px1 @1", "gx0 gx1"), "internal G-single"},
		{"written twice", regs("px1", "px1"), "bad-history"},
		{"the first value written", regs("px0"), "bad-history"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := CheckRegisters(c.h)
			if names(got) != c.want {
				t.Fatalf("found %q, want %q\n%v", names(got), c.want, got.Violations)
			}
			onlyStrict := strings.HasSuffix(c.want, "realtime") && !strings.HasPrefix(c.want, "lost")
			if got.Serializable() != (c.want == "" || onlyStrict) || got.StrictSerializable() != (c.want == "") {
				t.Fatalf("serializable %v, strict %v", got.Serializable(), got.StrictSerializable())
			}
		})
	}
}

func TestRegistersNameTheCycle(t *testing.T) {
	got := CheckRegisters(sequential(regs("px1 @1", "px2 @2", "py1", "gx1")))
	want := `2 transactions depend on each other in a cycle:
  #3 (process 3, ok) did not see #1 (process 1, ok) (rw: 2 in x)
  #1 (process 1, ok) was acknowledged at 0 us, before #3 (process 3, ok) began at 0 us`
	if names(got) != "G-single-realtime" || got.Violations[0].Detail != want {
		t.Fatalf("reported as %v", got.Violations)
	}
}

// serial returns the history of transactions executed one after another on some keys, each of which
// overlaps its neighbours.
func serial(seed uint64, n, keys int, timestamps bool) *History {
	rnd := rand.New(rand.NewPCG(seed, 1))
	state := make([]int64, keys)
	h := new(History)
	for i := range n {
		r := &Record{Process: i % 100, Outcome: OK, InvokeNanos: int64(10 * i), CompleteNanos: int64(10*i + 5 + rnd.IntN(500))}
		used := map[int]bool{}
		for range 1 + rnd.IntN(6) {
			k := rnd.IntN(keys)
			if used[k] {
				continue
			}
			used[k] = true
			key := "k" + strconv.Itoa(k)
			blind := timestamps && rnd.IntN(4) == 0
			if !blind {
				r.Ops = append(r.Ops, Op{Kind: Get, Key: key, Value: state[k]})
			}
			if blind || rnd.IntN(2) == 0 {
				state[k] = int64(i + 1)
				r.Ops = append(r.Ops, Op{Kind: Put, Key: key, Value: state[k]})
				if timestamps {
					r.At = int64(i + 1)
				}
			}
		}
		if rnd.IntN(20) == 0 {
			r.Outcome = Unknown
		}
		h.Add(r)
	}
	return h
}

// The history of a serial execution passes; with one read of another version, or with two
// timestamps exchanged, it does not.
func TestRegistersAgainstASerialExecution(t *testing.T) {
	for seed := range uint64(60) {
		timestamps := seed%2 == 0
		h := serial(seed, 300, 5, timestamps)
		if got := CheckRegisters(h); !got.StrictSerializable() || got.Checked < 250 {
			t.Fatalf("seed %d: %d checked, %v", seed, got.Checked, got.Violations)
		}
		what := "read"
		if seed%4 == 0 && seed > 0 {
			what = "order"
			if !exchange(h, rand.New(rand.NewPCG(seed, 2))) {
				t.Fatalf("seed %d has no two versions to exchange", seed)
			}
		} else if !misread(h, rand.New(rand.NewPCG(seed, 2))) {
			t.Fatalf("seed %d has nothing to misread", seed)
		}
		if got := CheckRegisters(h); got.Serializable() {
			t.Errorf("seed %d: a changed %s was not found: %v", seed, what, got.Violations)
		}
	}
}

// misread makes a transaction that wrote a value, on which another one built, read an older value.
func misread(h *History, rnd *rand.Rand) bool {
	for _, i := range rnd.Perm(len(h.Records)) {
		r := h.Records[i]
		if r.Outcome != OK {
			continue
		}
		for j := 0; j+1 < len(r.Ops); j++ {
			get, put := &r.Ops[j], r.Ops[j+1]
			if get.Kind != Get || put.Kind != Put || put.Key != get.Key || get.Value == 0 {
				continue
			}
			w := h.Records[get.Value-1] // values are one more than the index
			for _, op := range w.Ops {
				if w.Outcome == OK && op.Kind == Get && op.Key == get.Key {
					get.Value = op.Value // now both have read it and written
					return true
				}
			}
		}
	}
	return false
}

// exchange swaps the timestamps of a version and of its predecessor.
func exchange(h *History, rnd *rand.Rand) bool {
	for _, i := range rnd.Perm(len(h.Records)) {
		r := h.Records[i]
		for j := 0; j+1 < len(r.Ops); j++ {
			get, put := r.Ops[j], r.Ops[j+1]
			if get.Kind != Get || put.Kind != Put || put.Key != get.Key || get.Value == 0 || r.Outcome != OK {
				continue
			}
			if w := h.Records[get.Value-1]; w.Outcome == OK {
				r.At, w.At = w.At, r.At
				return true
			}
		}
	}
	return false
}

// The time grows linearly with the history, also where everything is in one cycle.
func TestRegistersLongHistory(t *testing.T) {
	h := serial(1, 100_000, 1000, true)
	if got := CheckRegisters(h); !got.StrictSerializable() || got.Checked < 90_000 {
		t.Fatalf("%d checked, %v", got.Checked, got.Violations)
	}
	// A transaction that read the last value, and is overwritten by the first: all in between
	// depend on it, and it on all.
	last := h.Records[len(h.Records)-1]
	last.Outcome = OK
	last.Ops = []Op{{Kind: Put, Key: "z", Value: 1}}
	h.Records[0].Outcome = OK
	h.Records[0].Ops = append(h.Records[0].Ops, Op{Kind: Get, Key: "z", Value: 1})
	for i, r := range h.Records {
		key := "chain" + strconv.Itoa(i/50_000)
		r.Ops = append(r.Ops, Op{Kind: Get, Key: key, Value: int64(i) * int64(min(1, i%50_000))}, Op{Kind: Put, Key: key, Value: int64(i + 1)})
	}
	got := CheckRegisters(h)
	if got.Serializable() {
		t.Fatal("the cycle was not found")
	}
	t.Logf("%.300v", got.Violations[0])
}
