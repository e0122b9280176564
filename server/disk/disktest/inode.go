package disktest

import (
	"io/fs"
	"maps"
)

// inode is a file or a directory: what is kept if the power is cut now, and what has
// changed since, in order.
type inode struct {
	rights fs.FileMode
	names  map[string]*inode // as they are; nil: it is a file

	keptNames map[string]*inode
	changes   []change // to the names

	kept   []byte // the content
	writes []write
	owed   int // how many writes a late sync has promised
}

// change gives a name of a directory to an inode, or takes it; a rename does both.
type change struct {
	gone, name string
	is         *inode // of name
}

// write is bytes that were put at an offset.
type write struct {
	at int64
	b  []byte
}

func newDir(rights fs.FileMode) *inode {
	return &inode{rights: rights, names: map[string]*inode{}, keptNames: map[string]*inode{}}
}

func newFile(rights fs.FileMode) *inode { return &inode{rights: rights} }

func (n *inode) isDir() bool { return n.names != nil }

func (n *inode) change(c change) {
	n.changes = append(n.changes, c)
	c.apply(n.names)
}

func (c change) apply(names map[string]*inode) {
	if c.gone != "" {
		delete(names, c.gone)
	}
	if c.name != "" {
		names[c.name] = c.is
	}
}

// sync moves what has changed to what is kept; late: only what was there at the sync before.
func (n *inode) sync(late bool) {
	if n.isDir() {
		n.keptNames, n.changes = maps.Clone(n.names), nil
		return
	}
	upTo := len(n.writes)
	if late {
		upTo, n.owed = n.owed, len(n.writes)-n.owed
	}
	for _, w := range n.writes[:upTo] {
		n.kept = w.apply(n.kept)
	}
	n.writes = append([]write(nil), n.writes[upTo:]...)
}

// forgetSync is as if the file had never been synced.
func (n *inode) forgetSync() {
	n.writes = append([]write{{0, n.kept}}, n.writes...)
	n.kept = nil
}

func (w write) apply(content []byte) []byte {
	if len(w.b) == 0 {
		return content
	}
	if grow := int(w.at) + len(w.b) - len(content); grow > 0 {
		content = append(content, make([]byte, grow)...)
	}
	copy(content[w.at:], w.b)
	return content
}
