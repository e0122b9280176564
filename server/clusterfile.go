package server

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"isochron/geo"
	"isochron/server/disk"
)

// clusterFile is at the top of a data directory.
const clusterFile = "cluster.yaml"

// Description is the content of a data directory's clusterFile.
type Description struct {
	Format   int          `yaml:"format"`
	Cluster  string       `yaml:"cluster"`  // a random name, shared by all nodes
	Regions  []geo.Region `yaml:"regions"`  // node i+1 is in region i
	WAN      string       `yaml:"wan"`      // the map's name as given by the operator
	Protocol string       `yaml:"protocol"` // the cluster began with
}

// Describe reads a data directory's description; ok is false if it holds no cluster.
func Describe(dir string) (d Description, ok bool, err error) {
	path := filepath.Join(dir, clusterFile)
	err = readYAML(path, &d)
	if errors.Is(err, fs.ErrNotExist) {
		return Description{}, false, nil
	}
	if err != nil {
		return Description{}, false, err
	}
	return d, true, checkFormat(path, d.Format)
}

// claimCluster creates the description of a new directory, or checks that the existing one has the
// same regions.
func claimCluster(d disk.Disk, dir string, want Description) (Description, error) {
	have, ok, err := Describe(dir)
	if err != nil {
		return Description{}, err
	}
	if !ok {
		return createCluster(d, dir, want)
	}
	if !slices.Equal(have.Regions, want.Regions) {
		return Description{}, fmt.Errorf("%s holds a cluster of regions %v (wan %s), not %v (wan %s): start it with the same map, or give another directory",
			dir, have.Regions, have.WAN, want.Regions, want.WAN)
	}
	return have, nil
}

func createCluster(d disk.Disk, dir string, want Description) (Description, error) {
	if err := disk.MkdirAll(d, dir, 0o755); err != nil {
		return Description{}, fmt.Errorf("the data directory %s cannot be created: %w", dir, err)
	}
	if err := refuseForeign(dir); err != nil {
		return Description{}, err
	}
	var name [8]byte
	if _, err := rand.Read(name[:]); err != nil {
		return Description{}, fmt.Errorf("no randomness for the cluster's name: %w", err)
	}
	want.Format, want.Cluster = formatVersion, hex.EncodeToString(name[:])
	return want, writeYAML(d, filepath.Join(dir, clusterFile), want)
}

// refuseForeign fails if a directory without a cluster has other files.
func refuseForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the data directory %s cannot be read: %w", dir, err)
	}
	// A crash may leave an unfinished write of ours.
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), disk.Unfinished) })
	if len(entries) > 0 {
		return fmt.Errorf("the directory %s is not empty and holds no cluster (no %s in it): give an empty or a new one", dir, clusterFile)
	}
	return nil
}
