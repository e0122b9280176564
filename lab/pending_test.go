package lab

import (
	"context"
	"strings"
	"testing"
)

// An experiment whose clients request more than its nodes can do ends with an error, before it uses
// up the machine's memory.
func TestAnExperimentThatCannotBeBorne(t *testing.T) {
	s := short()
	s.Protocol, s.Workload, s.WAN, s.Shards, s.Replicas = "carousel-basic", "ycsb+t", "azure5", 5, 3
	s.Rate, s.FixedSet, s.Tries, s.AdmissionOff = 3000, true, 101, true
	s.PendingMax = 20_000
	_, err := Run(context.Background(), s, nil)
	if err == nil || !strings.Contains(err.Error(), "carousel-basic cannot bear this load") {
		t.Fatalf("the experiment ends with %v", err)
	}
	t.Log(err)
	s.Rate = 50
	mustRun(t, s)
}
