package routing

import (
	"fmt"
	"slices"
	"strings"
)

// SourceKind is a participant that is a database not ours, behind an agent at one node.
const SourceKind Kind = "source"

// Source says which database a participant of SourceKind is. Neither its address nor the
// account's password is in it: the agent's node alone knows them.
type Source struct {
	Name    string `cbor:"1,keyasint" json:"name"`    // as operators and clients call it
	Dialect string `cbor:"2,keyasint" json:"dialect"` // the SQL that it speaks
	// Identity tells the database from another, as it was found or an operator has said: what
	// answers with another one is not served.
	Identity string `cbor:"3,keyasint,omitempty" json:"identity,omitempty"`
}

// Bounds of sources.
const (
	SourcesMax    = 256 // in one cluster
	sourceNameMax = 63  // bytes
)

// name is what a participant is called, for people.
func (s *Source) name(id uint64) string {
	if s == nil {
		return fmt.Sprint(id)
	}
	return s.Name
}

// CheckSourceName tells what is wrong with a source's name.
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

// SourceNamed finds a source by its name.
func (d *Directory) SourceNamed(name string) (Shard, bool) {
	for _, s := range d.Shards {
		if s.Kind == SourceKind && s.Source != nil && s.Source.Name == name {
			return s, true
		}
	}
	return Shard{}, false
}

// AddSource makes a source known, whose agent is at a node. One that is known there already
// stays as it is, whatever its identity.
func (d *Directory) AddSource(node uint32, s Source) (id uint64, err error) {
	if err := CheckSourceName(s.Name); err != nil {
		return 0, err
	}
	if have, ok := d.SourceNamed(s.Name); ok {
		switch {
		case !slices.Contains(have.Replicas, node):
			return 0, fmt.Errorf("there is a source %s already, whose agent is node %v: choose another name, or if the agent moves, end that node and forget it there (isochron source remove --name %[1]s), and this one goes on", s.Name, have.Replicas)
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

// RemoveSource forgets a source. What is prepared there must have ended before.
func (d *Directory) RemoveSource(name string) error {
	s, ok := d.SourceNamed(name)
	if !ok {
		return fmt.Errorf("the cluster has no source %q%s", name, d.sourceList())
	}
	for _, o := range d.Shards {
		d.HighestShard = max(d.HighestShard, o.ID) // a name of a branch there never comes to mean another's
	}
	d.Shards = slices.DeleteFunc(slices.Clone(d.Shards), func(o Shard) bool { return o.ID == s.ID })
	return nil
}

// AcceptSource has a source be the database that has this identity from now on.
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

// sourceList names the sources that there are.
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
