package ops

import (
	"regexp"
	"strings"
	"testing"

	"isochron/geo"
	"isochron/internal/renamed"
	"isochron/participant"
	"isochron/server"
)

// What a shard counts is in the figure of its name, and in no other.
func TestCountsOfShards(t *testing.T) {
	for name, counts := range map[string]participant.Counts{
		"isochron_shard_late_arrivals_total": {Late: 7},
		"isochron_shard_lock_waits_total":    {LockWaits: 7},
		"isochron_shard_wounds_total":        {Wounds: 7},
		"isochron_shard_no_votes_total":      {Refusals: 7},
	} { // order: each by itself
		found := 0
		for _, f := range shardFigures {
			switch of := f.of(server.ShardReport{Counts: counts}); {
			case strings.Contains(f.desc.String(), `"`+name+`"`):
				if found++; of != 7 {
					t.Errorf("%s is %v", name, of)
				}
			case of == 7:
				t.Errorf("%v has a metric of %s", f.desc, name)
			}
		}
		if found != 1 {
			t.Errorf("%s is there %d times", name, found)
		}
	}
}

// Each renamed metric is registered under both names, with the same labels, and the help of the old
// name refers to the new one.
func TestRenamedMetricsHaveBothNames(t *testing.T) {
	help := map[string]string{}
	for _, d := range described(New(geo.WAN{}, "va").registry) {
		m := regexp.MustCompile(`fqName: "(\w+)", help: "([^"]*)"[^{]*constLabels: .*variableLabels: (.*)}`).FindStringSubmatch(d.String())
		if m == nil {
			t.Fatalf("cannot parse %v", d)
		}
		help[m[1]] = m[2] + " " + m[3]
	}
	labels := func(name string) string { h := help[name]; return h[strings.LastIndex(h, "{")+1:] }
	for _, r := range renamed.Names {
		if r.Kind != renamed.Metric {
			continue
		}
		old, ok := help[r.Old]
		if _, found := help[r.New]; !found || !ok {
			t.Errorf("%s or %s is not registered", r.Old, r.New)
			continue
		}
		if !strings.HasPrefix(old, "deprecated, use "+r.New+" ") || labels(r.Old) != labels(r.New) {
			t.Errorf("%s: %s; %s: %s", r.Old, old, r.New, help[r.New])
		}
	}
}
