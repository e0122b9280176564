package server

import (
	"testing"
	"time"

	"isochron/routing"
	"isochron/txn"
)

// Each source may have its own DeadlockAfter; without one it has the cluster's, which is on by default.
func TestDeadlockAfterOfSources(t *testing.T) {
	all := txn.Params{}.Live().SourceWaits
	if off := (txn.Params{SourceWaits: -1}).Live().SourceWaits; all != txn.SourceWaitsLive || off != 0 {
		t.Errorf("DeadlockAfter of a cluster is %v, and with detection off %v", all, off)
	}
	var sources []SourceConfig
	for _, s := range []SourceConfig{{Name: "usual"}, {Name: "late", DeadlockAfter: time.Second}, {Name: "never", DeadlockAfter: -1}} {
		s.Address = "postgres://app@127.0.0.1:1/db"
		sources = append(sources, s)
	}
	a, err := newAgents("c", 1, sources, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	for name, want := range map[string]time.Duration{"usual": all, "late": time.Second, "never": -1, "elsewhere": all} {
		if got := a.detectAfter(routing.Shard{Source: &routing.Source{Name: name}}, all); got != want {
			t.Errorf("DeadlockAfter at %s is %v, want %v", name, got, want)
		}
	}
}
