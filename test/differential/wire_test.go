package main

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

func TestBinaryValues(t *testing.T) {
	le := binary.LittleEndian
	for name, c := range map[string]struct {
		column Column
		bytes  []byte
		want   string
	}{
		"tiny":              {Column{Type: 1}, []byte{0xff}, "-1"},
		"unsigned tiny":     {Column{Type: 1, Flags: flagUnsigned}, []byte{0xff}, "255"},
		"int":               {Column{Type: 3}, le.AppendUint32(nil, 1<<31), "-2147483648"},
		"bigint":            {Column{Type: 8}, le.AppendUint64(nil, 1<<63), "-9223372036854775808"},
		"unsigned bigint":   {Column{Type: 8, Flags: flagUnsigned}, le.AppendUint64(nil, 1<<63), "9223372036854775808"},
		"year":              {Column{Type: 13}, []byte{0xe8, 7}, "2024"},
		"float":             {Column{Type: 4}, le.AppendUint32(nil, math.Float32bits(0.1)), "0.1"},
		"double":            {Column{Type: 5}, le.AppendUint64(nil, math.Float64bits(1e100)), "1e100"},
		"text":              {Column{Type: 253}, []byte{2, 'a', 'b'}, "ab"},
		"empty text":        {Column{Type: 253}, []byte{0}, ""},
		"date":              {Column{Type: 10}, []byte{4, 0xe8, 7, 2, 29}, "2024-02-29"},
		"zero date":         {Column{Type: 10}, []byte{0}, "0000-00-00"},
		"datetime":          {Column{Type: 12}, []byte{7, 0xe8, 7, 2, 29, 10, 11, 12}, "2024-02-29 10:11:12"},
		"microseconds":      {Column{Type: 12}, []byte{11, 0xe8, 7, 2, 29, 10, 11, 12, 1, 0, 0, 0}, "2024-02-29 10:11:12.000001"},
		"time":              {Column{Type: 11}, []byte{8, 1, 1, 0, 0, 0, 10, 11, 12}, "-34:11:12"},
		"time, half":        {Column{Type: 11}, []byte{12, 0, 0, 0, 0, 0, 10, 11, 12, 0x20, 0xa1, 7, 0}, "10:11:12.500000"},
		"zero time":         {Column{Type: 11}, []byte{0}, "00:00:00"},
		"decimal":           {Column{Type: 246}, []byte{3, '1', '.', '5'}, "1.5"},
		"a length of three": {Column{Type: 252}, append([]byte{0xfc, 2, 0}, "ab"...), "ab"},
	} {
		row, err := rowOf(append([]byte{0, 0}, c.bytes...), []Column{c.column}, true)
		if err != nil || row[0] == nil || string(row[0]) != c.want {
			t.Errorf("%s: %q, %v, want %q", name, row, err, c.want)
		}
		if _, err := rowOf(append([]byte{0, 0}, c.bytes[:len(c.bytes)-1]...), []Column{c.column}, true); err == nil {
			t.Errorf("%s: a byte less is accepted", name)
		}
	}
	if row, err := rowOf([]byte{0, 4}, []Column{{Type: 8}}, true); err != nil || row[0] != nil {
		t.Errorf("NULL: %q, %v", row, err)
	}
}

func TestTextRowsAndPackets(t *testing.T) {
	row, err := rowOf([]byte{1, '7', 0xfb, 0}, make([]Column, 3), false)
	if err != nil || string(row[0]) != "7" || row[1] != nil || row[2] == nil {
		t.Errorf("%q, %v", row, err)
	}
	if r := okPacket([]byte{0, 3, 0xfc, 1, 1, 2, 0, 5, 0}); r.Affected != 3 || r.LastID != 257 || r.Warnings != 5 {
		t.Errorf("%+v", r)
	}
	if e := serverError(append([]byte{0xff, 0x9a, 6}, "#22003out of range"...)).(*ServerError); e.Code != 1690 || e.State != "22003" || e.Message != "out of range" {
		t.Errorf("%+v", e)
	}
}

func TestExecution(t *testing.T) {
	b := execution([]byte{7, 0, 0, 0}, []*Literal{{typeNull, ""}, {typeLongLong, "-1"}, {typeVarString, strings.Repeat("x", 300)}})
	head := []byte{7, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 6, 0, 8, 0, 253, 0, 255, 255, 255, 255, 255, 255, 255, 255, 0xfc, 44, 1}
	if string(b[:len(head)]) != string(head) || len(b) != len(head)+300 {
		t.Errorf("% x", b[:len(head)])
	}
}
