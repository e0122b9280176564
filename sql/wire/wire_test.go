package wire

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"vitess.io/vitess/go/sqltypes"
)

func shown(_ int, v Value) []byte { return v.Raw() }

// packets splits what a Writer wrote into bodies and checks their sequence.
func packets(t *testing.T, b []byte, first byte) (out [][]byte) {
	t.Helper()
	var long []byte
	for len(b) > 0 {
		n := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
		if b[3] != first {
			t.Fatalf("the sequence is %d, not %d", b[3], first)
		}
		first++
		long = append(long, b[4:4+n]...)
		if b = b[4+n:]; n < packetMax {
			out, long = append(out, long), nil
		}
	}
	return out
}

func TestAnswers(t *testing.T) {
	var w Writer
	w.Begin()
	columns := NewColumns([]Column{{Database: "d", Table: "t", OrgTable: "t", Name: "a", OrgName: "a", Collation: 63, Length: 11, Type: typeLong, Flags: 3}, {Name: "b", Type: typeVarString}})
	w.Columns(columns, 2, false)
	w.TextRow([]Value{sqltypes.NewInt32(-7), sqltypes.NULL}, shown)
	w.BinaryRow(columns, []Value{sqltypes.NewInt32(-7), sqltypes.NULL}, shown)
	w.BinaryRow(columns, []Value{sqltypes.NULL, sqltypes.NewVarChar("x")}, shown)
	w.EOF(2, 1, false)
	got := packets(t, w.Bytes(), 1)
	want := [][]byte{
		{2},
		[]byte("\x03def\x01d\x01t\x01t\x01a\x01a\x0c\x3f\x00\x0b\x00\x00\x00\x03\x03\x00\x00\x00\x00"),
		[]byte("\x03def\x00\x00\x00\x01b\x00\x0c\x00\x00\x00\x00\x00\x00\xfd\x00\x00\x00\x00\x00"),
		{eofPacket, 0, 0, 2, 0},
		[]byte("\x02-7\xfb"),
		{0, 8, 0xf9, 0xff, 0xff, 0xff},
		{0, 4, 1, 'x'},
		{eofPacket, 1, 0, 2, 0},
	}
	if len(got) != len(want) {
		t.Fatalf("%d packets, not %d: %q", len(got), len(want), got)
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("packet %d is %q, not %q", i, got[i], want[i])
		}
	}
	w.Sent(1)
	w.Error(1105, "", "no")
	if got := packets(t, w.Bytes(), byte(len(want)+1)); string(got[0]) != "\xff\x51\x04#HY000no" {
		t.Errorf("%q", got[0])
	}
	w.Begin()
	w.Error(1064, "42000", "no")
	if got := packets(t, w.Bytes(), 1); string(got[0]) != "\xff\x28\x04#42000no" {
		t.Errorf("%q", got[0])
	}
}

func TestLongRowsAreCut(t *testing.T) {
	for _, n := range []int{packetMax - 5, packetMax - 4, packetMax - 3, packetMax, 2*packetMax - 4, 2*packetMax + 9} {
		var w Writer
		w.Begin()
		w.TextRow([]Value{sqltypes.NewVarBinary(strings.Repeat("x", n))}, shown)
		got := packets(t, w.Bytes(), 1)
		if len(got) != 1 || len(got[0]) != n+4 && len(got[0]) != n+9 {
			t.Errorf("of %d bytes: %d packets, of %d bytes", n, len(got), len(got[0]))
		}
		w.EOF(0, 0, true)
		if got := packets(t, w.Bytes(), 1); len(got) != 2 || len(got[1]) != 7 {
			t.Errorf("what follows %d bytes is %d packets", n, len(got))
		}
	}
}

func TestBinaryForms(t *testing.T) {
	for _, c := range []struct {
		t          byte
		text, want string
	}{
		{typeTiny, "-1", "\xff"},
		{typeShort, "65535", "\xff\xff"},
		{typeYear, "2024", "\xe8\x07"},
		{typeLongLong, "-9223372036854775808", "\x00\x00\x00\x00\x00\x00\x00\x80"},
		{typeLongLong, "18446744073709551615", "\xff\xff\xff\xff\xff\xff\xff\xff"},
		{typeFloat, "1.5", "\x00\x00\xc0\x3f"},
		{typeDouble, "-2", "\x00\x00\x00\x00\x00\x00\x00\xc0"},
		{typeDate, "2024-02-29", "\x04\xe8\x07\x02\x1d"},
		{typeDate, "0000-00-00", "\x00"},
		{typeDatetime, "2024-02-29 00:00:00", "\x04\xe8\x07\x02\x1d"},
		{typeDatetime, "2024-02-29 23:59:58", "\x07\xe8\x07\x02\x1d\x17\x3b\x3a"},
		{typeTimestamp, "2024-02-29 23:59:58.5", "\x0b\xe8\x07\x02\x1d\x17\x3b\x3a\x20\xa1\x07\x00"},
		{typeTime, "00:00:00", "\x00"},
		{typeTime, "-838:59:59", "\x08\x01\x22\x00\x00\x00\x16\x3b\x3b"},
		{typeTime, "10:11:12.000001", "\x0c\x00\x00\x00\x00\x00\x0a\x0b\x0c\x01\x00\x00\x00"},
		{typeVarString, "abc", "\x03abc"},
	} {
		if got := appendBinary(nil, c.t, []byte(c.text)); string(got) != c.want {
			t.Errorf("type %d, %s: %q, not %q", c.t, c.text, got, c.want)
		}
	}
}

