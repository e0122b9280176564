package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"isochron/geo"
	"isochron/server/disk"
	"isochron/txn"
)

// PrepareMember creates the data directory of a new node of a cluster of processes. Starting a node does not
// create it: a node that lost its data would return without its promises, and acknowledged writes could be
// lost.
func PrepareMember(d disk.Disk, dir, cluster string, node txn.NodeID, region geo.Region, protocol string) error {
	if err := disk.Mkdir(d, dir, 0o700); err != nil && !(errors.Is(err, fs.ErrExist) && unnamed(dir)) {
		return fmt.Errorf("the data directory %s cannot be made: %w", dir, err)
	}
	me := identity{Format: formatVersion, Cluster: cluster, Node: node, Region: region, Protocol: protocol}
	return writeYAML(d, filepath.Join(dir, identityFile), me)
}

// unnamed reports whether a directory has no identity yet: it is empty, or has only an unfinished write of
// one.
func unnamed(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), disk.Unfinished) })
}

// checkPrepared checks, before anything is opened, that dir is this node's and still has its data.
func (want identity) checkPrepared(d disk.Disk, dir string) error {
	var have identity
	path := filepath.Join(dir, identityFile)
	switch err := readYAML(path, &have); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s holds no node (no %s in it): use the directory that init created for this node. If its data is lost, do not start it empty, because it would break its promises; rebuild it from the others (isochron rebuild)",
			dir, identityFile)
	case err != nil:
		return err
	}
	if err := want.claim(d, dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(dir, dataDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the node's data cannot be read: %w", err)
	}
	if len(entries) == 0 && have.Started {
		return fmt.Errorf("%s is the directory of a node that has run, and its data is gone (nothing in its %s): do not start it empty, because it would break its promises; put the data back, or rebuild the node from the others (isochron rebuild)",
			dir, dataDir)
	}
	return nil
}

// markStarted records that the node has data.
func (want identity) markStarted(d disk.Disk, dir string) error {
	want.Started = true
	return writeYAML(d, filepath.Join(dir, identityFile), want)
}
