package disktest

import (
	"io/fs"
	"maps"
)

// inode is a file or a directory: the state kept if the power is cut now, and the later changes in order.
type inode struct {
	rights fs.FileMode
	names  map[string]*inode // present names; nil: a file

	keptNames map[string]*inode
	changes   []change // to the names

	kept   []byte // the content
	writes []write
	owed   int // writes that a late sync has promised
}

// change sets or removes a name in a directory; a rename does both.
type change struct {
	gone, name string
	is         *inode // the name's new inode
}

// write is bytes at an offset.
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

// sync makes the changes kept; late: only those of before the previous sync.
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

// forgetSync makes the file never synced.
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