// Values that a server writes are read as they were.
func TestParameters(t *testing.T) {
	for _, c := range []struct {
		t    ParameterType
		text string
	}{
		{ParameterType{typeTiny, false}, "-128"}, {ParameterType{typeTiny, true}, "255"}, {ParameterType{typeShort, false}, "-2"},
		{ParameterType{typeLong, true}, "4294967295"}, {ParameterType{typeLong, false}, "-1"}, {ParameterType{typeLongLong, true}, "18446744073709551615"},
		{ParameterType{typeLongLong, false}, "-9223372036854775808"}, {ParameterType{typeFloat, false}, "1.5"}, {ParameterType{typeDouble, false}, "-1e-07"},
		{ParameterType{typeDate, false}, "2024-02-29"}, {ParameterType{typeDate, false}, "0000-00-00"}, {ParameterType{typeDatetime, false}, "2024-02-29 23:59:58"},
		{ParameterType{typeDatetime, false}, "2024-02-29 23:59:58.000100"}, {ParameterType{typeTime, false}, "-838:59:59.500000"}, {ParameterType{typeTime, false}, "00:00:00"},
		{ParameterType{typeVarString, false}, ""}, {ParameterType{typeVarString, false}, strings.Repeat("é", 40_000)},
	} {
		body := []byte{0, 1, c.t.Type, 0}
		if c.t.Unsigned {
			body[3] = unsignedFlag
		}
		body = appendBinary(body, c.t.Type, []byte(c.text))
		types := []ParameterType{{typeLongLong, false}}
		got, err := Parameters(body, types, nil)
		if err != nil || string(got[0].Text()) != c.text || types[0] != c.t {
			t.Errorf("%v %.40s: %.40q, %v, types %v", c.t, c.text, got[0].Text(), err, types)
			continue
		}
		for n := range len(body) {
			if _, err := Parameters(body[:n], []ParameterType{{typeLongLong, false}}, nil); !errors.Is(err, ErrMalformed) {
				t.Errorf("%v %.40s cut to %d of %d bytes: %v", c.t, c.text, n, len(body), err)
				break
			}
		}
		if _, err := Parameters(append(body, 0), types, nil); !errors.Is(err, ErrMalformed) {
			t.Errorf("%v: a byte behind the last value: %v", c.t, err)
		}
	}
	got, err := Parameters([]byte{2, 1, typeTiny, 0, typeTiny, 0, 5}, make([]ParameterType, 2), nil)
	if err != nil || got[0].Null || !got[1].Null {
		t.Errorf("the second is NULL: %v, %v", got, err)
	}
}

// FuzzParameters: no bytes make it panic, and what it returns is bounded by them.
func FuzzParameters(f *testing.F) {
	f.Add([]byte{0, 1, typeDatetime, 0, typeVarString, 0, 4, 1, 2, 3, 4, 0xfe, 1, 0, 0, 0, 0, 0, 0, 0, 'x'})
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Parameters(b, make([]ParameterType, 2), nil)
		if err != nil {
			return
		}
		for i := range got {
			if n := len(got[i].Text()); n > len(b)+32 {
				t.Fatalf("%d bytes of %d", n, len(b))
			}
		}
	})
}

// FuzzBinary: no text of a value makes a packet that is not whole.
func FuzzBinary(f *testing.F) {
	for _, text := range []string{"-838:59:59.123456", "2024-02-29 23:59:58.5", "1e400", "", "99999999999999999999"} {
		for _, typ := range []byte{typeTiny, typeFloat, typeDatetime, typeTime, typeVarString} {
			f.Add(typ, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, typ byte, text []byte) {
		body := appendBinary([]byte{0, 1, typ, 0}, typ, text)
		if _, err := Parameters(body, make([]ParameterType, 1), nil); err != nil && typ != typeNull {
			t.Fatalf("type %d: %q makes %q: %v", typ, text, body, err)
		}
	})
}
