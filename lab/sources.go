package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"isochron/geo"
	"isochron/routing"
	"isochron/sim"
	"isochron/source"
	"isochron/txn"
)

// An experiment may have external databases, one in a region, each with an agent at the node there
// (package source). The rows of its workload are in these, in sim's model of a database; the shards
// hold only the log of decisions.

// dialects are those of the letters of Experiment.Sources.
var dialects = map[rune]source.Dialect{'m': source.MySQL, 'p': source.Postgres}

// DeadlockAfter is the wait of a statement in a PostgreSQL before it checks for a deadlock: the
// default of deadlock_timeout (PostgreSQL 15, section 20.12).
const DeadlockAfter = time.Second

// checkPlaces checks the letters of the sources against the map, and finds the regions of clients.
func (r *resolved) checkPlaces() error {
	if n := len(r.wan.Regions); r.Sources != "" && (len(r.Sources) != n || strings.Trim(r.Sources, "mp-") != "" || strings.Trim(r.Sources, "-") == "") {
		return fmt.Errorf("%q is not a list of sources; it needs a letter for each of %d regions: m (MySQL), p (PostgreSQL) or - (none)", r.Sources, n)
	}
	if r.ClientsAt == "" {
		return nil
	}
	for name := range strings.SplitSeq(r.ClientsAt, ",") {
		i := slices.IndexFunc(r.wan.Regions, func(x geo.Region) bool { return string(x) == name })
		if i < 0 || slices.Contains(r.clientsAt, i) {
			return fmt.Errorf("%q names no regions of the map, each once: it has %v", r.ClientsAt, r.wan.Regions)
		}
		r.clientsAt = append(r.clientsAt, i)
	}
	return nil
}

// sourceIDs returns the numbers of the sources: they follow the meta shard's and those of the
// shards.
func (s Experiment) sourceIDs() (out []txn.ShardID) {
	for range strings.ReplaceAll(s.Sources, "-", "") {
		out = append(out, txn.MetaShard+txn.ShardID(1+s.Shards+len(out)))
	}
	return out
}

// sourceRegions returns their regions, in the same order; none if the map is invalid.
func (s Experiment) sourceRegions() (out []geo.Region) {
	wan, err := geo.Parse(s.WAN)
	for i, letter := range s.Sources {
		if letter != '-' && err == nil && i < len(wan.Regions) {
			out = append(out, wan.Regions[i])
		}
	}
	return out
}

// addSources adds them to the directory.
func (s resolved) addSources(d *routing.Directory) {
	ids := s.sourceIDs()
	for i, letter := range s.Sources {
		if letter == '-' {
			continue
		}
		d.Shards = append(d.Shards, routing.Shard{ID: uint64(ids[0]), Replicas: []uint32{uint32(i + 1)}, Leader: string(s.wan.Regions[i]), Kind: source.Kind})
		ids = ids[1:]
	}
}

// logs reports whether a shard only logs decisions, and holds no row of the workload.
func (r *run) logs(s txn.ShardID) bool {
	return r.spec.Sources != "" && !slices.Contains(r.spec.sourceIDs(), s)
}

// databases returns the models behind them; nil: there are none.
func (s resolved) databases() *sim.Databases {
	if s.Sources == "" {
		return nil
	}
	out := &sim.Databases{Latency: s.AgentRTT / 2, Fsync: cmp.Or(s.SourceSync, s.Fsync), Work: s.SourceWork, DeadlockAfter: DeadlockAfter}
	for _, letter := range s.Sources {
		if letter != '-' {
			out.Dialects = append(out.Dialects, dialects[letter])
		}
	}
	return out
}

// Execute implements txn.Sources. Statements are of the small language of workload.Sourced, whose
// values are numbered as all others.
func (k *tracked) Execute(ctx context.Context, statements []txn.SourceStatement, last bool) ([]txn.SourceResult, error) {
	if !k.autocommit {
		k.sends()
	}
	sent := slices.Clone(statements)
	for i := range sent {
		s := &sent[i]
		k.leaders |= k.r.leaderBit[uint64(s.Source)]
		if key, value, puts := putOf(s.Text); puts {
			s.Text = fmt.Sprintf("PUT %s %s", key, k.setsArrivalTimes(rowAt(s.Source, key), []byte(value)))
		}
	}
	k.startsBranches(statements)
	results, err := k.Txn.(txn.Sources).Execute(ctx, sent, last)
	for i := range results {
		for _, row := range results[i].Rows {
			row[1] = k.saw(rowAt(statements[i].Source, string(row[0])), row[1])
		}
	}
	return results, err
}

// putOf splits a PUT.
func putOf(text string) (key, value string, puts bool) {
	rest, puts := strings.CutPrefix(text, "PUT ")
	key, value, _ = strings.Cut(rest, " ")
	return key, value, puts
}

// rowAt returns the name of a source's row in the recorded history.
func rowAt(s txn.ShardID, key string) txn.Key { return txn.Key(fmt.Sprintf("%d/%s", s, key)) }
