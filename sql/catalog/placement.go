package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Spread is the division of a table's rows over shards.
type Spread string

// The ways to divide rows.
const (
	SpreadRange  Spread = "range"  // by the primary key, at given points
	SpreadHash   Spread = "hash"   // by a hash of the primary key or of given columns of it
	SpreadRegion Spread = "region" // by a column of the primary key that names a region
)

// maxShards bounds how many shards one table may ask for.
const maxShards = 256

// Placement is the location of a table, as stored.
type Placement struct {
	Leader   string   `cbor:"1,keyasint"` // region
	Replicas []string `cbor:"2,keyasint"` // regions
	Spread   Spread   `cbor:"3,keyasint"`
	Shards   int      `cbor:"4,keyasint,omitempty"` // buckets of a hash
	Columns  []uint32 `cbor:"5,keyasint,omitempty"` // what the partition depends on, if it varies
	Regions  []string `cbor:"6,keyasint,omitempty"` // of SpreadRegion: partition number to region
	Splits   [][]byte `cbor:"7,keyasint,omitempty"` // of SpreadRange: encoded primary keys
}

// PlacementRequest is the placement requested in a table's comment.
type PlacementRequest struct {
	Leader   string   `json:"leader"`
	Replicas []string `json:"replicas"`
	Spread   Spread   `json:"spread"`
	Shards   int      `json:"shards"`
	Columns  []string `json:"columns"`
	Column   string   `json:"column"`
	Split    [][]any  `json:"split"`
}

const requestMark = "isochron:"

// ParsePlacementRequest reads the placement out of a table's comment, which may hold other
// words before and after it. A comment without one gives the zero PlacementRequest.
func ParsePlacementRequest(comment string) (PlacementRequest, error) {
	var w PlacementRequest
	at := strings.Index(comment, requestMark)
	if at < 0 {
		return w, nil
	}
	dec := json.NewDecoder(strings.NewReader(comment[at+len(requestMark):]))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&w); err != nil {
		return w, fmt.Errorf(`the placement in the table comment cannot be read: %v; it must be a JSON object such as isochron: {"leader":"va"} `+
			`with the keys leader, replicas, spread, shards, columns, column, split`, err)
	}
	return w, w.check()
}

func (w *PlacementRequest) check() error {
	only := func(given bool, key string, spread Spread) error {
		if given && w.Spread != spread {
			return fmt.Errorf("the placement key %q goes with \"spread\":%q only", key, spread)
		}
		return nil
	}
	if w.Spread == "" {
		w.Spread = SpreadRange
	}
	if !slices.Contains([]Spread{SpreadRange, SpreadHash, SpreadRegion}, w.Spread) {
		return fmt.Errorf("the placement asks for an unknown spread %q; it is range, hash or region", w.Spread)
	}
	for _, err := range []error{
		only(w.Shards != 0, "shards", SpreadHash), only(len(w.Columns) > 0, "columns", SpreadHash),
		only(w.Column != "", "column", SpreadRegion), only(len(w.Split) > 0, "split", SpreadRange),
	} {
		if err != nil {
			return err
		}
	}
	if w.Spread == SpreadHash && (w.Shards < 1 || w.Shards > maxShards) {
		return fmt.Errorf("the placement must say over how many shards to hash, such as \"shards\":4, from 1 to %d", maxShards)
	}
	if len(w.Split) >= maxShards {
		return fmt.Errorf("the placement splits the table into %d ranges; at most %d are allowed", len(w.Split)+1, maxShards)
	}
	if w.Spread == SpreadRegion && w.Column == "" {
		return fmt.Errorf("the placement must name the column that holds the region, such as \"column\":\"region\"")
	}
	return nil
}

// resolve turns a request into a placement in a cluster of these regions; home is
// the region of the gateway where the table is made.
func (w PlacementRequest) resolve(r *Record, regions []string, home string) (Placement, error) {
	p := Placement{Leader: home, Replicas: regions, Spread: w.Spread}
	if p.Spread == "" {
		p.Spread = SpreadRange
	}
	for _, name := range append(slices.Clone(w.Replicas), w.Leader) {
		if name != "" && !slices.Contains(regions, name) {
			return p, fmt.Errorf("the placement names a region %q that the cluster does not have; it has %s", name, strings.Join(regions, ", "))
		}
	}
	if len(w.Replicas) > 0 {
		p.Replicas = slices.Clone(w.Replicas)
		slices.Sort(p.Replicas)
		p.Replicas = slices.Compact(p.Replicas)
		if !slices.Contains(p.Replicas, p.Leader) {
			p.Leader = w.Replicas[0]
		}
	}
	if w.Leader != "" {
		p.Leader = w.Leader
	}
	if !slices.Contains(p.Replicas, p.Leader) {
		return p, fmt.Errorf("the placement has its leader in region %q, where it has no replica; it has replicas in %s", p.Leader, strings.Join(p.Replicas, ", "))
	}
	var err error
	switch p.Spread {
	case SpreadHash:
		p.Shards = w.Shards
		p.Columns, err = keyColumns(r, w.Columns)
	case SpreadRegion:
		p.Regions = slices.Clone(p.Replicas)
		p.Columns, err = keyColumns(r, []string{w.Column})
	}
	return p, err
}

// keyColumns finds columns of the primary key by name; none named means all.
func keyColumns(r *Record, names []string) ([]uint32, error) {
	if len(names) == 0 {
		return slices.Clone(r.PrimaryKey), nil
	}
	var out []uint32
	for _, name := range names {
		i := slices.IndexFunc(r.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
		if i < 0 || !slices.Contains(r.PrimaryKey, r.Columns[i].ID) {
			return nil, fmt.Errorf("the placement divides table %s by %q, which is not a column of its primary key", r.Name, name)
		}
		out = append(out, r.Columns[i].ID)
	}
	return out, nil
}

// partitions returns the number of partitions of the rows.
func (p Placement) partitions() int {
	switch p.Spread {
	case SpreadHash:
		return p.Shards
	case SpreadRegion:
		return len(p.Regions)
	}
	return 1
}
