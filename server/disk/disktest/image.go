package disktest

import (
	"bytes"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// Keep is the amount of unsynced data that a power cut leaves.
type Keep int

// The values.
const (
	// Nothing.
	Nothing Keep = iota
	// Some: the first changes of each file and directory; the last write is torn.
	Some
	// Any: each change or not, since disks write in no order; writes are torn.
	Any
	// All: the power stayed on, and only the process was killed.
	All
)

func (k Keep) String() string {
	return [...]string{"nothing", "some", "any", "all"}[k]
}

// Keeps returns the values for a power cut.
func Keeps() []Keep { return []Keep{Nothing, Some, Any} }

// image is an inode as the machine finds it at its next start.
type image struct {
	rights  fs.FileMode
	content []byte
	names   map[string]*image // nil: a file
}

// cut returns the rest of an inode. Several names of one inode then become several files, which
// differs only for writes to a file with two names.
func (n *inode) cut(keep Keep, r *rand.Rand) *image {
	out := &image{rights: n.rights}
	if !n.isDir() {
		out.content = bytes.Clone(n.kept)
		writes := left(n.writes, keep, r)
		for i, w := range writes {
			if keep == Any || keep == Some && i == len(writes)-1 {
				w = w.torn(r)
			}
			out.content = w.apply(out.content)
		}
		return out
	}
	names := maps.Clone(n.keptNames)
	for _, c := range left(n.changes, keep, r) {
		c.apply(names)
	}
	out.names = map[string]*image{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out.names[name] = names[name].cut(keep, r)
	}
	return out
}

// left returns the changes that a cut keeps.
func left[T any](changes []T, keep Keep, r *rand.Rand) []T {
	switch keep {
	case All:
		return changes
	case Some:
		return changes[:r.IntN(len(changes)+1)]
	case Any:
		var out []T
		for _, c := range changes {
			if r.IntN(2) == 0 {
				out = append(out, c)
			}
		}
		return out
	}
	return nil
}

// tornOnce: one in so many writes is torn.
const tornOnce = 4

func (w write) torn(r *rand.Rand) write {
	if len(w.b) > 0 && r.IntN(tornOnce) == 0 {
		w.b = w.b[:r.IntN(len(w.b))]
	}
	return w
}

// put creates the image's files in an existing directory and returns it as an inode with everything kept.
func (i *image) put(dir string) (*inode, error) {
	n := newDir(i.rights)
	// order: each is made by itself.
	for name, child := range i.names {
		path := filepath.Join(dir, name)
		var made *inode
		var err error
		if child.names == nil {
			made = newFile(child.rights)
			made.kept = child.content
			err = os.WriteFile(path, child.content, child.rights)
		} else if err = os.Mkdir(path, 0o700); err == nil {
			made, err = child.put(path)
		}
		if err != nil {
			return nil, err
		}
		n.names[name] = made
	}
	n.keptNames = maps.Clone(n.names)
	return n, nil
}
