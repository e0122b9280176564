package lab

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"isochron/protocol"
	"isochron/txn"
	"isochron/workload"
)

// overSources is YCSB over four databases in the regions of GeoTP, from clients in the first.
func overSources(row string) Experiment {
	return Experiment{
		Protocol: row, Workload: "ycsb-sources", WAN: "geotp4", Sources: "mpmp", Shards: 4, Replicas: 1, ClientRegions: 1,
		Clients: 32, Keys: 100_000, Zipf: 1.1, ReadShare: 0.5, Distributed: 0.5, Client: Drop, LockWait: time.Second, Cores: 4,
		CPU: MessageCPU, Fsync: Fsync, Tries: 1, Warmup: 2 * time.Second, Duration: 8 * time.Second, Seed: 1, Check: 5000,
	}
}

// Protocols over sources commit under contention, the history of their clients is serializable, and
// one seed is one run.
func TestExperimentsOverSources(t *testing.T) {
	for _, spec := range protocol.Table() {
		if !spec.OverSources() {
			continue
		}
		s := overSources(spec.Name)
		one, two := mustRun(t, s), mustRun(t, s)
		if one.WallS = two.WallS; !reflect.DeepEqual(one, two) {
			t.Errorf("%s: two runs of one seed differ", spec.Name)
		}
		central, distributed := one.ByClass[workload.ClassCentral], one.ByClass[workload.ClassDistributed]
		if !one.Check.Serializable || one.Check.Checked == 0 || central.Committed == 0 || distributed.Committed == 0 || one.AbortedBy[lostBy(spec).String()] == 0 {
			t.Errorf("%s: %+v, %+v, check %+v", spec.Name, central.Figures, distributed.Figures, one.Check)
		}
		if at := one.ContentionSpanMS.ByRegion; len(at) != 4 {
			t.Errorf("%s: spans at %v", spec.Name, at)
		}
	}
}

// lostBy returns the cause of aborts where the rows are hot: over versions no transaction waits.
func lostBy(r protocol.Spec) txn.Cause {
	if r.Yield.Versions {
		return txn.CauseConflict
	}
	return txn.CauseLockTimeout
}

// A protocol that may commit at one source and not at another is detected when agents are lost, and
// another is not accused.
func TestTheCheckSeesSources(t *testing.T) {
	for row, whole := range map[string]bool{"ssp-local": false, "geotp": true} {
		found := false
		for seed := uint64(1); seed <= 8 && !found; seed++ {
			s := overSources(row)
			s.Faults, s.Seed, s.Duration, s.Clients = "crashes", seed, 20*time.Second, 64
			found = !mustRun(t, s).Check.Serializable
		}
		if found == whole {
			t.Errorf("%s: not serializable %v", row, found)
		}
	}
}

func TestSpecsOverSources(t *testing.T) {
	for want, change := range map[string]func(*Experiment){
		"is not a list of sources": func(s *Experiment) { s.Sources = "mm" },
		"a letter for each":        func(s *Experiment) { s.Sources = "mmmx" },
		"m (MySQL)":                func(s *Experiment) { s.Sources = "----" },
		"names no regions":         func(s *Experiment) { s.ClientsAt = "bj,bj" },
		"the rows of ycsb-sources": func(s *Experiment) { s.Sources = "" },
		"at several sources":       func(s *Experiment) { s.Distributed = 2 },
		"rounds":                   func(s *Experiment) { s.Rounds = 6 },
	} {
		s := overSources("geotp")
		if change(&s); s.Validate() == nil || !strings.Contains(s.Validate().Error(), want) {
			t.Errorf("%q is not in %v", want, s.Validate())
		}
	}
	s := overSources("geotp")
	s.Sources, s.ClientsAt, s.ClientRegions = "-mp-", "ldn,sh", 0
	r := mustRun(t, s)
	if at := r.ContentionSpanMS.ByPair; len(at) != 2 || len(at["ldn"]) != 2 || at["sh"]["sg"].Count == 0 {
		t.Errorf("clients in London and Shanghai, rows in Shanghai and Singapore: %v", at)
	}
}
