package lab

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Parallel runs return their results in order, and report progress.
func TestRunsSideBySide(t *testing.T) {
	var specs []Experiment
	for seed := range uint64(4) {
		s := short()
		s.Seed, s.Duration = seed, time.Second
		specs = append(specs, s)
	}
	var last, of time.Duration
	results, err := RunAll(context.Background(), specs, 3, func(done, total time.Duration) {
		if done < last {
			t.Errorf("progress went from %v back to %v", last, done)
		}
		last, of = done, total
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != of || of != 4*(specs[0].Warmup+specs[0].Duration) {
		t.Errorf("the progress ended at %v of %v", last, of)
	}
	for i, r := range results {
		if r.Seed != specs[i].Seed || r.Committed == 0 {
			t.Errorf("result %d is of seed %d, with %d commits", i, r.Seed, r.Committed)
		}
	}
}

func TestAnErrorEndsAllClients(t *testing.T) {
	bad := short()
	bad.Protocol = "none such"
	var wrong SpecError
	if _, err := RunAll(context.Background(), []Experiment{short(), bad, short()}, 2, nil); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
}
