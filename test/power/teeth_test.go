package power

import (
	"testing"

	"isochron/server/disk/disktest"
)

// lies are mistakes that a server could make, as its disk would see them, and how many power
// cuts may pass before one is noticed.
var lies = []struct {
	disktest.Lie
	plays int
}{
	{disktest.Lie{Claims: "the syncer never syncs", Files: []string{"*.log"}}, 1},
	{disktest.Lie{Claims: "a commit is acknowledged before the sync of its log write", Late: []string{"*.log"}}, 10},
	{disktest.Lie{Claims: "the engine's manifest is not synced", Files: []string{"MANIFEST-*"}}, 1},
	{disktest.Lie{Claims: "the identity of a node is not synced before it gets its name", Files: []string{"node.yaml"}}, 1},
	{disktest.Lie{Claims: "the names of starts are not synced before they get theirs", Files: []string{"lives.yaml"}}, 1},
	{disktest.Lie{Claims: "certificates are not synced", Files: []string{"*.crt"}}, 1},
	{disktest.Lie{Claims: "the engine's directory is not synced", Dirs: []string{"*/data"}}, 1},
	{disktest.Lie{Claims: "the cluster's directory is not synced", Dirs: []string{"etc"}}, 1},
}

// Every lie is noticed: by a node that does not start again, or by what its clients miss.
func TestLyingDisksAreNoticed(t *testing.T) {
	for i, lie := range lies {
		t.Run(lie.Claims, func(t *testing.T) {
			for n := range lie.plays {
				p := play{dir: t.TempDir(), nodes: 1 + 2*(n%2), cuts: 1, keep: []disktest.Keep{disktest.Nothing}, at: cutTimes, seed: uint64(100*i + n), lie: lie.Lie}
				out, err := p.run()
				if len(out.found) > 0 {
					t.Logf("play %d: %.300s", n+1, out.found[0])
					return
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			t.Errorf("not noticed in %d plays", lie.plays)
		})
	}
}
