package catalog

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"isochron/routing"
	"isochron/txn"
)

// RestoreKey is there while a restore into the cluster is incomplete: SQL
// clients are refused until it is gone.
var RestoreKey = txn.Key(routing.SystemKey("restore"))

// ErrRestoring is the clients' error during a restore.
var ErrRestoring = txn.Errorf(txn.KindInvalidRequest, "a restore into this cluster is incomplete: run isochron restore again with the same backup")

// The keys that only this package and archives of the catalogue use.
var (
	DirectoryKey = directoryKey
	NextTableKey = nextTableKey
	VersionKey   = versionKey
)

// SystemSpan holds the whole catalogue, and whatever else the cluster knows of itself.
func SystemSpan() txn.Span { return prefixSpan("") }

// TableSpan holds the definitions of all tables, ViewSpan those of all views.
func TableSpan() txn.Span { return prefixSpan("table/") }

// ViewSpan holds the definitions of all views.
func ViewSpan() txn.Span { return prefixSpan("view/") }

// DecodeRecords reads the tables among rows of the catalogue, by rising id.
func DecodeRecords(system []txn.Pair) ([]*Record, error) {
	var out []*Record
	for _, p := range system {
		if !TableSpan().Contains(p.Key) {
			continue
		}
		d, err := decodeTable(p.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, d.Record)
	}
	slices.SortFunc(out, func(a, b *Record) int { return int(int64(a.ID) - int64(b.ID)) })
	return out, nil
}

// Spans are the ranges of keys of a table's rows and index entries: the rows
// first. Each lies within ranges of the directory that placing the table made.
func (r *Record) Spans() []txn.Span {
	var out []txn.Span
	ids := []uint32{0}
	for _, x := range r.Indexes {
		ids = append(ids, x.ID)
	}
	for _, id := range ids {
		out = append(out, spanOf(string(PartitionPrefix(r.ID, id, 0)[:9+4])))
	}
	return out
}

// Starts are the starts of the ranges of the directory that hold the table.
func (r *Record) Starts(dir *routing.Directory) []routing.Range {
	var out []routing.Range
	for _, x := range dir.Ranges {
		if spanOf(routing.TablePrefix(r.ID)).Contains(txn.Key(x.Start)) {
			out = append(out, x)
		}
	}
	return out
}

// Homecoming is a catalogue on its way into another cluster.
type Homecoming struct {
	Directory *routing.Directory
	NextTable []byte
	// Catalogue is written last, after all rows.
	Catalogue []txn.Write
	ids       map[uint64]uint64
}

// Rebase is the key of a row under the table's id in the new cluster.
func (h *Homecoming) Rebase(key txn.Key) (txn.Key, error) {
	if len(key) > 9 {
		if id, ok := h.ids[binary.BigEndian.Uint64([]byte(key[1:9]))]; ok && strings.HasPrefix(string(key), routing.TablePrefix(0)[:1]) {
			return txn.Key(routing.TablePrefix(id)) + key[9:], nil
		}
	}
	return "", fmt.Errorf("the backup has a row of a table that it does not describe")
}

// Rehome prepares the catalogue of a backup for a cluster with the given directory. Tables get ids
// from base on. home is the region for tables without a leader region that were led from a region
// which no longer exists. regions gives new names to old ones.
func Rehome(system []txn.Pair, dir *routing.Directory, base uint64, home string, regions map[string]string) (*Homecoming, error) {
	records, err := DecodeRecords(system)
	if err != nil {
		return nil, err
	}
	h := &Homecoming{Directory: dir.Clone(), ids: map[uint64]uint64{}}
	for i, rec := range records {
		h.ids[rec.ID] = base + uint64(i)
		rec.ID = base + uint64(i)
		if err := rec.rehome(dir.StorageRegions(), dir.HomeOf(home), regions); err != nil {
			return nil, err
		}
		placeTable(h.Directory, rec)
		d, err := NewDescriptor(rec)
		if err != nil {
			return nil, err
		}
		h.Catalogue = append(h.Catalogue, txn.Write{Key: tableKey(rec.Database, rec.Name), Value: d.raw})
		for _, shard := range d.Shards(h.Directory) {
			h.Catalogue = append(h.Catalogue, txn.Write{Key: guardKey(shard, rec.ID), Value: d.raw})
		}
	}
	h.NextTable = binary.BigEndian.AppendUint64(nil, base+uint64(len(records)))
	for _, p := range system {
		key, ok := h.rest(p.Key)
		if !ok {
			continue
		}
		value := p.Value
		if ForeignSpan().Contains(key) {
			if value, err = unbound(value); err != nil {
				return nil, err
			}
		}
		h.Catalogue = append(h.Catalogue, txn.Write{Key: key, Value: value})
	}
	return h, nil
}

// rest is the key of a row of the catalogue that is no table; false for what a
// cluster knows by itself.
func (h *Homecoming) rest(key txn.Key) (txn.Key, bool) {
	if slices.Contains([]txn.Key{directoryKey, nextTableKey, versionKey, RestoreKey}, key) || TableSpan().Contains(key) || leftSpan().Contains(key) {
		return "", false
	}
	if name, ok := strings.CutPrefix(string(key), routing.SystemKey("seq/")); ok {
		old, err := strconv.ParseUint(name, 10, 64)
		id, known := h.ids[old]
		return sequenceKey(id), err == nil && known
	}
	return key, true
}

// rehome finds the table's place among other regions.
func (r *Record) rehome(have []string, home string, names map[string]string) error {
	request, err := ParsePlacementRequest(r.Comment)
	if err != nil {
		return err
	}
	p := r.Placement
	move := func(region string) (string, error) {
		to := region
		if names[region] != "" {
			to = names[region]
		}
		if !slices.Contains(have, to) {
			return "", fmt.Errorf("table %s.%s is placed in region %q, which the cluster does not have; it has %s: give --map-region %s=%s, or another of them",
				r.Database, r.Name, to, strings.Join(have, ", "), region, have[0])
		}
		return to, nil
	}
	moveAll := func(old []string) (out []string, err error) {
		for _, region := range old {
			to, err := move(region)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(out, to) {
				out = append(out, to)
			}
		}
		return out, nil
	}
	if p.Spread == SpreadRegion {
		for _, region := range p.Regions {
			if to := names[region]; to != "" && to != region {
				return fmt.Errorf("table %s.%s keeps the name of region %q in its rows, so it cannot be renamed: make the new cluster with that region", r.Database, r.Name, region)
			}
		}
		if p.Regions, err = moveAll(p.Regions); err != nil {
			return err
		}
	}
	if len(request.Replicas) == 0 && p.Spread != SpreadRegion {
		p.Replicas = slices.Clone(have)
	} else if p.Replicas, err = moveAll(p.Replicas); err != nil {
		return err
	}
	if p.Leader, err = move(p.Leader); err != nil {
		if request.Leader != "" || len(request.Replicas) > 0 || p.Spread == SpreadRegion {
			return err
		}
		p.Leader = home // it was led from where it was made, which is not here
	}
	r.Placement, r.Comment = p, renamed(r.Comment, names)
	r.Generation++
	return nil
}

// renamed is a table's comment with the new names of regions in its placement.
func renamed(comment string, names map[string]string) string {
	at := strings.Index(comment, requestMark)
	if at < 0 || len(names) == 0 {
		return comment
	}
	var pairs []string
	for old, to := range names { // order: the names are distinct, and each is replaced in place
		pairs = append(pairs, strconv.Quote(old), strconv.Quote(to))
	}
	return comment[:at] + strings.NewReplacer(pairs...).Replace(comment[at:])
}
