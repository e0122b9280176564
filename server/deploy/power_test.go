package deploy

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isochron/geo"
	"isochron/protocol"
	"isochron/server/disk/disktest"
	"isochron/server/peer"
)

// whole reads everything that a node reads before it starts, and what people need.
func whole(config string) error {
	c, err := Read(config)
	if err != nil {
		return err
	}
	if _, err := peer.LoadCredentials(c.Cluster, c.Node, c.TLS.CA, c.TLS.Certificate, c.TLS.Key); err != nil {
		return err
	}
	if verifier, _, err := c.SQL.Load(c.SQLListen); err != nil || len(verifier) != 41 {
		return fmt.Errorf("the verifier is %q: %w", verifier, err)
	}
	b, err := os.ReadFile(filepath.Join(c.Data, "node.yaml"))
	if err == nil && !strings.Contains(string(b), c.Cluster) {
		err = fmt.Errorf("the name of the node is %d bytes", len(b))
	}
	return err
}

// wholeCluster reads a new cluster.
func wholeCluster(dir string) error {
	for _, n := range []string{"node1.yaml", "node2.yaml"} {
		if err := whole(filepath.Join(dir, n)); err != nil {
			return err
		}
	}
	c, err := Read(filepath.Join(dir, "node1.yaml"))
	if err != nil {
		return err
	}
	if b, err := os.ReadFile(filepath.Join(dir, passwordFile)); err != nil || len(b) != 33 {
		return fmt.Errorf("the password of root is %d bytes: %w", len(b), err)
	}
	_, err = peer.LoadAuthority(c.Cluster, filepath.Join(dir, "ca.crt"), filepath.Join(dir, "ca.key"))
	_, clients := LoadClientAuthority(c.Cluster, dir)
	return errors.Join(err, clients)
}

func planOn(d *disktest.Disk) Plan {
	return Plan{Dir: filepath.Join(d.Dir(), "etc", "c"), Disk: d, Regions: []geo.Region{"a", "b"}, NodesPerRegion: 1, Host: "127.0.0.1", BasePort: 4500, Protocol: protocol.Default}
}

// cutInit cuts the power at each step of the making of a cluster, and after it; on a disk
// that lies, after it alone.
func cutInit(t *testing.T, lie disktest.Lie) (found []error) {
	t.Helper()
	d := disktest.New(t.TempDir(), lie)
	r := rand.New(rand.NewPCG(3, 4))
	judge := func(when string, done bool, rebuild func(string, disktest.Keep, *rand.Rand) (*disktest.Disk, error)) {
		for _, keep := range disktest.Keeps() {
			left, err := rebuild(t.TempDir(), keep, r)
			if err != nil {
				t.Fatal(err)
			}
			p := planOn(left)
			_, err = os.Stat(p.Dir)
			if errors.Is(err, fs.ErrNotExist) && !done {
				err = nil
			} else {
				err = wholeCluster(p.Dir)
			}
			if err != nil {
				found = append(found, fmt.Errorf("cut %s, %v is left: %w", when, keep, err))
			}
		}
	}
	if lie.Claims == "" {
		d.Watch(func(s disktest.Step) {
			judge(fmt.Sprintf("before step %d, %s %s", s.N, s.Do, s.Path), false, s.Rebuild)
		})
	}
	if _, err := Write(planOn(d)); err != nil {
		t.Fatal(err)
	}
	d.Watch(nil)
	d.Off()
	judge("after it", true, d.Rebuild)
	return found
}

// After a power cut init's directory is complete or missing; it exists once init has reported it.
func TestInitSurvivesPowerCuts(t *testing.T) {
	for _, err := range cutInit(t, disktest.Lie{}) {
		t.Error(err)
	}
}

