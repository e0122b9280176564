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

// PrepareMember makes the data directory of a new node of a cluster of
// processes. Starting does not make it: a node that lost its data would come
// back as if it had never promised anything, and what it had acknowledged could
// be undone.
func PrepareMember(d disk.Disk, dir, cluster string, node txn.NodeID, region geo.Region, protocol string) error {
	if err := disk.Mkdir(d, dir, 0o700); err != nil && !(errors.Is(err, fs.ErrExist) && unnamed(dir)) {
		return fmt.Errorf("the data directory %s cannot be made: %w", dir, err)
	}
	me := identity{Format: formatVersion, Cluster: cluster, Node: node, Region: region, Protocol: protocol}
	return writeYAML(d, filepath.Join(dir, identityFile), me)
}

// unnamed reports whether a directory is of nobody yet: it is empty, or holds what a crash
// left of the writing of its name.
func unnamed(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), disk.Unfinished) })
}

// checkPrepared tells before anything is opened whether dir is this node's, and
// still has what the node wrote.
func (want identity) checkPrepared(d disk.Disk, dir string) error {
	var have identity
	path := filepath.Join(dir, identityFile)
	switch err := readYAML(path, &have); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s holds no node (no %s in it): give the directory that init made for this node. If its data is lost, do not start it empty: it would break promises that it has made; have it rebuilt from the others (isochron rebuild)",
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
		return fmt.Errorf("%s is the directory of a node that has run, and its data is gone (nothing in its %s): do not start it empty, it would break promises that it has made; put the data back as it was, or have the node rebuilt from the others (isochron rebuild)",
			dir, dataDir)
	}
	return nil
}

// markStarted remembers that the node has data now.
func (want identity) markStarted(d disk.Disk, dir string) error {
	want.Started = true
	return writeYAML(d, filepath.Join(dir, identityFile), want)
}
