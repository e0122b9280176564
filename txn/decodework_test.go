package txn

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// statementEnvelopes are as they go between gateway and agent, with all that is read by hand.
func statementEnvelopes() []Envelope {
	a, id := Attempt{1, 2, 3}, ID{4, 5, 1 << 40}
	age := Age{Start: 1 << 60, ID: id}
	last := &Prepare{Shard: 7, Attempt: a, Txn: id, Age: age, Participants: []ShardID{7}, Term: 300, OnePhase: true, Retired: 70_000, DecidedAt: 7, ProtocolSeq: 2}
	work := &Work{Attempt: a, Step: 1, Statements: []Statement{{Text: "SELECT c FROM sbtest1 WHERE id=5012", MaxRows: 1 << 20, Locks: true, Least: 1, Guard: []string{"LOCK TABLE t"}, Args: [][]byte{[]byte("1"), nil, {}}}},
		Last: last, Peers: []Peer{{2, 8}}, DecidedAt: 7, Term: 300, Level: 1, Retired: 24, Locks: []Locked{{Records: []Key{"sbtest1\x00\xff5012", ""}, Writes: true}}}
	return []Envelope{
		{From: 1, To: 2, Part: Participant(2, 7).Part(), Msg: Message{Access: &Access{Shard: 7, Request: 99_000_000_000, Txn: id, Age: age, WaitMillis: 50_000, Fresh: true, Alone: true, ProtocolSeq: 1, Work: work}}},
		{From: 2, To: 1, Part: Coordinator(1).Part(), Msg: Message{AccessReply: &AccessReply{Shard: 7, Request: 256, Term: 300, Worked: &Worked{Committed: true,
			Results: []Result{{Columns: []Column{{Name: "c", Type: "char", Null: true}, {Name: "id", Type: "int", Auto: true}}, Rows: [][][]byte{{[]byte("83868641912-28773972837"), nil}, {{}, []byte("2")}}}, {Affected: 1, InsertID: 77}}}}}},
		{From: 2, To: 1, Msg: Message{AccessReply: &AccessReply{Request: 1, Worked: &Worked{Going: true}}}},
	}
}

// What is read by hand is read as the general decoder reads it.
func TestStatementsAreReadByHand(t *testing.T) {
	for _, e := range statementEnvelopes() {
		b := Encode(&e)
		r, back := scanner{rest: b}, Envelope{}
		if r.envelope(&back); r.odd || len(r.rest) > 0 {
			t.Errorf("left to the general decoder: %x", b)
		}
		if !reflect.DeepEqual(e, back) {
			t.Errorf("sent %+v, got %+v", e, back)
		}
	}
	for _, m := range examples() {
		e, back := Envelope{From: 1, To: 2, Msg: m}, Envelope{}
		if err := DecodeEnvelope(Encode(&e), &back); err != nil || !reflect.DeepEqual(e, back) {
			t.Errorf("sent %+v, got %+v, %v", e, back, err)
		}
	}
}

// sameDecoded holds what DecodeEnvelope makes of any bytes against what Decode does.
func sameDecoded(t *testing.T, b []byte) (byHand bool) {
	t.Helper()
	whole := slices.Clone(b)
	var got, want Envelope
	err, general := DecodeEnvelope(b, &got), Decode(b, &want)
	if !slices.Equal(b, whole) {
		t.Fatalf("%x was changed to %x", whole, b)
	}
	if (err == nil) != (general == nil) || err == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%x: %+v, %v by hand and %+v, %v in general", b, got, err, want, general)
	}
	r := scanner{rest: b}
	r.envelope(new(Envelope))
	return !r.odd && len(r.rest) == 0
}

// Bytes that are wrong somewhere are read, or refused, as the general decoder does it.
func TestDecodersAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	byHand := 0
	for range 60_000 {
		all := statementEnvelopes()
		b := Encode(&all[r.IntN(len(all))])
		for range 1 + r.IntN(2) {
			i := r.IntN(len(b))
			switch r.IntN(4) {
			case 0:
				b[i] = byte(r.IntN(256))
			case 1:
				b[i] += byte(r.IntN(3)) - 1
			case 2:
				b = slices.Delete(b, i, i+1)
			case 3:
				b = slices.Insert(b, i, b[i])
			}
		}
		if sameDecoded(t, b) {
			byHand++
		}
	}
	if byHand < 5000 {
		t.Errorf("%d of the wrong ones were read by hand: too few to compare", byHand)
	}
}

// What no encoder of ours writes, and what is at a bound.
func TestOddEnvelopes(t *testing.T) {
	reply := func(result ...byte) []byte {
		return append([]byte{0xa1, 3, 0xa1, 3, 0xa1, 0x18, 24, 0xa1, 1, 0x81}, result...)
	}
	for name, b := range map[string][]byte{
		"a node that is too large": {0xa2, 1, 0x1b, 0, 0, 0, 2, 0, 0, 0, 1, 3, 0xa0}, "a number below 0": {0xa2, 1, 0x20, 3, 0xa0},
		"a field twice": {0xa3, 1, 5, 1, 6, 3, 0xa0}, "another that is not known twice": {0xa3, 0x18, 99, 5, 0x18, 99, 6, 3, 0xa0},
		"affected of 1<<63": reply(0xa1, 3, 0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0), "no columns": reply(0xa1, 1, 0x80), "columns that are nil": reply(0xa1, 1, 0xf6),
		"a row of none": reply(0xa1, 2, 0x81, 0x80), "a row that is nil": reply(0xa1, 2, 0x81, 0xf6), "an array without end": reply(0xa1, 1, 0x9f, 0xff), "more than there is": reply(0xa1, 1, 0x9b, 0, 0, 0, 1, 0, 0, 0, 0),
		"false": reply(0xa1, 1, 0x81, 0xa1, 3, 0xf4), "text": reply(0xa1, 1, 0x81, 0xa1, 1, 0x61, 'c'), "text that is none": reply(0xa1, 1, 0x81, 0xa1, 1, 0x61, 0xff), "a long number of little": {0xa2, 1, 0x19, 0, 5, 3, 0xa0},
		"nothing": {}, "more behind it": {0xa1, 3, 0xa0, 0},
	} {
		t.Run(name, func(t *testing.T) { sameDecoded(t, b) })
	}
	for _, n := range []int{elementsMost, elementsMost + 1} {
		e := Envelope{Msg: Message{AccessReply: &AccessReply{Worked: &Worked{Results: make([]Result, n)}}}}
		if byHand := sameDecoded(t, Encode(&e)); byHand != (n == elementsMost) {
			t.Errorf("%d elements by hand: %v", n, byHand)
		}
	}
}

func FuzzDecodeEnvelope(f *testing.F) {
	for _, e := range statementEnvelopes() {
		f.Add(Encode(&e))
	}
	f.Fuzz(func(t *testing.T, b []byte) { sameDecoded(t, b) })
}

func BenchmarkDecodeEnvelope(b *testing.B) {
	work, reply := statementEnvelopes()[0], statementEnvelopes()[1]
	work.Msg.Access.Work.Peers, work.Msg.Access.Work.Statements[0].Args, work.Msg.Access.Work.Statements[0].Guard = nil, nil, nil
	for name, e := range map[string]Envelope{"work": work, "reply": reply} {
		data := Encode(&e)
		for how, decode := range map[string]func([]byte, *Envelope) error{"general": func(b []byte, e *Envelope) error { return Decode(b, e) }, "by hand": DecodeEnvelope} {
			b.Run(name+"/"+how, func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					if err := decode(data, new(Envelope)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			Encode(&work)
		}
	})
}
