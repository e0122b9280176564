package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isochron/routing"
	"isochron/server/disk"
)

// A gateway accepts a missing or empty directory, or its own, and no other.
func TestGatewayDirectory(t *testing.T) {
	me := identity{Format: formatVersion, Cluster: "c", Node: 4, Region: "va"}
	dir := filepath.Join(t.TempDir(), "node4")
	for range 2 { // created, then its own without data
		if empty, err := me.prepareGateway(disk.Machine(), dir); err != nil || !empty {
			t.Errorf("empty: %v, %v", empty, err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, dataDir, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if empty, err := me.prepareGateway(disk.Machine(), dir); err != nil || empty {
		t.Errorf("with data, empty: %v, %v", empty, err)
	}
	other := me
	other.Node = 5
	if _, err := other.prepareGateway(disk.Machine(), dir); err == nil || !strings.Contains(err.Error(), "belongs to node 4") {
		t.Errorf("another node's directory: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, identityFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := me.prepareGateway(disk.Machine(), dir); err == nil || !strings.Contains(err.Error(), "has other files and no node") {
		t.Errorf("a directory with other files: %v", err)
	}
}

// The meta shard begins on the nodes with data; gateways are learners.
func TestFirstDirectoryWithGateways(t *testing.T) {
	d := firstDirectory([]routing.Node{{ID: 1, Region: "nsw", Gateway: true}, {ID: 2, Region: "va"}, {ID: 3, Region: "wa"}})
	meta := d.Shards[0]
	if meta.Leader != "va" || len(meta.Replicas) != 2 || len(meta.Learners) != 1 || meta.Learners[0] != 1 {
		t.Errorf("%+v", meta)
	}
}

// A node's starts are counted; a gateway's from the cluster's number.
func TestBootsAreRecorded(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, livesFile)
	for i, want := range []uint64{gatewayStarts + 1, gatewayStarts + 2, 3*gatewayStarts + 1} {
		if _, err := beginLife(disk.Machine(), dir, 4, true, []uint32{gatewayStarts, 0, 3 * gatewayStarts}[i]); err != nil {
			t.Fatal(err)
		}
		var r remembered
		if err := readYAML(path, &r); err != nil || r.Own.Start != want || r.Own.ID == 0 || !r.Own.Empty {
			t.Errorf("%+v, %v", r.Own, err)
		}
	}
	if err := os.WriteFile(path, []byte("format: 99\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := beginLife(disk.Machine(), dir, 4, true, 0); err == nil || !strings.Contains(err.Error(), "format 99") {
		t.Errorf("a format of the future: %v", err)
	}
}
