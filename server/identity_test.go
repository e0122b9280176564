package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isochron/server/disk"
	"isochron/server/peer"
)

// A node's own file with a flipped bit is refused or read as written. A file of a version without a checksum is
// read.
func TestOwnFilesHaveAChecksum(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lives.yaml")
	want := remembered{Format: formatVersion, Own: peer.Boot{Start: 5, ID: 77}, Peers: []peer.Known{{Node: 1, Start: 9, ID: 3}}}
	if err := writeYAML(disk.Machine(), path, want); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	same := func(r remembered) bool {
		return r.Format == want.Format && r.Own.Start == 5 && r.Own.ID == 77 && len(r.Own.Past) == 0 && !r.Own.Empty && len(r.Peers) == 1 && r.Peers[0].Node == 1 && r.Peers[0].Start == 9 && r.Peers[0].ID == 3
	}
	for bit := range 8 * len(whole) {
		b := append([]byte(nil), whole...)
		b[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		var r remembered
		if err := readYAML(path, &r); err == nil && !same(r) {
			t.Errorf("bit %d flipped: read as %+v", bit, r)
		}
	}
	_, before, _ := strings.Cut(string(whole), "\n")
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	var r remembered
	if err := readYAML(path, &r); err != nil || !same(r) {
		t.Errorf("without a checksum: %+v, %v", r, err)
	}
}
