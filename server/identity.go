package server

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"isochron/geo"
	"isochron/server/disk"
	"isochron/txn"
)

// formatVersion is the layout of a data directory. It rises when an older
// Isochron could no longer read what this one writes.
const formatVersion = 1

// identityFile stands beside a node's data and says whose it is.
const identityFile = "node.yaml"

// identity is a node's name: two nodes never share one, and a node never
// serves another's data.
type identity struct {
	Format  int        `yaml:"format"`
	Cluster string     `yaml:"cluster"`
	Node    txn.NodeID `yaml:"node"`
	Region  geo.Region `yaml:"region"`
	// Protocol is what the cluster began with, empty where the cluster's own file says
	// it: what holds now stands in the directory.
	Protocol string `yaml:"protocol,omitempty"`
	// Started is set by the first start of a node whose directory was prepared.
	Started bool `yaml:"started,omitempty"`
}

// claim makes dir this node's own, or checks that it is.
func (want identity) claim(d disk.Disk, dir string) error {
	path := filepath.Join(dir, identityFile)
	var have identity
	switch err := readYAML(path, &have); {
	case errors.Is(err, fs.ErrNotExist):
		return writeYAML(d, path, want)
	case err != nil:
		return err
	}
	if err := checkFormat(path, have.Format); err != nil {
		return err
	}
	if have.Cluster != want.Cluster || have.Node != want.Node || have.Region != want.Region {
		return fmt.Errorf("%s belongs to node %d in %s of cluster %s, not to node %d in %s of cluster %s: give the directory of the right node",
			dir, have.Node, have.Region, have.Cluster, want.Node, want.Region, want.Cluster)
	}
	return nil
}

func checkFormat(path string, format int) error {
	if format != formatVersion {
		return fmt.Errorf("%s has format %d, and this Isochron knows format %d only: use the version that made it", path, format, formatVersion)
	}
	return nil
}

// A file of a node's own begins with a line that has a checksum of the rest: a flipped bit could
// have it refuse others, or forget what it promised. Versions before write none, and read it as a comment.
const sumLine = "# checksum "

func sumOf(b []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(b, castagnoli)) }

// cutSum cuts that line; ok is false if there is none.
func cutSum(b []byte) (says string, rest []byte, ok bool) {
	line, rest, ended := bytes.Cut(b, []byte("\n"))
	says, ok = strings.CutPrefix(string(line), sumLine)
	return says, rest, ok && ended
}

// readYAML reads a file strictly: an unknown field is an error.
func readYAML(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if says, rest, ok := cutSum(b); ok && says != sumOf(rest) {
		return fmt.Errorf("%s cannot be read: it is damaged; have the node rebuilt from the others (isochron rebuild)", path)
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%s cannot be read: %s", path, geo.Complaint(err, nil))
	}
	return nil
}

// writeYAML replaces a file whole and durably: a crash leaves the old one or the new.
func writeYAML(d disk.Disk, path string, v any) error {
	b, err := yaml.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s cannot be encoded: %w", path, err)
	}
	b = append([]byte(sumLine+sumOf(b)+"\n"), b...)
	if err := disk.WriteFile(d, path, b, 0o600); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return nil
}
