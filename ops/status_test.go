package ops

import (
	"strings"
	"testing"

	"isochron/participant"
	"isochron/server"
)

// What a shard counts is in the figure of its name, and in no other.
func TestCountsOfShards(t *testing.T) {
	for name, counts := range map[string]participant.Counts{
		"isochron_shard_late_total":       {Late: 7},
		"isochron_shard_lock_waits_total": {LockWaits: 7},
		"isochron_shard_wounds_total":     {Wounds: 7},
		"isochron_shard_refusals_total":   {Refusals: 7},
	} { // order: each by itself
		found := 0
		for _, f := range shardFigures {
			switch of := f.of(server.ShardReport{Counts: counts}); {
			case strings.Contains(f.desc.String(), `"`+name+`"`):
				if found++; of != 7 {
					t.Errorf("%s is %v", name, of)
				}
			case of == 7:
				t.Errorf("%v has what is of %s", f.desc, name)
			}
		}
		if found != 1 {
			t.Errorf("%s is there %d times", name, found)
		}
	}
}
