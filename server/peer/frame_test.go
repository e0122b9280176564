package peer

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestFramesComeBack(t *testing.T) {
	var wire []byte
	contents := [][]byte{nil, []byte("x"), bytes.Repeat([]byte("long"), firstPiece)}
	for _, c := range contents {
		wire = appendFrame(wire, kindEnvelope, c)
	}
	r := bytes.NewReader(wire)
	for _, want := range contents {
		k, got, err := readFrame(r, FrameMax)
		if err != nil || k != kindEnvelope || !bytes.Equal(got, want) {
			t.Errorf("kind %d, %d bytes, %v; want %d bytes", k, len(got), err, len(want))
		}
	}
	if _, _, err := readFrame(r, FrameMax); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func TestFramesRefused(t *testing.T) {
	for _, c := range []struct{ wire, message string }{
		{"\x03\x00\x00\x00\x09", "limit of 8"},
		{"\x03\xff\xff\xff\xff", "limit of 8"},
		{"\x00\x00\x00\x00\x00", "kind 0"},
		{"GET / HTTP/1.1\r\n", "kind 71"},
		{"\x03\x00\x00\x00\x02x", "unexpected EOF"},
		{"\x03\x00\x00\x00\x02", "unexpected EOF"},
		{"\x03\x00", "unexpected EOF"},
	} {
		if _, _, err := readFrame(strings.NewReader(c.wire), 8); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%q: %v, want %q", c.wire, err, c.message)
		}
	}
}

// FuzzReadFrame: any input is read as a frame that was written, or refused.
func FuzzReadFrame(f *testing.F) {
	f.Add(appendFrame(nil, kindEnvelope, []byte("content")))
	f.Add(appendFrame(appendFrame(nil, kindPing, make([]byte, 8)), kindAnswer, nil))
	f.Add([]byte("\x03\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		r := bytes.NewReader(wire)
		var again []byte
		for {
			before := len(wire) - r.Len()
			k, content, err := readFrame(r, 1<<20)
			if err != nil {
				if err == io.EOF && before != len(wire) {
					t.Errorf("a frame cut short ends as if nothing were missing")
				}
				return
			}
			again = appendFrame(again, k, content)
			if !bytes.HasPrefix(wire, again) {
				t.Fatalf("read %x of %x", again, wire)
			}
		}
	})
}
