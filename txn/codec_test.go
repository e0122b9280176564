package txn

import (
	"reflect"
	"strings"
	"testing"
)

func examples() []Message {
	a, id := Attempt{1, 2, 3}, ID{4, 5, 6}
	return []Message{
		{Raft: &Raft{Shard: 2, Data: []byte{0, 255}, SentNanos: -1}},
		{Access: &Access{Shard: 2, Request: 9, Txn: id, Keys: []Key{"a\x00\xff"}, Scans: []Scan{{Span: Span{"a", "b"}, Limit: 3, Reverse: true}}, Lock: LockExclusive}},
		{AccessReply: &AccessReply{Rows: []Row{{Key: "k", Value: []byte("v"), Version: a}, {Key: "none"}}, Scans: []ScanRows{{More: true}}}},
		{Prepare: &Prepare{Attempt: a, Participants: []ShardID{2, 3}, Reads: []ReadCheck{{"k", a}}, Writes: []Write{{"k", nil}, {"l", []byte("v")}}}},
		{Vote: &Vote{Attempt: a, Yes: true, Proposed: 1 << 62}},
		{Reserve: &Reserve{Shard: 2, Txn: id, Age: Age{7, id, PriorityHigh, 3, true}, Keys: []Key{"a"}, Spans: []Span{{"a", "b"}}}},
		{DeadlockProbe: &DeadlockProbe{Shard: 2, Txn: id, Start: ID{1, 2, 3}, Age: Age{7, id, PriorityHigh, 3, true}, Path: []WaitEdge{{Txn: id, Shard: 2, Leader: 1, Term: 3, Request: 4, For: ID{1, 2, 3}, Tenure: 5, Cascades: true}}, Into: []WaitEdge{{Txn: id}}, Budget: 9, VisitedShard: 3, Round: 1}},
		{DeadlockConfirm: &DeadlockConfirm{Shard: 2, Cycle: []WaitEdge{{Txn: id}, {For: id}}, Victim: 1, Route: []ShardID{3, 2}}},
		{ContentionReply: &ContentionReply{Admission: []AdmissionClass{{Table: "t", Window: 1, Running: 2, Queue: 3, Admitted: 4, Delayed: 5}}}},
		{SnapChunk: &SnapChunk{Keys: [][]byte{{1}}, Values: [][]byte{{2}}, Next: []byte{3}}},
	}
}

func TestMessagesSurviveTheCodec(t *testing.T) {
	for _, m := range examples() {
		var back Message
		if err := Decode(Encode(&m), &back); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m, back) {
			t.Errorf("sent %+v, got %+v", m, back)
		}
	}
}

// Two fields with one number would both be dropped by the encoder, without an error.
func TestFieldsHaveNumbersOfTheirOwn(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var look func(reflect.Type)
	look = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			look(of.Elem())
			return
		case reflect.Map:
			look(of.Key())
			look(of.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[of] {
			return
		}
		seen[of] = true
		numbers := map[string]string{"-": ""}
		for i := range of.NumField() {
			f := of.Field(i)
			number, _, _ := strings.Cut(f.Tag.Get("cbor"), ",")
			if other := numbers[number]; number != "" && other != "" {
				t.Errorf("%v: %s and %s have the number %s", of, other, f.Name, number)
			}
			if number != "-" {
				numbers[number] = f.Name
				look(f.Type)
			}
		}
	}
	look(reflect.TypeFor[Message]())
	if !seen[reflect.TypeFor[AdmissionClass]()] || len(seen) < 50 {
		t.Errorf("%d kinds of record checked", len(seen))
	}
}

// A deletion is still a deletion after encoding and decoding.
func TestADeletionStaysOne(t *testing.T) {
	var back Write
	if err := Decode(Encode(Write{Key: "k"}), &back); err != nil || back.Value != nil {
		t.Errorf("%v %v", back, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, m := range examples() {
		f.Add(Encode(&m))
	}
	for i := range reflect.TypeFor[Message]().NumField() { // every kind there is, empty
		var m Message
		field := reflect.ValueOf(&m).Elem().Field(i)
		field.Set(reflect.New(field.Type().Elem()))
		f.Add(Encode(&m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m, again Message
		if Decode(b, &m) != nil {
			return
		}
		if err := Decode(Encode(&m), &again); err != nil {
			t.Errorf("a decoded message cannot be encoded and decoded again: %v", err)
		}
	})
}

func TestTheClockNeverRunsBackwards(t *testing.T) {
	var c Clock
	a := c.Next(Now{WallNanos: 100})
	b := c.Next(Now{WallNanos: 50}) // the wall clock jumped back
	c.Observe(1000)
	d := c.Next(Now{WallNanos: -7})
	if !(a < b && b < d && d > 1000) {
		t.Errorf("%d %d %d", a, b, d)
	}
}

// A node of the previous version reads an envelope of this one, and this one reads that version's.
func TestEnvelopesOfTwoVersionsAreRead(t *testing.T) {
	type older struct {
		From NodeID  `cbor:"1,keyasint,omitempty"`
		To   NodeID  `cbor:"2,keyasint,omitempty"`
		Msg  Message `cbor:"3,keyasint"`
	}
	sent := Envelope{From: 1, To: 2, Msg: examples()[4], Part: Participant(2, 3).Part()}
	var then older
	if err := Decode(Encode(sent), &then); err != nil || then.From != 1 || then.To != 2 || !reflect.DeepEqual(then.Msg, sent.Msg) {
		t.Errorf("the previous version reads %+v: %v", then, err)
	}
	var now Envelope
	if err := Decode(Encode(then), &now); err != nil || now.Part.For() != ForUnspecified || now.To != 2 || !reflect.DeepEqual(now.Msg, sent.Msg) {
		t.Errorf("of the previous version is read %+v: %v", now, err)
	}
}

func TestAPartIsOneNumber(t *testing.T) {
	for _, a := range []Address{Coordinator(1), Participant(1, 2), Participant(1, 1<<61-1), Both(1, 7), Whole(1)} {
		if p := a.Part(); p.For() != a.For || p.Shard() != a.Shard {
			t.Errorf("%+v reads as %d, %d", a, p.For(), p.Shard())
		}
	}
}
