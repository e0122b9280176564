package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isochron/geo"
	"isochron/server/disk"
)

func TestClaimCluster(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	want := Description{Regions: []geo.Region{"va", "wa"}, WAN: "w", Protocol: "p"}
	first, err := claimCluster(disk.Machine(), dir, want)
	if err != nil {
		t.Fatal(err)
	}
	again, err := claimCluster(disk.Machine(), dir, want)
	if err != nil || again.Cluster != first.Cluster || first.Cluster == "" {
		t.Errorf("claimed again: %+v, %v; the first time %+v", again, err, first)
	}
	otherRegions, otherProtocol := want, want
	otherRegions.Regions = []geo.Region{"va", "pr"}
	otherProtocol.Protocol = "q"
	wantRefused(t, dir, otherRegions, "holds a cluster of regions [va wa]")
	if have, err := claimCluster(disk.Machine(), dir, otherProtocol); err != nil || have.Protocol != "p" {
		t.Errorf("with another protocol than it began with: %+v, %v", have, err)
	}
}

func TestClaimClusterRefuses(t *testing.T) {
	foreign := t.TempDir()
	write(t, filepath.Join(foreign, "letter.txt"), "dear")
	wantRefused(t, foreign, Description{}, "not empty and holds no cluster")

	newer := t.TempDir()
	write(t, filepath.Join(newer, clusterFile), "format: 99\n")
	wantRefused(t, newer, Description{}, "format 99")

	broken := t.TempDir()
	write(t, filepath.Join(broken, clusterFile), "format: [")
	wantRefused(t, broken, Description{}, "cannot be read")

	unfinished := t.TempDir()
	write(t, filepath.Join(unfinished, disk.Unfinished+"1"), "form")
	if _, err := claimCluster(disk.Machine(), unfinished, Description{}); err != nil {
		t.Errorf("an unfinished write left by a crash is not ignored: %v", err)
	}
}

func TestIdentity(t *testing.T) {
	dir := t.TempDir()
	me := identity{Format: formatVersion, Cluster: "c", Node: 1, Region: "va"}
	for range 2 {
		if err := me.claim(disk.Machine(), dir); err != nil {
			t.Fatal(err)
		}
	}
	other := me
	other.Node = 2
	if err := other.claim(disk.Machine(), dir); err == nil || !strings.Contains(err.Error(), "belongs to node 1") {
		t.Errorf("another node's data: %v", err)
	}
}

func wantRefused(t *testing.T, dir string, d Description, say string) {
	t.Helper()
	if _, err := claimCluster(disk.Machine(), dir, d); err == nil || !strings.Contains(err.Error(), say) {
		t.Errorf("got %v, want an error with %q", err, say)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
