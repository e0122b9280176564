package history

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// hist builds a history. Transactions are written as in Elle's papers, "ax1" appends 1 to x, "rx12"
// reads x as [1 2], "rx" reads it empty; a prefix "fail:", "unknown:" or "final:" changes the
// outcome that the client observed. Without times every transaction overlaps every other.
func hist(txns ...string) *History {
	h := new(History)
	for i, text := range txns {
		r := &Record{Process: i, Outcome: OK, InvokeNanos: 0, CompleteNanos: 1000}
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
			op := Op{Kind: ReadList, Key: word[1:2]}
			for _, d := range word[2:] {
				op.List = append(op.List, int64(d-'0'))
			}
			if word[0] == 'a' {
				op = Op{Kind: Append, Key: word[1:2], Value: op.List[0]}
			}
			r.Ops = append(r.Ops, op)
		}
		h.Add(r)
	}
	return h
}

// sequential makes each transaction begin after the one before was acknowledged.
func sequential(h *History) *History {
	for i, r := range h.Records {
		r.InvokeNanos, r.CompleteNanos = int64(i*10), int64(i*10+5)
	}
	return h
}

func TestLists(t *testing.T) {
	for _, c := range []struct {
		name string
		h    *History
		want string // names of the violations, in order
	}{
		{"nothing", hist(), ""},
		{"clean", sequential(hist("ax1 ay1", "rx1 ax2", "ry1 rx12", "final:rx12 ry1")), ""},
		{"clean and concurrent", hist("rx ax1", "rx1 ry", "ry ay1", "rx1 ry1", "final:rx1 ry1"), ""},
		{"reads of a failed transaction do not count", hist("ax1", "fail:rx1 ry", "ay1", "final:rx1 ry1"), ""},
		{"a snapshot read in another order than a read-only transaction", hist("ax1", "ay1", "rx1 ry", "snapshot:rx ry1"), ""},
		{"a snapshot read with half of a transaction", hist("ax1 ay1", "snapshot:rx1 ry", "final:rx1 ry1"), "G-single"},
		{"a snapshot read without a write that an included writer had read", hist("ax1", "rx1 ay1", "snapshot:rx ry1", "final:rx1 ry1"), "G-single"},
		{"a snapshot read before a write that an included writer had not read", hist("ax1", "rx ay1", "snapshot:rx1 ry1"), ""},
		{"unknown and there", hist("unknown:ax1 ay1", "final:rx1 ry1"), ""},
		{"unknown and not there", hist("unknown:ax1 ay1", "final:rx ry"), ""},
		{"own appends are seen", hist("rx ax1 rx1 ax2 rx12", "final:rx12"), ""},

		{"G0", hist("ax1 ay2", "ax2 ay1", "rx12 ry12"), "G0"},
		{"G1a", hist("fail:ax1", "rx1"), "G1a"},
		{"G1b", hist("ax1 ax2", "rx1", "rx12"), "G1b G-single"},
		{"G1c", hist("ax1 ry1", "ay1 rx1"), "G1c"},
		{"G-single", hist("ax1 ay1", "rx ry1", "rx1 ry1"), "G-single"},
		{"lost update", hist("rx ax1", "rx ax2", "rx12"), "lost-update"},
		{"G2-item: write skew", hist("rx ay1", "ry ax1", "rx1 ry1"), "G2-item"},
		{"G2-item: read-only anomaly", hist("ax1 ry", "rx ry1", "ay1", "rx1 ry1"), "G2-item"},
		{"an unknown transaction in a cycle", hist("unknown:ax1 ay1", "rx ry1", "rx1 ry1"), "G-single"},

		{"stale read", sequential(hist("ax1", "rx", "final:rx1")), "G-single-realtime"},
		{"an order against real time", sequential(hist("ax1", "ax2", "rx21")), "G0-realtime"},
		{"read before it was written", sequential(hist("rx1", "ax1")), "G1c-realtime"},
		{"unknown takes effect late", sequential(hist("unknown:ax1", "rx", "final:rx1")), ""},

		{"duplicate", hist("ax1", "rx11"), "duplicate-append"},
		{"lost", hist("ax1", "ax2", "final:rx1"), "lost-append"},
		{"torn", hist("unknown:ax1 ay1", "final:rx ry1"), "torn-commit"},
		{"forked", hist("ax1", "ax2", "rx1", "rx2"), "incompatible-order"},
		{"invented", hist("rx7"), "invented-element"},
		{"internal", hist("ax2", "rx2 ax1 rx2", "rx21"), "internal"},
		{"element appended twice", hist("ax1", "ax1", "rx1"), "bad-history"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := CheckLists(c.h)
			if names(got) != c.want {
				t.Fatalf("found %q, want %q\n%v", names(got), c.want, got.Violations)
			}
			onlyStrict := strings.HasSuffix(c.want, "realtime")
			if got.Serializable() != (c.want == "" || onlyStrict) || got.StrictSerializable() != (c.want == "") {
				t.Fatalf("serializable %v, strict %v", got.Serializable(), got.StrictSerializable())
			}
		})
	}
}

func names(r *Report) string {
	var all []string
	for _, v := range r.Violations {
		all = append(all, v.Name)
	}
	return strings.Join(all, " ")
}

// Two disjoint cycles are both named, each with its edges.
func TestListsNameTheCycle(t *testing.T) {
	h := hist("rx ay1", "ry ax1", "au1 rv1", "av1 ru1", "rx1 ry1")
	got := CheckLists(h)
	if names(got) != "G2-item G1c" {
		t.Fatalf("found %q", names(got))
	}
	for _, part := range []string{"#0 (process 0, ok) did not see #1", "#1 (process 1, ok) did not see #0", "rw: 1 in x"} {
		if !strings.Contains(got.Violations[0].Detail, part) {
			t.Errorf("%q is not in: %s", part, got.Violations[0].Detail)
		}
	}
}

// A long history must not overflow a stack nor take long.
func TestListsLongHistory(t *testing.T) {
	h := new(History)
	list := []int64{}
	for i := range 20000 {
		r := &Record{Process: i, Outcome: OK, InvokeNanos: int64(i * 10), CompleteNanos: int64(i*10 + 15)}
		r.Ops = []Op{{Kind: Append, Key: "x", Value: int64(i)}}
		list = append(list, int64(i))
		h.Add(r)
	}
	h.Add(&Record{Outcome: OK, Final: true, InvokeNanos: 1e9, CompleteNanos: 2e9, Ops: []Op{{Kind: ReadList, Key: "x", List: list}}})
	if got := CheckLists(h); !got.StrictSerializable() {
		t.Fatal(got.Violations)
	}
}

func TestHistoryIsReadBack(t *testing.T) {
	h := sequential(hist("rx ax1", "fail:ax2", "unknown:ay1", "final:rx1 ry"))
	h.Records[0].Ops = append(h.Records[0].Ops, Op{Kind: Transfer, Value: 7, Accounts: []Account{{"a", -3}, {"b", 3}}})
	h.Records[1].Reason = "lost \"to\" another\n"
	var buf bytes.Buffer
	if err := h.Write(&buf); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(buf.String(), "\n"); n != len(h.Records) {
		t.Fatalf("%d lines for %d records", n, len(h.Records))
	}
	back, err := Read(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(h, back) {
		t.Fatalf("wrote %+v, read %+v", h.Records[0], back.Records[0])
	}
	if _, err := Read(strings.NewReader("{\"index\":0}\n{broken")); err == nil || !strings.Contains(err.Error(), "record 1") {
		t.Fatalf("a broken line was reported as %v", err)
	}
}
