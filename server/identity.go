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

// formatVersion is the layout of a data directory. It increases when an older Isochron could no longer read
// the files of this one.
const formatVersion = 1

// identityFile is beside a node's data and has the node's identity.
const identityFile = "node.yaml"

// identity is a node's identity: no two nodes share one, and a node never serves another's data.
type identity struct {
	Format  int        `yaml:"format"`
	Cluster string     `yaml:"cluster"`
	Node    txn.NodeID `yaml:"node"`
	Region  geo.Region `yaml:"region"`
	// Protocol is the one the cluster began with; empty where the cluster's own file has it. The present
	// protocol is in the directory.
	Protocol string `yaml:"protocol,omitempty"`
	// Started is set by the first start of a node whose directory init prepared.
	Started bool `yaml:"started,omitempty"`
}

// claim writes the identity to dir, or checks the one there.
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
		return fmt.Errorf("%s belongs to node %d in %s of cluster %s, not to node %d in %s of cluster %s: use this node's directory",
			dir, have.Node, have.Region, have.Cluster, want.Node, want.Region, want.Cluster)
	}
	return nil
}

func checkFormat(path string, format int) error {
	if format != formatVersion {
		return fmt.Errorf("%s has format %d, and this version reads format %d only: use the version that wrote it", path, format, formatVersion)
	}
	return nil
}

// A node's own file begins with a line that has a checksum of the rest: a flipped bit could have the node
// refuse others, or break a promise. Earlier versions write no such line and read it as a comment.
const sumLine = "# checksum "

func sumOf(b []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(b, castagnoli)) }

// cutSum splits off that line; ok is false if there is none.
func cutSum(b []byte) (sum string, rest []byte, ok bool) {
	line, rest, ended := bytes.Cut(b, []byte("\n"))
	sum, ok = strings.CutPrefix(string(line), sumLine)
	return sum, rest, ok && ended
}

// readYAML reads a file strictly: an unknown field is an error.
func readYAML(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if sum, rest, ok := cutSum(b); ok && sum != sumOf(rest) {
		return fmt.Errorf("%s cannot be read: it is damaged; rebuild the node from the others (isochron rebuild)", path)
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%s cannot be read: %s", path, geo.Complaint(err, nil))
	}
	return nil
}

// writeYAML replaces a file atomically and durably: after a crash it is the old one or the new one.
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
