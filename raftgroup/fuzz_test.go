package raftgroup

import "testing"

// FuzzDecodeRaft: a peer's raft message is decoded or refused.
func FuzzDecodeRaft(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{8, 3, 16, 1, 24, 2, 32, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeRaft(b)
		if err != nil {
			return
		}
		if _, err := decodeRaft(marshal(m)); err != nil {
			t.Errorf("a decoded message cannot be encoded and decoded again: %v", err)
		}
	})
}
