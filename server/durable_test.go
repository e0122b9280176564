package server

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"isochron/protocol"
	"isochron/server/disk/disktest"
)

// A cluster in one directory keeps its commits over a power cut right after its creation, and one that lost a
// directory is detected.
func TestClusterSurvivesPowerCut(t *testing.T) {
	play := func(lie disktest.Lie, keep disktest.Keep) int {
		d := disktest.New(t.TempDir(), lie)
		cfg := testConfig(t, filepath.Join(d.Dir(), "deep", "data"), protocol.Table()[0])
		cfg.Disk = d
		c := startTest(t, cfg)
		atomically(t, c.DB(cfg.WAN.Regions[0]), increment)
		d.Off()
		left, err := d.Rebuild(t.TempDir(), keep, rand.New(rand.NewPCG(7, 8)))
		if err != nil {
			t.Fatal(err)
		}
		d.Release()
		closeTest(t, c)
		cfg.Disk, cfg.Dir = left, filepath.Join(left.Dir(), "deep", "data")
		again, err := Start(context.Background(), cfg)
		if err != nil {
			t.Logf("%s: not started again: %v", lie.Claims, err)
			return -1
		}
		defer closeTest(t, again)
		return int(count(t, again.DB(cfg.WAN.Regions[0])))
	}
	for _, keep := range disktest.Keeps() {
		if got := play(disktest.Lie{}, keep); got != 1 {
			t.Errorf("%v of the unsynced data is left: counted %d, want 1", keep, got)
		}
	}
	for _, lie := range []disktest.Lie{
		{Claims: "the directory of the cluster is not synced", Dirs: []string{"deep/data"}},
		{Claims: "that above it is not synced", Dirs: []string{"deep"}},
		{Claims: "those of the nodes are not synced", Dirs: []string{"deep/data/*"}},
		{Claims: "the log is never synced", Files: []string{"*.log"}},
	} {
		if got := play(lie, disktest.Nothing); got == 1 {
			t.Errorf("not detected: %s", lie.Claims)
		}
	}
}
