package routing

import (
	"fmt"
	"slices"
	"strings"
)

// SourceKind is an external database, behind an agent at one node.
const SourceKind Kind = "source"

// Source identifies the database of a participant of SourceKind. It contains neither the address nor the
// account's password: only the agent's node has them.
type Source struct {
	Name    string `cbor:"1,keyasint" json:"name"`    // used by operators and clients
	Dialect string `cbor:"2,keyasint" json:"dialect"` // its SQL dialect
	// Identity distinguishes the database from others, as found or as set by an operator: a
	// database that answers with another identity is not used.
	Identity string `cbor:"3,keyasint,omitempty" json:"identity,omitempty"`
}

// Bounds of sources.
const (
	SourcesMax    = 256 // in one cluster
	sourceNameMax = 63  // bytes
)

// name returns a participant's name, for people.
func (s *Source) name(id uint64) string {
	if s == nil {
		return fmt.Sprint(id)
	}
	return s.Name
}

// CheckSourceName returns an error if a source's name is invalid.
func CheckSourceName(name string) error {
	ok := len(name) > 0 && len(name) <= sourceNameMax
	for i, c := range name {
		ok = ok && (c >= 'a' && c <= 'z' || c == '_' || i > 0 && (c >= '0' && c <= '9' || c == '-'))
	}
	if !ok {
		return fmt.Errorf("%.80q cannot name a source: a name has up to %d of a-z, 0-9, _ and -, and begins with a letter", name, sourceNameMax)
	}
	return nil
}

// SourceNamed returns a source by its name.
func (d *Directory) SourceNamed(name string) (Shard, bool) {
	for _, s := range d.Shards {
		if s.Kind == SourceKind && s.Source != nil && s.Source.Name == name {
			return s, true
		}
	}
	return Shard{}, false
}

// AddSource adds a source whose agent is at a node. A source that is known there already
// is not changed, whatever its identity.
func (d *Directory) AddSource(node uint32, s Source) (id uint64, err error) {
	if err := CheckSourceName(s.Name); err != nil {
		return 0, err
	}
	if have, ok := d.SourceNamed(s.Name); ok {
		switch {
		case !slices.Contains(have.Replicas, node):
			return 0, fmt.Errorf("there is a source %s already, whose agent is node %v: choose another name or, if the agent moves, stop that node and remove the source there (isochron source remove --name %[1]s); then this node continues", s.Name, have.Replicas)
		case have.Source.Dialect != s.Dialect:
			return 0, fmt.Errorf("the source %s speaks the dialect %s, not %s: choose another name", s.Name, have.Source.Dialect, s.Dialect)
		}
		return have.ID, nil
	}
	n, ok := d.Node(node)
	if !ok {
		return 0, fmt.Errorf("the cluster has no node %d: add it first", node)
	}
	count, next := 0, max(2, d.HighestShard+1)
	for _, have := range d.Shards {
		if next = max(next, have.ID+1); have.Kind != SourceKind {
			continue
		}
		if count++; have.Source != nil && have.Source.Identity == s.Identity && s.Identity != "" {
			return 0, fmt.Errorf("that database is the source %s already: one database has one agent", have.Source.Name)
		}
	}
	if count >= SourcesMax {
		return 0, fmt.Errorf("the cluster has %d sources, the most that it can", count)
	}
	d.Shards = append(d.Shards, Shard{ID: next, Replicas: []uint32{node}, Leader: n.Region, Kind: SourceKind, Source: &s})
	return d.Shards[len(d.Shards)-1].ID, nil
}

// RemoveSource removes a source. Its prepared branches must have ended before.
func (d *Directory) RemoveSource(name string) error {
	s, ok := d.SourceNamed(name)
	if !ok {
		return fmt.Errorf("the cluster has no source %q%s", name, d.sourceList())
	}
	for _, o := range d.Shards {
		d.HighestShard = max(d.HighestShard, o.ID) // so that a branch's name is never reused for another source
	}
	d.Shards = slices.DeleteFunc(slices.Clone(d.Shards), func(o Shard) bool { return o.ID == s.ID })
	return nil
}

// AcceptSource sets the identity of a source's database.
func (d *Directory) AcceptSource(name, identity string) error {
	for i, s := range d.Shards {
		if s.Kind == SourceKind && s.Source != nil && s.Source.Name == name {
			was := *s.Source
			was.Identity = identity
			d.Shards = slices.Clone(d.Shards)
			d.Shards[i].Source = &was
			return nil
		}
	}
	return fmt.Errorf("the cluster has no source %q%s", name, d.sourceList())
}

// sourceList returns the names of the sources.
func (d *Directory) sourceList() string {
	var names []string
	for _, s := range d.Shards {
		if s.Kind == SourceKind && s.Source != nil {
			names = append(names, s.Source.Name)
		}
	}
	if len(names) == 0 {
		return "; it has none"
	}
	return "; it has " + strings.Join(names, ", ")
}