// Each mistake that would leave half a cluster is noticed.
func TestInitOnALyingDisk(t *testing.T) {
	for _, lie := range []disktest.Lie{
		{Claims: "certificates are not synced", Files: []string{"*.crt"}},
		{Claims: "keys are not synced", Files: []string{"*.key"}},
		{Claims: "configurations are not synced", Files: []string{"node?.yaml"}},
		{Claims: "the name of a node is not synced", Files: []string{"node.yaml"}},
		{Claims: "the password is not synced", Files: []string{passwordFile}},
		{Claims: "the verifier is not synced", Files: []string{verifierFile}},
		{Claims: "the new directory is not synced", Dirs: []string{"*/.new-cluster-*"}},
		{Claims: "the directory of a node is not synced", Dirs: []string{"*/node1"}},
		{Claims: "the directory above is not synced", Dirs: []string{"etc"}},
		{Claims: "the directory above that is not synced", Dirs: []string{"."}},
	} {
		if found := cutInit(t, lie); len(found) == 0 {
			t.Errorf("not detected: %s", lie.Claims)
		}
	}
}

// cutAdd cuts the power at each step of creating a node's files: if its configuration exists, all files do, and a
// repetition creates the missing ones.
func cutAdd(t *testing.T, lie disktest.Lie) (found []error) {
	t.Helper()
	made := t.TempDir()
	if _, err := Write(Plan{Dir: filepath.Join(made, "c"), Regions: []geo.Region{"a", "b"}, NodesPerRegion: 1, Host: "127.0.0.1", BasePort: 4500, Protocol: protocol.Default}); err != nil {
		t.Fatal(err)
	}
	from, err := Read(filepath.Join(made, "c", "node1.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := peer.LoadAuthority(from.Cluster, filepath.Join(made, "c", "ca.crt"), filepath.Join(made, "c", "ca.key"))
	if err != nil {
		t.Fatal(err)
	}
	clients, err := LoadClientAuthority(from.Cluster, filepath.Join(made, "c"))
	if err != nil {
		t.Fatal(err)
	}
	add := func(d *disktest.Disk) (string, error) {
		a := &Addition{Dir: filepath.Join(d.Dir(), "new"), Disk: d, From: from, Authority: nodes, Clients: clients, ID: 3, Region: "b",
			Peers: "127.0.0.1:4600", SQL: "127.0.0.1:4700", HTTP: "127.0.0.1:4800",
			Nodes: append(from.Nodes[:2:2], Node{ID: 3, Region: "b", Address: "127.0.0.1:4600"})}
		return a.Write()
	}
	r := rand.New(rand.NewPCG(5, 6))
	judge := func(when string, done bool, rebuild func(string, disktest.Keep, *rand.Rand) (*disktest.Disk, error)) {
		for _, keep := range disktest.Keeps() {
			left, err := rebuild(t.TempDir(), keep, r)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(left.Dir(), "new", "node3.yaml")
			if _, err = os.Stat(path); errors.Is(err, fs.ErrNotExist) && !done {
				path, err = add(left)
			}
			if err == nil {
				err = whole(path)
			}
			if err != nil {
				found = append(found, fmt.Errorf("cut %s, %v is left: %w", when, keep, err))
			}
		}
	}
	d := disktest.New(t.TempDir(), lie)
	if lie.Claims == "" {
		d.Watch(func(s disktest.Step) {
			judge(fmt.Sprintf("before step %d, %s %s", s.N, s.Do, s.Path), false, s.Rebuild)
		})
	}
	if _, err := add(d); err != nil {
		t.Fatal(err)
	}
	d.Watch(nil)
	d.Off()
	judge("after it", true, d.Rebuild)
	return found
}

// So are those of a node that is added.
func TestAddSurvivesPowerCuts(t *testing.T) {
	for _, err := range cutAdd(t, disktest.Lie{}) {
		t.Error(err)
	}
	for _, lie := range []disktest.Lie{
		{Claims: "the certificate is not synced", Files: []string{"node3.crt"}},
		{Claims: "the configuration is not synced", Files: []string{"node3.yaml"}},
		{Claims: "its directory is not synced", Dirs: []string{"new"}},
	} {
		if found := cutAdd(t, lie); len(found) == 0 {
			t.Errorf("not detected: %s", lie.Claims)
		}
	}
}
